/* SPDX-License-Identifier: Apache-2.0 */
#include "cluster/wire/nats_plan.h"

#include "base/jsonw.h"

#include <jansson.h>
#include <stdio.h>

enum { PLAN_VERSION = 1 };

static bool name_is_good(struct str name, bool low_line)
{
    if (name.n == 0 || name.n > NATS_MAX_NAME_BYTES)
        return false;
    for (size_t i = 0; i < name.n; i++) {
        char c = name.p[i];
        if (!ascii_is_digit(c) && !(c >= 'a' && c <= 'z') && c != '-' && !(low_line && c == '_'))
            return false;
    }
    return true;
}

bool nats_name_is_good(struct str name)
{
    return name_is_good(name, true) && !str_eq(name, STR(NATS_OPERATOR));
}

bool nats_crawl_is_good(struct str name)
{
    return name_is_good(name, false);
}

/* Machines ------------------------------------------------------------------------------------- */

static bool host_is_good(struct str host)
{
    if (host.n == 0 || host.n > NATS_MAX_HOST_BYTES || host.p[0] == '.' || host.p[0] == '-')
        return false;
    for (size_t i = 0; i < host.n; i++)
        if (!ascii_is_alnum(host.p[i]) && host.p[i] != '.' && host.p[i] != '-')
            return false;
    return true;
}

static bool port_of(struct str text, uint16_t *ret)
{
    uint64_t port;
    if (str_to_u64(text, &port) || port == 0 || port > UINT16_MAX)
        return false;
    *ret = (uint16_t)port;
    return true;
}

enum rc nats_machine_read(struct str text, struct nats_machine *ret)
{
    struct nats_machine p = {.route_port = NATS_ROUTE_PORT, .client_port = NATS_CLIENT_PORT};
    struct str host = str_take_until(&text, ':');
    if (!host_is_good(host))
        return RC_INVALID;
    memcpy(p.host, host.p, host.n);
    if (text.p && !port_of(str_take_until(&text, ':'), &p.route_port))
        return RC_INVALID;
    if (text.p && !port_of(text, &p.client_port))
        return RC_INVALID;
    if (p.route_port == p.client_port)
        return RC_INVALID;
    *ret = p;
    return RC_OK;
}

enum rc nats_plan_machine(struct nats_plan *p, struct str text, uint32_t *ret_at)
{
    struct nats_machine machine;
    enum rc rc = nats_machine_read(text, &machine);
    if (rc)
        return rc;
    for (uint32_t i = 0; i < p->machine_count; i++) {
        const struct nats_machine *other = &p->machines[i];
        if (strcmp(other->host, machine.host) != 0)
            continue;
        bool same_route = other->route_port == machine.route_port;
        if (same_route && other->client_port == machine.client_port) {
            *ret_at = i;
            return RC_OK;
        }
        if (same_route || other->client_port == machine.client_port)
            return RC_EXISTS;
    }
    if (p->machine_count == NATS_MAX_MACHINES)
        return RC_LIMIT;
    *ret_at = p->machine_count;
    p->machines[p->machine_count++] = machine;
    return RC_OK;
}

enum rc nats_plan_stores(struct nats_plan *p, uint64_t stores)
{
    if (stores == 0)
        stores = p->machine_count >= 3 ? 3 : 1;
    bool fits = (stores == 1 && p->machine_count == 1) ||
                ((stores == 3 || stores == 5) && p->machine_count >= stores);
    if (!fits)
        return RC_INVALID;
    for (uint32_t i = 0; i < p->machine_count; i++)
        p->machines[i].keeps = i < stores;
    return RC_OK;
}

uint32_t nats_plan_copies(const struct nats_plan *p)
{
    uint32_t stores = 0;
    for (uint32_t i = 0; i < p->machine_count; i++)
        stores += p->machines[i].keeps;
    return stores >= 3 ? 3 : 1;
}

void nats_machine_folder(const struct nats_machine *p, struct buf *out)
{
    buf_add(out, str_c(p->host));
    if (p->route_port != NATS_ROUTE_PORT)
        buf_printf(out, "-%u", p->route_port);
}

