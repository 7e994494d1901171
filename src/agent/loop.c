/* SPDX-License-Identifier: Apache-2.0 */
/* The agent's thread: takes the events of the bus, does what is due, then sleeps.
 *
 * When a limit of the whole crawl is reached, the agent says so for some more heartbeats, so that
 * the others end, too. When all work is done, cluster/protocol/finish.c decides when to end. */
#include "agent/agent_internal.h"

#include "base/clock.h"
#include "base/log.h"

#include <poll.h>
#include <time.h>
#include <unistd.h>

enum {
    EVENTS_A_TURN = 256,
    LEAST_WAIT_MS = 1, /* so that shards get the lock even if something is due at once */
    MOST_WAIT_MS = 50, /* the journal may have become durable meanwhile */
    DISK_WAIT_MS = 10, /* the same, while the agent waits for it */
    GATHER_MS = 5,     /* gathers events, while no other agent waits for this one */
    LOOK_MS = 20,      /* between two looks at the status */
    SAY_MS = 10000,
    /* a pause is logged if it lasts this long; at full speed there are short ones */
    PAUSE_MS = 1000,
    SILENT_MS = 5000, /* the roster's stream does not answer although a server is connected */
    LAST_HEARTBEATS = 3,
};

static uint64_t now_ms(struct cluster_part *c)
{
    return clock_now_ms(c->ledger->run.clock);
}

static void on_event(void *ctx, const struct bus_event *e)
{
    struct cluster_part *c = ctx;
    if (cluster_namesake_event(c, e) ||
        (e->kind == BUS_ASKED && !agent_may_answer(c->agent, now_ms(c))))
        return;
    if (guests_event(c->guests, e, now_ms(c)))
        return;
    if (!peer_requests_event(c->service.peers, e, now_ms(c)))
        agent_event(c->agent, e, now_ms(c));
}

/* Mail without bytes that must arrive: without memory the flow cannot continue anyway. */
static void tell_shards(struct cluster_part *c, enum mail_kind kind)
{
    c->said.over = true;
    if (!cluster_mail_all(c, kind, 0))
        log_error(c->log, "cluster.mail_failed", LOG_C("why", "no memory"));
}

static void fail_crawl(struct cluster_part *c, enum rc rc, const char *why)
{
    struct mail *m = mail_new(MAIL_FAILED, 0, str_c(why));
    atomic_store(&c->service.has_failed, true);
    c->said.over = true;
    log_error(c->log, "cluster.failed", LOG_C("why", why), LOG_RC(rc));
    if (agent_is_behind(c->agent)) /* the others have ended the recrawl */
        (void)ledger_conclude(c->ledger->ledger);
    if (!m)
        return;
    m->rc = rc;
    (void)mailbox_put(&c->service.mail[0], &m);
}

static void agent_stopped(struct cluster_part *c, enum rc rc)
{
    buf_clear(&c->scratch);
    if (rc == RC_LOCKED)
        cluster_namesake_why(c, &c->scratch);
    const char *why = c->scratch.n ? buf_c(&c->scratch) : NULL;
    fail_crawl(c, rc, why ? why : agent_why(c->agent));
}

/* Logs now and then what the agent waits for. */
static void say_state(struct cluster_part *c, const struct agent_status *s)
{
    struct port_counts n = port_counts(&c->port);
    if (now_ms(c) - c->said.state_ms < SAY_MS)
        return;
    c->said.state_ms = now_ms(c);
    buf_clear(&c->scratch);
    agent_waits(c->agent, c->said.state_ms, &c->scratch);
    log_info(c->log, "cluster.state", LOG_C("state", agent_state_text(s->state)),
             LOG_STR("waits_for", buf_str(&c->scratch)), LOG_U64("epoch", s->epoch),
             LOG_U64("settled", s->settled), LOG_U64("gates_open", s->gates_open),
             LOG_U64("idle", s->is_idle),
             LOG_U64("suspects", agent_suspects(c->agent, c->said.state_ms)),
             LOG_U64("parcels", s->parcels), LOG_U64("pages_unsent", s->pages_unsent),
             LOG_U64("untold", s->untold), LOG_U64("untold_pages", s->untold_most),
             LOG_U64("queued", n.queued), LOG_U64("open", n.open), LOG_U64("moving", n.moving),
             LOG_U64("pending", ledger_pending(c->ledger->ledger)),
             LOG_U64("lists", atomic_load(&c->lists)), LOG_U64("last", n.last),
             LOG_U64("kept", c->reader.keep),
             LOG_U64("durable", ledger_durable(c->ledger->ledger)));
}

