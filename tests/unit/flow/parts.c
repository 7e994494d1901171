/* SPDX-License-Identifier: Apache-2.0 */
#include "unit/flow/parts.h"

#include "lib/test.h"

#include "base/mem.h"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>

struct witness witness;

void witness_reset(void)
{
    memset((void *)&witness, 0, sizeof witness);
}

static void event(const char *what, const struct instance *self)
{
    size_t n = strlen(witness.events);
    snprintf(witness.events + n, sizeof witness.events - n, "%s%s %s.%u", n ? ", " : "", what,
             self->name, self->shard);
}

static void number_release(struct message *m)
{
    atomic_fetch_sub(&witness.alive, 1);
    mem_free(m);
}

static const struct message_type number_type = {"number", number_release};

static struct number *number_open(uint64_t value, unsigned shard)
{
    struct number *n = mem_zero(1, sizeof *n);
    if (!n)
        return NULL;
    message_init(&n->head, &number_type);
    n->value = value;
    n->made_on = shard;
    n->head.route = value;
    atomic_fetch_add(&witness.made, 1);
    int64_t alive = atomic_fetch_add(&witness.alive, 1) + 1;
    int64_t most = atomic_load(&witness.most_alive);
    while (alive > most && !atomic_compare_exchange_weak(&witness.most_alive, &most, alive))
        continue;
    return n;
}

static struct number *number_of(struct message *m)
{
    return (struct number *)(void *)m;
}

/* ---- every test part has this state ---- */

struct state {
    struct instance *self;
    pthread_t thread;
    bool thread_known;
    uint64_t next;                 /* numbers: the next value; breaks: messages so far */
    uint64_t last[WITNESS_SHARDS]; /* collect: last value + 1 by the shard that made it */
    struct message *first, **end;  /* delay, batch: held */
    unsigned held;
    struct timer timer;
    bool draining;
};

static enum rc state_open(struct instance *self, struct buf *why)
{
    (void)why;
    struct state *s = mem_zero(1, sizeof *s);
    if (!s)
        return RC_NOMEM;
    s->self = self;
    s->end = &s->first;
    self->state = s;
    event("open", self);
    return RC_OK;
}

static void state_close(struct instance *self)
{
    event("close", self);
    mem_free(self->state);
}

static void state_start(struct instance *self)
{
    struct state *s = self->state;
    s->thread = pthread_self();
    s->thread_known = true;
}

static void check_thread(struct state *s)
{
    if (!s->thread_known || !pthread_equal(s->thread, pthread_self()))
        atomic_fetch_add(&witness.wrong_thread, 1);
}

static void hold(struct state *s, struct message *m)
{
    m->next = NULL;
    *s->end = m;
    s->end = &m->next;
    s->held++;
}

static struct message *let_go(struct state *s)
{
    struct message *m = s->first;
    if (!m)
        return NULL;
    s->first = m->next;
    if (!s->first)
        s->end = &s->first;
    s->held--;
    return m;
}

static void state_stop(struct instance *self)
{
    struct state *s = self->state;
    struct message *m;
    while ((m = let_go(s)))
        part_end(self, m);
    part_timer_stop(self, &s->timer);
}

static const struct part_port port_in[] = {{"in", "number"}, {0}};
static const struct part_port port_out[] = {{"out", "number"}, {0}};

/* ---- numbers ---- */

struct numbers_settings {
    uint64_t count, hops;
    bool foreign; /* route to the next shard instead of by value */
};
static const struct option numbers_options[] = {
    OPTION_COUNT_ROW(struct numbers_settings, count, "count", "10", "how many"),
    OPTION_COUNT_ROW(struct numbers_settings, hops, "hops", "0", "rounds through hop"),
    OPTION_BOOL_ROW(struct numbers_settings, foreign, "foreign", "no", "always to another shard"),
    {0},
};

static enum produced numbers_produce(struct instance *self)
{
    struct state *s = self->state;
    const struct numbers_settings *set = self->settings;
    check_thread(s);
    if (s->next == set->count)
        return PRODUCED_IDLE;
    struct number *n = number_open(s->next++, self->shard);
    if (!n) {
        part_fail(self, RC_NOMEM, "no memory");
        return PRODUCED_IDLE;
    }
    n->hops = (unsigned)set->hops;
    if (set->foreign)
        n->head.route = self->shard + 1;
    part_emit(self, 0, &n->head);
    return PRODUCED_MORE;
}

