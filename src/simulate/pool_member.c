/* SPDX-License-Identifier: Apache-2.0 */
/* A process of a member: real leases and frames, and a small model of its work. At each wake it
 * looks at its leases before anything else. What it had to break off it answers so, if its lane
 * returns. */
#include "simulate/pool_world_internal.h"

#include "base/mem.h"

enum {
    ROOM_BYTES = 128,
    PARALLEL = 3, /* requests of a lane */
    DIAL_MS = 500,
    PATIENCE_MS = 4000, /* with a link that does not answer */
    LEAST_ANSWER_MS = 20,
    ANSWERS_MS = 400,
    SLOWLY = 40, /* one answer in so many takes long: */
    SLOW_ANSWER_MS = 5000,
    ENDED_OF = 8, /* one visit in so many ends at the member */
    DEED_MS = 400,
    RESTART_MS = 2000,
};

static struct pw_task *task_of(struct list_node *n)
{
    return n ? LIST_OF(n, struct pw_task, node) : NULL;
}

/* Birth and death ------------------------------------------------------------------------------ */

static void open_lane(struct pw *w, struct pw_process *p)
{
    struct pw_lane *l = &p->lanes[p->lane_count];
    *l = (struct pw_lane){.process = p, .number = p->lane_count++};
    l->dial_ms = pw_process_now(w, p) + pw_below(w, DIAL_MS);
    pool_lease_init(&l->lease);
}

void pw_process_start(struct pw *w, unsigned name, const struct pw_clock *clock)
{
    struct pw_process *p = w->process_count < PW_BIRTHS ? mem_zero(1, sizeof *p) : NULL;
    if (!p) {
        w->rc = w->process_count < PW_BIRTHS ? RC_NOMEM : RC_LIMIT;
        return;
    }
    p->turn = (struct pw_event){.kind = PW_TURN, .of = p};
    p->name = name;
    p->id = w->process_count;
    p->boot = rng_next(&w->rng);
    p->clock = *clock;
    p->is_alive = true;
    p->slowness = 1;
    p->shards = 1 + (unsigned)pw_below(w, PW_SHARDS);
    w->processes[w->process_count++] = p;
    w->names[name].current = p;
    for (unsigned i = 0; i < p->shards; i++)
        open_lane(w, p);
    pw_say(w, "%s/%u starts with %u shards", w->names[name].text, p->id, p->shards);
    pw_at(w, &p->turn, w->now_ms);
}

static void free_task(struct pw *w, struct pw_task *t)
{
    list_remove(&t->lane->tasks, &t->node);
    if (t->state == PW_ASKED)
        pw_ended(w, t);
    pw_never(w, &t->event);
    mem_free(t);
}

static void forget_all(struct pw *w, struct pw_lane *l)
{
    while (l->tasks.first)
        free_task(w, task_of(l->tasks.first));
}

static void hang_up(struct pw *w, struct pw_lane *l, bool is_told)
{
    if (l->link)
        pw_close_up(w, l->link, is_told);
    l->link = NULL;
    l->is_welcome = false;
    l->dial_ms = pw_process_now(w, l->process) + DIAL_MS / 2 + pw_below(w, DIAL_MS);
}

void pw_process_kill(struct pw *w, struct pw_process *p, bool is_told)
{
    p->is_alive = false;
    p->frozen_ms = 0;
    for (unsigned i = 0; i < p->lane_count; i++) {
        forget_all(w, &p->lanes[i]);
        hang_up(w, &p->lanes[i], is_told);
    }
    pw_never(w, &p->turn);
    if (w->names[p->name].current == p)
        w->names[p->name].current = NULL;
    pw_say(w, "%s/%u ends", w->names[p->name].text, p->id);
}

void pw_process_free(struct pw *w, struct pw_process *p)
{
    for (unsigned i = 0; i < p->lane_count; i++)
        for (struct pw_task *t; (t = task_of(p->lanes[i].tasks.first)) != NULL;) {
            list_remove(&p->lanes[i].tasks, &t->node);
            mem_free(t);
        }
    mem_free(p);
    (void)w;
}

