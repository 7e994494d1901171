/* SPDX-License-Identifier: Apache-2.0 */
/* Method: sort lines that begin with the URL.
 *
 *     URL 0                                  it is in an index, or in a directory that still is
 *     URL 1 NUMBER again|lost|away NAME INC PATH CLASS
 *
 * PATH is the seed path. NUMBER counts the lines of state/elsewhere, so that the last one about a
 * URL comes last. */
#include "outputs/lost.h"

#include "archive/line_source.h"
#include "base/mem.h"
#include "outputs/arcs.h"
#include "outputs/lost_files.h"
#include "warc/cdxj.h"

enum { STEP_BYTES = 256 << 10, LINE_MAX_BYTES = 1 << 20 };

/* Agents -------------------------------------------------------------------------------------- */

static struct lost_agent *find_agent(const struct lost_agents *a, struct str name)
{
    for (size_t i = 0; i < a->count; i++)
        if (str_eq(str_c(a->list[i].name), name))
            return &a->list[i];
    return NULL;
}

enum rc lost_agents_add(struct lost_agents *a, struct str name, uint64_t first)
{
    struct lost_agent *one = find_agent(a, name);
    if (!one && (a->count == LOST_MAX_AGENTS || name.n > RECORDS_MAX_NAME_BYTES))
        return RC_LIMIT;
    if (!one) {
        struct lost_agent *more = mem_resize(a->list, (a->count + 1) * sizeof *more);
        if (!more)
            return RC_NOMEM;
        a->list = more;
        one = &more[a->count++];
        *one = (struct lost_agent){0};
        memcpy(one->name, name.p, name.n);
    }
    if (first > one->first)
        one->first = first;
    return RC_OK;
}

static enum rc read_agent(void *ctx, struct str line)
{
    struct str name;
    uint64_t first;
    if (elsewhere_parse_agent(line, &name, &first) != RC_OK)
        return RC_OK;
    return lost_agents_add(ctx, name, first);
}

enum rc lost_agents_read(struct lost_agents *a, struct crawl_set crawls)
{
    return crawl_set_each(crawls, ELSEWHERE_AGENT_PATH, read_agent, a);
}

uint64_t lost_agents_first(const struct lost_agents *a, struct str name)
{
    const struct lost_agent *one = find_agent(a, name);
    return one ? one->first : 0;
}

void lost_agents_done(struct lost_agents *a)
{
    mem_free(a->list);
    *a = (struct lost_agents){0};
}

/* Gathering ----------------------------------------------------------------------------------- */

struct gathering {
    const struct lost_agents *agents;
    struct lost_files files;
    struct line_sink sink;
    struct buf line, room;
    uint64_t number; /* of the next word; those of captures come before all others */
    uint64_t captures, candidates;
    struct lost_counts *counts;
};

static enum rc add_kept(struct gathering *g, struct str url)
{
    buf_clear(&g->line);
    buf_add(&g->line, url);
    buf_add(&g->line, STR(" 0\n"));
    enum rc rc = buf_rc(&g->line);
    return rc ? rc : line_sink_add(&g->sink, buf_str(&g->line));
}

static enum rc add_word(struct gathering *g, const struct elsewhere *e, const char *kind,
                        uint64_t number)
{
    buf_clear(&g->line);
    buf_add(&g->line, e->url);
    buf_add(&g->line, STR(" 1 "));
    buf_hex16(&g->line, number);
    buf_printf(&g->line, " %s " STR_FMT " %llu " STR_FMT " %u\n", kind, STR_ARG(e->name),
               (unsigned long long)e->inc, STR_ARG(e->seed_path.n ? e->seed_path : STR("-")),
               e->class);
    g->candidates++;
    enum rc rc = buf_rc(&g->line);
    return rc ? rc : line_sink_add(&g->sink, buf_str(&g->line));
}

static enum rc take_word(void *ctx, struct str text)
{
    struct gathering *g = ctx;
    struct elsewhere e;
    if (elsewhere_parse(text, &e) != RC_OK) {
        g->counts->damaged++;
        return RC_OK;
    }
    uint64_t first = e.is_again ? 0 : lost_agents_first(g->agents, e.name);
    if (!e.is_again && first && e.inc >= first)
        return add_kept(g, e.url);
    return add_word(g, &e, e.is_again ? "again" : first ? "lost" : "away", g->number++);
}

static enum rc take_capture(void *ctx, struct str text)
{
    struct gathering *g = ctx;
    struct cdxj_entry e;
    bool is_there = true;
    if (cdxj_parse(text, &g->room, &e) || !e.url.n) {
        g->counts->damaged++;
        return RC_OK;
    }
    enum rc rc = lost_files_have(&g->files, e.filename, e.offset + e.length, &is_there);
    if (rc || is_there)
        return rc ? rc : add_kept(g, e.url);
    struct elsewhere lost = {.url = e.url, .name = STR("-")};
    return add_word(g, &lost, "lost", g->captures++);
}

static enum rc take_captures(struct crawl_set crawls, struct gathering *g)
{
    enum rc rc = RC_OK;
    for (size_t i = 0; i < crawls.count && rc == RC_OK; i++) {
        rc = lost_files_open(&g->files, crawls.list[i]);
        rc = rc ? rc : crawl_dir_each(crawls.list[i], "indexes/parts/index.cdxj", take_capture, g);
        lost_files_done(&g->files);
    }
    return rc;
}

