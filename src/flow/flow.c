/* SPDX-License-Identifier: Apache-2.0 */
#include "flow/flow.h"

#include "base/mem.h"
#include "flow/flow_internal.h"

#include <assert.h>
#include <poll.h>

enum { ERROR_MAX_BYTES = 8192 };

void flow_wake_all(struct flow *f)
{
    for (unsigned s = 0; s < f->shard_count; s++)
        loop_wake(&f->shards[s].loop);
}

static void raise_state(struct flow *f, enum flow_state to)
{
    int now = atomic_load(&f->state);
    while (now < (int)to && !atomic_compare_exchange_weak(&f->state, &now, to))
        continue;
    flow_wake_all(f);
}

void flow_drain(struct flow *f)
{
    raise_state(f, FLOW_DRAINING);
}

void flow_stop(struct flow *f)
{
    raise_state(f, FLOW_STOPPING);
}

void flow_pause(struct flow *f)
{
    atomic_store(&f->paused, true);
}

void flow_unpause(struct flow *f)
{
    atomic_store(&f->paused, false);
    flow_wake_all(f);
}

bool flow_is_paused(const struct flow *f)
{
    return atomic_load(&f->paused);
}

/* Whether the text is about an option of the part: "KEY: ...". */
static bool is_about_option(const struct node *n, struct str text)
{
    struct str key = str_first(text, str_find(text, ':'));
    return key.n < text.n && n->part->options && option_find(n->part->options, key);
}

/* An option is named as --set and the wiring name it, NAME.KEY; it is the same on all shards. */
static void describe(struct buf *to, const struct flow *f, const struct node *n, enum rc rc,
                     struct str text)
{
    if (n && is_about_option(n, text)) {
        buf_printf(to, "%s.", n->self.name);
    } else if (n) {
        buf_printf(to, "%s %s", n->part->kind == PART_PROVIDER ? "provider" : "component",
                   n->self.name);
        if (f->shard_count > 1)
            buf_printf(to, " on shard %u", n->self.shard);
        buf_add(to, STR(": "));
    }
    buf_add(to, text.n ? text : str_c(rc_text(rc)));
}

void flow_fail(struct flow *f, const struct node *n, enum rc rc, struct str text)
{
    assert(rc != RC_OK);
    pthread_mutex_lock(&f->lock);
    if (f->error == RC_OK) {
        f->error = rc;
        describe(&f->error_text, f, n, rc, text);
    }
    pthread_mutex_unlock(&f->lock);
    flow_stop(f);
}

static enum rc node_open(struct flow *f, struct node *n, struct buf *why)
{
    const struct wiring_part *w = node_wiring(f, n);
    for (unsigned i = 0; w->part->needs && w->part->needs[i].role; i++) {
        if (w->needs[i] == WIRING_NOWHERE)
            continue;
        struct node *p = f->provider_at[n->self.shard * f->wiring->provider_count + w->needs[i]];
        n->providers[i] = p->part->provide(&p->self);
    }
    struct buf reason = {.max = 4096};
    enum rc rc = n->part->open ? n->part->open(&n->self, &reason) : RC_OK;
    if (rc)
        describe(why, f, n, rc, buf_str(&reason));
    n->opened = rc == RC_OK;
    buf_done(&reason);
    return rc;
}

/* From the provider named "clock", once it is open; loops so far had the kernel's. */
static void take_clock(struct flow *f, struct node *n)
{
    if (n->part->kind != PART_PROVIDER || strcmp(n->part->provides, "clock") != 0)
        return;
    f->clock = n->part->provide(&n->self);
    for (unsigned s = 0; s < f->shard_count; s++) {
        f->shards[s].loop.clock = f->clock;
        f->shards[s].loop.now_ms = clock_now_ms(f->clock);
    }
    f->one_thread |= f->clock != clock_real();
}

enum rc flow_open(const struct wiring *wiring, struct flow_setup setup, struct flow **ret_flow,
                  struct buf *why)
{
    struct flow *f = mem_zero(1, sizeof *f);
    if (!f)
        return RC_NOMEM;
    pthread_mutex_init(&f->lock, NULL);
    buf_init(&f->error_text, ERROR_MAX_BYTES);
    f->wiring = wiring;
    f->shard_count = wiring->shards;
    f->one_thread = setup.one_thread;
    f->log = setup.log;
    f->clock = clock_real();
    enum rc rc = flow_build(f);
    if (rc)
        buf_printf(why, "cannot set up the wiring: %s", rc_text(rc));
    for (unsigned i = 0; i < f->node_count && rc == RC_OK; i++) {
        rc = node_open(f, f->nodes[i], why);
        if (rc == RC_OK)
            take_clock(f, f->nodes[i]);
    }
    if (rc)
        flow_close(f);
    else
        *ret_flow = f;
    return rc;
}

void flow_close(struct flow *f)
{
    if (!f)
        return;
    if (f->started && !f->ended) {
        flow_stop(f);
        struct buf ignored = {.max = ERROR_MAX_BYTES};
        enum rc rc = flow_wait(f, &ignored);
        (void)rc; /* the caller chose not to ask how it ended */
        buf_done(&ignored);
    }
    for (unsigned i = f->node_count; i-- > 0;)
        if (f->nodes[i]->opened && f->nodes[i]->part->close)
            f->nodes[i]->part->close(&f->nodes[i]->self);
    flow_changes_drop(f);
    flow_unbuild(f);
    buf_done(&f->error_text);
    pthread_mutex_destroy(&f->lock);
    mem_free(f);
}

