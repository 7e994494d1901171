/* SPDX-License-Identifier: Apache-2.0 */
/* The manager: real lanes and a real roll, and a small model of a queue. What is settled is durable
 * at once; lanes, tickets and moments of hosts are gone with the process. */
#include "simulate/pool_world_internal.h"

#include "base/mem.h"

#include <assert.h>

enum { ROOM_BYTES = 128 };

static struct pw_post *post_of(struct list_node *n)
{
    return n ? LIST_OF(n, struct pw_post, node) : NULL;
}

/* Of a host, or of a lane. */
static unsigned shard_of(const struct pw *w, unsigned number)
{
    assert(w->set.manager_shards);
    return number % w->set.manager_shards;
}

static const char *name_of(const struct pw *w, const struct pw_process *p)
{
    return w->names[p->name].text;
}

/* Hosts ---------------------------------------------------------------------------------------- */

/* Its host waits for its delay again. */
static void put_back(struct pw *w, struct pw_url *u)
{
    struct pw_host *h = &w->hosts[u->host];
    list_add_last(&h->queue, &u->node);
    h->is_out = false;
    h->due_ms = pw_manager_now(w) + h->delay_ms;
}

static void settle(struct pw *w, struct pw_url *u, bool is_given_up)
{
    struct pw_host *h = &w->hosts[u->host];
    u->settled++;
    u->is_given_up = is_given_up;
    w->report->settled += u->settled == 1;
    w->report->given_up += is_given_up;
    h->is_out = false;
    h->due_ms = pw_manager_now(w) + h->delay_ms;
    pw_say(w, "url %u is %s", u->number, is_given_up ? "given up" : "settled");
    pw_check_settled(w, u);
}

static void orphan(struct pw *w, struct pw_url *u)
{
    u->orphanings++;
    w->report->orphanings++;
}

/* Start and end -------------------------------------------------------------------------------- */

enum rc pw_manager_start(struct pw *w)
{
    struct pw_manager *m = &w->manager;
    uint64_t now_ms = pw_manager_now(w);
    bool is_first = !m->session;
    m->session = rng_next(&w->rng) | 1;
    m->is_alive = true;
    m->roll = pool_roll_open();
    for (unsigned i = 0; i < w->set.manager_shards; i++) {
        m->lanes[i] = pool_lanes_open(&w->timings, 1);
        m->last_ticket[i] = 0;
        if (!m->lanes[i])
            return RC_NOMEM;
    }
    for (uint32_t i = 0; i < w->set.hosts; i++)
        w->hosts[i].due_ms =
            is_first ? now_ms : now_ms + pool_timings_quiet_ms(&w->timings, w->hosts[i].delay_ms);
    pw_say(w, "the manager starts");
    pw_at(w, &m->event, w->now_ms);
    return m->roll ? RC_OK : RC_NOMEM;
}

static void free_posts(struct pw_manager *m, unsigned shard)
{
    for (struct pw_post *p; (p = post_of(m->posts[shard].first)) != NULL;) {
        list_remove(&m->posts[shard], &p->node);
        if (p->link)
            p->link->post = NULL;
        mem_free(p);
    }
}

void pw_manager_free(struct pw *w)
{
    struct pw_manager *m = &w->manager;
    for (unsigned i = 0; i < PW_SHARDS; i++) {
        free_posts(m, i);
        pool_lanes_close(m->lanes[i]);
        m->lanes[i] = NULL;
    }
    pool_roll_close(m->roll);
    m->roll = NULL;
    m->present_count = 0;
    memset(m->lanes_of, 0, sizeof m->lanes_of);
}

void pw_manager_kill(struct pw *w)
{
    struct pw_manager *m = &w->manager;
    bool is_told = pw_below(w, 4) > 0; /* or its machine is gone with it */
    pw_manager_free(w);
    m->is_alive = false;
    for (uint32_t i = 0; i < w->set.hosts; i++) {
        struct pw_host *h = &w->hosts[i];
        if (h->is_out) {
            orphan(w, h->visit.url);
            put_back(w, h->visit.url);
        }
    }
    for (struct list_node *n = w->links.first; n; n = n->next)
        pw_close_down(w, LIST_OF(n, struct pw_link, node), is_told);
    pw_never(w, &m->event);
    m->kills++;
    pw_say(w, "the manager ends");
}