/* Frames to the manager ------------------------------------------------------------------------ */

static void send_hello(struct pw *w, struct pw_lane *l)
{
    char room[ROOM_BYTES];
    struct buf out = buf_on(room, sizeof room);
    uint64_t now_ms = pw_process_now(w, l->process);
    struct pool_hello h = {.lane = (uint16_t)l->number,
                           .shards = (uint16_t)l->process->shards,
                           .boot = l->process->boot,
                           .session = l->session,
                           .last = l->last,
                           .ping = pool_lease_send(&l->lease, now_ms)};
    pool_hello_write(&h, &out);
    pw_send_up(w, l->link, buf_str(&out));
    l->ping_ms = now_ms + w->timings.ping_ms;
    l->heard_ms = now_ms;
}

static void send_ping(struct pw *w, struct pw_lane *l, uint64_t now_ms)
{
    char room[ROOM_BYTES];
    struct buf out = buf_on(room, sizeof room);
    pool_number_write(POOL_PING, pool_lease_send(&l->lease, now_ms), &out);
    pw_send_up(w, l->link, buf_str(&out));
    l->ping_ms = now_ms + w->timings.ping_ms;
}

static void send_number(struct pw *w, struct pw_lane *l, uint64_t ticket, int outcome)
{
    char room[ROOM_BYTES];
    struct buf out = buf_on(room, sizeof room);
    struct pool_message m = {.ticket = ticket};
    if (outcome < 0) {
        buf_byte(&out, POOL_ENDED);
        buf_le64(&out, ticket);
    } else {
        pool_message_write(POOL_ANSWER, &m, &out);
        buf_byte(&out, (char)outcome);
    }
    pw_send_up(w, l->link, buf_str(&out));
}

static void send_answer(struct pw *w, const struct pw_task *t)
{
    if (t->lane->link && t->lane->is_welcome)
        send_number(w, t->lane, t->ticket, t->has_ended ? -1 : (int)t->outcome);
}

/* Work ----------------------------------------------------------------------------------------- */

static void ask(struct pw *w, struct pw_task *t, bool is_late)
{
    uint64_t takes_ms = LEAST_ANSWER_MS + pw_below(w, ANSWERS_MS);
    if (!pw_below(w, SLOWLY))
        takes_ms += pw_below(w, SLOW_ANSWER_MS);
    t->state = PW_ASKED;
    pw_asked(w, t, is_late);
    pw_at(w, &t->event, w->now_ms + takes_ms * t->lane->process->slowness);
}

static void finish(struct pw *w, struct pw_task *t, enum pw_outcome outcome)
{
    if (t->state == PW_ASKED)
        pw_ended(w, t);
    pw_never(w, &t->event);
    t->state = PW_DONE;
    t->outcome = outcome;
    t->has_ended = outcome == PW_FETCHED && !pw_below(w, ENDED_OF);
    send_answer(w, t);
}

static void break_off(struct pw *w, struct pw_lane *l)
{
    for (struct list_node *n = l->tasks.first; n; n = n->next) {
        struct pw_task *t = task_of(n);
        if (t->state == PW_ASKED)
            finish(w, t, PW_BROKEN_OFF);
        else if (t->state != PW_DONE)
            finish(w, t, PW_NOT_STARTED);
    }
}

/* A process that stood still between its look and its request makes it all the same. */
static void wake(struct pw *w, struct pw_process *p)
{
    if (!p->frozen_ms)
        return;
    p->frozen_ms = 0;
    pw_say(w, "%s/%u goes on", w->names[p->name].text, p->id);
    for (unsigned i = 0; i < p->lane_count; i++)
        for (struct list_node *n = p->lanes[i].tasks.first; n; n = n->next)
            if (task_of(n)->state == PW_ABOUT)
                ask(w, task_of(n), true);
}

