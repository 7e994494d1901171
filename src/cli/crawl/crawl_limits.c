/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/crawl/crawl_limits.h"

#include "base/log.h"
#include "cli/stopped_crawl.h"
#include "disk/disk.h"

#include <stdio.h>
#include <unistd.h>

enum { TEXT_BYTES = 4096 };

static const struct limit {
    enum budget_verdict verdict;
    const char *key;
} limits[] = {{BUDGET_PAGES, "pages"}, {BUDGET_BYTES, "size"}, {BUDGET_TIME, "time"}};

#define EACH_LIMIT(x) \
    for (const struct limit *x = limits; x < limits + sizeof limits / sizeof *limits; x++)

static const struct option *row_of(const struct limit *x)
{
    return option_find(settings_table, str_c(x->key));
}

static bool is_saved(const struct crawl_limits *l, const struct limit *x)
{
    return l->sources[row_of(x) - settings_table] == FROM_CRAWL;
}

/* "pages: 60" */
static void print_line(const struct crawl_limits *l, const struct limit *x, struct buf *out)
{
    buf_printf(out, "%s: ", x->key);
    option_print(row_of(x), l->settings, out);
    buf_byte(out, '\n');
}

static bool has_line(struct str text, struct str wanted)
{
    while (text.n) {
        struct str line = str_take_until(&text, '\n');
        if (str_eq(line, str_first(wanted, wanted.n - 1)))
            return true;
    }
    return false;
}

/* The limits that state/limits has, a bit for each verdict. */
static unsigned reached_before(const struct crawl_limits *l, struct str text)
{
    unsigned reached = 0;
    EACH_LIMIT(x)
    {
        char room[200];
        struct buf line = buf_on(room, sizeof room);
        print_line(l, x, &line);
        if (buf_rc(&line) == RC_OK && has_line(text, buf_str(&line)))
            reached |= 1u << x->verdict;
    }
    return reached;
}

/* Empty if there is no such file, or if no run wrote it. */
static enum rc read_reached(const struct crawl_limits *l, struct buf *ret)
{
    char room[4096];
    struct buf path = buf_on(room, sizeof room);
    struct disk *d = NULL;
    buf_init(ret, TEXT_BYTES);
    buf_printf(&path, STR_FMT "/" CRAWL_LIMITS_FILE, STR_ARG(l->settings->output));
    if (!buf_c(&path) || access(room, F_OK)) /* opening the folder would create it */
        return RC_OK;
    enum rc rc = disk_real_open(l->settings->output.p, &d);
    if (rc == RC_OK)
        rc = disk_read_whole(d, CRAWL_LIMITS_FILE, ret);
    disk_close(d);
    return rc == RC_NOT_FOUND || rc == RC_LIMIT ? RC_OK : rc;
}

static enum rc write_reached(const struct crawl_limits *l, struct str text)
{
    struct disk *d = NULL;
    enum rc rc = disk_real_open(l->settings->output.p, &d);
    if (rc == RC_OK)
        rc = disk_replace(d, CRAWL_LIMITS_FILE, text);
    disk_close(d);
    return rc;
}

/* Says so before the run begins. */
static void say_lifted(const struct crawl_limits *l, const struct limit *x)
{
    char room[200];
    struct buf value = buf_on(room, sizeof room);
    option_print(row_of(x), l->settings, &value);
    if (l->settings->json)
        log_warn(l->log, "limit.lifted", LOG_C("limit", x->key), LOG_STR("value", buf_str(&value)),
                 LOG_C("note", "an earlier run reached it; this run goes on without it"));
    else
        (void)fprintf(stderr,
                      "orbweaver: the limit --%s " STR_FMT
                      " was reached; going on without it; give --%s for a new one\n",
                      x->key, STR_ARG(buf_str(&value)), x->key);
}

/* Lifts the limit in the settings; the caller lifts it in the part. */
static void lift(const struct crawl_limits *l, const struct limit *x)
{
    const struct option *row = row_of(x);
    say_lifted(l, x);
    memset((char *)l->settings + row->offset, 0, option_bytes(row));
    l->sources[row - settings_table] = FROM_DEFAULT;
}

