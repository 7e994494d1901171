/* SPDX-License-Identifier: Apache-2.0 */
/* visit: one request to a fault's host and its answer, without a network.
 *
 *     struct visit v = visit_open();
 *     visit_get(&v, "busy429.f35.test", "/page");
 *     assert_int_equal(v.reply.status, 429); … visit_close(&v); */
#ifndef TESTS_UNIT_SIMWEB_FAULTS_VISIT_H
#define TESTS_UNIT_SIMWEB_FAULTS_VISIT_H

#include "faults/catalog.h"
#include "unit/simweb/world/make.h"

struct visit {
    struct made made;
    struct fault_knobs knobs;
    struct reply reply;
    struct request request; /* of the next visit; headers may be added */
    const char *mount;      /* "/f38": as if it were sprinkled over the host */
    uint32_t nth;           /* set before a visit; the next one starts from 0 again */
    uint32_t nth_of_host;
    uint64_t wall_ms;
    bool is_astray; /* wall_ms is not the machine's time */
};

static inline struct visit visit_open(void)
{
    struct visit v = {
        .made = make_world("fault=all"),
        .knobs = {.retry_after_s = 7,
                  .drip_ms = 20,
                  .patience_ms = 3000,
                  .endless_bytes = 4 << 20,
                  .scale = 0.01},
        .request = {.method = STR("GET")},
        .mount = "",
        .wall_ms = UINT64_C(784111777000), /* 1994-11-06 08:49:37 */
    };
    reply_init(&v.reply);
    return v;
}

static inline void visit_close(struct visit *v)
{
    reply_done(&v->reply);
    unmake_world(&v->made);
}

/* Asks a sprinkled fault directly: it answers or leaves it to the host. */
static inline bool visit_ask(struct visit *v, const struct fault *f, struct str label,
                             const char *host, const char *path)
{
    struct fault_query q = {.fault = f,
                            .world = v->made.world,
                            .knobs = &v->knobs,
                            .request = &v->request,
                            .host = str_c(host),
                            .label = label,
                            .mount = str_c(v->mount),
                            .nth = v->nth,
                            .nth_of_host = v->nth_of_host,
                            .wall_ms = v->wall_ms,
                            .true_time = !v->is_astray};
    struct str rest = str_c(path);
    q.path = str_take_until(&rest, '?');
    q.query = rest;
    v->request.target = str_c(path);
    v->request.host = q.host;
    v->nth = 0;
    reply_clear(&v->reply);
    return f->answer(&q, &v->reply);
}

static inline void visit_get(struct visit *v, const char *host, const char *path)
{
    struct str label = STR_NONE;
    const struct fault *f = fault_of_host(v->made.world, str_c(host), &label);
    assert_non_null(f);
    if (!visit_ask(v, f, label, host, path))
        reply_page(&v->reply, 404, "text/plain", STR(""), STR("left to the defaults"));
    assert_rc(buf_rc(&v->reply.bytes), RC_OK);
}

/* The bytes of all steps, each once. */
static inline struct str visit_bytes(const struct visit *v)
{
    return buf_str(&v->reply.bytes);
}

static inline bool visit_has(const struct visit *v, const char *what)
{
    struct str all = visit_bytes(v);
    return str_find_str(all, str_c(what)) < all.n;
}

/* The value of a header line of the first head; absent without. */
static inline struct str visit_header(const struct visit *v, const char *name)
{
    struct str rest = visit_bytes(v);
    while (rest.p) {
        struct str line = str_take_until(&rest, '\n');
        if (line.n <= 1)
            break;
        struct str key = str_take_until(&line, ':');
        if (str_eq_nocase(key, str_c(name)))
            return str_trim(line);
    }
    return STR_NONE;
}

static inline const struct fault *fault_named(const char *id)
{
    const struct fault *f = fault_find(str_c(id));
    assert_non_null(f);
    return f;
}

#endif