static bool may_ask(const struct pw *w, const struct pw_lane *l)
{
    return w->set.ignores_lease ||
           pool_lease_look(&l->lease, pw_process_now(w, l->process)) != POOL_NO_LEASE;
}

static void look(struct pw *w, struct pw_process *p)
{
    wake(w, p);
    for (unsigned i = 0; i < p->lane_count; i++)
        if (!may_ask(w, &p->lanes[i]))
            break_off(w, &p->lanes[i]);
}

/* Right behind the look. */
static void freeze_before(struct pw *w, struct pw_task *t)
{
    struct pw_process *p = t->lane->process;
    t->state = PW_ABOUT;
    p->stops_before = false;
    p->frozen_ms = w->now_ms + w->timings.dead_ms + pw_below(w, w->timings.dead_ms);
    w->report->faults[POOL_WORLD_FREEZE_START]++;
    pw_say(w, "%s/%u stands still before url %u", w->names[p->name].text, p->id, t->url);
}

static void begin_work(struct pw *w, struct pw_lane *l, uint64_t now_ms)
{
    unsigned asked = 0;
    if (l->process->trait == PW_IDLES || pool_lease_look(&l->lease, now_ms) != POOL_LEASE_GOOD)
        return;
    for (struct list_node *n = l->tasks.first; n; n = n->next)
        asked += task_of(n)->state == PW_ASKED;
    for (struct list_node *n = l->tasks.first; n && asked < PARALLEL; n = n->next) {
        if (task_of(n)->state != PW_QUEUED)
            continue;
        if (l->process->stops_before) {
            freeze_before(w, task_of(n));
            return;
        }
        ask(w, task_of(n), false);
        asked++;
    }
}

/* Rules that are broken ------------------------------------------------------------------------ */

/* A ticket that is open at another lane, of those of that shard; 0: there is none. */
static uint64_t ticket_of_others(struct pw *w, const struct pw_lane *l)
{
    uint32_t from = (uint32_t)pw_below(w, w->set.hosts);
    for (uint32_t i = 0; i < w->set.hosts; i++) {
        const struct pw_host *h = &w->hosts[(from + i) % w->set.hosts];
        if (h->is_out && h->visit.post->process != l->process)
            return h->visit.ticket.number;
    }
    return 0;
}

/* An answer to that would be none that is forged. */
static bool is_its_own(const struct pw *w, const struct pw_lane *l, uint64_t ticket)
{
    for (uint32_t i = 0; i < w->set.hosts; i++) {
        const struct pw_host *h = &w->hosts[i];
        if (h->is_out && h->visit.ticket.number == ticket && h->visit.post->process == l->process &&
            h->visit.post->number == l->number)
            return true;
    }
    return false;
}

static void misbehave(struct pw *w, struct pw_lane *l)
{
    char junk[PW_FRAME_BYTES];
    /* It could answer a number of the future as its own: that harms itself alone. */
    uint64_t newest = w->manager.last_ticket[l->number % w->set.manager_shards];
    uint64_t ticket = 1 + pw_below(w, newest + 1);
    switch (l->process->trait) {
    case PW_STEALS:
        ticket = ticket_of_others(w, l);
        if (!ticket)
            return;
        /* fall through */
    case PW_FORGES:
        if (ticket <= newest && !is_its_own(w, l, ticket))
            send_number(w, l, ticket, (int)pw_below(w, 3) - 1);
        break;
    case PW_SENDS_JUNK:
        for (size_t i = 0; i < sizeof junk; i++)
            junk[i] = (char)pw_below(w, 256);
        junk[0] = (char)(junk[0] & 15);
        pw_send_up(w, l->link, str_make(junk, pw_below(w, sizeof junk)));
        break;
    default:
        break;
    }
}

static void do_deed(struct pw *w, struct pw_process *p, uint64_t now_ms)
{
    struct pw_lane *l = &p->lanes[pw_below(w, p->lane_count)];
    if (!p->deeds || p->deed_ms > now_ms)
        return;
    p->deed_ms = now_ms + DEED_MS;
    if (!l->link || !l->is_welcome)
        return;
    p->deeds--;
    misbehave(w, l);
}

