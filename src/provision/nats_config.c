/* SPDX-License-Identifier: Apache-2.0 */
#include "provision/nats_config.h"

#include "base/jsonw.h"
#include "bus/bus.h"

#include <inttypes.h>

/* The server's limits. A message is its payload behind the headers of the server and of the bus. */
enum {
    HEADER_ROOM_BYTES = 4 << 10,
    SERVER_PAYLOAD_BYTES = 1 << 20,
    ANSWER_SECONDS = 60, /* how long a listener may take to answer */
};

/* Subjects to which a user may publish: <c> is the crawl, <a> the user's name. */
struct may_say {
    const char *before, *behind; /* "orb.<c>" before "<a>" behind */
};

static const struct may_say agent_says[] = {
    {".hb.", ""},    {".roster.", ""},   {".j.", ".*.out"}, {".j.*.*.in.", ""},
    {".ask.*.", ""}, {".bundle.*.", ""}, {".scope.", ""},
};
static const struct may_say operator_says[] = {{".control.", ""}, {".ask.*.", ""}};

#define READ_STREAMS "$JS.API.DIRECT.GET.*"

struct voice { /* a user, and the subjects to which it may publish */
    const struct nats_user *user;
    const struct may_say *says;
    size_t count;
    bool is_operator;
};

static struct voice voice_at(const struct nats_plan *p, uint32_t at)
{
    if (at < p->agent_count)
        return (struct voice){&p->agents[at], agent_says, sizeof agent_says / sizeof *agent_says,
                              false};
    return (struct voice){&p->operator, operator_says, sizeof operator_says / sizeof *operator_says,
                          true};
}

static void put_subject(struct buf *out, const struct nats_plan *p, const struct voice *v, size_t i)
{
    buf_printf(out, "\"orb.%s%s%s%s\"", p->crawl, v->says[i].before, v->user->name,
               v->says[i].behind);
}

static void put_account(struct buf *out, const struct voice *v)
{
    if (v->is_operator) {
        buf_add(out, STR("OPERATOR"));
    } else {
        buf_printf(out, "\"A_%s\"", v->user->name);
    }
}

/* The import named $JS.API.INFO keeps the server from importing all of JetStream's administration
 * into the account, which it does otherwise, JetStream or not. Version 2.9 does not check some of
 * that administration at all (ACCOUNT.PURGE of any account, CVE-2025-30215). The permissions are a
 * second lock on the same door. */
static void put_speaker(struct buf *out, const struct nats_plan *p, const struct voice *v)
{
    buf_add(out, STR("  "));
    put_account(out, v);
    buf_printf(out,
               " {\n    users: [{user: \"say.%s\", password: \"%s\", permissions: {\n"
               "      publish: {allow: [",
               v->user->name, v->user->say.text);
    for (size_t i = 0; i < v->count; i++) {
        put_subject(out, p, v, i);
        buf_add(out, STR(", "));
    }
    buf_add(out, STR("\"" READ_STREAMS "\"]}\n      subscribe: {allow: [\"_INBOX.>\"]}}}]\n"
                     "    imports: [\n"));
    for (size_t i = 0; i < v->count; i++) {
        buf_add(out, STR("      {service: {account: CRAWL, subject: "));
        put_subject(out, p, v, i);
        buf_add(out, STR("}}\n"));
    }
    buf_add(out, STR("      {service: {account: CRAWL, subject: \"" READ_STREAMS "\"}}\n"
                     "      {service: {account: NOBODY, subject: \"nothing\"}, to: "
                     "\"$JS.API.INFO\"}\n    ]\n  }\n"));
}

