/* SPDX-License-Identifier: Apache-2.0 */
#include "archive/walk.h"

#include "base/mem.h"
#include "warc/reader.h"

#include <stdio.h>

enum { PIECE_BYTES = 256 << 10, MAGIC_BYTES = 3 };

static const char gzip_magic[MAGIC_BYTES] = {'\x1f', '\x8b', '\x08'};

/* A reader over the bytes of a file from `base` on. */
struct stream {
    struct disk_file *file;
    struct warc_reader *reader;
    char *piece;
    uint64_t base, at;
};

struct walk {
    const struct walk_taker *to;
    struct walk_end *end;
    struct stream main, probe;
    struct buf head;
    char why[sizeof((struct warc_problem){0}.text)];
};

static enum rc stream_open(struct stream *s, struct disk_file *f)
{
    s->file = f;
    s->reader = warc_reader_open(NULL);
    s->piece = mem_alloc(PIECE_BYTES);
    return s->reader && s->piece ? RC_OK : RC_NOMEM;
}

static void stream_done(struct stream *s)
{
    warc_reader_close(s->reader);
    mem_free(s->piece);
}

static void stream_begin(struct stream *s, uint64_t base)
{
    s->base = s->at = base;
    warc_reader_reset(s->reader);
}

/* The next event; bytes are read as they are needed. A record that ends before its member does is
 * broken: the checksum that vouches for it is still to come. */
static enum rc stream_next(struct stream *s, enum warc_event *ret, struct str *ret_piece)
{
    enum rc rc = RC_OK;
    while (rc == RC_OK && (*ret = warc_reader_next(s->reader, ret_piece)) == WARC_MORE) {
        size_t got = 0;
        rc = disk_read(s->file, s->at, s->piece, PIECE_BYTES, &got);
        s->at += got;
        if (rc == RC_OK && got)
            warc_reader_feed(s->reader, str_make(s->piece, got));
        else
            warc_reader_finish(s->reader);
    }
    if (*ret == WARC_RECORD_END && !warc_reader_ended(s->reader).bytes)
        *ret = WARC_BROKEN;
    bool has_failed = *ret == WARC_BROKEN && warc_reader_problem(s->reader)->rc == RC_NOMEM;
    return rc ? rc : has_failed ? RC_NOMEM : RC_OK;
}

/* Records ------------------------------------------------------------------------------------- */

static enum rc tell_record(struct walk *w)
{
    struct walk_record r = {.record = warc_reader_record(w->main.reader),
                            .head = buf_str(&w->head),
                            .bytes = warc_reader_ended(w->main.reader).bytes};
    r.offset = w->main.base + r.record->position.offset;
    w->end->records++;
    w->end->whole_end = r.offset + r.bytes;
    return w->to->record ? w->to->record(w->to->ctx, &r) : RC_OK;
}

static void add_head(struct walk *w, struct str piece)
{
    size_t room = WALK_HEAD_BYTES - w->head.n;
    buf_add(&w->head, str_first(piece, piece.n < room ? piece.n : room));
}

static void keep_why(struct walk *w)
{
    const char *why = warc_reader_problem(w->main.reader)->text;
    (void)snprintf(w->why, sizeof w->why, "%s",
                   why[0] ? why : "expected the end of the gzip member behind the record");
}

/* Up to the end, or to something that is no record; *ret_bad is where that begins. */
static enum rc walk_run(struct walk *w, uint64_t base, uint64_t *ret_bad)
{
    enum warc_event event = WARC_MORE;
    struct str piece;
    enum rc rc = RC_OK;
    stream_begin(&w->main, base);
    while (rc == RC_OK && event != WARC_END && event != WARC_BROKEN) {
        rc = stream_next(&w->main, &event, &piece);
        if (rc == RC_OK && event == WARC_RECORD)
            buf_clear(&w->head);
        else if (rc == RC_OK && event == WARC_BLOCK)
            add_head(w, piece);
        else if (rc == RC_OK && event == WARC_RECORD_END)
            rc = tell_record(w);
    }
    *ret_bad =
        event == WARC_BROKEN ? base + warc_reader_whole_bytes(w->main.reader) : w->end->bytes;
    if (event == WARC_BROKEN)
        keep_why(w);
    return rc ? rc : buf_rc(&w->head);
}

/* Behind damage ------------------------------------------------------------------------------- */

/* Whether a whole record begins there. */
static enum rc probe(struct walk *w, uint64_t at, bool *ret)
{
    enum warc_event event = WARC_MORE;
    struct str piece;
    enum rc rc = RC_OK;
    stream_begin(&w->probe, at);
    while (rc == RC_OK && event != WARC_RECORD_END && event != WARC_END && event != WARC_BROKEN)
        rc = stream_next(&w->probe, &event, &piece);
    *ret = rc == RC_OK && event == WARC_RECORD_END;
    return rc;
}

/* The next offset at or behind `at` where a member may begin; the file's end if there is none. The
 * probe's piece is free while nothing is probed. */
static enum rc find_magic(struct walk *w, uint64_t at, uint64_t *ret)
{
    size_t got = 1;
    enum rc rc = RC_OK;
    *ret = w->end->bytes;
    while (rc == RC_OK && at < w->end->bytes && got) {
        rc = disk_read(w->probe.file, at, w->probe.piece, PIECE_BYTES, &got);
        if (rc || got < MAGIC_BYTES)
            return rc;
        const char *p = memmem(w->probe.piece, got, gzip_magic, MAGIC_BYTES);
        if (p) {
            *ret = at + (uint64_t)(p - w->probe.piece);
            return RC_OK;
        }
        at += got - (MAGIC_BYTES - 1);
    }
    return rc;
}

static enum rc find_record(struct walk *w, uint64_t from, uint64_t *ret)
{
    bool is_record = false;
    uint64_t at = from;
    enum rc rc = RC_OK;
    while (rc == RC_OK && !is_record) {
        rc = find_magic(w, at, ret);
        if (rc || *ret >= w->end->bytes)
            return rc;
        rc = probe(w, *ret, &is_record);
        at = *ret + 1;
    }
    return rc;
}

static enum rc walk_all(struct walk *w)
{
    uint64_t base = 0;
    enum rc rc = RC_OK;
    while (rc == RC_OK && base < w->end->bytes) {
        uint64_t bad = 0, next = 0;
        rc = walk_run(w, base, &bad);
        if (rc || bad >= w->end->bytes)
            return rc;
        rc = find_record(w, bad + 1, &next);
        w->end->damaged++;
        if (rc == RC_OK && w->to->damage)
            rc = w->to->damage(w->to->ctx, bad, next, w->why);
        base = next;
    }
    return rc;
}

enum rc archive_walk(struct disk *d, const char *path, const struct walk_taker *t,
                     struct walk_end *ret)
{
    struct walk w = {.to = t, .end = ret, .head = {.max = WALK_HEAD_BYTES}};
    struct disk_file *f = NULL;
    *ret = (struct walk_end){0};
    enum rc rc = disk_open(d, path, DISK_READ, &f);
    rc = rc ? rc : disk_size(f, &ret->bytes);
    rc = rc ? rc : stream_open(&w.main, f);
    rc = rc ? rc : stream_open(&w.probe, f);
    rc = rc ? rc : walk_all(&w);
    stream_done(&w.main);
    stream_done(&w.probe);
    buf_done(&w.head);
    disk_file_close(f);
    return rc;
}