/* A turn --------------------------------------------------------------------------------------- */

static void dial(struct pw *w, struct pw_lane *l)
{
    l->link = pw_dial(w, l->process, l->number);
    if (l->link)
        send_hello(w, l);
}

static void leave(struct pw *w, struct pw_lane *l)
{
    char byte = POOL_LEAVE;
    if (!l->process->is_leaving || l->has_said_leave || !l->is_welcome)
        return;
    l->has_said_leave = true;
    pw_send_up(w, l->link, str_make(&byte, 1));
}

static void lane_turn(struct pw *w, struct pw_lane *l)
{
    uint64_t now_ms = pw_process_now(w, l->process);
    if (l->has_left)
        return;
    if (l->link && now_ms >= l->heard_ms + PATIENCE_MS)
        hang_up(w, l, true);
    if (!l->link && now_ms >= l->dial_ms)
        dial(w, l);
    if (l->link && l->is_welcome && now_ms >= l->ping_ms)
        send_ping(w, l, now_ms);
    leave(w, l);
    begin_work(w, l, now_ms);
}

static uint64_t earlier(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t lane_next_ms(const struct pw_lane *l, uint64_t now_ms)
{
    uint64_t next = pool_lease_changes_ms(&l->lease, now_ms);
    if (l->has_left)
        return next;
    if (!l->link)
        return earlier(next, l->dial_ms);
    next = earlier(next, l->heard_ms + PATIENCE_MS);
    return l->is_welcome ? earlier(next, l->ping_ms) : next;
}

static bool has_left(const struct pw_process *p)
{
    for (unsigned i = 0; i < p->lane_count; i++)
        if (!p->lanes[i].has_left)
            return false;
    return true;
}

/* What is to be done after the leases were looked at. */
static void work(struct pw *w, struct pw_process *p)
{
    uint64_t now_ms = pw_process_now(w, p), next = UINT64_MAX;
    if (has_left(p)) {
        w->names[p->name].has_left = true;
        pw_process_kill(w, p, true);
        return;
    }
    for (unsigned i = 0; i < p->lane_count && !p->frozen_ms; i++)
        lane_turn(w, &p->lanes[i]);
    if (p->frozen_ms) {
        pw_at(w, &p->turn, p->frozen_ms);
        return;
    }
    do_deed(w, p, now_ms);
    for (unsigned i = 0; i < p->lane_count; i++)
        next = earlier(next, lane_next_ms(&p->lanes[i], now_ms));
    if (p->deeds)
        next = earlier(next, p->deed_ms);
    pw_at(w, &p->turn, pw_clock_when(&p->clock, next > now_ms ? next : now_ms + 1));
}

void pw_process_turn(struct pw *w, struct pw_process *p)
{
    if (p->frozen_ms > w->now_ms) {
        pw_at(w, &p->turn, p->frozen_ms);
        return;
    }
    look(w, p);
    work(w, p);
}

void pw_process_answered(struct pw *w, struct pw_task *t)
{
    struct pw_process *p = t->lane->process;
    if (pw_is_frozen(w, p)) {
        pw_at(w, &t->event, p->frozen_ms + 1);
        return;
    }
    look(w, p);
    if (t->state != PW_ASKED)
        return; /* broken off just now */
    if (w->urls[t->url].is_poison) {
        pw_say(w, "url %u kills %s/%u", t->url, w->names[p->name].text, p->id);
        w->report->faults[POOL_WORLD_POISON_PAGE]++;
        p->is_poisoned = true;
        p->died_of_suspect = w->urls[t->url].losses > 0;
        p->died_ms = w->now_ms;
        bool is_first = w->names[p->name].current == p;
        pw_process_kill(w, p, true);
        if (is_first)
            pw_at(w, &w->names[p->name].birth, w->now_ms + pw_below(w, RESTART_MS));
        return;
    }
    finish(w, t, PW_FETCHED);
    work(w, p);
}

/* Frames from the manager ---------------------------------------------------------------------- */

static void forget_session(struct pw *w, struct pw_lane *l)
{
    forget_all(w, l);
    l->last = 0;
    l->has_said_leave = false;
}

static bool read_welcome(struct pw *w, struct pw_lane *l, struct str frame)
{
    struct pool_welcome m;
    if (pool_welcome_read(frame, &m))
        return false;
    if (m.session != l->session)
        pool_lease_drop(&l->lease);
    if (m.session != l->session || m.is_new)
        forget_session(w, l);
    l->session = m.session;
    l->is_welcome = true;
    l->has_said_leave = false;
    pool_lease_time(&l->lease, &m.timings);
    bool is_known = pool_lease_answer(&l->lease, m.ping);
    while (l->process->lane_count < m.shards)
        open_lane(w, l->process);
    for (struct list_node *n = l->tasks.first; n; n = n->next)
        if (task_of(n)->state == PW_DONE)
            send_answer(w, task_of(n));
    return is_known;
}

static bool read_message(struct pw *w, struct pw_lane *l, struct str frame)
{
    struct pool_message m;
    struct str bytes;
    if (pool_message_read(frame, &m, &bytes) || bytes.n != 4 || m.ticket <= l->last)
        return false;
    struct pw_task *t = mem_zero(1, sizeof *t);
    if (!t) {
        w->rc = RC_NOMEM;
        return true;
    }
    *t = (struct pw_task){.lane = l, .ticket = m.ticket, .url = get_le32(bytes.p)};
    t->event = (struct pw_event){.kind = PW_ANSWER, .of = t};
    list_add_last(&l->tasks, &t->node);
    l->last = m.ticket;
    return true;
}

static bool read_settled(struct pw *w, struct pw_lane *l, struct str frame)
{
    struct str numbers;
    if (pool_numbers_read(frame, &numbers))
        return false;
    for (; numbers.n; numbers = str_from(numbers, sizeof(uint64_t)))
        for (struct list_node *n = l->tasks.first; n; n = n->next)
            if (task_of(n)->ticket == get_le64(numbers.p) && task_of(n)->state == PW_DONE) {
                free_task(w, task_of(n));
                break;
            }
    return true;
}

static bool read_frame(struct pw *w, struct pw_lane *l, struct str frame)
{
    struct str why;
    bool is_final;
    uint64_t number;
    switch (pool_frame_kind(frame)) {
    case POOL_WELCOME:
        return read_welcome(w, l, frame);
    case POOL_PONG:
        return !pool_number_read(frame, &number) && pool_lease_answer(&l->lease, number);
    case POOL_MESSAGE:
        return read_message(w, l, frame);
    case POOL_SETTLED:
        return read_settled(w, l, frame);
    case POOL_REFUSED:
        if (pool_refused_read(frame, &why, &is_final))
            return false;
        pool_lease_drop(&l->lease);
        break_off(w, l);
        hang_up(w, l, true);
        l->dial_ms += DIAL_MS;
        return true;
    default:
        return false;
    }
}

/* The manager closes a lane that has left. */
static void link_ended(struct pw *w, struct pw_lane *l)
{
    l->has_left = l->has_said_leave && !l->tasks.first && l->is_welcome;
    hang_up(w, l, true);
}

void pw_process_read(struct pw *w, struct pw_link *link, const struct pw_frame *f)
{
    struct pw_process *p = link->process;
    struct pw_lane *l = &p->lanes[link->lane];
    if (!p->is_alive || l->link != link)
        return;
    look(w, p);
    l->heard_ms = pw_process_now(w, p);
    if (f->is_end) {
        link_ended(w, l);
    } else if (!read_frame(w, l, str_make(f->bytes, f->n))) {
        if (p->trait != PW_SENDS_JUNK) /* which may ask for it */
            pw_break(w, POOL_WORLD_NOTHING_LOST, "a bad frame from the manager");
        hang_up(w, l, true);
    }
    work(w, p);
}