/* Each export names the one account that may import it: one mistake is not enough. */
static void put_exports(struct buf *out, const struct nats_plan *p)
{
    buf_add(out, STR("    exports: [\n"));
    for (uint32_t at = 0; at <= p->agent_count; at++) {
        struct voice v = voice_at(p, at);
        for (size_t i = 0; i < v.count; i++) {
            buf_add(out, STR("      {service: "));
            put_subject(out, p, &v, i);
            buf_add(out, STR(", accounts: ["));
            put_account(out, &v);
            buf_add(out, STR("]}\n"));
        }
    }
    buf_add(out, STR("      {service: \"" READ_STREAMS "\", accounts: [OPERATOR"));
    for (uint32_t at = 0; at < p->agent_count; at++)
        buf_printf(out, ", \"A_%s\"", p->agents[at].name);
    buf_add(out, STR("]}\n    ]\n"));
}

static void put_listener(struct buf *out, const struct nats_plan *p, const struct voice *v)
{
    buf_printf(out,
               "      {user: \"hear.%s\", password: \"%s\", permissions: {publish: {deny: \">\"}, "
               "subscribe: {allow: [\"orb.%s.hb.*\"",
               v->user->name, v->user->hear.text, p->crawl);
    if (!v->is_operator)
        buf_printf(out, ", \"orb.%s.ask.%s.*\", \"orb.%s.bundle.%s.*\"", p->crawl, v->user->name,
                   p->crawl, v->user->name);
    buf_printf(out, "]}, allow_responses: {max: 1, expires: \"%ds\"}}}\n", ANSWER_SECONDS);
}

static void put_crawl(struct buf *out, const struct nats_plan *p)
{
    buf_printf(out,
               "  CRAWL {\n    jetstream: enabled\n    users: [\n"
               "      {user: \"admin\", password: \"%s\", permissions: {publish: "
               "{allow: [\"$JS.API.>\"]}, subscribe: {allow: [\"_INBOX.>\"]}}}\n",
               p->admin.text);
    for (uint32_t at = 0; at <= p->agent_count; at++) {
        struct voice v = voice_at(p, at);
        put_listener(out, p, &v);
    }
    buf_add(out, STR("    ]\n"));
    put_exports(out, p);
    buf_add(out, STR("  }\n"));
}

static bool is_loopback(const struct nats_machine *machine)
{
    return str_starts(str_c(machine->host), STR("127."));
}

/* Routes lead only to servers with streams: the servers count the routes to know how many make a
 * majority, and learn of the others from each other. */
static void put_routes(struct buf *out, const struct nats_plan *p, uint32_t machine)
{
    buf_add(out, STR("  routes: [\n"));
    for (uint32_t i = 0; i < p->machine_count; i++)
        if (p->machines[i].keeps && i != machine)
            buf_printf(out, "    \"nats-route://route:%s@%s:%u\"\n", p->route.text,
                       p->machines[i].host, p->machines[i].route_port);
    buf_add(out, STR("  ]\n"));
}

static void put_cluster(struct buf *out, const struct nats_plan *p, uint32_t machine)
{
    const struct nats_machine *here = &p->machines[machine];
    buf_printf(out,
               "cluster {\n  name: \"orb-%s\"\n  listen: \"%s:%u\"\n  advertise: \"%s:%u\"\n"
               "  no_advertise: true\n"
               "  authorization {user: route, password: \"%s\", timeout: 5}\n"
               "  tls {cert_file: \"" NATS_FILE_CERT "\", key_file: \"" NATS_FILE_KEY
               "\", ca_file: \"" NATS_FILE_AUTHORITY "\", verify: true, timeout: 5}\n",
               p->crawl, is_loopback(here) ? here->host : "0.0.0.0", here->route_port, here->host,
               here->route_port, p->route.text);
    put_routes(out, p, machine);
    buf_add(out, STR("}\n"));
}

