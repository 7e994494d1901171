/* SPDX-License-Identifier: Apache-2.0 */
/* Performs a request and writes its answer. */
#include "control/control_piece.h"
#include "control/control_request.h"
#include "control/control_server.h"

#include "base/clock.h"
#include "base/jsonw.h"
#include "base/log.h"
#include "ledger/seed.h"
#include "roles/seed_request.h"
#include "url/normalise.h"

#include <signal.h>
#include <unistd.h>

enum { SEEDS_WAIT_MS = 10 * 1000, ARENA_BYTES = 64 << 10, ARENA_MAX_BYTES = 16 << 20 };

/* The request that is being answered. */
struct answering {
    const struct control_setup *setup;
    struct control_rate recent;
    enum control_by by;
    const struct control_request *request;
    struct arena *arena;
    struct buf *out;
};

static void say_error(struct buf *out, const char *code, struct str message, struct str hint)
{
    struct jsonw j = jsonw_to(out);
    jsonw_object(&j);
    jsonw_key(&j, "error");
    jsonw_object(&j);
    jsonw_text_field(&j, "code", str_c(code));
    jsonw_text_field(&j, "message", message);
    if (hint.p)
        jsonw_text_field(&j, "hint", hint);
    jsonw_end(&j);
    jsonw_end(&j);
}

static void say_ok(struct buf *out, const char *what)
{
    struct jsonw j = jsonw_to(out);
    jsonw_object(&j);
    jsonw_bool_field(&j, "ok", true);
    jsonw_text_field(&j, "text", str_c(what));
    jsonw_end(&j);
}

/* Seeds ---------------------------------------------------------------------------------------- */

struct refused {
    struct str url;
    const char *why;
};

/* Why the text is no seed; NULL: it is one. */
static const char *judge_seed(const struct control_setup *s, struct str text, char *room,
                              struct url *ret)
{
    const char *why = NULL;
    enum rc rc = seed_read(text, s->scope->idn, (struct url_room){room, URL_ROOM_BYTES}, ret, &why);
    return rc == RC_OK ? NULL : rc == RC_INVALID ? why : rc_text(rc);
}

/* The text without a password. */
static struct str shown_seed(struct arena *arena, struct str text)
{
    char room[512];
    struct buf shown = buf_on(room, sizeof room);
    seed_print(text, &shown);
    return arena_dup(arena, buf_str(&shown));
}

/* Good seeds go to the request, the others to `bad`. */
static enum rc sort_seeds(struct answering *a, struct seed_request *seeds, struct refused *bad,
                          size_t *bad_count)
{
    const struct control_request *r = a->request;
    char *room = arena_alloc(a->arena, URL_ROOM_BYTES);
    struct str *good = arena_alloc(seeds->arena, r->url_count * sizeof *good);
    struct url u;
    for (size_t i = 0; room && good && i < r->url_count; i++) {
        const char *why = judge_seed(a->setup, r->urls[i], room, &u);
        if (why)
            bad[(*bad_count)++] = (struct refused){shown_seed(a->arena, r->urls[i]), why};
        else if (!(good[seeds->count++] = arena_dup(seeds->arena, url_href(&u))).p)
            return RC_NOMEM;
    }
    seeds->urls = good;
    return room && good ? RC_OK : RC_NOMEM;
}

static void say_seeds(struct buf *out, size_t added, size_t known, const struct refused *bad,
                      size_t bad_count)
{
    struct jsonw j = jsonw_to(out);
    jsonw_object(&j);
    jsonw_bool_field(&j, "ok", true);
    jsonw_u64_field(&j, "added", added);
    jsonw_u64_field(&j, "known", known);
    jsonw_key(&j, "refused");
    jsonw_array(&j);
    for (size_t i = 0; i < bad_count; i++) {
        jsonw_object(&j);
        jsonw_text_field(&j, "url", bad[i].url);
        jsonw_text_field(&j, "why", str_c(bad[i].why));
        jsonw_end(&j);
    }
    jsonw_end(&j);
    jsonw_end(&j);
}