/* Lanes that end ------------------------------------------------------------------------------- */

static void leave_roll(struct pw *w, struct pw_post *p)
{
    struct pw_manager *m = &w->manager;
    unsigned name = p->process->name;
    if (!p->member)
        return;
    pool_roll_leave(m->roll, p->member);
    if (--m->lanes_of[name] == 0) {
        unsigned at = 0;
        while (m->present[at] != name)
            at++;
        m->present_count--;
        memmove(&m->present[at], &m->present[at + 1], (m->present_count - at) * sizeof *m->present);
    }
    pw_check_roll(w);
}

static void has_died(struct pw *w, struct pw_post *p)
{
    if (p->has_died)
        return;
    p->has_died = true;
    w->report->met[POOL_WORLD_DIED]++;
    pw_say(w, "lane %u of %s/%u is dead", p->number, name_of(w, p->process), p->process->id);
    pw_check_dead(w, p);
}

static void lose(struct pw *w, struct pool_ticket *t)
{
    struct pw_visit *v = (struct pw_visit *)(void *)t;
    struct pw_url *u = v->url;
    has_died(w, v->post);
    v->post->given--;
    v->post->suspects -= t->is_suspect;
    orphan(w, u);
    u->losses++;
    u->blames += t->is_blamed;
    u->poison_blames += t->is_blamed && v->post->process->is_poisoned;
    pw_say(w, "ticket %llu of url %u is lost%s", (unsigned long long)t->number, u->number,
           t->is_blamed ? ", blamed" : "");
    pw_check_blame(w, v->post, u, t->is_blamed);
    if (u->blames >= PW_BLAMES)
        settle(w, u, true);
    else
        put_back(w, u);
}

static void end_lane(struct pw *w, struct pw_post *p, bool is_expected)
{
    if (!is_expected)
        has_died(w, p);
    w->report->met[POOL_WORLD_LEFT] += is_expected;
    leave_roll(w, p);
    if (p->link) {
        p->link->post = NULL;
        pw_close_down(w, p->link, true);
    }
    list_remove(&w->manager.posts[p->shard], &p->node);
    mem_free(p);
}

static void look(struct pw *w, unsigned shard, uint64_t now_ms)
{
    struct pool_lanes *l = w->manager.lanes[shard];
    struct pool_lane *lane;
    for (struct pool_ticket *t; (t = pool_lanes_lost(l, now_ms)) != NULL;)
        lose(w, t);
    while ((lane = pool_lanes_gone(l, now_ms)) != NULL) {
        struct pw_post *p = pool_lane_ctx(lane);
        bool is_left = !p->has_died && (!p->member || p->leaves);
        end_lane(w, p, is_left);
    }
}

/* Sending -------------------------------------------------------------------------------------- */

static struct pw_post *choose(struct pw *w, const struct pw_url *u, unsigned shard, uint64_t now_ms)
{
    struct pw_post *first = NULL, *chosen = NULL;
    unsigned count = 0, at = 0;
    for (struct list_node *n = w->manager.posts[shard].first; n; n = n->next)
        count++;
    for (struct list_node *n = w->manager.posts[shard].first; n; n = n->next, at++) {
        struct pw_post *p = post_of(n);
        if (!pool_lane_has_room(p->lane, u->losses > 0, now_ms))
            continue;
        first = first ? first : p;
        if (!chosen && at >= u->number % count)
            chosen = p;
    }
    return chosen ? chosen : first;
}

static void give(struct pw *w, struct pw_host *h, struct pw_post *p, uint64_t now_ms)
{
    struct pw_url *u = LIST_OF(h->queue.first, struct pw_url, node);
    struct pw_visit *v = &h->visit;
    v->url = u;
    v->post = p;
    if (pool_lane_give(p->lane, &v->ticket, u->losses > 0, now_ms)) {
        w->rc = RC_NOMEM;
        return;
    }
    list_remove(&h->queue, &u->node);
    h->is_out = true;
    p->given++;
    p->suspects += u->losses > 0;
    pw_say(w, "ticket %llu of url %u to lane %u of %s/%u%s", (unsigned long long)v->ticket.number,
           u->number, p->number, name_of(w, p->process), p->process->id,
           u->losses ? ", a suspect" : "");
    pw_check_given(w, p, v);
}

