/* SPDX-License-Identifier: Apache-2.0 */
/* The agent's thread: what the bus has for it, what is due, then it sleeps.
 *
 * When a limit of the whole crawl is reached it goes on saying so for some beats: the others end by
 * its word. When all is done cluster/finish.c says when to go. */
#include "components/cluster_inside.h"

#include "base/clock.h"
#include "base/log.h"

#include <poll.h>
#include <time.h>
#include <unistd.h>

enum {
    EVENTS_A_TURN = 256,
    LEAST_WAIT_MS = 1, /* what is due at once still lets the shards have the lock */
    MOST_WAIT_MS = 50, /* the journal may have become durable; */
    DISK_WAIT_MS = 10, /* the agent waits for that */
    REST_MS = 5,       /* for events to gather, while nobody waits for the agent */
    LOOK_MS = 20,      /* between two looks at what has become of the agent */
    SAY_MS = 10000,
    PAUSE_MS = 1000,  /* a pause that lasts so long is said; at speed there are short ones */
    SILENT_MS = 5000, /* the roster's stream answers nothing, though a server is there */
    LAST_BEATS = 3,
};

static uint64_t now_ms(struct cluster_part *c)
{
    return clock_now_ms(c->ledger->clock);
}

static void on_event(void *ctx, const struct bus_event *e)
{
    struct cluster_part *c = ctx;
    if (cluster_namesake_event(c, e) ||
        (e->kind == BUS_ASKED && !agent_may_answer(c->agent, now_ms(c))))
        return;
    if (!cluster_talk_event(c->service.talk, e, now_ms(c)))
        agent_event(c->agent, e, now_ms(c));
}

/* Mail without bytes that must arrive: without memory the flow cannot go on anyway. */
static void tell_all(struct cluster_part *c, enum mail_kind kind)
{
    c->is_told = true;
    if (!cluster_mail_all(c, kind, 0))
        log_error(c->log, "cluster.mail", LOG_C("why", "no memory"));
}

static void failed(struct cluster_part *c, enum rc rc, const char *why)
{
    struct mail *m = mail_new(MAIL_FAILED, 0, str_c(why));
    atomic_store(&c->service.has_failed, true);
    c->is_told = true;
    log_error(c->log, "cluster.failed", LOG_C("why", why), LOG_RC(rc));
    if (agent_is_behind(c->agent)) /* of a recrawl: the others have ended it */
        (void)ledger_conclude(c->ledger->ledger);
    if (!m)
        return;
    m->rc = rc;
    (void)mailbox_put(&c->service.mail[0], &m);
}

static void stopped(struct cluster_part *c, enum rc rc)
{
    buf_clear(&c->scratch);
    if (rc == RC_LOCKED)
        cluster_namesake_why(c, &c->scratch);
    const char *why = c->scratch.n ? buf_c(&c->scratch) : NULL;
    failed(c, rc, why ? why : agent_why(c->agent));
}

/* What it waits for, for whoever wonders. */
static void say_state(struct cluster_part *c, const struct agent_status *s)
{
    struct port_counts n = port_counts(&c->port);
    if (now_ms(c) - c->said_ms < SAY_MS)
        return;
    c->said_ms = now_ms(c);
    buf_clear(&c->scratch);
    agent_waits(c->agent, c->said_ms, &c->scratch);
    log_info(c->log, "cluster.state", LOG_C("state", agent_state_text(s->state)),
             LOG_STR("waits_for", buf_str(&c->scratch)), LOG_U64("epoch", s->epoch),
             LOG_U64("settled", s->settled), LOG_U64("gates_open", s->gates_open),
             LOG_U64("idle", s->is_idle), LOG_U64("suspects", agent_suspects(c->agent, c->said_ms)),
             LOG_U64("parcels", s->parcels), LOG_U64("pages_unsent", s->pages_unsent),
             LOG_U64("untold", s->untold), LOG_U64("untold_pages", s->untold_most),
             LOG_U64("queued", n.queued), LOG_U64("open", n.open), LOG_U64("moving", n.moving),
             LOG_U64("pending", ledger_pending(c->ledger->ledger)),
             LOG_U64("lists", atomic_load(&c->lists)), LOG_U64("last", n.last),
             LOG_U64("kept", c->keep), LOG_U64("durable", ledger_durable(c->ledger->ledger)));
}