void nats_config_write(const struct nats_plan *p, uint32_t machine, struct buf *out)
{
    const struct nats_machine *here = &p->machines[machine];
    buf_printf(out,
               "# Written by `orbweaver cluster`, which writes it anew: change nothing here.\n"
               "# Start it in this folder: nats-server -c " NATS_FILE_CONFIG "\n"
               "server_name: \"%s-%s-%u\"\nlisten: \"127.0.0.1:%u\"\npid_file: \"" NATS_FILE_PID
               "\"\nmax_payload: %d\nsystem_account: SYS\n",
               p->crawl, here->host, here->route_port, here->client_port, SERVER_PAYLOAD_BYTES);
    buf_add(out, STR("accounts {\n  SYS {}\n  NOBODY {exports: [{service: \"nothing\"}]}\n"));
    put_crawl(out, p);
    for (uint32_t at = 0; at <= p->agent_count; at++) {
        struct voice v = voice_at(p, at);
        put_speaker(out, p, &v);
    }
    buf_add(out, STR("}\n"));
    if (here->keeps)
        buf_add(out, STR("jetstream {store_dir: \"" NATS_FOLDER_STORE "\"}\n"));
    if (p->machine_count > 1)
        put_cluster(out, p, machine);
}

/* Streams -------------------------------------------------------------------------------------- */

enum { STREAM_ROSTER, STREAM_CONTROL, STREAM_FIRST_AGENT };

uint32_t nats_stream_count(const struct nats_plan *p)
{
    return STREAM_FIRST_AGENT + p->agent_count;
}

void nats_stream_name(const struct nats_plan *p, uint32_t at, struct buf *out)
{
    const char *what = at == STREAM_ROSTER    ? "ROSTER"
                       : at == STREAM_CONTROL ? "CONTROL"
                                              : p->agents[at - STREAM_FIRST_AGENT].name;
    buf_printf(out, "ORB_%s_%s", p->crawl, what);
}

static void stream_subject(const struct nats_plan *p, uint32_t at, struct buf *out)
{
    if (at == STREAM_ROSTER)
        buf_printf(out, "orb.%s.roster.*", p->crawl);
    else if (at == STREAM_CONTROL)
        buf_printf(out, "orb.%s.control.*", p->crawl);
    else
        buf_printf(out, "orb.%s.j.%s.>", p->crawl, p->agents[at - STREAM_FIRST_AGENT].name);
}

void nats_stream_write(const struct nats_plan *p, uint32_t at, struct buf *out)
{
    char name_room[NATS_MAX_STREAM_NAME_BYTES], subject_room[3 * NATS_MAX_NAME_BYTES];
    struct buf name = buf_on(name_room, sizeof name_room);
    struct buf subject = buf_on(subject_room, sizeof subject_room);
    struct jsonw j = jsonw_to(out);
    nats_stream_name(p, at, &name);
    stream_subject(p, at, &subject);
    jsonw_object(&j);
    jsonw_text_field(&j, "name", buf_str(&name));
    jsonw_key(&j, "subjects");
    jsonw_array(&j);
    jsonw_text(&j, buf_str(&subject));
    if (at == STREAM_CONTROL) { /* what agents publish to all, in one order with the operator */
        buf_clear(&subject);
        buf_printf(&subject, "orb.%s.scope.*", p->crawl);
        jsonw_text(&j, buf_str(&subject));
    }
    jsonw_end(&j);
    jsonw_text_field(&j, "retention", STR("limits"));
    jsonw_text_field(&j, "discard",
                     STR("new")); /* a full stream refuses, and never drops old messages */
    jsonw_text_field(&j, "storage", STR("file"));
    jsonw_u64_field(&j, "num_replicas", nats_plan_copies(p));
    jsonw_bool_field(&j, "allow_direct", true); /* how it is read */
    jsonw_bool_field(&j, "allow_rollup_hdrs", false);
    jsonw_u64_field(&j, "max_bytes",
                    at == STREAM_ROSTER    ? NATS_ROSTER_BYTES
                    : at == STREAM_CONTROL ? NATS_CONTROL_BYTES
                                           : p->stream_bytes);
    jsonw_u64_field(&j, "max_msg_size", BUS_MAX_PAYLOAD_BYTES + HEADER_ROOM_BYTES);
    jsonw_u64_field(&j, "duplicate_window", UINT64_C(1000000000) * NATS_DEDUPE_SECONDS);
    jsonw_end(&j);
}