void *flow_provider(const struct flow *f, struct str role)
{
    for (unsigned i = 0; i < f->wiring->provider_count; i++) {
        struct node *n = f->provider_at[i];
        if (str_eq(f->wiring->providers[i].name, role))
            return n->opened ? n->part->provide(&n->self) : NULL;
    }
    return NULL;
}

bool flow_is_ending(const struct flow *f)
{
    return flow_state(f) != FLOW_RUNNING;
}

static void *thread_main(void *arg)
{
    shard_live(arg);
    return NULL;
}

enum rc flow_start(struct flow *f)
{
    assert(!f->started);
    f->started = true;
    if (f->one_thread) {
        for (unsigned s = 0; s < f->shard_count; s++)
            shard_start(&f->shards[s]);
        return RC_OK;
    }
    for (; f->thread_count < f->shard_count; f->thread_count++) {
        unsigned s = f->thread_count;
        if (pthread_create(&f->threads[s], NULL, thread_main, &f->shards[s])) {
            flow_fail(f, NULL, RC_LIMIT, STR("the system gives no more threads"));
            return RC_LIMIT;
        }
    }
    return RC_OK;
}

static bool turn_all(struct flow *f)
{
    bool busy = false;
    for (unsigned s = 0; s < f->shard_count; s++)
        busy |= shard_turn(&f->shards[s]);
    return busy;
}

static uint64_t next_ms(const struct flow *f)
{
    uint64_t next = LOOP_NEVER;
    for (unsigned s = 0; s < f->shard_count; s++)
        if (loop_next_ms(&f->shards[s].loop) < next)
            next = loop_next_ms(&f->shards[s].loop);
    return next;
}

/* A simulated clock jumps to the next timer, unless a descriptor is ready now. */
static void wait_all(struct flow *f)
{
    struct pollfd fds[WIRING_MAX_SHARDS];
    for (unsigned s = 0; s < f->shard_count; s++)
        fds[s] = (struct pollfd){.fd = f->shards[s].loop.epoll_fd, .events = POLLIN};
    uint64_t next = next_ms(f), now = clock_now_ms(f->clock);
    uint64_t wait = next <= now ? 0 : next - now;
    bool jumps = f->clock != clock_real() && next != LOOP_NEVER;
    int timeout = next == LOOP_NEVER ? -1 : wait > 60000 ? 60000 : (int)wait;
    if (poll(fds, f->shard_count, jumps ? 0 : timeout) == 0 && jumps)
        f->clock->wait_until(f->clock, next);
    for (unsigned s = 0; s < f->shard_count; s++)
        loop_collect(&f->shards[s].loop);
}

bool flow_turn(struct flow *f)
{
    assert(f->one_thread && f->started);
    if (flow_state(f) == FLOW_STOPPING)
        return false;
    if (turn_all(f))
        return flow_state(f) != FLOW_STOPPING;
    for (unsigned s = 0; s < f->shard_count; s++)
        loop_doze(&f->shards[s].loop);
    if (!turn_all(f) && flow_state(f) != FLOW_STOPPING)
        wait_all(f);
    for (unsigned s = 0; s < f->shard_count; s++)
        loop_rouse(&f->shards[s].loop);
    return flow_state(f) != FLOW_STOPPING;
}

/* All threads are gone: what is still under way ends here, and a message that a part kept is a bug
 * of that part. The error names the part, because nothing else would. */
static void settle_accounts(struct flow *f)
{
    for (unsigned s = 0; s < f->shard_count; s++) {
        struct shard *shard = &f->shards[s];
        for (unsigned i = 0; i < shard->connector_count; i++)
            shard->connectors[i]->kind->empty(shard->connectors[i]);
        for (unsigned i = 0; i < shard->channel_count; i++)
            channel_empty(shard->channels[i]);
    }
    for (unsigned i = 0; i < f->node_count; i++) {
        struct node *n = f->nodes[i];
        uint64_t came = n->counts.in + n->counts.born, went = n->counts.out + n->counts.ended;
        struct buf text = {.max = 200};
        buf_printf(&text, "it did not end %llu of its messages", (unsigned long long)(came - went));
        if (came != went)
            flow_fail(f, n, RC_INVALID, buf_str(&text));
        buf_done(&text);
    }
}

enum rc flow_wait(struct flow *f, struct buf *why)
{
    assert(f->started);
    if (!f->ended && f->one_thread) {
        while (flow_turn(f))
            continue;
        for (unsigned s = f->shard_count; s-- > 0;)
            shard_stop(&f->shards[s]);
    } else if (!f->ended) {
        for (unsigned s = 0; s < f->thread_count; s++)
            pthread_join(f->threads[s], NULL);
    }
    if (!f->ended)
        settle_accounts(f);
    pthread_mutex_lock(&f->lock);
    f->ended = true;
    pthread_mutex_unlock(&f->lock);
    if (f->error)
        buf_add(why, buf_str(&f->error_text));
    return f->error;
}