static const char *const waiting_words[] = {
    [WAITING_SERVER] = "no server is connected; this agent asks for nothing until one confirms its "
                       "lease",
    [WAITING_STREAMS] =
        "a server is connected, and the roster's stream does not answer: too few servers run, or "
        "their store is new and the streams are missing. `orbweaver cluster streams --dir DIR`, "
        "with the operator's folder, makes the missing ones and changes no other; the agents then "
        "bring back what they have and go on by themselves",
    [WAITING_ENTRIES] = "the servers have lost entries of the roster; the agents bring them back "
                        "from their journals",
    [WAITING_FOUNDING] =
        "the roster is empty. An agent that took part before brings it back: start it. If there is "
        "none, delete the file `founded` in the operator's folder DIR and run `orbweaver cluster "
        "streams --dir DIR`",
    [WAITING_RENEWAL] = "no server confirms this agent's lease; it asks for nothing until one does",
};

/* What keeps the agent from crawling that the servers, or their operator, could end. */
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

/* Whether no server has ever answered us. Later they may go and come back: the agent waits then. */
static bool is_given_up(struct cluster_part *c, const struct agent_status *s)
{
    c->has_begun |= s->state != AGENT_START;
    if (c->has_begun || c->is_told || !c->give_up_ms || now_ms(c) < c->give_up_ms)
        return false;
    failed(c, RC_CLOSED,
           waiting_of(s) == WAITING_STREAMS
               ? waiting_words[WAITING_STREAMS]
               : "no server has let us read who takes part; is it up, is the login its own?");
    return true;
}

/* A start without servers is told by is_given_up. */
static void say_waits(struct cluster_part *c, const struct agent_status *s)
{
    enum cluster_waiting now = waiting_of(s);
    if (now == WAITING_SERVER && s->state != AGENT_FENCED)
        now = c->waiting_said;
    if (now == c->waiting_said)
        return;
    c->waiting_said = now;
    if (now != WAITING_NOT)
        log_warn(c->log, "cluster.waits", LOG_C("why", waiting_words[now]),
                 LOG_U64("lost_entries", s->lost));
    else
        log_warn(c->log, "cluster.goes_on", LOG_C("state", agent_state_text(s->state)));
}

/* So many outcomes are untold that nothing more is lent. */
static void say_pause(struct cluster_part *c, const struct agent_status *s)
{
    c->paused_ms = !s->is_paused ? 0 : c->paused_ms ? c->paused_ms : now_ms(c);
    bool is_long = c->paused_ms && now_ms(c) - c->paused_ms >= PAUSE_MS;
    if (is_long == c->is_pause_said || (c->paused_ms && !is_long))
        return;
    c->is_pause_said = is_long;
    if (is_long)
        log_warn(c->log, "cluster.pauses",
                 LOG_C("why", "outcomes are not told; nothing is asked for until some are"),
                 LOG_U64("untold", s->untold), LOG_U64("untold_pages", s->untold_most));
    else
        log_warn(c->log, "cluster.resumes", LOG_U64("untold", s->untold));
}

/* Whose directory this is, and since when: written once, and at every start once more. */
static void note_agent(struct cluster_part *c, uint64_t first_inc)
{
    if (!first_inc || first_inc == c->first_said)
        return;
    if (ledger_note_agent(c->ledger->ledger, str_c(c->login.name), first_inc) == RC_OK)
        c->first_said = first_inc;
}

/* Now and then: the status is of the whole roster. */
static void look(struct cluster_part *c)
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
    if (s.epoch != c->epoch_said || s.state != c->state_said) {
        c->epoch_said = s.epoch;
        c->state_said = s.state;
        log_info(c->log, "cluster.epoch", LOG_U64("epoch", s.epoch),
                 LOG_C("state", agent_state_text(s.state)), LOG_U64("inc", s.inc));
    }
    say_pause(c, &s);
    if (s.is_deaf != c->is_deaf_said) {
        c->is_deaf_said = s.is_deaf;
        log_warn(c->log, s.is_deaf ? "cluster.deaf" : "cluster.hears");
    }
    if (s.settled != c->settled_said) {
        c->settled_said = s.settled;
        log_info(c->log, "cluster.settled", LOG_U64("epoch", s.settled),
                 LOG_U64("appends", s.appends), LOG_U64("append_bytes", s.append_bytes),
                 LOG_U64("gets", s.gets), LOG_U64("says", s.says));
    }
    say_state(c, &s);
    if (is_given_up(c, &s))
        return;
    uint64_t beats_ms = LAST_BEATS * roster_timings(agent_roster(c->agent)).beat_ms;
    if (c->is_told || (!s.may_end && !cluster_is_limited(c, beats_ms)))
        return;
    log_info(c->log, "cluster.over", LOG_C("state", agent_state_text(s.state)),
             LOG_U64("epoch", s.epoch));
    if (s.is_all_finished) /* of a recrawl: its end */
        ledger_met(c->ledger->ledger);
    atomic_store(&c->service.is_over, true);
    tell_all(c, MAIL_OVER);
}