static const char *const waiting_words[] = {
    [WAITING_SERVER] = "no server is connected; this agent fetches nothing until one confirms its "
                       "lease",
    [WAITING_STREAMS] =
        "a server is connected, but the roster's stream does not answer: too few servers run, or "
        "their store is new and the streams are missing. `orbweaver cluster streams --dir DIR`, "
        "with the operator's folder, makes the missing streams and changes no other; the agents "
        "then restore what they have and continue by themselves",
    [WAITING_ENTRIES] = "the servers have lost entries of the roster; the agents restore them "
                        "from their journals",
    [WAITING_FOUNDING] =
        "the roster is empty. If an agent took part before, start it: it restores the roster. If "
        "not, delete the file `founded` in the operator's folder DIR and run `orbweaver cluster "
        "streams --dir DIR`",
    [WAITING_RENEWAL] = "no server confirms this agent's lease; it fetches nothing until one does",
};

/* What keeps the agent from crawling and can be ended by the servers, or by their operator. */
static enum cluster_waiting waiting_of(const struct agent_status *s)
{
    bool is_outside = s->state == AGENT_START || s->state == AGENT_RETURN;
    if (s->state != AGENT_FENCED && !is_outside)
        return WAITING_NOT;
    if (!s->is_connected)
        return WAITING_SERVER;
    if (s->silent_ms >= SILENT_MS)
        return WAITING_STREAMS;
    if (s->lost)
        return WAITING_ENTRIES;
    if (is_outside)
        return s->is_roster_read && !s->is_founded ? WAITING_FOUNDING : WAITING_NOT;
    return WAITING_RENEWAL;
}

/* Whether to give up, because no server has ever answered. If the servers go away later, the agent
 * waits. */
static bool is_given_up(struct cluster_part *c, const struct agent_status *s)
{
    c->start.has_begun |= s->state != AGENT_START;
    if (c->start.has_begun || c->said.over || !c->start.give_up_ms ||
        now_ms(c) < c->start.give_up_ms)
        return false;
    fail_crawl(
        c, RC_CLOSED,
        waiting_of(s) == WAITING_STREAMS
            ? waiting_words[WAITING_STREAMS]
            : "cannot read the roster: is nats-server running, and is the login this agent's own?");
    return true;
}

/* is_given_up reports a start without servers. */
static void say_waits(struct cluster_part *c, const struct agent_status *s)
{
    enum cluster_waiting now = waiting_of(s);
    if (now == WAITING_SERVER && s->state != AGENT_FENCED)
        now = c->said.waiting;
    if (now == c->said.waiting)
        return;
    c->said.waiting = now;
    if (now != WAITING_NOT)
        log_warn(c->log, "cluster.waiting", LOG_C("why", waiting_words[now]),
                 LOG_U64("lost_entries", s->lost));
    else
        log_warn(c->log, "cluster.resumed", LOG_C("state", agent_state_text(s->state)));
}

/* No host is checked out, because too many outcomes are untold. */
static void say_pause(struct cluster_part *c, const struct agent_status *s)
{
    c->paused_ms = !s->is_paused ? 0 : c->paused_ms ? c->paused_ms : now_ms(c);
    bool is_long = c->paused_ms && now_ms(c) - c->paused_ms >= PAUSE_MS;
    if (is_long == c->said.pause || (c->paused_ms && !is_long))
        return;
    c->said.pause = is_long;
    if (is_long)
        log_warn(c->log, "cluster.paused",
                 LOG_C("why",
                       "too many outcomes are not acknowledged; no page is fetched until some are"),
                 LOG_U64("untold", s->untold), LOG_U64("untold_pages", s->untold_most));
    else
        log_warn(c->log, "cluster.unpaused", LOG_U64("untold", s->untold));
}

/* Writes state/agent: the agent's name and its first incarnation. Once, and again at every
 * start. */
static void note_agent(struct cluster_part *c, uint64_t first_inc)
{
    if (!first_inc || first_inc == c->said.first_inc)
        return;
    if (ledger_note_agent(c->ledger->ledger, str_c(c->login.name), first_inc) == RC_OK)
        c->said.first_inc = first_inc;
}

/* Now and then only: the status covers the whole roster. */
static void look_at_status(struct cluster_part *c)
{
    struct agent_status s;
    if (now_ms(c) - c->looked_ms < LOOK_MS)
        return;
    c->looked_ms = now_ms(c);
    agent_status(c->agent, now_ms(c), &s);
    note_agent(c, s.first_inc);
    say_waits(c, &s);
    cluster_namesake_look(c, now_ms(c));
    cluster_namesake_say(c, s.has_namesake);
    if (s.epoch != c->said.epoch || s.state != c->said.state) {
        c->said.epoch = s.epoch;
        c->said.state = s.state;
        log_info(c->log, "cluster.epoch", LOG_U64("epoch", s.epoch),
                 LOG_C("state", agent_state_text(s.state)), LOG_U64("inc", s.inc));
    }
    say_pause(c, &s);
    if (s.has_no_loopback != c->said.no_loopback) {
        c->said.no_loopback = s.has_no_loopback;
        log_warn(c->log, s.has_no_loopback ? "cluster.no_loopback" : "cluster.loopback");
    }
    if (s.settled != c->said.settled) {
        c->said.settled = s.settled;
        log_info(c->log, "cluster.settled", LOG_U64("epoch", s.settled),
                 LOG_U64("appends", s.appends), LOG_U64("append_bytes", s.append_bytes),
                 LOG_U64("gets", s.gets), LOG_U64("says", s.says));
    }
    say_state(c, &s);
    if (is_given_up(c, &s))
        return;
    uint64_t heartbeats_ms = LAST_HEARTBEATS * roster_timings(agent_roster(c->agent)).heartbeat_ms;
    if (c->said.over || (!s.may_end && !cluster_is_limited(c, heartbeats_ms)))
        return;
    log_info(c->log, "cluster.finished", LOG_C("state", agent_state_text(s.state)),
             LOG_U64("epoch", s.epoch));
    if (s.is_all_finished) /* the end of a recrawl */
        ledger_requeued(c->ledger->ledger);
    atomic_store(&c->service.is_over, true);
    tell_shards(c, MAIL_OVER);
}

