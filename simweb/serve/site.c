/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/site.h"

#include "serve/ordinary.h"

#include "base/hash.h"
#include "base/mem.h"

#include <math.h>

enum { NAME_BYTES = 256, URL_BYTES = REQUEST_MAX_BYTES + 512, HUGE_COOKIE_BYTES = 64 * 1024 };
enum { CHANCE_HTTP2 = 0x5e20, CHANCE_LATENCY, CHANCE_BANDWIDTH };

struct site {
    const struct world *world;
    const struct server_settings *settings;
    struct witness *witness;
    struct ordinary *ordinary;
    struct buf url; /* of the request being answered */
    bool is_sprinkled;
};

struct site *site_open(const struct world *w, const struct server_settings *s,
                       struct witness *witness)
{
    struct site *site = mem_zero(1, sizeof *site);
    if (!site)
        return NULL;
    site->world = w;
    site->settings = s;
    site->witness = witness;
    site->is_sprinkled = world_settings(w)->sprinkle.count > 0;
    buf_init(&site->url, URL_BYTES);
    site->ordinary = ordinary_open(w, s);
    if (!site->ordinary) {
        site_close(site);
        return NULL;
    }
    return site;
}

void site_close(struct site *s)
{
    if (!s)
        return;
    ordinary_close(s->ordinary);
    buf_done(&s->url);
    mem_free(s);
}

const struct content *site_content(const struct site *s)
{
    return ordinary_content(s->ordinary);
}

/* Whose host it is -------------------------------------------------------------------------- */

/* A name, looked up. At most one of fault, is_zoo and host >= 0. */
struct owner {
    struct str name;           /* lower case, without a dot at the end */
    const struct fault *fault; /* of its own host, or sprinkled over an ordinary one */
    const struct fault_host *row;
    struct str label;
    bool is_zoo;
    int64_t host; /* ordinary, -1 if not */
};

static struct owner owner_of(const struct site *s, struct str name)
{
    struct owner o = {.name = name, .host = -1, .label = STR("")};
    o.fault = fault_of_host(s->world, name, &o.label);
    if (o.fault) {
        o.row = fault_host(o.fault, o.label);
        return o;
    }
    o.is_zoo = is_zoo(s->world, name);
    if (o.is_zoo)
        return o;
    o.host = host_of(s->world, name);
    if (o.host >= 0 && s->is_sprinkled) {
        o.fault = fault_sprinkled(s->world, (uint32_t)o.host, &o.row);
        if (o.row)
            o.label = str_c(o.row->label);
    }
    return o;
}

/* Lower case into `room`, NAME_BYTES; what is longer is no name of ours. */
static struct str lower_name(struct str name, char *room)
{
    if (name.n && name.p[name.n - 1] == '.')
        name.n--;
    if (name.n > NAME_BYTES)
        name.n = NAME_BYTES;
    for (size_t i = 0; i < name.n; i++)
        room[i] = ascii_lower(name.p[i]);
    return str_make(room, name.n);
}

static enum h2_mood ordinary_h2(const struct site *s, uint32_t host)
{
    uint64_t chance = world_chance(s->world, CHANCE_HTTP2, host, 0);
    return world_share(chance, s->settings->http2) ? H2_GOOD : H2_NONE;
}

bool site_host(const struct site *s, struct str name, struct mood *ret_mood, uint32_t *ret_address)
{
    char room[NAME_BYTES];
    struct owner o = owner_of(s, lower_name(name, room));
    uint32_t usual = ADDRESS_OF_ZOO;
    *ret_mood = o.row ? o.row->mood : (struct mood){0};
    if (o.host >= 0) {
        usual = host_address(s->world, (uint32_t)o.host);
        if (ret_mood->h2 == H2_NONE)
            ret_mood->h2 = ordinary_h2(s, (uint32_t)o.host);
    } else if (o.fault) {
        usual = fault_address(o.fault, o.label);
    } else if (!o.is_zoo) {
        return false;
    }
    *ret_address = mood_address(*ret_mood, usual);
    return true;
}

/* Between two numbers, log-uniform: as many from 10 to 20 as from 100 to 200. */
static uint64_t between(uint64_t chance, uint64_t least, uint64_t most)
{
    double unit = (double)(chance >> 11) * 0x1p-53;
    double from = least ? (double)least : 1, to = most ? (double)most : 1;
    if (most <= least)
        return least;
    return (uint64_t)(from * pow(to / from, unit) + 0.5);
}

void site_pace(const struct site *s, struct str host, uint64_t *ret_latency_ms,
               uint64_t *ret_bytes_per_s)
{
    const struct server_settings *set = s->settings;
    *ret_latency_ms = *ret_bytes_per_s = 0;
    if (!set->latency_most_ms && !set->bandwidth_most)
        return;
    char room[NAME_BYTES];
    uint64_t key = hash64(lower_name(host, room));
    *ret_latency_ms = between(world_chance(s->world, CHANCE_LATENCY, key, 0), set->latency_least_ms,
                              set->latency_most_ms);
    if (set->bandwidth_most)
        *ret_bytes_per_s = between(world_chance(s->world, CHANCE_BANDWIDTH, key, 0),
                                   set->bandwidth_least, set->bandwidth_most);
}

