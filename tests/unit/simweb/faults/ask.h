/* SPDX-License-Identifier: Apache-2.0 */
/* ask: a request to a fault without any server, and its reply.
 *
 *     struct asking a = ask_open("fault=all");
 *     struct reply *r = ask(&a, "F06", "", "/body");        the same reply each time
 *     … ask_close(&a);
 *
 * A test may change a.query (nth, mount, …), a.request and a.knobs before it asks. */
#ifndef TESTS_UNIT_SIMWEB_FAULTS_ASK_H
#define TESTS_UNIT_SIMWEB_FAULTS_ASK_H

#include "faults/fault.h"

#include "unit/simweb/world/make.h"

struct asking {
    struct made made;
    struct fault_knobs knobs;
    struct request request;
    struct fault_query query;
    struct reply reply;
    char host[300];
};

static inline struct asking ask_open(const char *words)
{
    struct asking a = {
        .made = make_world(words),
        .knobs = {.retry_after_s = 120,
                  .drip_ms = 10000,
                  .patience_ms = 60000,
                  .endless_bytes = 64 << 20,
                  .scale = 0.01},
        .request = {.method = STR("GET"), .keep_alive = true},
        .query = {.mount = STR(""), .wall_ms = UINT64_C(1800000000000)},
    };
    reply_init(&a.reply);
    return a;
}

static inline void ask_close(struct asking *a)
{
    reply_done(&a->reply);
    unmake_world(&a->made);
}

/* Asks a fault for a path, with query; its host is the label's, or www.heron0.test with a mount. */
static inline struct reply *ask_fault(struct asking *a, const struct fault *f, const char *label,
                                      const char *path)
{
    struct str all = str_c(path);
    size_t mark = str_find(all, '?');
    struct buf host = buf_on(a->host, sizeof a->host);
    if (a->query.mount.n)
        buf_add(&host, STR("www.heron0.test"));
    else
        buf_printf(&host, "%s%sf%s.test", label, label[0] ? "." : "", f->id + 1);
    a->query.fault = f;
    a->query.world = a->made.world;
    a->query.knobs = &a->knobs;
    a->query.request = &a->request;
    a->query.host = buf_str(&host);
    a->query.label = str_c(label);
    a->query.path = str_first(all, mark);
    a->query.query = mark < all.n ? str_from(all, mark + 1) : STR_NONE;
    a->request.target = all;
    reply_clear(&a->reply);
    fault_answer(&a->query, &a->reply);
    return &a->reply;
}

static inline struct reply *ask(struct asking *a, const char *id, const char *label,
                                const char *path)
{
    const struct fault *f = fault_find(str_c(id));
    assert_non_null(f);
    return ask_fault(a, f, label, path);
}

static inline bool reply_has(const struct reply *r, struct str what)
{
    struct str all = buf_str(&r->bytes);
    return str_find_str(all, what) < all.n;
}

static inline enum step_kind last_step(const struct reply *r)
{
    assert_true(r->step_count > 0);
    return r->steps[r->step_count - 1].kind;
}

#endif
