/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/stopped_crawl.h"

#include "cli/config_file.h"
#include "cli/config_write.h"
#include "cli/settings.h"

#include "base/clock.h"
#include "base/mem.h"
#include "order/pvalue.h"
#include "outputs/arcs.h"
#include "outputs/crawl_dir.h"
#include "outputs/kept_seed.h"
#include "url/normalise.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { PATH_BYTES = 4096 };

static bool path_in(char *room, const char *dir, const char *name)
{
    return snprintf(room, PATH_BYTES, "%s/%s", dir, name) < PATH_BYTES;
}

bool stopped_crawl_is_one(const char *dir)
{
    char path[PATH_BYTES];
    return path_in(path, dir, CRAWL_VERSION_FILE) && access(path, F_OK) == 0;
}

/* The scope ------------------------------------------------------------------------------------ */

bool stopped_crawl_settings(const char *dir, struct arena *arena, struct settings **ret)
{
    char path[PATH_BYTES];
    struct problems problems;
    size_t rows = 0;
    while (settings_table[rows].key)
        rows++;
    struct settings *s = arena_zero(arena, sizeof *s);
    enum settings_source *sources = arena_zero(arena, rows * sizeof *sources);
    if (!s || !sources || !path_in(path, dir, CONFIG_OF_CRAWL) || access(path, R_OK) ||
        options_default(settings_table, s, arena))
        return false;
    problems_init(&problems, path);
    enum rc rc = config_file_read(path, s, sources, arena, &problems);
    problems_done(&problems);
    *ret = s;
    return rc == RC_OK;
}

/* "scope.key=value": what --set said of the part. */
static enum rc apply_sets(const struct settings *s, struct scope_settings *to, struct arena *arena)
{
    struct buf why = {.max = 1024};
    enum rc rc = RC_OK;
    for (size_t i = 0; i < s->set.count && rc == RC_OK; i++) {
        struct str value = s->set.items[i], key = str_take_until(&value, '=');
        struct str part = str_take_until(&key, '.');
        const struct option *o =
            str_eq(part, STR("scope")) ? option_find(scope_options, key) : NULL;
        rc = o && value.p ? option_set(o, to, arena, value, &why) : RC_OK;
    }
    buf_done(&why);
    return rc;
}

static enum rc scope_settings_of(const struct settings *s, struct arena *arena,
                                 struct scope_settings *ret)
{
    *ret = (struct scope_settings){0};
    enum rc rc = options_default(scope_options, ret, arena);
    ret->scope = s->scope;
    ret->depth = s->depth;
    ret->include = s->include;
    ret->exclude = s->exclude;
    ret->pages_only = s->pages_only;
    ret->normalise = s->normalise;
    return rc ? rc : apply_sets(s, ret, arena);
}

uint32_t stopped_crawl_rules(const char *dir, struct arena *arena)
{
    struct settings *s = NULL;
    struct scope_settings set;
    struct str bad;
    uint32_t rules = URL_RULES_DEFAULT;
    if (stopped_crawl_settings(dir, arena, &s) && scope_settings_of(s, arena, &set) == RC_OK &&
        url_rules_parse(set.normalise, &rules, &bad) != RC_OK)
        rules = URL_RULES_DEFAULT;
    return rules;
}

static enum rc open_scope(struct stopped_crawl *d, const char *dir, struct arena *arena,
                          struct buf *why)
{
    struct settings *s = NULL;
    struct scope_settings set;
    d->rules = stopped_crawl_rules(dir, arena);
    if (!stopped_crawl_settings(dir, arena, &s))
        return RC_OK;
    enum rc rc = scope_settings_of(s, arena, &set);
    return rc ? rc : scope_open(&set, &d->scope, why);
}

static enum rc hear_seed(void *ctx, struct str line)
{
    struct stopped_crawl *d = ctx;
    struct url_parser parser = {.idn = d->idn};
    static char room[URL_ROOM_BYTES]; /* large, and there is one thread */
    struct url u;
    if (!d->scope || url_parse(&parser, kept_seed_parse(line).url, NULL,
                               (struct url_room){room, sizeof room}, &u))
        return RC_OK;
    url_normalise(&u, d->rules);
    return scope_add_seed(d->scope, &u);
}

/* The ledger ----------------------------------------------------------------------------------- */