static enum rc do_seeds(struct answering *a, struct buf *why)
{
    struct refused bad[CONTROL_URLS];
    size_t bad_count = 0;
    if (flow_is_ending(a->setup->flow)) {
        buf_add(why, STR("the crawl is ending and takes no more seeds"));
        return RC_CLOSED;
    }
    struct seed_request *seeds = seed_request_open(&a->setup->ledger->calls);
    if (!seeds)
        return RC_NOMEM;
    enum rc rc = sort_seeds(a, seeds, bad, &bad_count);
    if (rc == RC_OK && seeds->count)
        rc = calls_ask(&a->setup->ledger->calls, CALLS_SEEDS, &seeds->call, SEEDS_WAIT_MS);
    if (rc == RC_OK)
        say_seeds(a->out, seeds->count - seeds->known, seeds->known, bad, bad_count);
    else if (rc == RC_CLOSED)
        buf_add(why, STR("the crawl has ended and takes no more seeds"));
    else if (rc == RC_AGAIN)
        buf_add(why, STR("the crawl is too busy to confirm the seeds: try again"));
    call_leave(&seeds->call);
    return rc;
}

/* The last code of each URL that the history has. */
static enum rc do_known(struct answering *a, struct buf *why)
{
    const struct control_request *r = a->request;
    struct history *h = ledger_history(a->setup->ledger->ledger);
    char *room = arena_alloc(a->arena, URL_ROOM_BYTES);
    struct jsonw j = jsonw_to(a->out);
    struct history_entry history;
    struct url u;
    (void)why;
    if (!room)
        return RC_NOMEM;
    jsonw_object(&j);
    jsonw_bool_field(&j, "ok", true);
    jsonw_key(&j, "codes");
    jsonw_array(&j);
    for (size_t i = 0; i < r->url_count; i++) {
        bool is_good = !judge_seed(a->setup, r->urls[i], room, &u);
        if (is_good)
            url_normalise(&u, scope_rules(a->setup->scope->scope));
        if (is_good && h && history_get(h, url_fingerprint(&u), a->arena, &history) == RC_OK &&
            history.fetches)
            jsonw_i64(&j, history.code);
        else
            jsonw_null(&j);
    }
    jsonw_end(&j);
    jsonw_end(&j);
    return RC_OK;
}

/* The others ----------------------------------------------------------------------------------- */

/* Sends this process the signal, so that there is one way of stopping. */
static void stop(const struct control_setup *s, bool now)
{
    log_info(s->log, "crawl.stop", LOG_C("by", "the control socket"));
    if (now)
        flow_stop(s->flow);
    if (!flow_is_ending(s->flow) || now)
        (void)kill(getpid(), SIGTERM);
}

static void set_paused(const struct control_setup *s, bool is_paused, struct buf *out)
{
    if (flow_is_paused(s->flow) == is_paused) {
        say_ok(out, is_paused ? "was paused already" : "was not paused");
        return;
    }
    log_info(s->log, is_paused ? "crawl.paused" : "crawl.unpaused",
             LOG_C("by", "the control socket"));
    if (is_paused)
        flow_pause(s->flow);
    else
        flow_unpause(s->flow);
    say_ok(out, is_paused ? "paused: open requests finish, no new ones begin" : "running again");
}

/* Which requests each of them may make. Another agent may only ask, because an agent's login cannot
 * write to the control log. */
static bool may(enum control_by by, enum control_do what)
{
    static const unsigned may_do[CONTROL_BYS_] = {
        [CONTROL_BY_OWNER] = ~(1u << CONTROL_DRAIN),
        [CONTROL_BY_PEER] = 1u << CONTROL_STATUS | 1u << CONTROL_URL | 1u << CONTROL_KNOWN |
                            1u << CONTROL_AGENT | 1u << CONTROL_PIECE,
        [CONTROL_BY_OPERATOR] = 1u << CONTROL_PAUSE | 1u << CONTROL_UNPAUSE | 1u << CONTROL_STOP |
                                1u << CONTROL_SET | 1u << CONTROL_SEEDS | 1u << CONTROL_DRAIN |
                                1u << CONTROL_CHECKPOINT,
        [CONTROL_BY_RECORD] =
            1u << CONTROL_PAUSE | 1u << CONTROL_UNPAUSE | 1u << CONTROL_SET | 1u << CONTROL_SEEDS,
    };
    return may_do[by] >> what & 1;
}

/* A setting of one agent must not reach all: with cluster.leave every agent would leave. */
static bool is_for_all(const struct control_request *r)
{
    return r->what != CONTROL_SET || !str_starts(r->key, STR("cluster."));
}

static enum rc refuse(struct buf *why, const char *text)
{
    buf_add(why, str_c(text));
    return RC_UNSUPPORTED;
}

