/* SPDX-License-Identifier: Apache-2.0 */
/* A thread that answers the questions of other agents and performs the operator's requests to all
 * (roles/peer_request.h). A thread of its own: if one thread both asked and answered, two agents
 * that ask each other would wait for each other. */
#include "control/control_server.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "bus/bus.h"

#include <signal.h>
#include <stdatomic.h>
#include <time.h>

enum { LOOK_MS = 500, AGAIN_MS = 500, RATE_MS = 5000 };

struct control_peers {
    struct control_setup setup;
    pthread_t thread;
    _Atomic bool ends;
    uint64_t rate_ms, rate_fetched, before_ms, before_fetched;
};

static struct control_rate rate(struct control_peers *p)
{
    uint64_t now_ms = clock_now_ms(clock_real());
    uint64_t fetched = atomic_load_explicit(&p->setup.ledger->counts.fetched, memory_order_relaxed);
    if (now_ms - p->rate_ms >= RATE_MS) {
        p->before_ms = p->rate_ms;
        p->before_fetched = p->rate_fetched;
        p->rate_ms = now_ms;
        p->rate_fetched = fetched;
    }
    return (struct control_rate){fetched - p->before_fetched, now_ms - p->before_ms};
}

static void answer(struct control_peers *p, const struct peer_item *q)
{
    struct buf out = {.max = BUS_MAX_PAYLOAD_BYTES};
    enum rc rc;
    (void)control_answer(&p->setup, rate(p), str_trim(buf_str(&q->text)), CONTROL_BY_PEER, &out,
                         &rc);
    peer_requests_answer(p->setup.cluster->peers, q,
                         buf_rc(&out) == RC_OK
                             ? buf_str(&out)
                             : STR("{\"error\":{\"code\":\"failed\",\"message\":\"the answer is "
                                   "too long\"}}"));
    buf_done(&out);
}

/* Whether to perform it once more: a part is busy, or has not started yet. */
static bool is_repeated(const struct control_peers *p, enum rc rc)
{
    return !atomic_load(&p->ends) && !flow_is_ending(p->setup.flow) &&
           (rc == RC_AGAIN || rc == RC_CLOSED);
}

static void perform(struct control_peers *p, const struct peer_item *e)
{
    struct timespec pause = {.tv_nsec = AGAIN_MS * 1000000L};
    struct buf out = {.max = CONTROL_ANSWER_BYTES};
    enum rc rc = RC_OK;
    (void)control_answer(&p->setup, rate(p), str_trim(buf_str(&e->text)),
                         e->is_old ? CONTROL_BY_RECORD : CONTROL_BY_OPERATOR, &out, &rc);
    if (is_repeated(p, rc)) {
        (void)nanosleep(&pause, NULL);
    } else {
        log_info(p->setup.log, "control.done", LOG_STR("by", str_c(e->from)),
                 LOG_STR("what", str_first(str_trim(buf_str(&e->text)), 200)),
                 LOG_STR("answer", str_first(str_trim(buf_str(&out)), 200)));
        peer_requests_done(p->setup.cluster->peers);
    }
    buf_done(&out);
}

static void *peers_main(void *arg)
{
    struct control_peers *p = arg;
    while (!atomic_load(&p->ends)) {
        struct peer_item item;
        enum peer_kind kind = peer_requests_next(p->setup.cluster->peers, LOOK_MS, &item);
        if (kind == PEER_QUESTION)
            answer(p, &item);
        else if (kind == PEER_CONTROL)
            perform(p, &item);
        peer_item_done(&item);
    }
    return NULL;
}

enum rc control_peers_open(const struct control_setup *s, struct control_peers **ret)
{
    sigset_t all, before;
    struct control_peers *p = mem_zero(1, sizeof *p);
    if (!p)
        return RC_NOMEM;
    p->setup = *s;
    p->rate_ms = p->before_ms = clock_now_ms(clock_real());
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    int failed = pthread_create(&p->thread, NULL, peers_main, p);
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (failed)
        mem_free(p);
    else
        *ret = p;
    return failed ? RC_LIMIT : RC_OK;
}

void control_peers_close(struct control_peers *p)
{
    if (!p)
        return;
    atomic_store(&p->ends, true);
    (void)pthread_join(p->thread, NULL);
    mem_free(p);
}
