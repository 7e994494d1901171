/* SPDX-License-Identifier: Apache-2.0 */
#include "repair/archives.h"

#include "archive/recover.h"
#include "archive/reindex.h"
#include "archive/warc_files.h"
#include "archive/warc_name.h"
#include "base/mem.h"

#include <stdio.h>

#define ARCHIVE_FOLDER "archive"

enum { LINE_MAX_BYTES = 1 << 20 };

/* Every file ---------------------------------------------------------------------------------- */

struct files {
    char (*names)[WARC_FILES_NAME_BYTES + 8]; /* as they are now */
    size_t count, room;
};

static enum rc add_file(void *ctx, struct str name, bool is_folder)
{
    struct files *f = ctx;
    struct str unused;
    bool is_archive = str_ends(name, STR(".warc.gz")) || warc_name_is_open(name, &unused);
    if (is_folder || !is_archive || name.n >= sizeof *f->names)
        return RC_OK;
    void *names = mem_grow(f->names, f->count, &f->room, sizeof *f->names);
    if (!names)
        return RC_NOMEM;
    f->names = names;
    char *to = f->names[f->count++];
    memcpy(to, name.p, name.n);
    to[name.n] = 0;
    return RC_OK;
}

static enum rc list_files(struct disk *d, struct files *ret)
{
    enum rc rc = disk_list(d, ARCHIVE_FOLDER, add_file, ret);
    return rc == RC_NOT_FOUND ? RC_OK : rc;
}

/* Reading ------------------------------------------------------------------------------------- */

struct reading {
    archives_each *each;
    void *ctx;
    struct buf *out;
    const char *now;                  /* the file's name as it is */
    char name[WARC_FILES_NAME_BYTES]; /* its last name */
    struct buf line;                  /* of the capture at hand; empty: there is none */
    struct found_capture capture;
    uint64_t captures;
    uint64_t bad_from, bad_to; /* the last range without a whole record; 0 and 0: none */
    char bad_why[200];
};

/* The capture at hand is over: another begins, or the file ends. */
static enum rc end_capture(struct reading *r)
{
    if (!r->line.n)
        return RC_OK;
    r->capture.file = r->name;
    r->capture.line = buf_str(&r->line);
    r->captures++;
    enum rc rc = r->each ? r->each(r->ctx, &r->capture) : RC_OK;
    buf_clear(&r->line);
    return rc;
}

static enum rc take_record(void *ctx, const struct walk_record *w)
{
    struct reading *r = ctx;
    bool begins = w->record->type == WARC_RESPONSE || w->record->type == WARC_REVISIT;
    enum rc rc = begins ? end_capture(r) : RC_OK;
    if (rc || !begins) {
        r->capture.end = w->offset + w->bytes;
        return rc;
    }
    rc = reindex_print(&r->line, r->name, w);
    r->capture =
        (struct found_capture){.offset = w->offset, .bytes = w->bytes, .end = w->offset + w->bytes};
    if (rc == RC_INVALID) /* no URL of ours: it stays in the archive, without a line */
        buf_clear(&r->line);
    return rc == RC_INVALID ? RC_OK : rc;
}

static void tell_damage(struct reading *r)
{
    if (r->bad_to)
        buf_printf(r->out, ARCHIVE_FOLDER "/%s: bytes %llu to %llu are no whole record (%s)\n",
                   r->now, (unsigned long long)r->bad_from, (unsigned long long)r->bad_to,
                   r->bad_why);
    r->bad_from = r->bad_to = 0;
}

/* It is told when something follows: the end of a file that is being written may be torn. */
static enum rc take_damage(void *ctx, uint64_t from, uint64_t to, const char *why)
{
    struct reading *r = ctx;
    tell_damage(r);
    r->bad_from = from;
    r->bad_to = to;
    (void)snprintf(r->bad_why, sizeof r->bad_why, "%s", why);
    return end_capture(r);
}