static enum rc lift_in_wiring(const struct crawl_limits *l, const struct limit *x, struct buf *why)
{
    char room[64];
    struct buf set = buf_on(room, sizeof room);
    buf_printf(&set, "budget.%s=0", x->key);
    enum rc rc = wiring_set(l->wiring, buf_str(&set), why);
    lift(l, x);
    return rc == RC_NOT_FOUND ? RC_OK : rc; /* another place has the budget */
}

/* In the budget at once, because no thread uses it yet; and in the settings of its part, which a
 * later `set` of another limit reads. */
static enum rc lift_in_flow(const struct crawl_limits *l, const struct limit *x, struct buf *why)
{
    budget_lift(l->budget, x->verdict);
    lift(l, x);
    return flow_change(l->flow, STR("budget"), str_c(x->key), STR("0"), why);
}

typedef enum rc lift_one(const struct crawl_limits *l, const struct limit *x, struct buf *why);

static enum rc lift_all(const struct crawl_limits *l, unsigned reached, lift_one *how,
                        struct buf *why)
{
    enum rc rc = RC_OK;
    EACH_LIMIT(x)
    {
        if (rc == RC_OK && is_saved(l, x) && (reached & 1u << x->verdict))
            rc = how(l, x, why);
    }
    return rc;
}

enum rc crawl_limits_lift_written(const struct crawl_limits *l, struct buf *why)
{
    struct buf text;
    bool is_there = read_reached(l, &text) == RC_OK; /* the opening reports a bad directory */
    unsigned reached = is_there ? reached_before(l, buf_str(&text)) : 0;
    buf_done(&text);
    return l->settings->recrawl ? RC_OK : lift_all(l, reached, lift_in_wiring, why);
}

/* By the sums of this machine; none in a cluster. */
static unsigned reached_by_sums(const struct crawl_limits *l)
{
    bool can_tell = l->budget && !l->settings->cluster.n;
    return can_tell ? budget_reached(l->budget, l->ledger->run.earlier_ms) : 0;
}

enum rc crawl_limits_lift_summed(const struct crawl_limits *l, struct buf *why)
{
    return lift_all(l, reached_by_sums(l), lift_in_flow, why);
}

bool crawl_limits_are_reached(const struct crawl_limits *l)
{
    return reached_by_sums(l) != 0;
}

enum rc crawl_limits_forget(const struct crawl_limits *l)
{
    struct buf text;
    enum rc rc = read_reached(l, &text);
    if (rc == RC_OK && text.n)
        rc = write_reached(l, STR(""));
    buf_done(&text);
    return rc;
}

void crawl_limits_warn_of_depth(const struct crawl_limits *l)
{
    struct settings *s = l->settings, *kept = NULL;
    struct arena *arena = arena_open(4096, 16 << 20);
    bool is_greater =
        arena && stopped_crawl_settings(s->output.p, arena, &kept) && s->depth > kept->depth;
    if (is_greater && s->json)
        log_warn(l->log, "depth.raised", LOG_U64("before", kept->depth), LOG_U64("now", s->depth),
                 LOG_C("note", "links that were left out for their depth stay left out"));
    else if (is_greater)
        (void)fprintf(stderr,
                      "orbweaver: --depth %llu: links that were left out at --depth %llu stay left "
                      "out, unless a page that is fetched from now on has them; for all of them "
                      "crawl into a new directory (-o)\n",
                      (unsigned long long)s->depth, (unsigned long long)kept->depth);
    arena_close(arena);
}

static unsigned reached_now(const struct crawl_limits *l)
{
    return l->budget ? budget_reached(l->budget, run_clock_elapsed_ms(&l->ledger->run)) : 0;
}

enum rc crawl_limits_end(const struct crawl_limits *l)
{
    struct buf text = {.max = TEXT_BYTES};
    unsigned reached = reached_now(l);
    EACH_LIMIT(x)
    {
        if (reached & 1u << x->verdict)
            print_line(l, x, &text);
    }
    enum rc rc = buf_rc(&text);
    if (rc == RC_OK && text.n)
        rc = write_reached(l, buf_str(&text));
    buf_done(&text);
    return rc;
}

void crawl_limits_print(const struct crawl_limits *l, struct buf *out)
{
    unsigned reached = reached_now(l);
    EACH_LIMIT(x)
    {
        if (!(reached & 1u << x->verdict))
            continue;
        buf_printf(out, "%s--%s ", out->n ? ", " : "", x->key);
        option_print(row_of(x), l->settings, out);
    }
}
