/* SPDX-License-Identifier: Apache-2.0 */
#include "repair/repair.h"

#include "archive/line_source.h"
#include "archive/sealed.h"
#include "linkindex/link_index.h"
#include "outputs/crawl_dir.h"
#include "outputs/lost_files.h"
#include "repair/archives.h"
#include "repair/rebuild.h"
#include "warc/cdxj.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>

enum {
    PATH_BYTES = 4096,
    MAX_ASIDE = 1000,
    COPY_MAX_BYTES = 256 << 20,
    STEP_BYTES = 256 << 10,
    TEXT_MAX_BYTES = 64 << 20,
    MAX_SOURCES = 8,
};

#define INDEX_PATH "indexes/parts/index.cdxj"
#define NEW_INDEX_PATH "indexes/parts/index.cdxj.new"

struct repair {
    struct disk *disk;
    const struct repair_settings *settings;
    struct repair_result *result;
    char history[PATH_BYTES], written[PATH_BYTES], seen[PATH_BYTES];
    bool is_state_damaged, is_index_damaged;
    bool is_missing[MAX_SOURCES];
};

/* Looking ------------------------------------------------------------------------------------- */

static struct ledger_settings settings_of(const struct repair *r)
{
    struct ledger_settings s = rebuild_settings(r->settings, r->history, r->written);
    s.seen = (struct ledger_seen_settings){.kind = LEDGER_SEEN_AS_MADE, .path = r->seen};
    return s;
}

/* The first thing that an opening would refuse. Archive files are compared apart. */
static enum rc check_state(struct repair *r)
{
    struct buf why = {.max = PATH_BYTES};
    struct ledger_settings s = settings_of(r);
    s.accepts_lost = true;
    enum rc rc = ledger_check(r->disk, &s, &why);
    r->is_state_damaged = rc == RC_CORRUPT;
    if (rc)
        buf_printf(&r->result->text, STR_FMT "\n",
                   STR_ARG(why.n ? buf_str(&why) : str_c(rc_text(rc))));
    buf_done(&why);
    return rc == RC_CORRUPT ? RC_OK : rc;
}

/* A directory without a link index is right, too. */
static enum rc check_link_index(struct repair *r)
{
    struct buf why = {.max = PATH_BYTES};
    enum rc rc = link_index_check(r->disk, &why);
    r->is_index_damaged = rc == RC_CORRUPT;
    if (rc && rc != RC_NOT_FOUND)
        buf_printf(&r->result->text, STR_FMT "\n",
                   STR_ARG(why.n ? buf_str(&why) : str_c(rc_text(rc))));
    buf_done(&why);
    return rc == RC_CORRUPT || rc == RC_NOT_FOUND ? RC_OK : rc;
}

static enum rc check_directory(struct repair *r)
{
    struct repair_result *to = r->result;
    enum rc rc = check_state(r);
    rc = rc ? rc : check_link_index(r);
    rc = rc ? rc : archives_compare(r->disk, &to->counts, &to->text);
    rc = rc ? rc : archives_read(r->disk, NULL, NULL, &to->counts, &to->text);
    to->is_damaged = r->is_state_damaged || r->is_index_damaged || to->counts.lost_files ||
                     to->counts.damaged_ranges;
    return rc;
}

/* Putting state/ aside ------------------------------------------------------------------------- */

static bool path_in(const struct repair *r, char room[PATH_BYTES], const char *name,
                    unsigned number)
{
    int n = number ? snprintf(room, PATH_BYTES, "%s/%s-%u", r->settings->path, name, number)
                   : snprintf(room, PATH_BYTES, "%s/%s", r->settings->path, name);
    return n > 0 && n < PATH_BYTES;
}

static bool is_there(const char *path)
{
    struct stat s;
    return lstat(path, &s) == 0;
}

/* The next number that no folder has. */
static unsigned next_aside(const struct repair *r)
{
    char room[PATH_BYTES];
    unsigned n = 1;
    while (n < MAX_ASIDE && path_in(r, room, "state.damaged", n) && is_there(room))
        n++;
    return n;
}

static enum rc put_aside(struct repair *r, unsigned number)
{
    char from[PATH_BYTES], to[PATH_BYTES];
    if (number >= MAX_ASIDE || !path_in(r, from, "state", 0) ||
        !path_in(r, to, "state.damaged", number))
        return RC_LIMIT;
    if (!is_there(from))
        return RC_OK;
    if (rename(from, to))
        return errno == ENOSPC ? RC_DISK_FULL : RC_IO;
    buf_printf(&r->result->text, "state/ was damaged; it is kept as state.damaged-%u\n", number);
    return disk_dirsync(r->disk, "");
}