/* Agents --------------------------------------------------------------------------------------- */

struct nats_user *nats_plan_agent(struct nats_plan *p, struct str name)
{
    for (uint32_t i = 0; i < p->agent_count; i++)
        if (str_eq(str_c(p->agents[i].name), name))
            return &p->agents[i];
    return NULL;
}

bool nats_plan_remove(struct nats_plan *p, struct str name)
{
    struct nats_user *a = nats_plan_agent(p, name);
    if (!a)
        return false;
    size_t behind = (size_t)(&p->agents[p->agent_count] - (a + 1));
    memmove(a, a + 1, behind * sizeof *a);
    p->agent_count--;
    return true;
}

enum rc nats_plan_add(struct nats_plan *p, struct str name, uint32_t machine,
                      struct nats_user **ret)
{
    if (!nats_name_is_good(name) || machine >= p->machine_count)
        return RC_INVALID;
    if (nats_plan_agent(p, name))
        return RC_EXISTS;
    if (p->agent_count == NATS_MAX_AGENTS)
        return RC_LIMIT;
    struct nats_user *a = &p->agents[p->agent_count++];
    *a = (struct nats_user){.machine = machine};
    memcpy(a->name, name.p, name.n);
    *ret = a;
    return RC_OK;
}

/* As JSON -------------------------------------------------------------------------------------- */

static void write_person(struct jsonw *j, const struct nats_user *a)
{
    jsonw_object(j);
    jsonw_text_field(j, "name", str_c(a->name));
    jsonw_u64_field(j, "place", a->machine);
    jsonw_text_field(j, "say", str_c(a->say.text));
    jsonw_text_field(j, "hear", str_c(a->hear.text));
    jsonw_end(j);
}

static void write_machine(struct jsonw *j, const struct nats_machine *p)
{
    jsonw_object(j);
    jsonw_text_field(j, "host", str_c(p->host));
    jsonw_u64_field(j, "route_port", p->route_port);
    jsonw_u64_field(j, "client_port", p->client_port);
    jsonw_bool_field(j, "keeps", p->keeps);
    jsonw_end(j);
}

void nats_plan_write(const struct nats_plan *p, struct buf *out)
{
    struct jsonw j = jsonw_to(out);
    jsonw_object(&j);
    jsonw_u64_field(&j, "version", PLAN_VERSION);
    jsonw_text_field(&j, "crawl", str_c(p->crawl));
    jsonw_u64_field(&j, "stream_bytes", p->stream_bytes);
    jsonw_text_field(&j, "route", str_c(p->route.text));
    jsonw_text_field(&j, "admin", str_c(p->admin.text));
    jsonw_key(&j, "operator");
    write_person(&j, &p->operator);
    jsonw_key(&j, "places");
    jsonw_array(&j);
    for (uint32_t i = 0; i < p->machine_count; i++)
        write_machine(&j, &p->machines[i]);
    jsonw_end(&j);
    jsonw_key(&j, "agents");
    jsonw_array(&j);
    for (uint32_t i = 0; i < p->agent_count; i++)
        write_person(&j, &p->agents[i]);
    jsonw_end(&j);
    jsonw_end(&j);
    buf_byte(out, '\n');
}

static struct str text_field(const json_t *o, const char *key)
{
    const json_t *v = json_object_get(o, key);
    return str_make(json_string_value(v), json_string_length(v));
}

/* The text goes between quotes in a server's configuration, so only these characters are
 * allowed. */
static bool take_text(const json_t *o, const char *key, char *to, size_t bytes)
{
    struct str s = text_field(o, key);
    if (s.n == 0 || s.n >= bytes)
        return false;
    for (size_t i = 0; i < s.n; i++)
        if (!ascii_is_alnum(s.p[i]) && !strchr("$./-_", s.p[i]))
            return false;
    memcpy(to, s.p, s.n);
    to[s.n] = '\0';
    return true;
}