static void drain(const struct control_setup *s, const struct control_request *r, struct buf *out)
{
    bool is_me = control_is_clustered(s) && str_eq(s->cluster->name, r->agent);
    if (is_me)
        s->cluster->ops->leave(s->cluster);
    say_ok(out, is_me ? "hands its hosts over and leaves" : "this is another agent: nothing to do");
}

static enum rc say_url(struct answering *a, struct buf *why)
{
    const struct control_setup *s = a->setup;
    enum rc rc;
    if (a->by == CONTROL_BY_PEER)
        return control_url_in_cluster(s, a->request->url, true, a->out, why);
    if (a->request->all && control_url_elsewhere(s, a->request->url, a->out, why, &rc))
        return rc;
    if (control_is_clustered(s))
        return control_url_in_cluster(s, a->request->url, false, a->out, why);
    return control_url(s, a->request->url, a->out, why);
}

static enum rc say_agent(struct answering *a, struct buf *why)
{
    bool is_agent = a->request->what == CONTROL_AGENT;
    if (control_is_clustered(a->setup) && is_agent)
        control_agent(a->setup, a->by == CONTROL_BY_OWNER, a->request->agent, a->out);
    else if (control_is_clustered(a->setup))
        control_cluster(a->setup, a->out);
    else if (is_agent)
        say_ok(a->out, "alone");
    else
        return refuse(why, "this crawl runs on one machine, without a cluster");
    return RC_OK;
}

/* Only the owner may have this agent ask another one. */
static enum rc say_part(struct answering *a, struct buf *why)
{
    const struct control_request *r = a->request;
    if (r->agent.p && a->by == CONTROL_BY_OWNER)
        return control_piece_of(a->setup, r->agent, r->file, r->from, a->out, why);
    return control_piece(a->setup, r->file, r->from, a->out, why);
}

static enum rc perform(struct answering *a, struct buf *why)
{
    const struct control_setup *s = a->setup;
    if (!may(a->by, a->request->what))
        return refuse(why, "this request is not allowed here");
    if (a->by != CONTROL_BY_OWNER && !is_for_all(a->request))
        return refuse(why, "settings of the part cluster belong to one agent");
    switch (a->request->what) {
    case CONTROL_STATUS:
        if (a->request->all && control_is_clustered(s) && a->by == CONTROL_BY_OWNER)
            control_status_of_all(s, a->recent, a->out);
        else
            control_status(s, a->recent, false, a->out);
        return RC_OK;
    case CONTROL_AGENT:
    case CONTROL_CLUSTER:
        return say_agent(a, why);
    case CONTROL_DRAIN:
        drain(s, a->request, a->out);
        return RC_OK;
    case CONTROL_PAUSE:
    case CONTROL_UNPAUSE:
        set_paused(s, a->request->what == CONTROL_PAUSE, a->out);
        return RC_OK;
    case CONTROL_CHECKPOINT:
        ledger_checkpoint(s->ledger->ledger);
        say_ok(a->out, "a checkpoint is being made");
        return RC_OK;
    case CONTROL_STOP:
        stop(s, a->request->now);
        say_ok(a->out, "stopping");
        return RC_OK;
    case CONTROL_SET:
        return control_set(s, a->request, a->out, why);
    case CONTROL_SEEDS:
        return do_seeds(a, why);
    case CONTROL_KNOWN:
        return do_known(a, why);
    case CONTROL_URL:
        return say_url(a, why);
    case CONTROL_PIECE:
        return say_part(a, why);
    case CONTROL_DOES_:
        break;
    }
    return RC_INVALID;
}

bool control_answer(const struct control_setup *s, struct control_rate recent, struct str line,
                    enum control_by by, struct buf *out, enum rc *ret_rc)
{
    struct control_request request = {0};
    struct buf why = {.max = 8192};
    struct arena *arena = arena_open(ARENA_BYTES, ARENA_MAX_BYTES);
    struct answering a = {s, recent, by, &request, arena, out};
    enum rc rc = arena ? control_request_read(line, arena, &request, &why) : RC_NOMEM;
    bool waits = rc == RC_OK && request.what == CONTROL_STOP;
    if (rc == RC_OK)
        rc = perform(&a, &why);
    if (rc) {
        buf_clear(out);
        say_error(out, control_error_code(rc), why.n ? buf_str(&why) : str_c(rc_text(rc)),
                  STR_NONE);
    }
    buf_byte(out, '\n');
    arena_close(arena);
    buf_done(&why);
    *ret_rc = rc;
    return waits;
}