/* What the witness is told ------------------------------------------------------------------- */

/* HTTP/2 may spread cookies over several fields. */
static size_t cookie_bytes(const struct request *q)
{
    size_t bytes = 0;
    for (uint32_t i = 0; i < q->header_count; i++)
        if (str_eq_nocase(q->headers[i].name, STR("Cookie")))
            bytes += q->headers[i].value.n;
    return bytes;
}

static unsigned facts_of(const struct request *q, struct str name)
{
    static const struct {
        struct str name;
        unsigned fact;
    } rows[] = {
        {{"Cookie", 6}, FACT_COOKIE},
        {{"Authorization", 13}, FACT_AUTHORIZATION},
        {{"Proxy-Authorization", 19}, FACT_AUTHORIZATION},
        {{"If-None-Match", 13}, FACT_CONDITION},
        {{"If-Modified-Since", 17}, FACT_CONDITION},
        {{"Range", 5}, FACT_RANGE},
        {{"Referer", 7}, FACT_REFERER},
    };
    unsigned facts = (q->is_h2 ? FACT_H2 : 0) | (q->is_https ? FACT_HTTPS : 0) |
                     (q->sni.p ? FACT_SNI : 0) | (q->is_proxied ? FACT_PROXY : 0);
    if (q->sni.p && !str_eq(q->sni, name))
        facts |= FACT_OTHER_SNI;
    if (str_eq(q->method, STR("HEAD")))
        facts |= FACT_HEAD;
    else if (!str_eq(q->method, STR("GET")))
        facts |= FACT_OTHER_METHOD;
    for (uint32_t i = 0; i < q->header_count; i++)
        for (size_t j = 0; j < sizeof rows / sizeof *rows; j++)
            if (q->headers[i].name.n == rows[j].name.n &&
                str_eq_nocase(q->headers[i].name, rows[j].name))
                facts |= rows[j].fact;
    if (facts & FACT_COOKIE && cookie_bytes(q) > HUGE_COOKIE_BYTES)
        facts |= FACT_HUGE_COOKIE;
    return facts;
}

/* The whole URL, as a crawler would write it. */
static struct str url_of(struct site *s, const struct request *q, struct str name)
{
    const struct world_settings *set = world_settings(s->world);
    uint64_t port = q->is_https ? set->https_port : set->http_port;
    buf_clear(&s->url);
    buf_add(&s->url, q->is_https ? STR("https://") : STR("http://"));
    buf_add(&s->url, name);
    if (port != (q->is_https ? 443 : 80)) {
        buf_byte(&s->url, ':');
        buf_u64(&s->url, port);
    }
    buf_add(&s->url, q->target);
    return buf_str(&s->url);
}

/* robots.txt of an ordinary host forbids /private/, to everybody. */
static bool is_forbidden(const struct site *s, const struct owner *o, struct str target)
{
    return o->host >= 0 && !o->row && str_starts(target, STR("/private/")) &&
           host_robots(s->world, (uint32_t)o->host).forbids_private;
}

/* The Crawl-delay that the answer to this request for robots.txt will ask for. */
static uint32_t delay_of(const struct site *s, const struct owner *o, bool is_robots)
{
    if (!is_robots || o->host < 0 || o->row)
        return 0;
    struct host_robots robots = host_robots(s->world, (uint32_t)o->host);
    return robots.exists ? robots.crawl_delay_ms : 0;
}

/* Answers ------------------------------------------------------------------------------------ */

/* One request, looked up. */
struct asked {
    struct owner owner;
    bool is_fault;    /* the fault answers: its own host, below its mount, or its row's host */
    struct str mount; /* "/f06" */
    struct str path;  /* below it, with the query */
    bool is_out_of_reach;
};

/* Whether a path fault that is sprinkled over the host has the target: "/f06/…". */
static bool is_below_mount(const struct fault *f, struct str target)
{
    return target.n > 4 && target.p[0] == '/' && target.p[1] == 'f' && target.p[2] == f->id[1] &&
           target.p[3] == f->id[2] && target.p[4] == '/';
}

/* A name of nobody's, a number or "localhost", asked for what stands below a fault's mount: a link
 * of that fault led here, past the crawler's address guard (F83). The name is the label. */
static const struct fault *fault_of_stray(const struct site *s, struct str name, struct str target)
{
    const struct fault *f = target.n > 5 ? fault_find(str_make(target.p + 1, 3)) : NULL;
    return f && fault_enabled(s->world, f) && is_below_mount(f, target) && name.n ? f : NULL;
}

