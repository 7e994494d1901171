/* SPDX-License-Identifier: Apache-2.0 */
/* seeds: brings the URLs where the crawl begins, a few hundred to a list (visit/url_list.h). Seeds
 * of standard input come as they are typed: the crawl does not wait for them. Seeds that earlier
 * runs have brought are left out. A seed that is refused (ledger/seed.h) is logged with the reason.
 */
#include "discovery/seed_path.h"
#include "ledger/seed.h"
#include "roles/call_queue.h"
#include "roles/cluster.h"
#include "roles/ledger.h"
#include "roles/scope.h"
#include "roles/seed_input.h"
#include "roles/seed_request.h"
#include "url/normalise.h"
#include "visit/url_list.h"

#include "base/log.h"
#include "base/mem.h"

enum { NEED_LEDGER, NEED_SCOPE, NEED_CLUSTER };

enum { SEEDS_A_LIST = 200 };

struct seeds_settings {
    struct option_list seeds;
    struct option_list input;
};

static const struct option seeds_options[] = {
    OPTION_LIST_ROW(struct seeds_settings, seeds, "seeds", NULL, "where the crawl begins",
                    .arg = "URL"),
    OPTION_LIST_ROW(struct seeds_settings, input, "input", NULL,
                    "files with a seed a line; - is standard input", .arg = "FILE"),
    {0},
};

struct seeds {
    struct call_queue calls;
    struct ledger_service *ledger;
    struct scope_service *scope;
    struct cluster_service *cluster;
    bool has_begun; /* the crawl must not look done until all seeds are on their way */
    struct seed_input input;
    char room[URL_ROOM_BYTES];
};

static void seeds_close(struct instance *self)
{
    struct seeds *s = self->state;
    seed_input_done(&s->input);
    mem_free(s);
}

static enum rc seeds_open(struct instance *self, struct buf *why)
{
    const struct seeds_settings *set = self->settings;
    struct seeds *s = mem_zero(1, sizeof *s);
    if (!s)
        return RC_NOMEM;
    self->state = s;
    s->ledger = part_provider(self, NEED_LEDGER);
    s->scope = part_provider(self, NEED_SCOPE);
    s->cluster = part_provider(self, NEED_CLUSTER);
    s->has_begun = true;
    s->cluster->ops->begin(s->cluster);
    enum rc rc = seed_input_open(&s->input, self, &set->seeds, &set->input, why);
    if (rc)
        seeds_close(self);
    return rc;
}

/* A seed of a file is named with its line. */
static void say_refused(struct instance *self, struct seeds *s, struct str text, const char *why)
{
    char room[512];
    struct buf shown = buf_on(room, sizeof room);
    struct str file;
    uint64_t line;
    seed_print(text, &shown);
    if (seed_input_where(&s->input, &file, &line))
        log_warn(part_log(self), "seed.refused", LOG_STR("seed", buf_str(&shown)),
                 LOG_C("why", why), LOG_STR("file", file), LOG_U64("line", line));
    else
        log_warn(part_log(self), "seed.refused", LOG_STR("seed", buf_str(&shown)),
                 LOG_C("why", why));
    part_count_error(self);
}

/* A line that is too long is logged and left out. When all files have ended, more seeds may come by
 * a request. */
static enum line_next next_seed(struct instance *self, struct seeds *s, struct str *ret)
{
    enum line_next next;
    while ((next = seed_input_next(&s->input, ret)) == LINE_TOO_LONG)
        say_refused(self, s, STR("(a long line)"), "longer than 64 kB");
    return next;
}

/* Adds the seed to the list, unless it is no URL or came in an earlier run. */
static void add(struct instance *self, struct seeds *s, struct url_list *l, struct str text)
{
    struct url u;
    const char *why = "";
    enum rc rc =
        seed_read(text, s->scope->idn, (struct url_room){s->room, sizeof s->room}, &u, &why);
    if (rc) {
        say_refused(self, s, text, rc == RC_INVALID ? why : rc_text(rc));
        return;
    }
    struct str whole = arena_dup(l->arena, url_href(&u));
    url_normalise(&u, scope_rules(s->scope->scope));
    if (!whole.p)
        part_fail(self, RC_NOMEM, "no memory for seeds");
    else if (!s->ledger->knows_seed(s->ledger, url_fingerprint(&u)))
        (void)url_list_add(l, &(struct url_list_item){.url = whole, .hop = HOP_LINK});
}

