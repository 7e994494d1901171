/* SPDX-License-Identifier: Apache-2.0 */
/* seeds: where the crawl begins: the URLs that were given, a few hundred to a visit that fetches
 * nothing. Those of standard input come as they come: nobody waits for them. What earlier runs have
 * brought is left out. A seed that is refused (crawl/seed.h) is named with its reason. */
#include "components/seeds.h"

#include "components/cluster.h"
#include "components/line_input.h"
#include "components/services.h"
#include "components/visit.h"

#include "base/log.h"
#include "base/mem.h"
#include "crawl/seed.h"
#include "url/normalise.h"

enum { SEEDS_A_VISIT = 200, LINE_BYTES = 64 << 10, INPUTS_MOST = 1000 };

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
    struct desk desk;
    struct ledger_service *ledger;
    struct scope_service *scope;
    struct cluster_service *cluster;
    bool has_begun; /* until all seeds are on their way the crawl must not look done */
    size_t given;
    struct line_input *inputs; /* one for each file, in their order */
    size_t input_count, at;    /* the one that is read now */
    uint64_t line;             /* of that file */
    char room[URL_ROOM_BYTES];
};

/* Something is neither open nor journalled: a list of seeds, or all of them before the first. */
static void on_its_way(struct seeds *s, bool begins)
{
    if (begins)
        s->cluster->ops->begin(s->cluster);
    else
        s->cluster->ops->end(s->cluster);
}

static void seeds_close(struct instance *self)
{
    struct seeds *s = self->state;
    for (size_t i = 0; i < s->input_count; i++)
        line_input_done(&s->inputs[i]);
    mem_free(s->inputs);
    mem_free(s);
}

/* All at once, so that a file that cannot be read is known before the crawl begins. */
static enum rc open_inputs(struct instance *self, struct seeds *s, struct buf *why)
{
    const struct option_list *files = &((const struct seeds_settings *)self->settings)->input;
    if (files->count > INPUTS_MOST) {
        buf_printf(why, "%zu seed files; at most %d can be read", files->count, INPUTS_MOST);
        return RC_INVALID;
    }
    s->inputs = files->count ? mem_zero(files->count, sizeof *s->inputs) : NULL;
    if (files->count && !s->inputs)
        return RC_NOMEM;
    enum rc rc = RC_OK;
    for (; s->input_count < files->count && rc == RC_OK; s->input_count++)
        rc = line_input_open(&s->inputs[s->input_count], self, files->items[s->input_count],
                             LINE_BYTES, why);
    return rc ? RC_NOT_FOUND : RC_OK;
}

static enum rc seeds_open(struct instance *self, struct buf *why)
{
    struct seeds *s = mem_zero(1, sizeof *s);
    if (!s)
        return RC_NOMEM;
    self->state = s;
    s->ledger = part_provider(self, 0);
    s->scope = part_provider(self, 1);
    s->cluster = part_provider(self, 2);
    s->has_begun = true;
    on_its_way(s, true);
    enum rc rc = open_inputs(self, s, why);
    if (rc)
        seeds_close(self);
    return rc;
}

/* Where it was written: a line of a file, unless it was given by name. */
static void say_refused(struct instance *self, struct seeds *s, struct str text, const char *why)
{
    const struct seeds_settings *set = self->settings;
    char room[512];
    struct buf shown = buf_on(room, sizeof room);
    seed_print(text, &shown);
    if (s->line)
        log_warn(part_log(self), "seed.refused", LOG_STR("seed", buf_str(&shown)),
                 LOG_C("why", why), LOG_STR("file", set->input.items[s->at]),
                 LOG_U64("line", s->line));
    else
        log_warn(part_log(self), "seed.refused", LOG_STR("seed", buf_str(&shown)),
                 LOG_C("why", why));
    part_count_error(self);
}

/* The next line of the file that is no comment. A line that is too long is passed over with a word.
 */
static enum line_next next_line(struct instance *self, struct seeds *s, struct str *ret)
{
    struct line_input *in = &s->inputs[s->at];
    enum line_next next;
    while ((next = line_input_next(in, ret)) <= LINE_TOO_LONG) {
        s->line++;
        if (next == LINE_TOO_LONG) {
            say_refused(self, s, STR("(a long line)"), "longer than 64 kB");
            continue;
        }
        *ret = seed_line(*ret);
        if (ret->n)
            return LINE_HERE;
    }
    if (next == LINE_END)
        line_input_done(in);
    return next;
}

/* File after file. When all have ended, more seeds may come from elsewhere, but not from here. */
static enum line_next next_of_files(struct instance *self, struct seeds *s, struct str *ret)
{
    enum line_next next = LINE_END;
    while (s->at < s->input_count && (next = next_line(self, s, ret)) == LINE_END) {
        s->at++;
        s->line = 0;
    }
    return next;
}