/* From the last folder that has it. */
static enum rc copy_back(struct repair *r, unsigned number, const char *name)
{
    char from[PATH_BYTES], to[PATH_BYTES];
    struct buf bytes = {.max = COPY_MAX_BYTES};
    enum rc rc = RC_NOT_FOUND;
    for (; number && rc == RC_NOT_FOUND; number--) {
        (void)snprintf(from, sizeof from, "state.damaged-%u/%s", number, name);
        buf_clear(&bytes);
        rc = disk_read_whole(r->disk, from, &bytes);
    }
    (void)snprintf(to, sizeof to, "state/%s", name);
    if (rc == RC_OK)
        rc = disk_replace(r->disk, to, buf_str(&bytes));
    buf_done(&bytes);
    return rc == RC_NOT_FOUND ? RC_OK : rc;
}

/* What is known of files is kept; the rest of state/ is made again. */
static enum rc renew_state(struct repair *r)
{
    unsigned number = next_aside(r);
    enum rc rc = put_aside(r, number);
    rc = rc ? rc : disk_mkdir_private(r->disk, "state");
    rc = rc ? rc : disk_dirsync(r->disk, "");
    rc = rc ? rc : disk_replace(r->disk, LEDGER_REBUILDING, STR("repair is at work here\n"));
    rc = rc ? rc : copy_back(r, number, "seeds");
    rc = rc ? rc : copy_back(r, number, "sent");
    return rc ? rc : copy_back(r, number, "sealed");
}

/* The index ------------------------------------------------------------------------------------ */

struct indexing {
    struct line_sink sink;
    struct lost_files files;
    struct sealed *sealed;
    struct buf room;
    uint64_t lost; /* lines of captures that the archive does not have any more */
};

static enum rc add_line(void *ctx, const struct found_capture *c)
{
    struct indexing *x = ctx;
    return line_sink_add(&x->sink, c->line);
}

/* The line of a capture whose file has lost it stays, so that it can be named and asked for again.
 */
static enum rc keep_lost(void *ctx, struct str line)
{
    struct indexing *x = ctx;
    struct cdxj_entry e;
    bool is_there = true;
    if (cdxj_parse(line, &x->room, &e))
        return RC_OK;
    enum rc rc = lost_files_have(&x->files, e.filename, e.offset + e.length, &is_there);
    if (rc || is_there)
        return rc;
    x->lost++;
    rc = sealed_lose(x->sealed, e.filename, x->files.bytes);
    rc = rc ? rc : line_sink_add(&x->sink, line);
    return rc ? rc : line_sink_add(&x->sink, STR("\n"));
}

static enum rc write_index(struct repair *r, struct indexing *x)
{
    struct buf unused = {.max = TEXT_MAX_BYTES};
    enum rc rc = archives_read(r->disk, add_line, x, &r->result->counts, &unused);
    rc = rc ? rc : lost_files_open(&x->files, r->disk);
    x->files.is_strict = true;
    rc = rc ? rc : sealed_open(r->disk, "archive", true, &x->sealed);
    rc = rc ? rc : crawl_dir_each(r->disk, INDEX_PATH, keep_lost, x);
    rc = rc ? rc : sealed_sync(x->sealed);
    rc = rc ? rc : line_sink_end(&x->sink, true);
    if (x->lost)
        buf_printf(&r->result->text,
                   "%llu captures are lost with their archive files: report names them, crawl "
                   "--refetch-lost asks for them again\n",
                   (unsigned long long)x->lost);
    lost_files_done(&x->files);
    sealed_close(x->sealed);
    buf_done(&x->room);
    buf_done(&unused);
    return rc;
}

static enum rc renew_index(struct repair *r)
{
    struct indexing x = {.room = {.max = CDXJ_MAX_LINE}};
    enum rc rc = crawl_dir_folder(r->disk, "indexes");
    rc = rc ? rc : crawl_dir_folder(r->disk, "indexes/parts");
    if (rc == RC_OK) {
        rc = disk_unlink(r->disk, NEW_INDEX_PATH);
        rc = rc == RC_NOT_FOUND ? RC_OK : rc;
    }
    rc = rc ? rc : line_sink_open(&x.sink, r->disk, NEW_INDEX_PATH, STEP_BYTES);
    rc = rc ? rc : write_index(r, &x);
    line_sink_done(&x.sink);
    rc = rc ? rc : disk_rename(r->disk, NEW_INDEX_PATH, INDEX_PATH);
    return rc ? rc : disk_dirsync(r->disk, "indexes/parts");
}

/* What cannot be made again -------------------------------------------------------------------- */

static bool has_file(struct repair *r, const char *path)
{
    struct disk_file *f = NULL;
    bool has = disk_open(r->disk, path, DISK_READ, &f) == RC_OK;
    disk_file_close(f);
    return has;
}

static const struct {
    const char *path, *what;
} sources[] = {
    {"logs/crawl.log", "URLs without a capture (failed or refused) will be asked for again"},
    {"links/links.nodes", "of the queue only the seeds are known: --recrawl finds the rest"},
    {"links/links.arcs", "how far queued URLs are from a seed is not known: they count as 1"},
    {"pages/pages.jsonl", "the list of pages"},
    {"pages/extraPages.jsonl", "the list of further pages"},
    {"state/seeds", "the seeds: the next start takes those of orbweaver.yaml, or name them"},
};
enum { SOURCES = sizeof sources / sizeof *sources };