static void emit(struct instance *self, struct seeds *s, struct url_list *l)
{
    s->cluster->ops->begin(s->cluster);
    l->work = (struct url_list_waiter){cluster_work_ended, s->cluster};
    part_emit(self, 0, &l->head);
}

static enum produced seeds_produce(struct instance *self)
{
    struct seeds *s = self->state;
    struct url_list *l = url_list_open(LIST_SEEDS);
    struct str text;
    enum line_next next = LINE_HERE;
    if (!l) {
        part_fail(self, RC_NOMEM, "no memory for seeds");
        return PRODUCED_IDLE;
    }
    for (int i = 0; i < SEEDS_A_LIST && next == LINE_HERE; i++) {
        next = next_seed(self, s, &text);
        if (next == LINE_HERE)
            add(self, s, l, text);
    }
    if (l->count)
        emit(self, s, l);
    else
        message_end(&l->head);
    if (next == LINE_END && s->has_begun) {
        s->has_begun = false;
        s->cluster->ops->end(s->cluster);
    }
    return next == LINE_HERE ? PRODUCED_MORE : next == LINE_LATER ? PRODUCED_WAIT : PRODUCED_IDLE;
}

/* Seeds of requests ---------------------------------------------------------------------------- */

static void request_ended(void *ctx, bool is_safe)
{
    call_end(ctx, is_safe ? RC_OK : RC_CLOSED);
}

static void seeds_bring(struct call *c, struct instance *at)
{
    struct seed_request *r = EVENT_OF(c, struct seed_request, call);
    struct seeds *s = at->state;
    struct url_list *l = url_list_open(LIST_SEEDS);
    for (size_t i = 0; l && i < r->count; i++)
        add(at, s, l, r->urls[i]);
    size_t count = l ? l->count : 0;
    r->known = r->count - count;
    if (count) {
        l->request = (struct url_list_waiter){request_ended, c};
        part_ready(at); /* it counts as at work until the list has ended */
        emit(at, s, l);
        return;
    }
    if (l)
        message_end(&l->head);
    call_end(c, l && r->known ? RC_OK : RC_NOMEM);
}

static void seeds_start(struct instance *self)
{
    struct seeds *s = self->state;
    s->calls.serve = seeds_bring;
    call_queue_open(&s->calls, &s->ledger->calls, CALLS_SEEDS, self);
}

static void seeds_stop(struct instance *self)
{
    struct seeds *s = self->state;
    call_queue_close(&s->calls, CALLS_SEEDS);
    seed_input_stop(&s->input);
}

const struct part part_seeds = {
    .abi = PART_ABI,
    .kind = PART_COMPONENT,
    .name = "seeds",
    .help = "brings the URLs where the crawl begins",
    .where = PART_ON_ONE_SHARD,
    .outlets = (const struct part_port[]){{"out", URL_LIST_TYPE, "seeds", false}, {0}},
    .needs =
        (const struct part_need[]){
            [NEED_LEDGER] = {"ledger", LEDGER_INTERFACE, "knows earlier seeds"},
            [NEED_SCOPE] = {"scope", SCOPE_INTERFACE, "reads international host names"},
            [NEED_CLUSTER] = {"cluster", CLUSTER_INTERFACE, "must not end before all are queued"},
            {0}},
    .options = seeds_options,
    .settings_bytes = sizeof(struct seeds_settings),
    .credits_each = 4,
    .credits_default = 64,
    .open = seeds_open,
    .close = seeds_close,
    .produce = seeds_produce,
    .start = seeds_start,
    .stop = seeds_stop,
};
