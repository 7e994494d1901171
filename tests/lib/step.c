/* SPDX-License-Identifier: Apache-2.0 */
/* The calls of flow/part.h for one part, and how a test drives it. */
#include "lib/step_internal.h"

#include "base/log.h"
#include "base/mem.h"

#include <stdio.h>

enum { BEGINS_AT_MS = 10000, SETTINGS_ARENA_BYTES = 1 << 20 };

static struct step_instance *at(struct instance *self)
{
    return (struct step_instance *)(void *)self;
}

static struct step *step_of(struct instance *self)
{
    return at(self)->step;
}

/* What parts call ------------------------------------------------------------------------------ */

void part_emit(struct instance *self, unsigned outlet, struct message *m)
{
    struct step *s = step_of(self);
    assert_true(outlet < STEP_OUTLETS && s->out_count[outlet] < STEP_MESSAGES);
    assert_false(at(self)->is_stopping);
    if (!m->origin) {
        assert_non_null(at(self)->part->produce);
        credit_account_charge(&s->account, m, STEP_CREDITS);
    }
    s->out[outlet][s->out_count[outlet]++] = m;
}

void part_end(struct instance *self, struct message *m)
{
    struct step *s = step_of(self);
    bool is_early = m->type->may_end && !m->type->may_end(m) && !at(self)->is_stopping;
    s->lost += is_early && !s->failed;
    s->ended++;
    message_end(m);
}

void part_derive(struct instance *self, struct message *parent, struct message *child)
{
    (void)self;
    credit_account_split(parent, child);
}

uint64_t part_session(const struct message *m)
{
    const struct credit_account *a = m->origin;
    return a ? EVENT_OF(a, struct step, account)->session : 0;
}

bool part_may_go_on(struct instance *self, const struct message *m)
{
    return !m->is_copy || !step_of(self)->has_no_lease;
}

void part_ready(struct instance *self)
{
    step_of(self)->ready++;
}

void part_fail(struct instance *self, enum rc rc, const char *format, ...)
{
    struct step *s = step_of(self);
    if (s->failed)
        return;
    va_list args;
    va_start(args, format);
    (void)vsnprintf(s->why, sizeof s->why, format, args);
    va_end(args);
    s->failed = rc;
}

void part_drain(struct instance *self)
{
    step_of(self)->drained++;
}

void part_count_error(struct instance *self)
{
    step_of(self)->errors++;
}

/* The newest of a role stands before the others. */
void *part_provider(struct instance *self, unsigned which)
{
    const struct step *s = step_of(self);
    const char *role = at(self)->part->needs[which].role;
    for (unsigned i = s->role_count; i-- > 0;)
        if (strcmp(s->roles[i].name, role) == 0)
            return s->roles[i].interface;
    if (at(self)->part->needs[which].is_optional)
        return NULL;
    fail_msg("%s needs %s, which the world has not", at(self)->part->name, role);
    return NULL;
}

struct log *part_log(struct instance *self)
{
    return step_of(self)->log;
}

uint64_t part_now_ms(struct instance *self)
{
    return step_of(self)->loop.now_ms;
}

struct clock *part_clock(struct instance *self)
{
    return &step_of(self)->clock.clock;
}

enum rc part_watch(struct instance *self, struct watch *w, unsigned events)
{
    return loop_watch(&step_of(self)->loop, w, events);
}

void part_unwatch(struct instance *self, struct watch *w)
{
    loop_unwatch(&step_of(self)->loop, w);
}

enum rc part_timer(struct instance *self, struct timer *t, uint64_t moment_ms)
{
    return loop_timer(&step_of(self)->loop, t, moment_ms);
}

void part_timer_stop(struct instance *self, struct timer *t)
{
    loop_timer_stop(&step_of(self)->loop, t);
}

struct loop *part_loop(struct instance *self)
{
    return &step_of(self)->loop;
}

void part_add_task(struct instance *self, struct loop_task *p)
{
    loop_add_task(&step_of(self)->loop, p);
}