static bool take_number(const json_t *o, const char *key, uint64_t max, uint64_t *ret)
{
    const json_t *v = json_object_get(o, key);
    if (!json_is_integer(v) || json_integer_value(v) < 0 || (uint64_t)json_integer_value(v) > max)
        return false;
    *ret = (uint64_t)json_integer_value(v);
    return true;
}

static bool take_hashes(const json_t *o, struct nats_user *a)
{
    return take_text(o, "say", a->say.text, sizeof a->say.text) &&
           take_text(o, "hear", a->hear.text, sizeof a->hear.text);
}

static const char *read_machines(const json_t *machines, struct nats_plan *p)
{
    size_t stores = 0;
    for (size_t i = 0; i < json_array_size(machines); i++) {
        const json_t *o = json_array_get(machines, i);
        char text[NATS_MAX_HOST_BYTES + 16];
        struct str host = text_field(o, "host");
        uint64_t route, client;
        uint32_t at;
        if (!take_number(o, "route_port", UINT16_MAX, &route) ||
            !take_number(o, "client_port", UINT16_MAX, &client) || host.n > NATS_MAX_HOST_BYTES ||
            str_find(host, ':') < host.n)
            return "places: expected a host, a route_port and a client_port each";
        (void)snprintf(text, sizeof text, STR_FMT ":%u:%u", STR_ARG(host), (unsigned)route,
                       (unsigned)client);
        if (nats_plan_machine(p, str_c(text), &at) || at != i)
            return "places: a machine twice, too many machines, or a bad host name";
        p->machines[i].keeps = json_is_true(json_object_get(o, "keeps"));
        stores += p->machines[i].keeps;
    }
    return stores == 1 || stores == 3 || stores == 5
               ? NULL
               : "places: expected \"keeps\" in 1, 3 or 5 of them";
}

static const char *read_agents(const json_t *agents, struct nats_plan *p)
{
    for (size_t i = 0; i < json_array_size(agents); i++) {
        const json_t *o = json_array_get(agents, i);
        struct nats_user *a;
        uint64_t machine;
        if (!take_number(o, "place", NATS_MAX_MACHINES, &machine) ||
            nats_plan_add(p, text_field(o, "name"), (uint32_t)machine, &a) || !take_hashes(o, a))
            return "agents: expected a name, a place and two hashes each";
    }
    return NULL;
}

static const char *read_whole(const json_t *o, struct nats_plan *p)
{
    const char *why;
    if (!nats_crawl_is_good(text_field(o, "crawl")) ||
        !take_text(o, "crawl", p->crawl, sizeof p->crawl))
        return "crawl: expected a name of lower-case letters, digits and '-'";
    if (!take_number(o, "stream_bytes", INT64_MAX, &p->stream_bytes) ||
        !take_text(o, "route", p->route.text, sizeof p->route.text) ||
        !take_text(o, "admin", p->admin.text, sizeof p->admin.text))
        return "expected stream_bytes, route and admin";
    (void)snprintf(p->operator.name, sizeof p->operator.name, "%s", NATS_OPERATOR);
    if (!take_hashes(json_object_get(o, "operator"), &p->operator))
        return "operator: expected two hashes";
    why = read_machines(json_object_get(o, "places"), p);
    return why ? why : read_agents(json_object_get(o, "agents"), p);
}

enum rc nats_plan_read(struct str json, struct nats_plan *ret, const char **ret_why)
{
    uint64_t version = 0;
    *ret_why = "the file is larger than a plan can be";
    if (json.n > NATS_PLAN_MAX_BYTES)
        return RC_LIMIT;
    json_t *o = json_loadb(json.p ? json.p : "", json.n, JSON_REJECT_DUPLICATES, NULL);
    *ret_why = !json_is_object(o) ? "the file is no JSON object" : NULL;
    if (!*ret_why && (!take_number(o, "version", UINT32_MAX, &version) || version != PLAN_VERSION))
        *ret_why = "the plan is of another version of orbweaver";
    else if (!*ret_why)
        *ret_why = read_whole(o, ret);
    json_decref(o);
    if (!*ret_why)
        return RC_OK;
    return version > PLAN_VERSION ? RC_VERSION : RC_INVALID;
}