#define NUMBERS(where_)                                                                          \
    .abi = PART_ABI, .kind = PART_COMPONENT, .help = "makes numbers", .where = (where_),         \
    .outlets = port_out, .options = numbers_options,                                             \
    .settings_bytes = sizeof(struct numbers_settings), .open = state_open, .close = state_close, \
    .start = state_start, .stop = state_stop, .produce = numbers_produce

static const struct part part_numbers = {NUMBERS(PART_ON_EACH_SHARD), .name = "numbers"};
static const struct part part_onenumbers = {NUMBERS(PART_ON_ONE_SHARD), .name = "onenumbers"};
static const struct part part_costly = {NUMBERS(PART_ON_EACH_SHARD), .name = "costly",
                                        .credits_each = 4};

/* ---- pass: on it goes, with something added; the amount can change while running ---- */

struct pass_settings {
    uint64_t add;
    struct str label;
    uint64_t fixed;
};
static const struct option pass_options[] = {
    OPTION_COUNT_ROW(struct pass_settings, add, "add", "0", "added to each", .live = true,
                     .former = "plus"),
    OPTION_TEXT_ROW(struct pass_settings, label, "label", "x", "a text", .live = true),
    OPTION_COUNT_ROW(struct pass_settings, fixed, "fixed", "1", "not to be changed"),
    {0},
};

static void pass_handle(struct instance *self, unsigned inlet, struct message *m)
{
    (void)inlet;
    const struct pass_settings *set = self->settings;
    check_thread(self->state);
    number_of(m)->value += set->add;
    part_emit(self, 0, m);
}

static void pass_changed(struct instance *self, const void *old)
{
    const struct pass_settings *was = old, *is = self->settings;
    check_thread(self->state);
    if (was->add != is->add || !str_eq(was->label, is->label))
        atomic_fetch_add(&witness.changed, 1);
}

static const struct part part_pass = {
    .abi = PART_ABI,
    .kind = PART_COMPONENT,
    .name = "pass",
    .former_name = "relay",
    .help = "adds and passes on",
    .inlets = port_in,
    .outlets = port_out,
    .options = pass_options,
    .settings_bytes = sizeof(struct pass_settings),
    .open = state_open,
    .close = state_close,
    .start = state_start,
    .stop = state_stop,
    .handle = pass_handle,
    .changed = pass_changed,
};

/* ---- hop: round and round, always to the next shard, until the hops are used up ---- */

static void hop_handle(struct instance *self, unsigned inlet, struct message *m)
{
    (void)inlet;
    check_thread(self->state);
    struct number *n = number_of(m);
    if (n->hops == 0) {
        part_emit(self, 1, m);
        return;
    }
    n->hops--;
    m->route = self->shard + 1;
    part_emit(self, 0, m);
}

static const struct part part_hop = {
    .abi = PART_ABI,
    .kind = PART_COMPONENT,
    .name = "hop",
    .help = "sends numbers to the next shard",
    .inlets = port_in,
    .outlets = (const struct part_port[]){{"again", "number"}, {"out", "number"}, {0}},
    .open = state_open,
    .close = state_close,
    .start = state_start,
    .handle = hop_handle,
};

/* ---- split: each number becomes itself and two more ---- */

static void split_handle(struct instance *self, unsigned inlet, struct message *m)
{
    (void)inlet;
    for (unsigned i = 0; i < 2; i++) {
        struct number *child = number_open(number_of(m)->value, self->shard);
        if (!child) {
            part_fail(self, RC_NOMEM, "no memory");
            break;
        }
        part_derive(self, m, &child->head);
        part_emit(self, 0, &child->head);
    }
    part_emit(self, 0, m);
}

static const struct part part_split = {
    .abi = PART_ABI,
    .kind = PART_COMPONENT,
    .name = "split",
    .help = "three for one",
    .inlets = port_in,
    .outlets = port_out,
    .open = state_open,
    .close = state_close,
    .handle = split_handle,
};

/* ---- delay: asynchronous: holds each for a while, one after the other ---- */

struct delay_settings {
    uint64_t wait_ms;
};
static const struct option delay_options[] = {
    OPTION_DURATION_ROW(struct delay_settings, wait_ms, "wait", "1ms", "how long"),
    {0},
};

static void delay_arm(struct state *s)
{
    const struct delay_settings *set = s->self->settings;
    if (s->first && part_timer(s->self, &s->timer, part_now_ms(s->self) + set->wait_ms))
        part_fail(s->self, RC_NOMEM, "no memory");
}

static void delay_due(struct timer *t, uint64_t now_ms)
{
    struct state *s = EVENT_OF(t, struct state, timer);
    check_thread(s);
    atomic_store(&witness.last_ms, now_ms);
    struct message *m = let_go(s);
    delay_arm(s);
    part_emit(s->self, 0, m);
}