static void check_out(struct pw *w, uint64_t now_ms)
{
    for (uint32_t i = 0; i < w->set.hosts; i++) {
        struct pw_host *h = &w->hosts[i];
        unsigned shard = shard_of(w, i);
        if (h->is_out || h->due_ms > now_ms || !h->queue.first)
            continue;
        struct pw_post *p = choose(w, LIST_OF(h->queue.first, struct pw_url, node), shard, now_ms);
        if (p)
            give(w, h, p, now_ms);
    }
}

static void send_unsent(struct pw *w, struct pw_post *p)
{
    char room[ROOM_BYTES];
    if (!p->link)
        return;
    for (struct pool_ticket *t; (t = pool_lane_unsent(p->lane)) != NULL;) {
        const struct pw_visit *v = (const struct pw_visit *)(const void *)t;
        struct buf out = buf_on(room, sizeof room);
        struct pool_message m = {.ticket = t->number, .route = v->url->host, .credits = 1};
        pool_message_write(POOL_MESSAGE, &m, &out);
        buf_le32(&out, v->url->number);
        pw_send_down(w, p->link, buf_str(&out));
    }
}

static uint64_t next_ms(const struct pw *w, uint64_t now_ms)
{
    uint64_t next = UINT64_MAX;
    for (unsigned i = 0; i < w->set.manager_shards; i++) {
        uint64_t due_ms = pool_lanes_due_ms(w->manager.lanes[i]);
        next = due_ms < next ? due_ms : next;
    }
    for (uint32_t i = 0; i < w->set.hosts; i++) {
        const struct pw_host *h = &w->hosts[i];
        if (!h->is_out && h->queue.first && h->due_ms > now_ms && h->due_ms < next)
            next = h->due_ms;
    }
    return next;
}

/* Lanes are looked at before anything else, so that what is dead does not answer. */
static void turn(struct pw *w)
{
    struct pw_manager *m = &w->manager;
    uint64_t now_ms = pw_manager_now(w);
    for (unsigned i = 0; i < w->set.manager_shards; i++)
        look(w, i, now_ms);
    check_out(w, now_ms);
    for (unsigned i = 0; i < w->set.manager_shards; i++)
        for (struct list_node *n = m->posts[i].first; n; n = n->next)
            send_unsent(w, post_of(n));
    uint64_t next = next_ms(w, now_ms);
    if (next != UINT64_MAX)
        pw_at(w, &m->event, pw_clock_when(&m->clock, next > now_ms ? next : now_ms + 1));
}

void pw_manager_turn(struct pw *w)
{
    if (w->manager.is_alive)
        turn(w);
    else if (pw_manager_start(w))
        w->rc = RC_NOMEM;
}

/* Reading -------------------------------------------------------------------------------------- */

static void refuse(struct pw *w, struct pw_link *l, const char *why)
{
    char room[ROOM_BYTES];
    struct buf out = buf_on(room, sizeof room);
    pool_refused_write(str_c(why), false, &out);
    pw_say(w, "lane %u of %s/%u is refused: %s", l->lane, name_of(w, l->process), l->process->id,
           why);
    pw_send_down(w, l, buf_str(&out));
    pw_close_down(w, l, true);
}

static void welcome(struct pw *w, struct pw_link *l, const struct pool_hello *h, bool is_new)
{
    char room[ROOM_BYTES];
    struct buf out = buf_on(room, sizeof room);
    struct pool_welcome m = {.session = w->manager.session,
                             .shards = (uint16_t)w->set.manager_shards,
                             .is_new = is_new,
                             .ping = h->ping,
                             .timings = w->timings};
    pool_welcome_write(&m, &out);
    pw_say(w, "lane %u of %s/%u %s", l->lane, name_of(w, l->process), l->process->id,
           is_new ? "enters" : "returns");
    pw_send_down(w, l, buf_str(&out));
}