/* state/elsewhere first: if it names no candidate and all archive files are there, the indexes need
 * not be read. */
static enum rc gather(struct crawl_set crawls, struct gathering *g, struct disk *to,
                      const char *path)
{
    enum rc rc = line_sink_open(&g->sink, to, path, STEP_BYTES);
    rc = rc ? rc : crawl_set_each(crawls, ELSEWHERE_PATH, take_word, g);
    bool has_lost = false;
    for (size_t i = 0; i < crawls.count && rc == RC_OK && !has_lost; i++)
        rc = lost_files_any(crawls.list[i], &has_lost);
    if (rc == RC_OK && (g->candidates || has_lost))
        rc = take_captures(crawls, g);
    rc = rc ? rc : line_sink_end(&g->sink, false);
    line_sink_done(&g->sink);
    buf_done(&g->line);
    buf_done(&g->room);
    return rc;
}

/* Deciding ------------------------------------------------------------------------------------ */

struct deciding {
    lost_each *each;
    void *ctx;
    struct lost_counts *counts;
    struct buf url, word; /* the URL at hand, and the last that is lost of it */
    bool is_kept, is_away, is_asked;
};

static enum rc decide(struct deciding *d)
{
    struct str rest = buf_str(&d->word);
    enum rc rc = RC_OK;
    if (!d->is_kept && rest.n) {
        struct lost_capture c = {.url = buf_str(&d->url), .is_asked = d->is_asked};
        uint64_t class = 0;
        c.agent = str_take_until(&rest, ' ');
        if (str_to_u64(str_take_until(&rest, ' '), &c.inc))
            return RC_CORRUPT;
        c.seed_path = str_take_until(&rest, ' ');
        c.seed_path = str_eq(c.seed_path, STR("-")) ? STR("") : c.seed_path;
        if (str_to_u64(rest, &class))
            return RC_CORRUPT;
        c.class = (uint8_t) class;
        d->counts->lost++;
        rc = d->each ? d->each(d->ctx, &c) : RC_OK;
    } else if (!d->is_kept && d->is_away) {
        d->counts->away++;
    }
    buf_clear(&d->word);
    d->is_kept = d->is_away = d->is_asked = false;
    return rc;
}

static enum rc take_line(void *ctx, struct str line)
{
    struct deciding *d = ctx;
    struct str rest = line, url = str_take_until(&rest, ' ');
    enum rc rc = RC_OK;
    if (!str_eq(url, buf_str(&d->url))) {
        rc = decide(d);
        buf_clear(&d->url);
        buf_add(&d->url, url);
    }
    if (rc || str_eq(rest, STR("0"))) {
        d->is_kept = true;
        return rc;
    }
    (void)str_take_until(&rest, ' ');
    (void)str_take_until(&rest, ' ');
    struct str kind = str_take_until(&rest, ' ');
    d->is_asked = str_eq(kind, STR("again"));
    d->is_away = d->is_away || str_eq(kind, STR("away"));
    if (str_eq(kind, STR("lost"))) {
        buf_clear(&d->word);
        buf_add(&d->word, rest);
    }
    rc = buf_rc(&d->url);
    return rc ? rc : buf_rc(&d->word);
}

static enum rc decide_all(struct disk *d, const char *path, struct deciding *to)
{
    enum rc rc = crawl_dir_each(d, path, take_line, to);
    rc = rc ? rc : decide(to);
    buf_done(&to->url);
    buf_done(&to->word);
    return rc;
}

/* The whole ----------------------------------------------------------------------------------- */

enum rc lost_find(struct crawl_set crawls, const struct lost_agents *agents, const char *work,
                  lost_each *each, void *ctx, struct lost_counts *ret)
{
    return lost_find_by(crawls, agents, crawls.list[0], work, each, ctx, ret);
}

enum rc lost_find_by(struct crawl_set crawls, const struct lost_agents *agents, struct disk *to,
                     const char *work, lost_each *each, void *ctx, struct lost_counts *ret)
{
    char from[DISK_MAX_PATH_BYTES], sorted[DISK_MAX_PATH_BYTES];
    struct buf a = buf_on(from, sizeof from), b = buf_on(sorted, sizeof sorted);
    struct gathering g = {.agents = agents,
                          .number = UINT64_C(1) << 63,
                          .line = {.max = LINE_MAX_BYTES},
                          .room = {.max = CDXJ_MAX_LINE},
                          .counts = ret};
    struct deciding decides = {.each = each,
                               .ctx = ctx,
                               .counts = ret,
                               .url = {.max = LINE_MAX_BYTES},
                               .word = {.max = LINE_MAX_BYTES}};
    *ret = (struct lost_counts){0};
    buf_printf(&a, "%s.part", work);
    buf_printf(&b, "%s.sorted", work);
    if (!buf_c(&a) || !buf_c(&b))
        return RC_LIMIT;
    enum rc rc = gather(crawls, &g, to, from);
    if (rc == RC_OK && !g.candidates)
        return disk_unlink(to, from);
    rc = rc ? rc : crawl_scratch_sort(to, from, sorted);
    rc = rc ? rc : decide_all(to, sorted, &decides);
    return rc ? rc : disk_unlink(to, sorted);
}
