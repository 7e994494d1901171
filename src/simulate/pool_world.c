/* SPDX-License-Identifier: Apache-2.0 */
#include "simulate/pool_world_internal.h"

#include "base/hash.h"
#include "base/mem.h"

#include <stdio.h>

enum {
    BEGIN_MS = 1000,
    LEAST_LATENCY_MS = 1,
    LATENCIES_MS = 40,
    LEAST_DELAY_MS = 200,
    DELAYS_MS = 1500,
    SLOW_HOSTS = 5,
    PPM = 1000000,
    MOST_PPM = 10000,
    MOST_EVENTS = 400000,
    LEAST_WINDOW = 2,
    WINDOWS = 5,
    MOST_EVENTS_WAITING = 1 << 20,
    FIRST_FAULT_MS = 1500,
    AFTER_DEADS = 3, /* the world goes on so long when all is settled: for what comes late */
};

const char *const pool_world_fault_names[POOL_WORLD_FAULTS] = {"kill",
                                                               "kill, back late",
                                                               "freeze",
                                                               "freeze past the fence",
                                                               "freeze past dead",
                                                               "freeze before a request",
                                                               "link reset",
                                                               "partition",
                                                               "partition past dead",
                                                               "nothing from the member",
                                                               "nothing to the member",
                                                               "answers held for 2 x dead",
                                                               "pongs late",
                                                               "answers swallowed",
                                                               "manager killed",
                                                               "manager away past dead",
                                                               "second process of a name",
                                                               "started elsewhere, cut off",
                                                               "slow member",
                                                               "visit hangs",
                                                               "poison page",
                                                               "forged tickets",
                                                               "tickets of others",
                                                               "junk",
                                                               "pings without work",
                                                               "leave",
                                                               "join"};

const char *const pool_world_event_names[POOL_WORLD_EVENTS] = {
    "entered",         "returned",   "refused: earlier",       "refused: expelled",
    "lanes dead",      "lanes left", "late or forged answers", "broken off",
    "visits too long", "bad frames", "name taken at the roll"};

/* Telling -------------------------------------------------------------------------------------- */

void pw_say(struct pw *w, const char *format, ...)
{
    char *line = w->trail[w->trail_count++ % PW_TRAIL_LINES];
    int at = snprintf(line, PW_TRAIL_BYTES, "%6llu.%03llu ", (unsigned long long)(w->now_ms / 1000),
                      (unsigned long long)(w->now_ms % 1000));
    va_list args;
    va_start(args, format);
    (void)vsnprintf(line + at, PW_TRAIL_BYTES - (size_t)at, format, args);
    va_end(args);
}

void pw_break(struct pw *w, enum pool_world_invariant i, const char *format, ...)
{
    if (w->report->broken)
        return;
    w->report->broken = (int)i;
    va_list args;
    va_start(args, format);
    (void)vsnprintf(w->report->why, sizeof w->report->why, format, args);
    va_end(args);
}

static void print_trail(const struct pw *w, struct buf *out)
{
    uint64_t from = w->trail_count > PW_TRAIL_LINES ? w->trail_count - PW_TRAIL_LINES : 0;
    for (uint64_t i = from; i < w->trail_count; i++)
        buf_printf(out, "%s\n", w->trail[i % PW_TRAIL_LINES]);
}

/* Time ----------------------------------------------------------------------------------------- */

uint64_t pw_clock_at(const struct pw_clock *c, uint64_t now_ms)
{
    return c->offset_ms + now_ms + (uint64_t)((int64_t)now_ms * c->ppm / PPM);
}

uint64_t pw_clock_when(const struct pw_clock *c, uint64_t local_ms)
{
    if (local_ms <= c->offset_ms)
        return 0;
    uint64_t at = (uint64_t)((int64_t)(local_ms - c->offset_ms) * PPM / (PPM + c->ppm));
    while (pw_clock_at(c, at) < local_ms)
        at++;
    while (at && pw_clock_at(c, at - 1) >= local_ms)
        at--;
    return at;
}