static void loop_turn(struct cluster_part *c)
{
    (void)pthread_mutex_lock(&c->lock);
    (void)bus_poll(c->bus, on_event, c, EVENTS_A_TURN);
    cluster_room_look(c);
    c->reader.is_hurried = false;
    enum rc rc = agent_turn(c->agent, now_ms(c));
    peer_requests_turn(c->service.peers, now_ms(c));
    guests_turn(c->guests, now_ms(c));
    if (!rc)
        look_at_status(c);
    else if (!c->said.over && !atomic_load(&c->thread.is_stopping))
        agent_stopped(c, rc);
    (void)pthread_mutex_unlock(&c->lock);
}

static void wait_for_more(struct cluster_part *c)
{
    struct pollfd fds[2] = {{.fd = bus_fd(c->bus), .events = POLLIN},
                            {.fd = c->thread.wake, .events = POLLIN}};
    uint64_t now = now_ms(c), due = agent_due_ms(c->agent), woken;
    uint64_t wait = due > now ? due - now : 0;
    if (agent_has_time(c->agent) && !c->reader.is_hurried)
        (void)nanosleep(&(struct timespec){.tv_nsec = GATHER_MS * 1000000L}, NULL);
    uint64_t most = c->reader.is_hurried ? DISK_WAIT_MS : MOST_WAIT_MS;
    wait = wait < LEAST_WAIT_MS ? LEAST_WAIT_MS : wait > most ? most : wait;
    (void)poll(fds, 2, (int)wait);
    if (fds[1].revents)
        (void)!read(c->thread.wake, &woken, sizeof woken);
}

static void *loop_main(void *ctx)
{
    struct cluster_part *c = ctx;
    while (!atomic_load(&c->thread.is_stopping)) {
        loop_turn(c);
        wait_for_more(c);
    }
    return NULL;
}

enum rc cluster_loop_start(struct cluster_part *c)
{
    c->began_ms = clock_wall_ms(c->ledger->run.clock);
    c->start.give_up_ms = c->start.wait_ms ? now_ms(c) + c->start.wait_ms : 0;
    c->thread.is_running = pthread_create(&c->thread.id, NULL, loop_main, c) == 0;
    return c->thread.is_running ? RC_OK : RC_NOMEM;
}

static void say_end(struct cluster_part *c)
{
    struct agent_status s;
    agent_status(c->agent, now_ms(c), &s);
    log_info(c->log, "cluster.ended", LOG_C("state", agent_state_text(s.state)),
             LOG_U64("epoch", s.epoch), LOG_U64("appends", s.appends),
             LOG_U64("append_bytes", s.append_bytes), LOG_U64("gets", s.gets),
             LOG_U64("says", s.says), LOG_U64("junk", s.junk), LOG_U64("sent_again", s.sent_again),
             LOG_U64("foreign", atomic_load(&c->service.foreign)),
             LOG_U64("repeated", atomic_load(&c->service.repeated)),
             LOG_U64("told", atomic_load(&c->service.told)),
             LOG_U64("told_before", atomic_load(&c->service.told_before)),
             LOG_U64("refused", atomic_load(&c->service.refused)),
             LOG_U64("shorter", atomic_load(&c->service.shorter)),
             LOG_U64("again", atomic_load(&c->service.again)));
}

/* Several shards may stop the loop at the same time. */
void cluster_loop_stop(struct cluster_part *c)
{
    static const uint64_t one = 1;
    (void)pthread_mutex_lock(&c->thread.stopping);
    if (c->thread.is_running) {
        atomic_store(&c->thread.is_stopping, true);
        for (unsigned i = 0; i < 2; i++)
            mail_walk_close(&c->tours.of[i].walk);
        (void)!write(c->thread.wake, &one, sizeof one);
        (void)pthread_join(c->thread.id, NULL);
        peer_requests_close(c->service.peers);
        cluster_lost_stop(c); /* it asks no agent any more */
        c->thread.is_running = false;
        say_end(c);
    }
    (void)pthread_mutex_unlock(&c->thread.stopping);
}
