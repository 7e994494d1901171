/* SPDX-License-Identifier: Apache-2.0 */
#include "crawl/ledger_inside.h"

#include "cluster/elsewhere.h"
#include "warc/pages.h"

#define VERSION_PATH "state/VERSION"
#define LOCK_PATH "state/LOCK"
#define VERSION_TEXT "orbweaver crawl 1\n"

enum { VERSION_MAX_BYTES = 200 };

static const struct {
    const char *path;
    const char *id, *title; /* of its first line; NULL: it has none */
} lines_of[LEDGER_FILES] = {
    [LEDGER_CDXJ] = {.path = "indexes/parts/index.cdxj"},
    [LEDGER_PAGES] = {"pages/pages.jsonl", "pages", "Seeds"},
    [LEDGER_EXTRA_PAGES] = {"pages/extraPages.jsonl", "extraPages", "Other pages"},
    [LEDGER_CRAWL_LOG] = {.path = "logs/crawl.log"},
    [LEDGER_NODES] = {.path = "links/links.nodes"},
    [LEDGER_ARCS] = {.path = "links/links.arcs"},
    [LEDGER_SKIPPED] = {.path = "reports/skippedPages.jsonl"},
    [LEDGER_SEEDS] = {.path = "state/seeds"},
    [LEDGER_ELSEWHERE] = {.path = ELSEWHERE_PATH},
};

const char *ledger_lines_path(enum ledger_file file)
{
    return lines_of[file].path;
}

static enum rc make_folder(struct disk *d, const char *path)
{
    enum rc rc = disk_mkdir(d, path);
    return rc == RC_EXISTS ? RC_OK : rc;
}

/* Their names must last before anything in them does. */
enum rc ledger_make_folders(struct ledger *l, struct buf *why)
{
    static const char *const folders[] = {"state",       "archive",  "indexes", "indexes/parts",
                                          "pages",       "logs",     "links",   "reports",
                                          LEDGER_IMAGES, LEDGER_REST};
    static const char *const parents[] = {"", "indexes", "state"};
    enum rc rc = make_folder(l->disk, folders[0]);
    rc = rc ? rc : disk_lock(l->disk, LOCK_PATH, &l->dir_lock);
    if (rc == RC_LOCKED)
        buf_printf(why, "another process crawls here (%s)", LOCK_PATH);
    for (size_t i = 1; i < sizeof folders / sizeof *folders && rc == RC_OK; i++)
        rc = make_folder(l->disk, folders[i]);
    for (size_t i = 0; i < sizeof parents / sizeof *parents && rc == RC_OK; i++)
        rc = disk_dirsync(l->disk, parents[i]);
    if (rc && !why->n)
        buf_printf(why, "the folders of the crawl cannot be made: %s", rc_text(rc));
    return rc;
}

enum rc ledger_check_version(struct ledger *l, struct buf *why)
{
    char room[VERSION_MAX_BYTES];
    struct buf text = buf_on(room, sizeof room);
    enum rc rc = disk_read_whole(l->disk, VERSION_PATH, &text);
    if (rc == RC_NOT_FOUND)
        rc = disk_replace(l->disk, VERSION_PATH, STR(VERSION_TEXT));
    else if (rc == RC_LIMIT || (rc == RC_OK && !str_eq(buf_str(&text), STR(VERSION_TEXT))))
        rc = RC_VERSION;
    if (rc)
        buf_printf(why, "%s: %s", VERSION_PATH,
                   rc == RC_VERSION ? "another version of the program made this crawl"
                                    : rc_text(rc));
    return rc;
}

static enum rc add_first_line(struct line_file *f, unsigned which)
{
    struct buf line = {.max = 1000};
    if (!lines_of[which].id)
        return RC_OK;
    pages_print_first(&line, lines_of[which].id, str_c(lines_of[which].title));
    enum rc rc = buf_rc(&line);
    rc = rc ? rc : line_file_add(f, buf_str(&line));
    buf_done(&line);
    return rc;
}

/* Adds how much of a file will be cut. */
static enum rc count_beyond(struct disk *d, const char *path, uint64_t bytes, uint64_t *cut)
{
    struct disk_file *f = NULL;
    uint64_t size = 0;
    enum rc rc = disk_open(d, path, DISK_READ, &f);
    rc = rc ? rc : disk_size(f, &size);
    disk_file_close(f);
    *cut += size > bytes ? size - bytes : 0;
    return rc == RC_NOT_FOUND ? RC_OK : rc;
}

enum rc ledger_open_lines(struct ledger *l, const uint64_t lengths[LEDGER_FILES],
                          struct ledger_report *report, struct buf *why)
{
    enum rc rc = RC_OK;
    for (unsigned i = 0; i < LEDGER_FILES && rc == RC_OK; i++) {
        rc = count_beyond(l->disk, lines_of[i].path, lengths[i], &report->cut_bytes);
        rc = rc ? rc : line_file_open(l->disk, lines_of[i].path, lengths[i], &l->files[i]);
        if (rc == RC_CORRUPT)
            buf_printf(why, "%s: it is shorter than the journal says", lines_of[i].path);
        else if (rc)
            buf_printf(why, "%s: %s", lines_of[i].path, rc_text(rc));
        if (rc == RC_OK && !lengths[i])
            rc = add_first_line(l->files[i], i);
    }
    return rc;
}

void ledger_tell_link(struct ledger *l, uint64_t position, const struct candidate *c)
{
    if (l->hears.link && position >= l->unsynced_from)
        l->hears.link(l->hears.ctx, c);
}

enum rc ledger_tell_seeds(struct ledger *l, struct ledger_hears hears)
{
    struct buf all = {.max = SIZE_MAX / 2};
    enum rc rc = line_file_write(l->files[LEDGER_SEEDS]);
    rc = rc ? rc : disk_read_whole(l->disk, lines_of[LEDGER_SEEDS].path, &all);
    struct str rest = buf_str(&all);
    while (rc == RC_OK && rest.n) {
        struct str line = str_take_until(&rest, '\n');
        if (hears.seed && line.n)
            rc = hears.seed(hears.ctx, line);
    }
    buf_done(&all);
    return rc;
}