static void delay_handle(struct instance *self, unsigned inlet, struct message *m)
{
    (void)inlet;
    struct state *s = self->state;
    s->timer.due = delay_due;
    hold(s, m);
    if (s->held == 1)
        delay_arm(s);
}

static const struct part part_delay = {
    .abi = PART_ABI,
    .kind = PART_COMPONENT,
    .name = "delay",
    .help = "holds each for a while",
    .inlets = port_in,
    .outlets = port_out,
    .options = delay_options,
    .settings_bytes = sizeof(struct delay_settings),
    .open = state_open,
    .close = state_close,
    .start = state_start,
    .stop = state_stop,
    .handle = delay_handle,
};

/* ---- abroad: each number goes to a helper thread and comes back by a post ---- */

struct job {
    struct loop_task task;
    struct state *state;
    struct message *m;
    struct job *next; /* to the helper */
};

struct abroad {
    struct state state;   /* first; its list is of what is abroad */
    pthread_mutex_t lock; /* guards what follows */
    pthread_cond_t wanted;
    struct job *jobs;
    bool over;
    pthread_t helper;
    struct job room[16]; /* as many as the wiring gives credits */
};

static void *abroad_helper(void *arg)
{
    struct abroad *a = arg;
    pthread_mutex_lock(&a->lock);
    while (!a->over) {
        struct job *job = a->jobs;
        if (!job) {
            pthread_cond_wait(&a->wanted, &a->lock);
            continue;
        }
        a->jobs = job->next;
        pthread_mutex_unlock(&a->lock);
        part_add_task(a->state.self, &job->task);
        pthread_mutex_lock(&a->lock);
    }
    pthread_mutex_unlock(&a->lock);
    return NULL;
}

static void abroad_back(struct loop_task *p)
{
    struct job *job = EVENT_OF(p, struct job, task);
    struct message *m = job->m;
    check_thread(job->state);
    job->m = NULL;
    part_emit(job->state->self, 0, m);
}

static void abroad_handle(struct instance *self, unsigned inlet, struct message *m)
{
    (void)inlet;
    struct abroad *a = self->state;
    struct job *job = a->room;
    while (job->m)
        job++;
    *job = (struct job){.task.run = abroad_back, .state = &a->state, .m = m};
    pthread_mutex_lock(&a->lock);
    job->next = a->jobs;
    a->jobs = job;
    pthread_cond_signal(&a->wanted);
    pthread_mutex_unlock(&a->lock);
}

static enum rc abroad_open(struct instance *self, struct buf *why)
{
    (void)why;
    struct abroad *a = mem_zero(1, sizeof *a);
    if (!a)
        return RC_NOMEM;
    a->state.self = self;
    pthread_mutex_init(&a->lock, NULL);
    pthread_cond_init(&a->wanted, NULL);
    self->state = a;
    return RC_OK;
}

static void abroad_start(struct instance *self)
{
    struct abroad *a = self->state;
    state_start(self);
    if (pthread_create(&a->helper, NULL, abroad_helper, a))
        part_fail(self, RC_LIMIT, "no thread");
}

static void abroad_stop(struct instance *self)
{
    struct abroad *a = self->state;
    pthread_mutex_lock(&a->lock);
    a->over = true;
    pthread_cond_signal(&a->wanted);
    pthread_mutex_unlock(&a->lock);
    pthread_join(a->helper, NULL);
    for (size_t i = 0; i < sizeof a->room / sizeof a->room[0]; i++)
        if (a->room[i].m)
            part_end(self, a->room[i].m);
}

static void abroad_close(struct instance *self)
{
    struct abroad *a = self->state;
    pthread_mutex_destroy(&a->lock);
    pthread_cond_destroy(&a->wanted);
    mem_free(a);
}

static const struct part part_abroad = {
    .abi = PART_ABI,
    .kind = PART_COMPONENT,
    .name = "abroad",
    .help = "works on a helper thread",
    .inlets = port_in,
    .outlets = port_out,
    .open = abroad_open,
    .close = abroad_close,
    .start = abroad_start,
    .stop = abroad_stop,
    .handle = abroad_handle,
};

/* ---- batch: waits for 1000 together; drain lets it go with fewer ---- */

static void batch_flush(struct instance *self)
{
    struct message *m;
    while ((m = let_go(self->state)))
        part_emit(self, 0, m);
}

