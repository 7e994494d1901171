/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/crawl_limits.h"

#include "base/log.h"
#include "disk/disk.h"

#include <stdio.h>

#define REACHED_FILE "state/limits"

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

static bool is_kept(const struct crawl_limits *l, const struct limit *x)
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

/* By state/limits, as a bit for each verdict. */
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

/* Empty where there is no such file, or none that a run wrote. */
static enum rc read_reached(const struct crawl_limits *l, struct buf *ret)
{
    struct disk *d = NULL;
    buf_init(ret, TEXT_BYTES);
    enum rc rc = disk_real_open(l->settings->output.p, &d);
    if (rc == RC_OK)
        rc = disk_read_whole(d, REACHED_FILE, ret);
    disk_close(d);
    return rc == RC_NOT_FOUND || rc == RC_LIMIT ? RC_OK : rc;
}

static enum rc write_reached(const struct crawl_limits *l, struct str text)
{
    struct disk *d = NULL;
    enum rc rc = disk_real_open(l->settings->output.p, &d);
    if (rc == RC_OK)
        rc = disk_replace(d, REACHED_FILE, text);
    disk_close(d);
    return rc;
}

/* The first words of the run. */
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

/* In the budget at once, because no thread runs yet; and in the settings of its part, which a
 * later `set` of another limit reads. */
static enum rc lift(const struct crawl_limits *l, const struct limit *x, struct buf *why)
{
    const struct option *row = row_of(x);
    say_lifted(l, x);
    budget_lift(l->budget, x->verdict);
    memset((char *)l->settings + row->offset, 0, option_bytes(row));
    l->sources[row - settings_table] = FROM_DEFAULT;
    return flow_change(l->flow, STR("budget"), str_c(x->key), STR("0"), why);
}

enum rc crawl_limits_begin(const struct crawl_limits *l, struct buf *why)
{
    struct buf text;
    enum rc rc = read_reached(l, &text);
    unsigned reached = reached_before(l, buf_str(&text));
    buf_done(&text);
    if (rc || !l->budget || l->ledger->opened.is_restarted) /* a recrawl counts from 0 */
        return rc;
    reached |= budget_reached(l->budget, l->ledger->earlier_ms);
    EACH_LIMIT(x)
    {
        if (rc == RC_OK && is_kept(l, x) && (reached & 1u << x->verdict))
            rc = lift(l, x, why);
    }
    return rc;
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

static unsigned reached_now(const struct crawl_limits *l)
{
    return l->budget ? budget_reached(l->budget, ledger_service_elapsed_ms(l->ledger)) : 0;
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