struct pw_clock pw_clock_new(struct pw *w)
{
    return (struct pw_clock){.offset_ms = pw_below(w, 1000000),
                             .ppm = (int64_t)pw_below(w, 3) * MOST_PPM - MOST_PPM};
}

uint64_t pw_manager_now(const struct pw *w)
{
    return pw_clock_at(&w->manager.clock, w->now_ms);
}

uint64_t pw_process_now(const struct pw *w, const struct pw_process *p)
{
    return pw_clock_at(&p->clock, w->now_ms);
}

/* It does nothing before its turn after that. */
bool pw_is_frozen(const struct pw *w, const struct pw_process *p)
{
    return p->frozen_ms && p->frozen_ms >= w->now_ms;
}

uint64_t pw_below(struct pw *w, uint64_t below)
{
    return rng_below(&w->rng, below);
}

uint64_t pw_between(struct pw *w, uint64_t least, uint64_t most)
{
    return least + rng_below(&w->rng, most - least + 1);
}

void pw_at(struct pw *w, struct pw_event *e, uint64_t at_ms)
{
    uint64_t at = at_ms > w->now_ms ? at_ms : w->now_ms;
    heap_remove(&w->heap, &e->node);
    e->node.key = at;
    e->node.order = ++w->order;
    if (heap_add(&w->heap, &e->node))
        w->rc = RC_NOMEM;
}

void pw_never(struct pw *w, struct pw_event *e)
{
    heap_remove(&w->heap, &e->node);
}

/* Links ---------------------------------------------------------------------------------------- */

static struct pw_frame *first_frame(const struct pw_pipe *p)
{
    return p->frames.first ? LIST_OF(p->frames.first, struct pw_frame, node) : NULL;
}

static void drop_frames(struct pw *w, struct pw_pipe *p)
{
    for (struct pw_frame *f; (f = first_frame(p)) != NULL;) {
        list_remove(&p->frames, &f->node);
        mem_free(f);
    }
    pw_never(w, &p->event);
}

struct pw_link *pw_dial(struct pw *w, struct pw_process *p, unsigned lane)
{
    struct pw_link *l = mem_zero(1, sizeof *l);
    if (!l) {
        w->rc = RC_NOMEM;
        return NULL;
    }
    l->process = p;
    l->lane = lane;
    l->member_has = l->manager_has = true;
    l->up.event = (struct pw_event){.kind = PW_UP, .of = l};
    l->down.event = (struct pw_event){.kind = PW_DOWN, .of = l};
    list_add_last(&w->links, &l->node);
    return l;
}

static void push(struct pw *w, struct pw_pipe *p, struct str bytes, bool is_end, uint64_t later_ms)
{
    struct pw_frame *f = mem_zero(1, sizeof *f);
    if (!f) {
        w->rc = RC_NOMEM;
        return;
    }
    f->is_end = is_end;
    f->n = (uint8_t)(bytes.n < PW_FRAME_BYTES ? bytes.n : PW_FRAME_BYTES);
    if (f->n)
        memcpy(f->bytes, bytes.p, f->n);
    f->due_ms = w->now_ms + LEAST_LATENCY_MS + pw_below(w, LATENCIES_MS) + later_ms;
    if (f->due_ms < p->last_ms)
        f->due_ms = p->last_ms;
    p->last_ms = f->due_ms;
    list_add_last(&p->frames, &f->node);
    if (p->frames.first == &f->node)
        pw_at(w, &p->event, f->due_ms);
}

void pw_send_up(struct pw *w, struct pw_link *l, struct str frame)
{
    if (l->member_has && !l->swallows)
        push(w, &l->up, frame, false, l->hold_ms);
}

void pw_send_down(struct pw *w, struct pw_link *l, struct str frame)
{
    if (l->manager_has)
        push(w, &l->down, frame, false, l->lag_ms);
}

void pw_close_up(struct pw *w, struct pw_link *l, bool is_told)
{
    if (l->member_has && is_told && !l->swallows)
        push(w, &l->up, STR(""), true, l->hold_ms);
    l->member_has = false;
    drop_frames(w, &l->down);
}