/* False: another process of the name is present at another shard. */
static bool enter_roll(struct pw *w, struct pw_post *p, const struct pool_process *who)
{
    struct pw_manager *m = &w->manager;
    unsigned name = p->process->name;
    enum rc rc = pool_roll_enter(m->roll, who, 1, &p->member);
    if (rc == RC_EXISTS)
        return false;
    if (rc) {
        w->rc = rc;
        return false;
    }
    if (!m->lanes_of[name]++)
        m->present[m->present_count++] = name;
    pool_lane_share(p->lane, pool_member_suspicion(p->member));
    pw_check_roll(w);
    return true;
}

static void enter(struct pw *w, struct pw_link *l, const struct pool_hello *h,
                  const struct pool_process *who, struct pool_lane *lane)
{
    unsigned shard = shard_of(w, h->lane);
    struct pw_post *p = mem_zero(1, sizeof *p);
    if (!p) {
        w->rc = RC_NOMEM;
        return;
    }
    *p = (struct pw_post){.lane = lane, .process = l->process, .number = h->lane, .shard = shard};
    pool_lane_set_ctx(lane, p);
    list_add_last(&w->manager.posts[shard], &p->node);
    if (!enter_roll(w, p, who)) {
        w->report->met[POOL_WORLD_NAME_TAKEN]++;
        pool_lane_leave(lane);
        refuse(w, l, "the name is taken at another shard");
        return;
    }
    p->link = l;
    l->post = p;
    welcome(w, l, h, true);
}

static void come_back(struct pw *w, struct pw_link *l, const struct pool_hello *h,
                      struct pool_lane *lane)
{
    struct pw_post *p = pool_lane_ctx(lane);
    if (p->link && p->link != l) {
        p->link->post = NULL;
        pw_close_down(w, p->link, true);
    }
    p->link = l;
    l->post = p;
    welcome(w, l, h, false);
}

static void read_hello(struct pw *w, struct pw_link *l, struct str frame)
{
    struct pool_hello h;
    struct pool_lane *lane = NULL;
    enum pool_entry entry;
    if (pool_hello_read(frame, &h)) {
        w->report->met[POOL_WORLD_BAD_FRAME]++;
        pw_close_down(w, l, true);
        return;
    }
    struct pool_process who = {
        .name = str_c(name_of(w, l->process)), .boot = h.boot, .number = h.lane};
    struct pool_lanes *lanes = w->manager.lanes[shard_of(w, h.lane)];
    if (pool_lanes_hello(lanes, &who, h.last, w->manager.window, pw_manager_now(w), &entry,
                         &lane)) {
        w->rc = RC_NOMEM;
        return;
    }
    if (entry <= POOL_EXPELLED)
        w->report->met[entry]++;
    switch (entry) {
    case POOL_ENTERED:
        enter(w, l, &h, &who, lane);
        break;
    case POOL_RETURNED:
        come_back(w, l, &h, lane);
        break;
    case POOL_EARLIER:
        refuse(w, l, "an earlier process of the name");
        break;
    case POOL_EXPELLED:
        refuse(w, l, "expelled");
        break;
    case POOL_FULL:
        refuse(w, l, "full");
        break;
    }
}

static void tell_settled(struct pw *w, struct pw_link *l, uint64_t ticket)
{
    char room[ROOM_BYTES];
    struct buf out = buf_on(room, sizeof room);
    buf_byte(&out, POOL_SETTLED);
    buf_le64(&out, ticket);
    pw_send_down(w, l, buf_str(&out));
}

/* An answer that finds no ticket is settled, too: the member forgets it. */
static void take(struct pw *w, struct pw_link *l, struct pw_post *p, uint64_t ticket,
                 enum pw_outcome outcome)
{
    struct pool_ticket *t = pool_lane_take(p->lane, ticket);
    tell_settled(w, l, ticket);
    if (!t) {
        w->report->met[POOL_WORLD_LATE]++;
        pw_say(w, "ticket %llu of lane %u of %s/%u is none", (unsigned long long)ticket, p->number,
               name_of(w, l->process), l->process->id);
        return;
    }
    struct pw_visit *v = (struct pw_visit *)(void *)t;
    pw_check_taken(w, l, v);
    v->post->given--;
    v->post->suspects -= t->is_suspect;
    if (outcome == PW_FETCHED) {
        settle(w, v->url, false);
        return;
    }
    w->report->met[POOL_WORLD_BROKEN_OFF]++;
    if (outcome == PW_BROKEN_OFF)
        orphan(w, v->url);
    pw_say(w, "url %u was broken off", v->url->number);
    put_back(w, v->url);
}