/* Driving it ----------------------------------------------------------------------------------- */

static void hear_line(void *ctx, struct str line)
{
    buf_add(&((struct step *)ctx)->logged, line);
}

void step_init(struct step *s, const char *settings)
{
    memset(s, 0, sizeof *s);
    s->settings = settings;
    s->shards = 1;
    s->account = (struct credit_account){.limit = INT64_MAX, .owner = &s->loop};
    clock_simulated_init(&s->clock, BEGINS_AT_MS, UINT64_C(1700000000000));
    assert_rc(loop_init(&s->loop, &s->clock.clock), RC_OK);
    (void)loop_run(&s->loop);
    s->logged = buf_on(s->logged_room, sizeof s->logged_room);
    s->log = log_open(LOG_LEVEL_DEBUG, false, &s->clock.clock, (struct log_sink){hear_line, s});
    assert_non_null(s->log);
}

void step_provide(struct step *s, const char *role, void *interface)
{
    assert_true(s->role_count < STEP_ROLES);
    s->roles[s->role_count++] = (struct step_role){role, interface};
}

/* Sets the options that the part has among KEY=VALUE KEY=VALUE. */
static void set_options(struct step_instance *n, void *settings, const char *text)
{
    struct str rest = str_c(text);
    while (rest.n) {
        struct str word =
            str_first(rest, str_find(rest, ' ') < rest.n ? str_find(rest, ' ') : rest.n);
        size_t equals = str_find(word, '=');
        rest = str_from(rest, word.n < rest.n ? word.n + 1 : word.n);
        if (equals >= word.n)
            continue;
        const struct option *o = option_find(n->part->options, str_first(word, equals));
        struct buf why = {.max = 400};
        if (o && option_set(o, settings, n->arena, str_from(word, equals + 1), &why))
            fail_msg("%s: %s", o->key, buf_c(&why));
        buf_done(&why);
    }
}

/* The instance with its settings, not yet open. */
static void make_instance(struct step *s, struct step_instance *n, const struct part *part)
{
    *n = (struct step_instance){
        .self = {.name = part->name, .shard_count = s->shards}, .part = part, .step = s};
    n->arena = arena_open(1024, SETTINGS_ARENA_BYTES);
    assert_non_null(n->arena);
    void *settings = arena_zero(n->arena, part->settings_bytes + 1);
    assert_non_null(settings);
    n->self.settings = settings;
    if (!part->options)
        return;
    assert_rc(options_default(part->options, settings, n->arena), RC_OK);
    set_options(n, settings, s->settings);
}

static enum rc open_made(struct step *s, struct step_instance *n)
{
    struct buf why = buf_on(s->why, sizeof s->why - 1);
    enum rc rc = n->part->open ? n->part->open(&n->self, &why) : RC_OK;
    n->is_open = rc == RC_OK;
    if (rc == RC_OK && n->part->start)
        n->part->start(&n->self);
    return rc;
}

enum rc step_open_instance(struct step *s, struct step_instance *n, const struct part *part)
{
    make_instance(s, n, part);
    return open_made(s, n);
}

enum rc step_open(struct step *s, const struct part *part)
{
    return step_open_instance(s, &s->part, part);
}

void step_give(struct step *s, unsigned inlet, struct message *m)
{
    if (!m->origin)
        credit_account_charge(&s->account, m, STEP_CREDITS);
    s->given++;
    s->part.part->handle(&s->part.self, inlet, m);
}

enum produced step_produce(struct step *s)
{
    return s->part.part->produce(&s->part.self);
}

void step_advance(struct step *s, uint64_t by_ms)
{
    uint64_t until_ms = s->clock.now + by_ms;
    while (loop_next_ms(&s->loop) <= until_ms) {
        uint64_t next_ms = loop_next_ms(&s->loop);
        if (next_ms > s->clock.now)
            clock_simulated_advance(&s->clock, next_ms - s->clock.now);
        (void)loop_run(&s->loop);
    }
    clock_simulated_advance(&s->clock, until_ms - s->clock.now);
    (void)loop_run(&s->loop);
}