void pw_close_down(struct pw *w, struct pw_link *l, bool is_told)
{
    if (l->manager_has && is_told)
        push(w, &l->down, STR(""), true, 0);
    l->manager_has = false;
}

static void free_link(struct pw *w, struct pw_link *l)
{
    list_remove(&w->links, &l->node);
    drop_frames(w, &l->up);
    drop_frames(w, &l->down);
    mem_free(l);
}

/* A link is kept while a frame of it may still arrive, however late. */
static void free_if_over(struct pw *w, struct pw_link *l)
{
    if (!l->member_has && !l->manager_has && !l->up.frames.first && !l->down.frames.first &&
        !l->post)
        free_link(w, l);
}

/* Puts the event off while its way is cut, or its reader stands still. */
static bool is_put_off(struct pw *w, struct pw_link *l, bool is_up)
{
    const struct pw_process *p = l->process;
    uint64_t cut_ms = is_up ? p->cut_up_ms : p->cut_down_ms;
    uint64_t until_ms = !is_up && pw_is_frozen(w, p) ? p->frozen_ms + 1 : 0;
    if (cut_ms > w->now_ms && cut_ms > until_ms)
        until_ms = cut_ms + pw_below(w, LATENCIES_MS);
    if (until_ms > w->now_ms)
        pw_at(w, is_up ? &l->up.event : &l->down.event, until_ms);
    return until_ms > w->now_ms;
}

static void deliver(struct pw *w, struct pw_link *l, bool is_up)
{
    struct pw_pipe *p = is_up ? &l->up : &l->down;
    struct pw_frame *f = first_frame(p);
    if (!f || is_put_off(w, l, is_up))
        return;
    list_remove(&p->frames, &f->node);
    if (first_frame(p))
        pw_at(w, &p->event, first_frame(p)->due_ms);
    w->report->frames_hash =
        hash64_mix(w->report->frames_hash ^ hash64(str_make(f->bytes, f->n)) ^ w->now_ms);
    if (is_up)
        pw_manager_read(w, l, f);
    else
        pw_process_read(w, l, f);
    mem_free(f);
    free_if_over(w, l);
}

/* The loop ------------------------------------------------------------------------------------- */

static void happen(struct pw *w, struct pw_event *e)
{
    switch (e->kind) {
    case PW_UP:
    case PW_DOWN:
        deliver(w, e->of, e->kind == PW_UP);
        break;
    case PW_TURN:
        pw_process_turn(w, e->of);
        break;
    case PW_ANSWER:
        pw_process_answered(w, e->of);
        break;
    case PW_MANAGER:
        pw_manager_turn(w);
        break;
    case PW_BIRTH: {
        struct pw_name *name = e->of;
        pw_process_start(w, (unsigned)(name - w->names), &name->clock);
        break;
    }
    case PW_FAULT:
        pw_fault(w);
        break;
    }
}

static void step(struct pw *w)
{
    struct heap_node *n = heap_first(&w->heap);
    if (!n) {
        pw_break(w, POOL_WORLD_NOTHING_LOST, "nothing happens any more");
        return;
    }
    w->now_ms = n->key;
    heap_remove(&w->heap, n);
    happen(w, LIST_OF(n, struct pw_event, node));
    w->report->events++;
    if (!w->settled_ms && w->report->settled == w->set.urls)
        w->settled_ms = w->now_ms;
    if (w->now_ms > w->set.limit_ms || w->report->events > MOST_EVENTS)
        pw_break(w, POOL_WORLD_NOTHING_LOST, "%llu of %u URLs settled after %llu s",
                 (unsigned long long)w->report->settled, w->set.urls,
                 (unsigned long long)(w->now_ms / 1000));
}

static bool is_over(const struct pw *w)
{
    return w->is_healed && w->settled_ms &&
           w->now_ms > w->settled_ms + AFTER_DEADS * w->timings.dead_ms;
}

