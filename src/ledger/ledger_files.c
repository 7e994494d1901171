/* SPDX-License-Identifier: Apache-2.0 */
#include "ledger/ledger_internal.h"

#include "archive/warc_name.h"
#include "cluster/wire/elsewhere.h"
#include "outputs/crawl_dir.h"
#include "outputs/page_line.h"

#define VERSION_PATH "state/VERSION"
#define LOCK_PATH "state/LOCK"
#define VERSION_BEGIN "orbweaver crawl "
#define VERSION_TEXT VERSION_BEGIN "1\n"

enum { VERSION_MAX_BYTES = 200, VERSION_NUMBER = 1 };

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

/* Adds how much of a file will be cut. */
static enum rc count_beyond(struct disk *d, const char *path, uint64_t bytes, uint64_t *cut)
{
    uint64_t size = 0;
    enum rc rc = disk_size_of(d, path, &size);
    *cut += size > bytes ? size - bytes : 0;
    return rc == RC_NOT_FOUND ? RC_OK : rc;
}

static enum rc count_archive(void *ctx, struct str name, bool is_folder)
{
    struct str unused;
    bool *ret = ctx;
    *ret |= !is_folder && (str_ends(name, STR(".warc.gz")) || warc_name_is_open(name, &unused));
    return RC_OK;
}

enum rc ledger_has_archive(struct ledger *l, bool *ret)
{
    *ret = false;
    enum rc rc = disk_list(l->disk, LEDGER_ARCHIVE, count_archive, ret);
    return rc == RC_NOT_FOUND ? RC_OK : rc;
}

/* Lines or archive files that an earlier run wrote outside of state/. */
static enum rc has_output(struct ledger *l, bool *ret)
{
    enum rc rc = ledger_has_archive(l, ret);
    for (unsigned i = 0; i < LEDGER_FILES && rc == RC_OK; i++) {
        uint64_t bytes = 0;
        rc = count_beyond(l->disk, lines_of[i].path, 0, &bytes);
        *ret |= bytes > 0;
    }
    return rc;
}

/* A crawl that has lost its state is no new one. */
static enum rc make_state(struct ledger *l, struct buf *why)
{
    bool has_more = false;
    enum rc rc = disk_has_folder(l->disk, "state");
    if (rc != RC_NOT_FOUND)
        return rc ? rc : disk_mkdir_private(l->disk, "state"); /* an earlier version left it open */
    rc = l->settings.rebuilds ? RC_OK : has_output(l, &has_more);
    if (rc == RC_OK && has_more) {
        buf_add(why, STR("state/ is missing, though a crawl has run here"));
        rc = RC_CORRUPT;
    }
    return rc ? rc : disk_mkdir_private(l->disk, "state");
}

static void say_locked(struct disk *d, struct buf *why)
{
    buf_add(why, STR("another process crawls here ("));
    disk_lock_print(d, LOCK_PATH, why);
    buf_byte(why, ')');
}

enum rc ledger_lock(struct ledger *l, struct buf *why)
{
    enum rc rc = make_state(l, why);
    rc = rc ? rc : disk_lock(l->disk, LOCK_PATH, &l->dir_lock);
    if (rc == RC_LOCKED)
        say_locked(l->disk, why);
    else if (rc && !why->n)
        buf_printf(why, "%s: %s", LOCK_PATH, rc_text(rc));
    return rc;
}

/* Their names must last before anything in them does. */
enum rc ledger_make_folders(struct ledger *l, struct buf *why)
{
    static const char *const folders[] = {"archive", "indexes",        "indexes/parts",
                                          "pages",   "logs",           "links",
                                          "reports", LEDGER_SNAPSHOTS, LEDGER_SWAP};
    static const char *const parents[] = {"", "indexes", "state"};
    enum rc rc = RC_OK;
    for (size_t i = 0; i < sizeof folders / sizeof *folders && rc == RC_OK; i++)
        rc = crawl_dir_folder(l->disk, folders[i]);
    for (size_t i = 0; i < sizeof parents / sizeof *parents && rc == RC_OK; i++)
        rc = disk_dirsync(l->disk, parents[i]);
    if (rc && !why->n)
        buf_printf(why, "cannot create the folders of the crawl: %s", rc_text(rc));
    return rc;
}

/* "orbweaver crawl 2" is of a later program; anything else that is not ours is damage. */
static enum rc judge_version(struct str text, struct buf *why)
{
    uint64_t number = 0;
    struct str digits = str_trim(text);
    if (str_eq(text, STR(VERSION_TEXT)))
        return RC_OK;
    bool is_number = str_starts(digits, STR(VERSION_BEGIN)) &&
                     str_to_u64(str_from(digits, strlen(VERSION_BEGIN)), &number) == RC_OK;
    if (!is_number || number <= VERSION_NUMBER) {
        buf_printf(why, "%s: it does not say which version made this crawl", VERSION_PATH);
        return RC_CORRUPT;
    }
    buf_printf(why,
               "%s: a newer orbweaver made this crawl (version %llu of the directory, this program "
               "knows %d): use that one",
               VERSION_PATH, (unsigned long long)number, VERSION_NUMBER);
    return RC_VERSION;
}