static void turn(struct cluster_part *c)
{
    (void)pthread_mutex_lock(&c->lock);
    (void)bus_poll(c->bus, on_event, c, EVENTS_A_TURN);
    cluster_room_look(c);
    c->is_hurried = false;
    enum rc rc = agent_turn(c->agent, now_ms(c));
    cluster_talk_turn(c->service.talk, now_ms(c));
    if (!rc)
        look(c);
    else if (!c->is_told && !atomic_load(&c->is_stopping))
        stopped(c, rc);
    (void)pthread_mutex_unlock(&c->lock);
}

static void wait_for_more(struct cluster_part *c)
{
    struct pollfd fds[2] = {{.fd = bus_fd(c->bus), .events = POLLIN},
                            {.fd = c->wake, .events = POLLIN}};
    uint64_t now = now_ms(c), due = agent_due_ms(c->agent), woken;
    uint64_t wait = due > now ? due - now : 0;
    if (agent_has_time(c->agent) && !c->is_hurried)
        (void)nanosleep(&(struct timespec){.tv_nsec = REST_MS * 1000000L}, NULL);
    uint64_t most = c->is_hurried ? DISK_WAIT_MS : MOST_WAIT_MS;
    wait = wait < LEAST_WAIT_MS ? LEAST_WAIT_MS : wait > most ? most : wait;
    (void)poll(fds, 2, (int)wait);
    if (fds[1].revents)
        (void)!read(c->wake, &woken, sizeof woken);
}

static void *run(void *ctx)
{
    struct cluster_part *c = ctx;
    while (!atomic_load(&c->is_stopping)) {
        turn(c);
        wait_for_more(c);
    }
    return NULL;
}

enum rc cluster_loop_start(struct cluster_part *c)
{
    c->began_ms = clock_wall_ms(c->ledger->clock);
    c->give_up_ms = c->wait_ms ? now_ms(c) + c->wait_ms : 0;
    c->has_thread = pthread_create(&c->thread, NULL, run, c) == 0;
    return c->has_thread ? RC_OK : RC_NOMEM;
}

static void say_end(struct cluster_part *c)
{
    struct agent_status s;
    agent_status(c->agent, now_ms(c), &s);
    log_info(c->log, "cluster.end", LOG_C("state", agent_state_text(s.state)),
             LOG_U64("epoch", s.epoch), LOG_U64("appends", s.appends),
             LOG_U64("append_bytes", s.append_bytes), LOG_U64("gets", s.gets),
             LOG_U64("says", s.says), LOG_U64("junk", s.junk), LOG_U64("sent_again", s.sent_again),
             LOG_U64("foreign", atomic_load(&c->service.foreign)),
             LOG_U64("repeated", atomic_load(&c->service.repeated)),
             LOG_U64("told", atomic_load(&c->service.told)),
             LOG_U64("refused", atomic_load(&c->service.refused)),
             LOG_U64("nearer", atomic_load(&c->service.nearer)),
             LOG_U64("again", atomic_load(&c->service.again)));
}

/* Shards may be the ones who stop it, several at a time. */
void cluster_loop_stop(struct cluster_part *c)
{
    static const uint64_t one = 1;
    (void)pthread_mutex_lock(&c->stopping);
    if (c->has_thread) {
        atomic_store(&c->is_stopping, true);
        for (unsigned i = 0; i < 2; i++)
            mail_walk_close(&c->tours[i].walk);
        (void)!write(c->wake, &one, sizeof one);
        (void)pthread_join(c->thread, NULL);
        cluster_talk_close(c->service.talk);
        cluster_lost_stop(c); /* it asks nobody any more */
        c->has_thread = false;
        say_end(c);
    }
    (void)pthread_mutex_unlock(&c->stopping);
}