static enum line_next next_seed(struct instance *self, struct seeds *s, struct str *ret)
{
    const struct seeds_settings *set = self->settings;
    if (s->given < set->seeds.count) {
        *ret = set->seeds.items[s->given++];
        return LINE_HERE;
    }
    return next_of_files(self, s, ret);
}

/* Adds the seed to the visit, unless it is no URL or came in an earlier run. */
static void add(struct instance *self, struct seeds *s, struct visit *v, struct str text)
{
    struct url u;
    const char *why = "";
    enum rc rc =
        seed_read(text, s->scope->idn, (struct url_room){s->room, sizeof s->room}, &u, &why);
    if (rc) {
        say_refused(self, s, text, rc == RC_INVALID ? why : rc_text(rc));
        return;
    }
    struct str whole = arena_dup(v->arena, url_href(&u));
    url_normalise(&u, scope_rules(s->scope->scope));
    if (!whole.p)
        part_fail(self, RC_NOMEM, "no memory for seeds");
    else if (!s->ledger->knows_seed(s->ledger, url_fingerprint(&u)))
        (void)visit_refer(v, whole, HOP_LINK, STR_NONE);
}

static enum produced seeds_produce(struct instance *self)
{
    struct seeds *s = self->state;
    struct visit *v = visit_open(VISIT_SEEDS, NULL);
    struct str text;
    enum line_next next = LINE_HERE;
    if (!v) {
        part_fail(self, RC_NOMEM, "no memory for seeds");
        return PRODUCED_IDLE;
    }
    for (int i = 0; i < SEEDS_A_VISIT && next == LINE_HERE; i++) {
        next = next_seed(self, s, &text);
        if (next == LINE_HERE)
            add(self, s, v, text);
    }
    if (v->reference_count) {
        on_its_way(s, true); /* settle ends it */
        part_emit(self, 0, &v->head);
    } else {
        message_end(&v->head);
    }
    if (next == LINE_END && s->has_begun) {
        s->has_begun = false;
        on_its_way(s, false);
    }
    return next == LINE_HERE ? PRODUCED_MORE : next == LINE_LATER ? PRODUCED_WAIT : PRODUCED_IDLE;
}

/* Seeds from elsewhere ------------------------------------------------------------------------- */

static void errand_release(struct call *c)
{
    struct seeds_errand *e = EVENT_OF(c, struct seeds_errand, call);
    arena_close(e->arena);
    mem_free(e);
}

struct seeds_errand *seeds_errand_open(void)
{
    struct seeds_errand *e = mem_zero(1, sizeof *e);
    struct arena *arena = e ? arena_open(4096, 64 << 20) : NULL;
    if (!arena) {
        mem_free(e);
        return NULL;
    }
    e->call.run = seeds_bring;
    e->call.release = errand_release;
    e->arena = arena;
    return e;
}

void seeds_bring(struct call *c, struct instance *at)
{
    struct seeds_errand *e = EVENT_OF(c, struct seeds_errand, call);
    struct seeds *s = at->state;
    struct visit *v = visit_open(VISIT_SEEDS, NULL);
    size_t before = e->count;
    for (size_t i = 0; v && i < e->count; i++) {
        size_t taken = v->reference_count;
        add(at, s, v, e->urls[i]);
        before -= v->reference_count - taken;
    }
    e->known = before;
    if (!v || (v->reference_count == 0 && before == 0)) {
        call_end(c, RC_NOMEM);
    } else if (v->reference_count == 0) {
        call_end(c, RC_OK);
    } else {
        v->errand = c;
        part_ready(at); /* it counts as at work until the visit has ended */
        on_its_way(s, true);
        part_emit(at, 0, &v->head);
        return;
    }
    if (v)
        message_end(&v->head);
}

static void seeds_start(struct instance *self)
{
    struct seeds *s = self->state;
    desk_open(&s->desk, &s->ledger->calls, CALLS_SEEDS, self);
}

static void seeds_stop(struct instance *self)
{
    struct seeds *s = self->state;
    desk_close(&s->desk, CALLS_SEEDS);
    for (size_t i = 0; i < s->input_count; i++)
        line_input_stop(&s->inputs[i]);
}

const struct part part_seeds = {
    .abi = PART_ABI,
    .kind = PART_COMPONENT,
    .name = "seeds",
    .help = "brings the URLs where the crawl begins",
    .where = PART_ON_ONE_SHARD,
    .outlets =
        (const struct part_port[]){{"out", VISIT_TYPE, "seeds, as links of a visit", false}, {0}},
    .needs = (const struct part_need[]){{"ledger", LEDGER_INTERFACE, "knows earlier seeds"},
                                        {"scope", SCOPE_INTERFACE, "knows names"},
                                        {"cluster", CLUSTER_INTERFACE, "must not end too early"},
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