/* Before the new state makes empty ones. */
static void look_for_sources(struct repair *r)
{
    for (size_t i = 0; i < SOURCES; i++)
        r->is_missing[i] = !has_file(r, sources[i].path);
}

static void list_missing(struct repair *r)
{
    struct buf *out = &r->result->text;
    buf_add(out, STR("not rebuilt:\n"));
    for (size_t i = 0; i < SOURCES; i++)
        if (r->is_missing[i])
            buf_printf(out, "  %s is missing: %s\n", sources[i].path, sources[i].what);
    buf_add(out, STR("  lines that were cut off a file named above\n"
                     "  robots.txt, delays and failures of hosts: the crawl learns them again\n"
                     "  budgets of hosts, page fingerprints (--compare), a recrawl under way\n"));
}

/* Repairing ------------------------------------------------------------------------------------ */

static enum rc rebuild(struct repair *r)
{
    struct repair_result *to = r->result;
    struct buf why = {.max = PATH_BYTES};
    struct ledger_settings s = settings_of(r);
    enum rc rc = renew_state(r);
    rc = rc ? rc : archives_seal(r->disk, "state/cut", &to->text);
    rc = rc ? rc : renew_index(r);
    look_for_sources(r);
    if (rc == RC_OK) {
        struct buf unused = {.max = TEXT_MAX_BYTES};
        rc = rebuild_state(r->disk, &s, &to->counts, &unused, &why);
        buf_done(&unused);
    }
    rc = rc ? rc : disk_unlink(r->disk, LEDGER_REBUILDING);
    rc = rc ? rc : disk_dirsync(r->disk, "state");
    if (rc)
        buf_printf(&to->text, "cannot rebuild state/: " STR_FMT "\n",
                   STR_ARG(why.n ? buf_str(&why) : str_c(rc_text(rc))));
    else
        buf_printf(&to->text, "rebuilt: %llu captures in the index, %llu URLs done, %llu queued\n",
                   (unsigned long long)to->counts.captures, (unsigned long long)to->counts.done,
                   (unsigned long long)to->counts.queued);
    buf_done(&why);
    if (rc == RC_OK)
        list_missing(r);
    return rc;
}

/* The operator knows of them from now on. */
static enum rc accept_lost(struct repair *r)
{
    struct sealed *s = NULL;
    struct sent *sent = NULL;
    enum rc rc = sent_open(r->disk, false, &sent);
    rc = rc ? rc : sealed_open(r->disk, "archive", true, &s);
    rc = rc ? rc : sealed_accept(s, sent);
    sealed_close(s);
    sent_close(sent);
    if (rc == RC_OK)
        buf_printf(&r->result->text,
                   "%llu archive files are noted as lost: report names their captures, crawl "
                   "--refetch-lost asks for them again\n",
                   (unsigned long long)r->result->counts.lost_files);
    return rc;
}

static enum rc mend_link_index(struct repair *r)
{
    struct link_index_settings usual = {0};
    enum rc rc = link_index_rebuild(r->disk, &usual);
    if (rc)
        buf_printf(&r->result->text, "links/index cannot be made again: %s\n", rc_text(rc));
    else
        buf_add(&r->result->text, STR("links/index was made again of the files in links/\n"));
    return rc;
}

static enum rc mend(struct repair *r)
{
    struct repair_result *to = r->result;
    enum rc rc = RC_OK;
    if (has_file(r, "state/agent") && r->is_state_damaged) {
        buf_add(&to->text,
                STR("this is an agent's directory: its membership of the cluster cannot "
                    "be rebuilt. Keep its archives, and start the agent anew in an empty "
                    "directory; --refetch-lost asks for what only it had\n"));
        return RC_OK;
    }
    if (r->is_state_damaged)
        rc = rebuild(r);
    if (rc == RC_OK && r->is_index_damaged)
        rc = mend_link_index(r);
    if (rc == RC_OK && to->counts.lost_files && !r->is_state_damaged)
        rc = accept_lost(r);
    if (rc == RC_OK && to->counts.damaged_ranges)
        buf_add(&to->text, STR("records that are damaged inside an archive cannot be mended: the "
                               "file stays as it is, its other records are whole\n"));
    to->is_repaired = rc == RC_OK;
    return rc;
}

enum rc repair_run(struct disk *d, const struct repair_settings *s, struct repair_result *ret)
{
    struct repair r = {.disk = d, .settings = s, .result = ret};
    *ret = (struct repair_result){.text = {.max = TEXT_MAX_BYTES}};
    if (!path_in(&r, r.history, "state/history", 0) ||
        !path_in(&r, r.written, "state/WRITTEN", 0) || !path_in(&r, r.seen, "state/seen", 0))
        return RC_LIMIT;
    enum rc rc = check_directory(&r);
    if (rc == RC_OK && ret->is_damaged && !s->only_check)
        rc = mend(&r);
    return rc ? rc : buf_rc(&ret->text);
}

void repair_result_done(struct repair_result *r)
{
    buf_done(&r->text);
}