static struct message *message_at(struct step *s, unsigned outlet, size_t i)
{
    if (i >= s->out_count[outlet])
        fail_msg("outlet %u has %zu messages", outlet, s->out_count[outlet]);
    return s->out[outlet][i];
}

struct visit *step_visit_at(struct step *s, unsigned outlet, size_t i)
{
    return visit_of(message_at(s, outlet, i));
}

struct links *step_links_at(struct step *s, unsigned outlet, size_t i)
{
    return links_of(message_at(s, outlet, i));
}

struct message *step_take(struct step *s, unsigned outlet)
{
    struct message *m = message_at(s, outlet, s->out_count[outlet] - 1);
    s->out_count[outlet]--;
    return m;
}

bool step_has_logged(const struct step *s, const char *text)
{
    return memmem(s->logged.p, s->logged.n, text, strlen(text)) != NULL;
}

/* The end -------------------------------------------------------------------------------------- */

void step_stop(struct step *s)
{
    if (!s->part.is_open || s->part.is_stopping)
        return;
    s->part.is_stopping = true;
    if (s->part.part->stop)
        s->part.part->stop(&s->part.self);
}

static void close_instance(struct step_instance *n)
{
    if (n->is_open && n->part->close)
        n->part->close(&n->self);
    arena_close(n->arena);
    n->is_open = false;
    n->arena = NULL;
}

static void end_outlets(struct step *s)
{
    for (unsigned outlet = 0; outlet < STEP_OUTLETS; outlet++)
        while (s->out_count[outlet])
            message_end(s->out[outlet][--s->out_count[outlet]]);
}

void step_close(struct step *s)
{
    step_stop(s);
    end_outlets(s);
    close_instance(&s->part);
    int64_t out = atomic_load(&s->account.out);
    step_world_done(s);
    while (s->provider_count)
        close_instance(&s->providers[--s->provider_count]);
    log_close(s->log);
    loop_done(&s->loop);
    assert_int_equal(out, 0);
}

/* Memory --------------------------------------------------------------------------------------- */

/* Opens the part with its nth allocation failing. True: that was beyond the last one. */
static bool opens_at(const struct step_sweep *w, uint64_t nth)
{
    static struct step s;
    step_world(&s, w->settings, w->with);
    make_instance(&s, &s.part, w->part);
    mem_fault_at(nth);
    enum rc rc = open_made(&s, &s.part);
    bool is_hit = mem_fault_hit();
    mem_fault_at(0);
    if (rc != RC_OK && (rc != RC_NOMEM || !is_hit))
        fail_msg("allocation %llu of open failing gives: %s", (unsigned long long)nth, rc_text(rc));
    step_close(&s);
    return !is_hit;
}

static bool runs_at(const struct step_sweep *w, uint64_t nth)
{
    static struct step s;
    step_world(&s, w->settings, w->with);
    assert_rc(step_open(&s, w->part), RC_OK);
    if (w->prepare)
        w->prepare(&s);
    mem_fault_at(nth);
    w->run(&s);
    bool is_hit = mem_fault_hit();
    mem_fault_at(0);
    if (s.lost)
        fail_msg("allocation %llu failing loses a message", (unsigned long long)nth);
    if (s.failed && !is_hit)
        fail_msg("without a fault it fails: %s", s.why);
    step_close(&s);
    return !is_hit;
}

static void sweep(const struct step_sweep *w, bool (*is_over)(const struct step_sweep *, uint64_t))
{
    int64_t before = mem_live();
    for (uint64_t nth = 1;; nth++) {
        bool ends = is_over(w, nth);
        if (mem_live() != before)
            fail_msg("allocation %llu failing leaks %lld", (unsigned long long)nth,
                     (long long)(mem_live() - before));
        if (ends)
            return;
    }
}

void step_each_allocation_fails(const struct step_sweep *w)
{
    sweep(w, opens_at);
    if (w->run)
        sweep(w, runs_at);
}
