/* SPDX-License-Identifier: Apache-2.0 */
/* robots: what an answer for robots.txt means for its origin.
 *
 * Rules go to the host's card; the sitemaps that the file names become references of the visit. A
 * redirect is followed from here, up to five times, as RFC 9309 (2.3.1.2) wants: after the host's
 * delay, for most lead to the same host, the visit goes back to resolve with another URL, past the
 * guard and the limits of that address; the answer that led there goes on to the archive and the
 * log as a visit of its own. What is found there holds for the origin first asked. */
#include "components/judge.h"

#include "base/clock.h"
#include "base/list.h"
#include "base/log.h"
#include "base/mem.h"
#include "fetch/decode.h"

#include <assert.h>

enum { OUT, AGAIN };

enum { ROBOTS_BODY_BYTES = ROBOTS_BODY_MAX + 1 }; /* one more shows which line was cut (F55) */

/* A robots.txt that failed for that long counts as missing. */
#define ROBOTS_GIVE_UP_MS (INT64_C(30) * 24 * 3600 * 1000)

struct robots_settings {
    struct str user_agent;
    bool no_sitemaps;
};

static const struct option robots_options[] = {
    OPTION_TEXT_ROW(struct robots_settings, user_agent, "user-agent", "orbweaver",
                    "whose rules are read"),
    OPTION_BOOL_ROW(struct robots_settings, no_sitemaps, "no-sitemaps", "no",
                    "do not read the sitemaps that robots.txt names"),
    {0},
};

/* A redirect that waits. */
struct hop {
    struct timer timer;
    struct robots_part *robots;
    struct visit *visit;
    struct list_node node;
};

struct robots_part {
    struct instance *self;
    struct ledger_service *ledger;
    struct scope_service *scope;
    struct addresses_service *addresses;
    struct pace_service *pace;
    struct rng rng;
    struct decoder *decoder;
    struct list waiting;
    struct buf text;
    char room[URL_ROOM_BYTES];
};

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
    r->ledger = part_provider(self, 0);
    r->scope = part_provider(self, 1);
    r->addresses = part_provider(self, 2);
    r->pace = part_provider(self, 3);
    rng_init(&r->rng, clock_wall_ms(r->ledger->clock) + 33 + self->shard);
    buf_init(&r->text, ROBOTS_BODY_BYTES);
    enum rc rc = decoder_open(&r->decoder);
    if (rc)
        robots_close(self);
    return rc;
}

/* Redirects ------------------------------------------------------------------------------------ */

/* Where the answer leads, in the visit's arena; false if it is nowhere that can be asked. */
static bool redirect(struct robots_part *r, struct visit *v)
{
    struct str location = v->heads.location;
    struct url_parser parser = {.idn = r->scope->idn};
    struct url to;
    if (!location.p || v->robots_hops >= ROBOTS_REDIRECTS_MAX ||
        url_parse(&parser, location, &v->url, (struct url_room){r->room, sizeof r->room}, &to) ||
        !url_is_http(&to) || port_is_bad(url_port(&to)))
        return false;
    char *room = arena_alloc(v->arena, (size_t)to.n + 1);
    return room && url_copy(&to, (struct url_room){room, (size_t)to.n + 1}, &v->url) == RC_OK;
}

static void on_due(struct timer *t, uint64_t now_ms)
{
    (void)now_ms;
    struct hop *h = EVENT_OF(t, struct hop, timer);
    list_remove(&h->robots->waiting, &h->node);
    part_emit(h->robots->self, AGAIN, &h->visit->head);
}

/* What led elsewhere is an answer like any other: it is archived and logged on its own, now, while
 * its bytes are there. */
static void tell_hop(struct robots_part *r, struct visit *v, const struct url *from)
{
    struct visit *hop = visit_open(VISIT_HOP, NULL);
    if (!hop) {
        part_fail(r->self, RC_NOMEM, "no memory for a redirect");
        return;
    }
    hop->url = *from;
    hop->state = VISIT_ENDED;
    hop->lent = v->lent;
    hop->card = v->card;
    hop->request = v->request;
    hop->begun_ms = v->begun_ms;
    hop->date_ms = v->date_ms;
    hop->answer = v->answer;
    hop->heads = v->heads;
    hop->end = v->end;
    hop->mime = v->mime;
    part_derive(r->self, &v->head, &hop->head);
    part_emit(r->self, OUT, &hop->head);
}

/* The visit as it was before it was resolved, with the new URL, after a while. */
static void ask_again(struct robots_part *r, struct visit *v)
{
    struct hop *h = arena_zero(v->arena, sizeof *h);
    uint64_t now_ms = clock_now_ms(r->ledger->clock);
    uint64_t wait_ms = r->pace->now(r->pace).delay_ms;
    visit_leave(v, r->addresses, now_ms);
    v->robots_hops++;
    v->state = VISIT_ON_ITS_WAY;
    v->heads = (struct visit_heads){0};
    v->answer = NULL;
    if (h)
        *h = (struct hop){.timer = {.due = on_due}, .robots = r, .visit = v};
    if (!h || part_timer(r->self, &h->timer, now_ms + wait_ms + 1)) {
        part_fail(r->self, RC_NOMEM, "no memory to wait");
        part_end(r->self, &v->head);
        return;
    }
    list_add_first(&r->waiting, &h->node);
}