static void batch_handle(struct instance *self, unsigned inlet, struct message *m)
{
    (void)inlet;
    struct state *s = self->state;
    hold(s, m);
    if (s->held == 1000 || s->draining)
        batch_flush(self);
}

static void batch_drain(struct instance *self)
{
    ((struct state *)self->state)->draining = true;
    batch_flush(self);
}

static const struct part part_batch = {
    .abi = PART_ABI,
    .kind = PART_COMPONENT,
    .name = "batch",
    .help = "waits for company",
    .inlets = port_in,
    .outlets = port_out,
    .open = state_open,
    .close = state_close,
    .handle = batch_handle,
    .drain = batch_drain,
    .stop = state_stop,
};

/* ---- breaks: fails at a message, or when it is opened, or keeps what it should end ---- */

struct breaks_settings {
    uint64_t at;
    bool open, start, keep, odd;
};
static const struct option breaks_options[] = {
    OPTION_COUNT_ROW(struct breaks_settings, at, "at", NULL, "fail at this message"),
    OPTION_BOOL_ROW(struct breaks_settings, open, "open", "no", "fail when opened"),
    OPTION_BOOL_ROW(struct breaks_settings, start, "start", "no", "fail when started"),
    OPTION_BOOL_ROW(struct breaks_settings, keep, "keep", "no", "lose count of one message"),
    OPTION_BOOL_ROW(struct breaks_settings, odd, "odd", "no", "a value that is refused"),
    {0},
};

static enum rc breaks_open(struct instance *self, struct buf *why)
{
    const struct breaks_settings *set = self->settings;
    if (set->open && self->shard + 1 == self->shard_count) {
        buf_add(why, STR("told to fail"));
        return RC_IO;
    }
    if (set->odd) {
        buf_add(why, STR("odd: expected no"));
        return RC_INVALID;
    }
    return state_open(self, why);
}

static void breaks_start(struct instance *self)
{
    const struct breaks_settings *set = self->settings;
    if (set->start)
        part_fail(self, RC_IO, "cannot start");
}

static void breaks_handle(struct instance *self, unsigned inlet, struct message *m)
{
    (void)inlet;
    struct state *s = self->state;
    const struct breaks_settings *set = self->settings;
    if (++s->next == set->at)
        part_fail(self, RC_CORRUPT, "message %llu is bad", (unsigned long long)s->next);
    if (set->keep && s->next == 1)
        hold(s, m); /* and nothing ends it before close */
    else
        part_emit(self, 0, m);
}

static void breaks_close(struct instance *self)
{
    struct message *m;
    while ((m = let_go(self->state)))
        m->type->release(m);
    state_close(self);
}

static const struct part part_breaks = {
    .abi = PART_ABI,
    .kind = PART_COMPONENT,
    .name = "breaks",
    .help = "fails on request",
    .inlets = port_in,
    .outlets = port_out,
    .options = breaks_options,
    .settings_bytes = sizeof(struct breaks_settings),
    .open = breaks_open,
    .close = breaks_close,
    .start = breaks_start,
    .handle = breaks_handle,
};

/* ---- collect ---- */

struct collect_settings {
    uint64_t spin; /* times the thread gives way for each message: a slow consumer */
};
static const struct option collect_options[] = {
    OPTION_COUNT_ROW(struct collect_settings, spin, "spin", "0", "how slow"),
    {0},
};

static void collect_handle(struct instance *self, unsigned inlet, struct message *m)
{
    (void)inlet;
    struct state *s = self->state;
    const struct collect_settings *set = self->settings;
    check_thread(s);
    struct number *n = number_of(m);
    uint64_t *last = &s->last[n->made_on % WITNESS_SHARDS];
    if (n->value + 1 <= *last)
        atomic_fetch_add_explicit(&witness.out_of_order, 1, memory_order_relaxed);
    *last = n->value + 1;
    if (n->made_on != self->shard)
        atomic_fetch_add_explicit(&witness.foreign, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&witness.arrived, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&witness.sum, n->value, memory_order_relaxed);
    for (uint64_t i = 0; i < set->spin; i++)
        sched_yield();
    part_end(self, m);
}

static const struct part part_collect = {
    .abi = PART_ABI,
    .kind = PART_COMPONENT,
    .name = "collect",
    .help = "the end",
    .inlets = port_in,
    .options = collect_options,
    .settings_bytes = sizeof(struct collect_settings),
    .open = state_open,
    .close = state_close,
    .start = state_start,
    .stop = state_stop,
    .handle = collect_handle,
};

/* ---- words, of another type; and an optional port ---- */