enum rc ledger_check_version(struct ledger *l, bool *ret_is_there, struct buf *why)
{
    char room[VERSION_MAX_BYTES];
    struct buf text = buf_on(room, sizeof room);
    enum rc rc = disk_read_whole(l->disk, VERSION_PATH, &text);
    *ret_is_there = rc != RC_NOT_FOUND;
    if (rc == RC_OK || rc == RC_LIMIT)
        return judge_version(rc ? STR("") : buf_str(&text), why);
    if (rc != RC_NOT_FOUND)
        buf_printf(why, "%s: %s", VERSION_PATH, rc_text(rc));
    return rc == RC_NOT_FOUND ? RC_OK : rc;
}

enum rc ledger_write_version(struct ledger *l, struct buf *why)
{
    struct disk_file *f = NULL;
    enum rc rc = disk_open(l->disk, VERSION_PATH, DISK_READ, &f);
    disk_file_close(f);
    if (rc == RC_NOT_FOUND)
        rc = disk_replace(l->disk, VERSION_PATH, STR(VERSION_TEXT));
    if (rc)
        buf_printf(why, "%s: %s", VERSION_PATH, rc_text(rc));
    return rc;
}

static enum rc add_first_line(struct line_file *f, unsigned which)
{
    struct buf line = {.max = 1000};
    if (!lines_of[which].id)
        return RC_OK;
    page_line_print_first(&line, lines_of[which].id, str_c(lines_of[which].title));
    enum rc rc = buf_rc(&line);
    rc = rc ? rc : line_file_add(f, buf_str(&line));
    buf_done(&line);
    return rc;
}

/* What was synced ends with a whole line. */
static enum rc check_lines(struct disk *d, const char *path, uint64_t bytes, struct buf *why)
{
    struct disk_file *f = NULL;
    uint64_t size = 0;
    size_t got = 0, before = why->n;
    char last = 0;
    enum rc rc = bytes ? disk_open(d, path, DISK_READ, &f) : RC_OK;
    rc = rc || !bytes ? rc : disk_size(f, &size);
    if (rc == RC_OK && bytes && size >= bytes)
        rc = disk_read(f, bytes - 1, &last, 1, &got);
    disk_file_close(f);
    const char *also = before ? "; " : "";
    if (rc == RC_NOT_FOUND)
        buf_printf(why, "%s%s: it is missing", also, path);
    else if (rc)
        buf_printf(why, "%s%s: %s", also, path, rc_text(rc));
    else if (size < bytes)
        buf_printf(why, "%s%s: it has %llu bytes, but %llu were synced", also, path,
                   (unsigned long long)size, (unsigned long long)bytes);
    else if (bytes && last != '\n')
        buf_printf(why, "%s%s: no line ends at %llu, where one did", also, path,
                   (unsigned long long)bytes);
    return rc && rc != RC_NOT_FOUND ? rc : why->n > before ? RC_CORRUPT : RC_OK;
}

enum rc ledger_check_lines(struct ledger *l, const uint64_t lengths[LEDGER_FILES], struct buf *why)
{
    enum rc rc = RC_OK;
    for (unsigned i = 0; i < LEDGER_FILES && (rc == RC_OK || rc == RC_CORRUPT); i++) {
        enum rc one = check_lines(l->disk, lines_of[i].path, lengths[i], why);
        rc = one ? one : rc; /* all of them are named */
    }
    return rc;
}

enum rc ledger_measure_lines(struct ledger *l, uint64_t lengths[LEDGER_FILES], struct buf *why)
{
    enum rc rc = RC_OK;
    for (unsigned i = 0; i < LEDGER_FILES && rc == RC_OK; i++) {
        rc = line_file_whole(l->disk, lines_of[i].path, &lengths[i]);
        if (rc)
            buf_printf(why, "%s: %s", lines_of[i].path, rc_text(rc));
    }
    return rc;
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

bool ledger_has_lost(struct ledger *l)
{
    (void)pthread_mutex_lock(&l->round.lock);
    bool has = sealed_has_lost(l->sealed);
    (void)pthread_mutex_unlock(&l->round.lock);
    return has;
}

enum rc ledger_asked_lost(struct ledger *l)
{
    (void)pthread_mutex_lock(&l->round.lock);
    enum rc rc = sealed_asked(l->sealed);
    (void)pthread_mutex_unlock(&l->round.lock);
    return rc;
}