static void robots_stop(struct instance *self)
{
    struct robots_part *r = self->state;
    while (r->waiting.first) {
        struct hop *h = LIST_OF(r->waiting.first, struct hop, node);
        part_timer_stop(self, &h->timer);
        list_remove(&r->waiting, &h->node);
        part_end(self, &h->visit->head);
    }
}

/* Meaning -------------------------------------------------------------------------------------- */

static enum rc parse(struct robots_part *r, const struct robots_settings *s, const struct visit *v,
                     const struct robots **ret)
{
    const struct http_answer *a = v->answer;
    assert(a); /* no answer means no body to use */
    struct decode_input in = {
        .body = a->body,
        .is_chunked = a->is_chunked,
        .content_encoding = v->heads.encoding,
        .max_bytes = ROBOTS_BODY_BYTES,
    };
    struct decode_report report;
    struct str text;
    struct robots *rules = NULL;
    enum rc rc = decoder_run(r->decoder, &in, &r->text, &text, &report);
    if (rc == RC_OK)
        rc = robots_parse(text, request_robots_token(s->user_agent), &rules);
    *ret = rules;
    return rc;
}

/* Failing: what was known goes on to hold; after thirty days there is none. */
static const struct robots *when_failing(const struct card_robots *known, int64_t wall_ms)
{
    if (known && known->had_wall_ms && wall_ms - known->had_wall_ms > ROBOTS_GIVE_UP_MS)
        return robots_allow_all();
    return NULL;
}

/* A sitemap is as far from a seed as the nearest URL of its origin, whichever was lent first. */
static void shortest_way(struct robots_part *r, struct visit *v)
{
    struct depths *d = r->ledger->depths ? r->ledger->depths[r->self->shard] : NULL;
    uint64_t origin = depths_origin(host_position(v->lent.host), v->lent.is_https, v->lent.port);
    struct str way;
    if (d && depths_take(d, origin, &way) && visit_depth(way) < visit_depth(v->lent.hops))
        v->way = arena_dup(v->arena, way);
}

static void sitemaps_of(struct robots_part *r, struct visit *v, const struct robots *rules)
{
    struct str url;
    shortest_way(r, v);
    for (size_t i = 0; robots_sitemap(rules, i, &url); i++) {
        struct str copy = arena_dup(v->arena, url);
        if (!copy.p || !visit_refer(v, copy, HOP_PREREQUISITE, STR("robots.txt/Sitemap")))
            return;
        v->card->is_listed = true;
    }
}

static void conclude(struct instance *self, struct robots_part *r, struct visit *v,
                     enum robots_status_meaning meaning)
{
    const struct robots_settings *s = self->settings;
    int64_t wall_ms = (int64_t)clock_wall_ms(r->ledger->clock);
    bool is_https = v->lent.is_https;
    const struct card_robots *known = card_robots_of(v->card, is_https, v->lent.port);
    const struct robots *rules = NULL;
    bool fails = meaning == ROBOTS_RETRY;
    enum rc rc = RC_OK;
    if (meaning == ROBOTS_USE_BODY)
        rc = parse(r, s, v, &rules);
    else if (fails)
        rules = when_failing(known, wall_ms);
    else if (meaning != ROBOTS_UNCHANGED)
        rules = robots_allow_all();
    if (rc == RC_OK && rules && meaning == ROBOTS_USE_BODY && !s->no_sitemaps)
        sitemaps_of(r, v, rules);
    if (rc == RC_OK)
        rc = card_set_robots(v->card, is_https, v->lent.port, rules, fails, wall_ms);
    v->robots_changed = true;
    if (rc)
        part_fail(self, rc, "cannot keep a robots.txt: %s", rc_text(rc));
}

static bool has_rules(const struct visit *v)
{
    const struct card_robots *r = card_robots_of(v->card, v->lent.is_https, v->lent.port);
    return r && r->rules;
}

static void robots_handle(struct instance *self, unsigned inlet, struct message *m)
{
    (void)inlet;
    struct robots_part *r = self->state;
    struct visit *v = visit_of(m);
    int status = v->answer && v->end.http <= HTTP_TRUNCATED ? v->end.status : 0;
    enum robots_status_meaning meaning = robots_status(status);
    if (meaning == ROBOTS_REDIRECT) {
        struct url from = v->url;
        if (redirect(r, v)) {
            tell_hop(r, v, &from);
            ask_again(r, v);
            return;
        }
        meaning = ROBOTS_ALLOW;
    }
    if (meaning == ROBOTS_UNCHANGED && !has_rules(v)) /* nobody asked whether it changed */
        meaning = ROBOTS_RETRY;
    conclude(self, r, v, meaning);
    visit_judge(v, r->pace, &r->rng);
    part_emit(self, OUT, m);
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
    .needs = (const struct part_need[]){{"ledger", LEDGER_INTERFACE, "has the time"},
                                        {"scope", SCOPE_INTERFACE, "knows names"},
                                        {"addresses", ADDRESSES_INTERFACE, "gets slots back"},
                                        {"pace", PACE_INTERFACE, "says when to ask again"},
                                        {0}},
    .options = robots_options,
    .settings_bytes = sizeof(struct robots_settings),
    .open = robots_open,
    .close = robots_close,
    .handle = robots_handle,
    .stop = robots_stop,
};