static void words_handle(struct instance *self, unsigned inlet, struct message *m)
{
    (void)inlet;
    part_end(self, m);
}

static const struct part part_words = {
    .abi = PART_ABI,
    .kind = PART_COMPONENT,
    .name = "words",
    .help = "takes words",
    .inlets = (const struct part_port[]){{"in", "word"}, {"extra", "word", .optional = true}, {0}},
    .handle = words_handle,
};

/* Only one inlet takes numbers; of the other part two do. */
static const struct part part_mixed = {
    .abi = PART_ABI,
    .kind = PART_COMPONENT,
    .name = "mixed",
    .help = "takes words, and numbers at another inlet",
    .inlets = (const struct part_port[]){{"in", "word", .optional = true},
                                         {"lists", "number", .optional = true},
                                         {0}},
    .handle = words_handle,
};
static const struct part part_twofold = {
    .abi = PART_ABI,
    .kind = PART_COMPONENT,
    .name = "twofold",
    .help = "takes words, and numbers at two other inlets",
    .inlets = (const struct part_port[]){{"in", "word", .optional = true},
                                         {"left", "number", .optional = true},
                                         {"right", "number", .optional = true},
                                         {0}},
    .handle = words_handle,
};

struct titled_settings {
    struct str title;
};
static const struct part part_titled = {
    .abi = PART_ABI,
    .kind = PART_COMPONENT,
    .name = "titled",
    .help = "must be given a title",
    .inlets = port_in,
    .options =
        (const struct option[]){OPTION_TEXT_ROW(struct titled_settings, title, "title", NULL,
                                                "a text", .required = true, .former = "caption"),
                                {0}},
    .settings_bytes = sizeof(struct titled_settings),
    .handle = words_handle,
};

/* ---- providers ---- */

static void *greeting_provide(struct instance *self)
{
    return self->state;
}

static const struct part part_greeting_plain = {
    .abi = PART_ABI,
    .kind = PART_PROVIDER,
    .name = "plain",
    .help = "says hello",
    .where = PART_ON_ONE_SHARD,
    .provides = "greeting",
    .open = state_open,
    .close = state_close,
    .provide = greeting_provide,
};

static const struct part part_greeting_fancy = {
    .abi = PART_ABI,
    .kind = PART_PROVIDER,
    .name = "fancy",
    .help = "says hello through another",
    .provides = "greeting",
    .needs = (const struct part_need[]){{"voice", "greeting"}, {0}},
    .open = state_open,
    .close = state_close,
    .provide = greeting_provide,
};

static void asks_handle(struct instance *self, unsigned inlet, struct message *m)
{
    (void)inlet;
    if (!part_provider(self, 0))
        part_fail(self, RC_NOT_FOUND, "no greeting");
    part_emit(self, 0, m);
}

static const struct part part_asks = {
    .abi = PART_ABI,
    .kind = PART_COMPONENT,
    .name = "asks",
    .help = "needs a greeting",
    .inlets = port_in,
    .outlets = port_out,
    .needs = (const struct part_need[]){{"greeting", "greeting"}, {0}},
    .open = state_open,
    .close = state_close,
    .handle = asks_handle,
};

extern const struct part part_clock_simulated;

static const struct part *const parts[] = {
    &part_numbers, &part_onenumbers,     &part_costly,         &part_pass,
    &part_hop,     &part_split,          &part_delay,          &part_batch,
    &part_abroad,  &part_breaks,         &part_collect,        &part_words,
    &part_asks,    &part_greeting_plain, &part_greeting_fancy, &part_clock_simulated,
    &part_mixed,   &part_twofold,        &part_titled,         NULL,
};

const struct catalog test_catalog = {.parts = parts};

struct wiring *must_read(const char *yaml)
{
    struct problems problems;
    problems_init(&problems, "test.yaml");
    struct wiring *w = NULL;
    enum rc rc = wiring_read(str_c(yaml), "test.yaml", &test_catalog, &w, &problems);
    if (rc)
        print_error("%.*s", STR_ARG(buf_str(&problems.lines)));
    problems_done(&problems);
    assert_int_equal(rc, RC_OK);
    return w;
}

enum rc run_wiring(const char *yaml, bool one_thread, struct buf *why)
{
    struct wiring *w = must_read(yaml);
    struct flow *f = NULL;
    enum rc rc = flow_open(w, (struct flow_setup){.one_thread = one_thread}, &f, why);
    if (rc == RC_OK && (rc = flow_start(f)) == RC_OK)
        rc = flow_wait(f, why);
    flow_close(f);
    wiring_close(w);
    return rc;
}