static enum rc read_file(struct disk *d, const char *now, struct reading *r,
                         struct repair_counts *counts)
{
    char path[WARC_PATH_BYTES];
    struct str last = str_c(now);
    struct walk_taker taker = {take_record, take_damage, r};
    struct walk_end end;
    bool is_open = warc_name_is_open(last, &last);
    r->now = now;
    (void)snprintf(r->name, sizeof r->name, STR_FMT, STR_ARG(last));
    enum rc rc = archive_walk(d, warc_path(path, ARCHIVE_FOLDER, now, false), &taker, &end);
    rc = rc ? rc : end_capture(r);
    if (is_open && r->bad_to && r->bad_to == end.bytes) {
        r->bad_to = 0;
        end.damaged--;
    }
    tell_damage(r);
    counts->archives++;
    counts->records += end.records;
    counts->damaged_ranges += end.damaged;
    return rc;
}

enum rc archives_read(struct disk *d, archives_each *each, void *ctx, struct repair_counts *counts,
                      struct buf *out)
{
    struct files files = {0};
    struct reading r = {.each = each, .ctx = ctx, .out = out, .line = {.max = LINE_MAX_BYTES}};
    counts->archives = counts->records = counts->damaged_ranges = 0;
    enum rc rc = list_files(d, &files);
    for (size_t i = 0; i < files.count && rc == RC_OK; i++)
        rc = read_file(d, files.names[i], &r, counts);
    counts->captures = r.captures;
    buf_done(&r.line);
    mem_free(files.names);
    return rc;
}

/* Sealing ------------------------------------------------------------------------------------- */

/* As recovery after a crash does, but the last whole record decides instead of the journal. */
static void tell_cut(void *ctx, const char *file, uint64_t bytes, const char *saved)
{
    buf_printf(ctx, ARCHIVE_FOLDER "/%s: %llu bytes of a torn record were cut off its end%s%s\n",
               file, (unsigned long long)bytes, saved ? "; copy: " : "", saved ? saved : "");
}

static enum rc trust_whole(struct disk *d, struct warc_recovery *w, const char *now)
{
    char path[WARC_PATH_BYTES];
    struct str last;
    struct walk_taker none = {0};
    struct walk_end end;
    if (!warc_name_is_open(str_c(now), &last))
        return RC_OK;
    enum rc rc = archive_walk(d, warc_path(path, ARCHIVE_FOLDER, now, false), &none, &end);
    return rc || !end.whole_end ? rc : warc_recovery_trust(w, last, end.whole_end);
}

enum rc archives_seal(struct disk *d, const char *folder, struct buf *out)
{
    struct files files = {0};
    struct warc_recovery *w = NULL;
    struct warc_recovery_ends ends = {
        .aside = folder, .saves_all = true, .cut = tell_cut, .ctx = out};
    enum rc rc = list_files(d, &files);
    rc = rc ? rc : warc_recovery_open(d, ARCHIVE_FOLDER, NULL, &w);
    for (size_t i = 0; i < files.count && rc == RC_OK; i++)
        rc = trust_whole(d, w, files.names[i]);
    rc = rc ? rc : warc_recovery_finish(w, &ends, NULL);
    warc_recovery_close(w);
    mem_free(files.names);
    return rc;
}

/* Lengths ------------------------------------------------------------------------------------- */

struct comparing {
    struct repair_counts *counts;
    struct buf *out;
};

static enum rc tell_lost(void *ctx, struct str name, uint64_t bytes, uint64_t there)
{
    struct comparing *c = ctx;
    c->counts->lost_files++;
    if (there)
        buf_printf(c->out, ARCHIVE_FOLDER "/" STR_FMT ": it has %llu bytes instead of %llu\n",
                   STR_ARG(name), (unsigned long long)there, (unsigned long long)bytes);
    else
        buf_printf(c->out, ARCHIVE_FOLDER "/" STR_FMT ": it is missing (%llu bytes)\n",
                   STR_ARG(name), (unsigned long long)bytes);
    return RC_OK;
}

enum rc archives_compare(struct disk *d, struct repair_counts *counts, struct buf *out)
{
    struct comparing c = {counts, out};
    struct sealed *s = NULL;
    struct sent *sent = NULL;
    counts->lost_files = 0;
    enum rc rc = sent_open(d, false, &sent);
    rc = rc ? rc : sealed_open(d, ARCHIVE_FOLDER, false, &s);
    rc = rc ? rc : sealed_compare(s, sent, tell_lost, &c);
    sealed_close(s);
    sent_close(sent);
    return rc;
}