/* Asked as a proxy for a host that cannot be reached by its name or its address. */
static bool is_out_of_reach(const struct owner *o, const struct request *q)
{
    const struct fault_host *row = o->row;
    return q->is_proxied && row && row->is_dead &&
           (row->mood.dns != DNS_GOOD || row->mood.address != ADDRESS_GOOD);
}

static struct asked look_up(const struct site *s, const struct request *q, struct str name)
{
    struct asked a = {.owner = owner_of(s, name), .mount = STR(""), .path = q->target};
    const struct fault *f = a.owner.fault;
    if (!f && a.owner.host < 0 && !a.owner.is_zoo && (f = fault_of_stray(s, name, q->target))) {
        a.owner.fault = f;
        a.owner.label = name;
        a.is_fault = true;
        a.mount = str_first(q->target, 4);
        a.path = str_from(q->target, 4);
        return a;
    }
    a.is_out_of_reach = is_out_of_reach(&a.owner, q);
    if (!f || a.is_out_of_reach)
        return a;
    a.is_fault = a.owner.host < 0 || a.owner.row || is_below_mount(f, q->target);
    if (a.owner.host >= 0 && !a.owner.row && a.is_fault) {
        a.mount = str_first(q->target, 4);
        a.path = str_from(q->target, 4);
    }
    return a;
}

static struct fault_query fault_query_of(const struct site *s, const struct asked *a,
                                         const struct request *q, const struct visitor *v,
                                         struct str url, uint64_t wall_ms)
{
    size_t mark = str_find(a->path, '?');
    return (struct fault_query){
        .fault = a->owner.fault,
        .world = s->world,
        .knobs = &s->settings->knobs,
        .request = q,
        .host = a->owner.name,
        .label = a->owner.label,
        .path = str_first(a->path, mark),
        .query = mark < a->path.n ? str_from(a->path, mark + 1) : STR_NONE,
        .mount = a->mount,
        .nth = witness_url_count(s->witness, url),
        .nth_of_host = witness_host_count(s->witness, a->owner.name),
        .nth_on_conn = v->nth_on_conn,
        .wall_ms = wall_ms,
        .true_time = v->true_time,
    };
}

/* A fault on its own host or below its mount always answers; sprinkled over a whole host it may
 * leave a request to that host. */
static bool answer_fault(const struct asked *a, const struct fault_query *q, struct reply *r)
{
    r->keep_alive = q->request->keep_alive && !q->request->is_http10;
    if (a->owner.host >= 0 && a->owner.row)
        return q->fault->answer && q->fault->answer(q, r);
    fault_answer(q, r);
    return true;
}

static void answer_ordinary(struct site *s, const struct asked *a, const struct request *q,
                            const struct visitor *v, uint64_t now_us, uint64_t wall_ms,
                            struct reply *r)
{
    struct ordinary_query o = {
        .request = q,
        .host = a->owner.host < 0 ? 0 : (uint32_t)a->owner.host,
        .mounted = a->owner.row ? NULL : a->owner.fault,
        .now_us = now_us,
        .wall_ms = wall_ms,
        .true_time = v->true_time,
    };
    r->keep_alive = q->keep_alive;
    if (a->owner.is_zoo) {
        zoo_answer(s->world, q, r);
        return;
    }
    if (a->is_out_of_reach || a->owner.host < 0) {
        ordinary_refuse(s->ordinary, &o, a->is_out_of_reach ? 502 : 421, r);
        return;
    }
    o.place = place_of(s->world, o.host, q->target);
    ordinary_answer(s->ordinary, &o, r);
}

uint64_t site_answer(struct site *s, const struct request *q, const struct visitor *v,
                     uint64_t now_us, uint64_t wall_ms, struct reply *r)
{
    char room[NAME_BYTES];
    struct str name = lower_name(q->host, room);
    struct asked a = look_up(s, q, name);
    bool is_robots = str_eq(q->target, STR("/robots.txt"));
    struct witness_request seen = {
        .host = name,
        .url = url_of(s, q, name),
        .address = v->address,
        .connection = v->connection,
        .nth_on_conn = v->nth_on_conn,
        .is_resumed = v->is_resumed,
        .is_forbidden = is_forbidden(s, &a.owner, q->target),
        .is_robots = is_robots,
        .delay_ms = delay_of(s, &a.owner, is_robots),
        .facts = facts_of(q, name),
        .fault = a.is_fault ? a.owner.fault : NULL,
        .label = a.owner.label,
        .path = a.path,
        .is_pipelined = v->is_pipelined,
        .is_pipelined_host = v->is_pipelined_host,
    };
    struct fault_query f = {0};
    if (a.is_fault)
        f = fault_query_of(s, &a, q, v, seen.url, wall_ms);
    uint64_t ticket = witness_start(s->witness, &seen, now_us);
    if (!a.is_fault || !answer_fault(&a, &f, r))
        answer_ordinary(s, &a, q, v, now_us, wall_ms, r);
    return ticket;
}