static enum rc open_ledger(struct stopped_crawl *d, const char *dir, struct arena *arena,
                           struct buf *why)
{
    struct ledger_report report;
    struct str history = arena_printf(arena, "%s/state/history", dir);
    struct str seen = arena_printf(arena, "%s/state/seen", dir);
    struct ledger_settings s = {
        .shards = 1,
        .frontier = {.max_hosts = UINT64_C(1) << 40, .max_host_queue = UINT64_C(1) << 40},
        .seen = {.kind = LEDGER_SEEN_AS_MADE, .path = seen.p},
        .warc = {.prefix = STR("orbweaver"),
                 .host = STR("localhost"),
                 .roll_bytes = 1000000000,
                 .buffer_bytes = 1 << 20},
        .journal = {.segment_bytes = 64 << 20, .buffer_bytes = 16 << 20},
        .digest_bytes = 1 << 16,
        .snapshot_bytes = UINT64_C(1) << 40,
        .most_wait_ms = PACE_MOST_WAIT_MS,
        .clock = clock_real(),
    };
    if (!history.p || !seen.p)
        return RC_NOMEM;
    struct settings *saved = NULL;
    if (stopped_crawl_settings(dir, arena, &saved)) {
        s.frontier.order = (enum order_kind)saved->order;
        s.frontier.order_half = ORDER_USUAL_HALF;
    }
    s.history_path = access(history.p, F_OK) == 0 ? history.p : NULL;
    enum rc rc =
        ledger_open(d->disk, &s, (struct ledger_hears){hear_seed, d}, &d->ledger, &report, why);
    d->history = rc ? NULL : ledger_history(d->ledger);
    return rc;
}

/* Opens what can be read without writing a byte. */
static enum rc open_to_read(struct stopped_crawl *d, const char *dir, struct arena *arena,
                            struct buf *why)
{
    struct str history = arena_printf(arena, "%s/state/history", dir);
    if (!history.p)
        return RC_NOMEM;
    enum rc rc = crawl_dir_each(d->disk, CRAWL_SEEDS_FILE, hear_seed, d);
    if (rc == RC_OK && access(history.p, F_OK) == 0)
        rc = history_open_read(history.p, &d->history, why);
    return rc;
}

static bool can_write(const char *dir)
{
    char path[PATH_BYTES];
    return path_in(path, dir, "state") && access(path, W_OK) == 0;
}

enum rc stopped_crawl_open(struct stopped_crawl *d, const char *dir, struct arena *arena,
                           struct buf *why)
{
    *d = (struct stopped_crawl){0};
    if (!stopped_crawl_is_one(dir)) {
        buf_printf(why, "%s is not the directory of a crawl", dir);
        return RC_NOT_FOUND;
    }
    enum rc rc = url_idn_open(&d->idn);
    rc = rc ? rc : open_scope(d, dir, arena, why);
    rc = rc ? rc : disk_real_open(dir, &d->disk);
    if (rc == RC_OK)
        rc = can_write(dir) ? open_ledger(d, dir, arena, why) : open_to_read(d, dir, arena, why);
    if (rc)
        stopped_crawl_close(d);
    return rc;
}

void stopped_crawl_close(struct stopped_crawl *d)
{
    if (!d->ledger)
        history_close(d->history);
    ledger_close(d->ledger);
    disk_close(d->disk);
    scope_close(d->scope);
    url_idn_close(d->idn);
    *d = (struct stopped_crawl){0};
}

/* Lines ---------------------------------------------------------------------------------------- */

int stopped_crawl_seeds(const char *dir, int (*each)(void *ctx, struct str url, struct str from),
                        void *ctx)
{
    char path[PATH_BYTES], *line = NULL;
    size_t room = 0;
    ssize_t n;
    int code = EXIT_DONE;
    FILE *f = path_in(path, dir, CRAWL_SEEDS_FILE) ? fopen(path, "re") : NULL;
    if (!f && stopped_crawl_is_one(dir))
        return cli_fail(EXIT_DISK, "%s/" CRAWL_SEEDS_FILE ": %s", dir, strerror(errno));
    if (!f)
        return cli_fail(EXIT_USAGE, "%s is not the directory of a crawl", dir);
    while (code == EXIT_DONE && (n = getline(&line, &room, f)) > 0) {
        struct kept_seed s = kept_seed_parse(str_trim(str_make(line, (size_t)n)));
        if (s.url.n)
            code = each(ctx, s.url, s.from);
    }
    free(line);
    (void)fclose(f);
    return code;
}

struct naming {
    uint64_t fingerprint;
    bool is_there;
};

static enum rc find_node(void *ctx, struct str line)
{
    struct naming *n = ctx;
    struct node_line node;
    n->is_there = node_line_parse(line, &node) == RC_OK && node.fingerprint == n->fingerprint;
    return n->is_there ? RC_CLOSED : RC_OK; /* the first is enough */
}

bool stopped_crawl_names(struct stopped_crawl *d, uint64_t fingerprint)
{
    struct naming n = {.fingerprint = fingerprint};
    enum rc rc = crawl_dir_each(d->disk, "links/links.nodes", find_node, &n);
    return rc == RC_CLOSED && n.is_there;
}
