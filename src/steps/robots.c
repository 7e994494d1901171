/* SPDX-License-Identifier: Apache-2.0 */
/* robots: reads an answer for robots.txt.
 *
 * The rules go to the host's record (host/host_robots.h), and the sitemaps that the file names
 * become references of the visit. A redirect is followed from here (asking/robots_redirect.h): the
 * visit goes back to its queue, by way of resolve, and the next turn of its host asks for the new
 * URL. */
#include "asking/guest.h"
#include "asking/robots_answer.h"
#include "asking/robots_redirect.h"
#include "roles/addresses.h"
#include "roles/ledger.h"
#include "roles/pace.h"
#include "roles/scope.h"
#include "visit/visit_host.h"

#include "base/mem.h"

enum { NEED_LEDGER, NEED_SCOPE, NEED_ADDRESSES, NEED_PACE };

enum { OUT, AGAIN };

struct robots_settings {
    struct str user_agent;
    bool no_sitemaps;
};

static const struct option robots_options[] = {
    OPTION_TEXT_ROW(struct robots_settings, user_agent, "user-agent", "orbweaver",
                    "the crawler's name: its rules are read"),
    OPTION_BOOL_ROW(struct robots_settings, no_sitemaps, "no-sitemaps", "no",
                    "do not read the sitemaps that robots.txt names"),
    {0},
};

struct robots_part {
    struct instance *self;
    struct ledger_service *ledger;
    struct scope_service *scope;
    struct addresses_service *addresses;
    struct pace_service *pace;
    struct rng rng;
    struct decoder *decoder;
    struct buf text;
    char room[URL_ROOM_BYTES];
};

/* Redirects ------------------------------------------------------------------------------------ */

/* The answer that redirected is archived and logged on its own, now, while its bytes are there. */
static void emit_redirect(struct robots_part *r, struct visit *v, const struct url *from)
{
    struct visit *hop = robots_redirect_hop(v, from);
    if (!hop) {
        part_fail(r->self, RC_NOMEM, "no memory for a redirect");
        return;
    }
    part_derive(r->self, &v->head, &hop->head);
    part_emit(r->self, OUT, &hop->head);
}

/* Sends the visit back to its queue; after the host's delay its next turn asks for the new URL. */
static void ask_later(struct robots_part *r, struct visit *v)
{
    uint64_t now_ms = clock_now_ms(r->ledger->run.clock);
    struct pace_settings pace = r->pace->now(r->pace);
    uint64_t wait_ms = host_robots_hop_ms(v->turn.record, &pace);
    host_permit_return(&v->route.permit, r->addresses->addresses, r->addresses->hosts, now_ms);
    guest_return(v, &pace, wait_ms);
    robots_redirect_later(v, now_ms + wait_ms);
    part_emit(r->self, AGAIN, &v->head);
}

/* Meaning -------------------------------------------------------------------------------------- */

/* Writes to the host's record what the answer means. It is useless if it brings no rules that can be
 * trusted. */
static void learn(struct robots_part *r, struct visit *v, const struct host_request *request,
                  enum robots_status_meaning meaning)
{
    const struct robots_settings *s = r->self->settings;
    struct depth_index *const *depths = r->ledger->depth_index;
    const struct robots *rules = NULL;
    enum rc rc = meaning == ROBOTS_USE_BODY
                     ? robots_answer_rules(v, s->user_agent, r->decoder, &r->text, &rules)
                     : RC_OK;
    if (rc == RC_INVALID) {
        meaning = ROBOTS_RETRY;
        rc = RC_OK;
    }
    v->answer.end.is_useless = meaning == ROBOTS_RETRY;
    if (rules && !s->no_sitemaps)
        robots_answer_sitemaps(v, rules, depths ? depths[r->self->shard] : NULL);
    if (rc == RC_OK)
        rc = host_robots_learn(request, meaning, rules,
                               (int64_t)clock_wall_ms(r->ledger->run.clock));
    v->parsed.robots_changed = true;
    if (rc)
        part_fail(r->self, rc, "cannot store the rules of a robots.txt: %s", rc_text(rc));
}

/* Judged here and not in fetch, for the rules may ask for a Crawl-delay. */
static void judge(struct robots_part *r, struct visit *v)
{
    struct pace_settings pace = r->pace->now(r->pace);
    if (!v->answer.has_verdict)
        visit_judge(v, &pace, &r->rng);
}

static void robots_handle(struct instance *self, unsigned inlet, struct message *m)
{
    (void)inlet;
    struct robots_part *r = self->state;
    struct visit *v = visit_of(m);
    if (v->kind != VISIT_ROBOTS) { /* a member of a pool sends a page as rules of its host */
        part_emit(self, OUT, m);
        return;
    }
    struct host_request request = visit_request(v);
    struct url from = v->turn.url;
    enum robots_status_meaning meaning = robots_answer_meaning(v, &request);
    if (meaning == ROBOTS_REDIRECT &&
        robots_redirect_url(v, r->scope->idn, (struct url_room){r->room, sizeof r->room})) {
        emit_redirect(r, v, &from);
        ask_later(r, v);
        return;
    }
    if (!robots_answer_is_of_version(v))
        learn(r, v, &request, meaning);
    judge(r, v);
    part_emit(self, OUT, m);
}

/* The part ------------------------------------------------------------------------------------- */

static void robots_close(struct instance *self)
{
    struct robots_part *r = self->state;
    decoder_close(r->decoder);
    buf_done(&r->text);
    mem_free(r);
}

static enum rc robots_open(struct instance *self, struct buf *why)
{
    (void)why;
    struct robots_part *r = mem_zero(1, sizeof *r);
    if (!r)
        return RC_NOMEM;
    self->state = r;
    r->self = self;
    r->ledger = part_provider(self, NEED_LEDGER);
    r->scope = part_provider(self, NEED_SCOPE);
    r->addresses = part_provider(self, NEED_ADDRESSES);
    r->pace = part_provider(self, NEED_PACE);
    rng_init(&r->rng, clock_wall_ms(r->ledger->run.clock) + 33 + self->shard);
    buf_init(&r->text, HOST_ROBOTS_BODY_BYTES);
    enum rc rc = decoder_open(&r->decoder);
    if (rc)
        robots_close(self);
    return rc;
}

const struct part part_robots = {
    .abi = PART_ABI,
    .kind = PART_COMPONENT,
    .name = "robots",
    .help = "understands answers for robots.txt",
    .inlets = (const struct part_port[]){{"in", VISIT_TYPE, "answers for robots.txt", false}, {0}},
    .outlets = (const struct part_port[]){{"out", VISIT_TYPE, "with its sitemaps", false},
                                          {"again", VISIT_TYPE, "redirected", false},
                                          {0}},
    .needs =
        (const struct part_need[]){
            [NEED_LEDGER] = {"ledger", LEDGER_INTERFACE, "has the crawl's clock"},
            [NEED_SCOPE] = {"scope", SCOPE_INTERFACE, "reads international host names"},
            [NEED_ADDRESSES] = {"addresses", ADDRESSES_INTERFACE, "gets permits back"},
            [NEED_PACE] = {"pace", PACE_INTERFACE, "says when to ask again"},
            {0}},
    .options = robots_options,
    .settings_bytes = sizeof(struct robots_settings),
    .open = robots_open,
    .close = robots_close,
    .handle = robots_handle,
};