/* The payload is how the visit ended. */
static bool read_answer(struct pw *w, struct pw_link *l, struct pw_post *p, struct str frame)
{
    struct pool_message m;
    struct str bytes;
    if (pool_message_read(frame, &m, &bytes) || bytes.n != 1 ||
        (uint8_t)bytes.p[0] > PW_NOT_STARTED)
        return false;
    take(w, l, p, m.ticket, (enum pw_outcome)bytes.p[0]);
    return true;
}

static bool read_ended(struct pw *w, struct pw_link *l, struct pw_post *p, struct str frame)
{
    struct str numbers;
    if (pool_numbers_read(frame, &numbers))
        return false;
    for (; numbers.n; numbers = str_from(numbers, sizeof(uint64_t)))
        take(w, l, p, get_le64(numbers.p), PW_FETCHED);
    return true;
}

static bool read_ping(struct pw *w, struct pw_link *l, struct pw_post *p, struct str frame)
{
    char room[ROOM_BYTES];
    struct buf out = buf_on(room, sizeof room);
    uint64_t number;
    if (pool_number_read(frame, &number))
        return false;
    if (pool_lane_ping(p->lane, pw_manager_now(w))) {
        pool_number_write(POOL_PONG, number, &out);
        pw_send_down(w, l, buf_str(&out));
    } else {
        w->report->met[POOL_WORLD_OVERDUE]++;
    }
    return true;
}

static bool read_frame(struct pw *w, struct pw_link *l, struct pw_post *p, struct str frame)
{
    switch (pool_frame_kind(frame)) {
    case POOL_PING:
        return read_ping(w, l, p, frame);
    case POOL_ANSWER:
        return read_answer(w, l, p, frame);
    case POOL_ENDED:
        return read_ended(w, l, p, frame);
    case POOL_LEAVE:
        p->leaves = true;
        pool_lane_leave(p->lane);
        return true;
    default:
        return false;
    }
}

/* A careless manager: what comes late on a link that has no lane any more is tried at the lane that
 * the name has now. Only its ticket keeps an old answer out. */
static void read_late(struct pw *w, struct pw_link *l, struct str frame)
{
    unsigned shard = shard_of(w, l->lane);
    if (pool_frame_kind(frame) != POOL_ANSWER)
        return;
    for (struct list_node *n = w->manager.posts[shard].first; n; n = n->next) {
        struct pw_post *p = post_of(n);
        if (p->process->name == l->process->name && p->number == l->lane && p->member) {
            (void)read_answer(w, l, p, frame);
            return;
        }
    }
}

static void link_ended(struct pw *w, struct pw_link *l)
{
    if (l->post) {
        pool_lane_cut(l->post->lane);
        l->post->link = NULL;
        l->post = NULL;
    }
    l->manager_has = false;
    (void)w;
}

void pw_manager_read(struct pw *w, struct pw_link *l, const struct pw_frame *f)
{
    struct pw_manager *m = &w->manager;
    struct str frame = str_make(f->bytes, f->n);
    if (!m->is_alive || (l->session && l->session != m->session)) {
        pw_close_down(w, l, true);
        return;
    }
    for (unsigned i = 0; i < w->set.manager_shards; i++)
        look(w, i, pw_manager_now(w));
    if (f->is_end) {
        link_ended(w, l);
    } else if (!l->session) {
        l->session = m->session;
        read_hello(w, l, frame);
    } else if (!l->post) {
        read_late(w, l, frame);
    } else if (!read_frame(w, l, l->post, frame)) {
        w->report->met[POOL_WORLD_BAD_FRAME]++;
        pw_say(w, "a bad frame from %s/%u", name_of(w, l->process), l->process->id);
        pool_lane_expel(l->post->lane);
        pw_close_down(w, l, true);
        link_ended(w, l);
    }
    turn(w);
}
