/* SPDX-License-Identifier: Apache-2.0 */
#include "archive/outlinks.h"

#include "archive/warc_find.h"
#include "warc/reader.h"

struct reading {
    outlinks_each *each;
    void *ctx;
    struct buf line; /* the part of a line that came so far */
    bool is_wanted;  /* the record is a metadata record */
    bool is_over;
};

/* "outlink: URI HOP [CONTEXT]" */
static void take_line(struct reading *r, struct str line)
{
    if (!str_starts(line, STR("outlink: ")))
        return;
    struct str rest = str_from(line, strlen("outlink: "));
    const char *blank = memchr(rest.p, ' ', rest.n);
    size_t n = blank ? (size_t)(blank - rest.p) : rest.n;
    if (n == 0 || rest.n < n + 2)
        return;
    if (!r->each(r->ctx, str_first(rest, n), rest.p[n + 1]))
        r->is_over = true;
}

static void take_piece(struct reading *r, struct str piece)
{
    while (piece.n && !r->is_over) {
        const char *end = memchr(piece.p, '\n', piece.n);
        size_t n = end ? (size_t)(end - piece.p) : piece.n;
        buf_add(&r->line, str_first(piece, n));
        piece = str_from(piece, end ? n + 1 : n);
        if (!end)
            return;
        struct str line = buf_str(&r->line);
        take_line(r, line.n && line.p[line.n - 1] == '\r' ? str_first(line, line.n - 1) : line);
        buf_clear(&r->line);
    }
}

static enum rc read_records(struct warc_reader *w, struct reading *r)
{
    struct str piece;
    for (;;) {
        switch (warc_reader_next(w, &piece)) {
        case WARC_RECORD:
            r->is_wanted = warc_reader_record(w)->type == WARC_METADATA;
            buf_clear(&r->line);
            break;
        case WARC_BLOCK:
            if (r->is_wanted)
                take_piece(r, piece);
            break;
        case WARC_RECORD_END:
            if (r->is_over)
                return RC_OK;
            break;
        case WARC_MORE:
            warc_reader_finish(w);
            break;
        case WARC_END:
            return buf_rc(&r->line);
        case WARC_BROKEN:
            return RC_CORRUPT;
        }
    }
}

static enum rc read_stretch(struct disk_file *f, uint64_t offset, size_t bytes, struct buf *ret)
{
    size_t got = 0;
    char *to = buf_reserve(ret, bytes);
    enum rc rc = to ? disk_read(f, offset, to, bytes, &got) : buf_rc(ret);
    if (rc == RC_OK && got < bytes)
        rc = RC_NOT_FOUND;
    ret->n = rc ? 0 : bytes;
    return rc;
}

enum rc outlinks_read(struct disk *d, const char *folder, struct str file, uint64_t offset,
                      uint64_t bytes, outlinks_each *each, void *ctx)
{
    struct reading r = {.each = each, .ctx = ctx, .line = {.max = 1 << 20}};
    struct buf stretch = {.max = OUTLINKS_MAX_BYTES};
    struct disk_file *f = NULL;
    if (bytes > OUTLINKS_MAX_BYTES)
        return RC_LIMIT;
    enum rc rc = warc_find(d, folder, file, &f);
    rc = rc ? rc : read_stretch(f, offset, (size_t)bytes, &stretch);
    disk_file_close(f);
    struct warc_reader *w = rc ? NULL : warc_reader_open(NULL);
    if (rc == RC_OK && !w)
        rc = RC_NOMEM;
    if (w) {
        warc_reader_feed(w, buf_str(&stretch));
        rc = read_records(w, &r);
    }
    warc_reader_close(w);
    buf_done(&stretch);
    buf_done(&r.line);
    return rc;
}