static void make_web(struct pw *w)
{
    for (uint32_t i = 0; i < w->set.hosts; i++) {
        w->hosts[i].delay_ms = LEAST_DELAY_MS + pw_below(w, DELAYS_MS);
        if (i % SLOW_HOSTS == SLOW_HOSTS - 1) /* longer than dead */
            w->hosts[i].delay_ms += w->timings.dead_ms;
    }
    for (uint32_t i = 0; i < w->set.urls; i++) {
        struct pw_url *u = &w->urls[i];
        u->number = i;
        u->host = (uint32_t)pw_below(w, w->set.hosts);
        if (u->host % SLOW_HOSTS == SLOW_HOSTS - 1)
            u->host = (uint32_t)pw_below(w, w->set.hosts); /* it has fewer */
        list_add_last(&w->hosts[u->host].queue, &u->node);
    }
    if (w->set.faults >> POOL_WORLD_POISON_PAGE & 1)
        w->urls[pw_below(w, w->set.urls)].is_poison = true;
}

static void make_names(struct pw *w)
{
    w->name_count = w->set.members < PW_NAMES ? w->set.members : PW_NAMES;
    for (unsigned i = 0; i < PW_NAMES; i++) {
        struct pw_name *n = &w->names[i];
        (void)snprintf(n->text, sizeof n->text, "m%u", i);
        n->birth = (struct pw_event){.kind = PW_BIRTH, .of = n};
        n->clock = pw_clock_new(w);
        if (i < w->name_count)
            pw_at(w, &n->birth, w->now_ms + pw_below(w, UINT64_C(2) * BEGIN_MS));
    }
}

static enum rc begin(struct pw *w)
{
    /* abort stands as late as it may: the clocks differ by 2 % at most. */
    w->timings = (struct pool_timings){
        .ping_ms = 1000, .fence_ms = 3000, .abort_ms = 4500, .dead_ms = 5000, .visit_ms = 20000};
    w->now_ms = BEGIN_MS;
    rng_init(&w->rng, w->set.seed);
    heap_init(&w->heap, MOST_EVENTS_WAITING);
    w->trail = mem_zero(PW_TRAIL_LINES, sizeof *w->trail);
    w->hosts = mem_zero(w->set.hosts, sizeof *w->hosts);
    w->urls = mem_zero(w->set.urls, sizeof *w->urls);
    if (!w->trail || !w->hosts || !w->urls)
        return RC_NOMEM;
    make_web(w);
    make_names(w);
    w->manager.clock = pw_clock_new(w);
    w->manager.window = LEAST_WINDOW + (unsigned)pw_below(w, WINDOWS);
    w->manager.event = (struct pw_event){.kind = PW_MANAGER};
    w->fault = (struct pw_event){.kind = PW_FAULT};
    pw_at(w, &w->fault, w->now_ms + FIRST_FAULT_MS);
    return pw_manager_start(w);
}

static void end(struct pw *w)
{
    pw_manager_free(w);
    while (w->links.first)
        free_link(w, LIST_OF(w->links.first, struct pw_link, node));
    for (unsigned i = 0; i < w->process_count; i++)
        pw_process_free(w, w->processes[i]);
    heap_done(&w->heap);
    mem_free(w->trail);
    mem_free(w->hosts);
    mem_free(w->urls);
    mem_free(w);
}

enum rc pool_world_run(const struct pool_world_settings *s, struct pool_world_report *ret,
                       struct buf *trail)
{
    struct pw *w = mem_zero(1, sizeof *w);
    if (!w)
        return RC_NOMEM;
    *ret = (struct pool_world_report){0};
    w->set = *s;
    w->report = ret;
    enum rc rc = begin(w);
    while (!rc && !w->rc && !ret->broken && !is_over(w))
        step(w);
    rc = rc ? rc : w->rc;
    if (!rc && !ret->broken)
        pw_check_end(w);
    ret->ended_ms = w->now_ms;
    if (trail && ret->broken && w->trail)
        print_trail(w, trail);
    end(w);
    return rc;
}
