/* SPDX-License-Identifier: Apache-2.0 */
#include "warc/writer.h"

#include "base/mem.h"
#include "warc/deflated.h"
#include "warc/gzip.h"
#include "warc/packed.h"

#include <assert.h>

enum { COMPACT_DEFAULT = 6, FAST_DEFAULT = 1, OVERSIZE_LEVEL = 3, RECORD_END_BYTES = 4 };

/* How the record being written leaves: straight, through igzip's stream, or gathered and then
 * compressed as a whole. igzip copies what comes in pieces into a window of its own: gathering
 * costs less than that. From a piece on that is packed already the rest of the member is stored. A
 * body that was joined has the record's end in it. */
enum route { ROUTE_PLAIN, ROUTE_STREAM, ROUTE_GATHER, ROUTE_STORE, ROUTE_JOINED };

struct warc_writer {
    enum warc_coding coding;
    struct gzip_fast *fast; /* compact: opened when the first oversized record comes */
    struct gzip_compact *compact;
    struct deflated_unpacker *unpacker; /* opened when it is needed */
    struct buf header, fields, gather;
    /* the record being written */
    struct buf *out;
    enum route route;
    uint64_t left;    /* of the block, still to be added */
    uint64_t given;   /* bytes appended to out, whether or not the caller took them */
    size_t out_start; /* out->n at the beginning */
    enum rc rc;
};

static unsigned level_of(unsigned asked, unsigned normal, unsigned most)
{
    unsigned level = asked ? asked : normal;
    return level < most ? level : most;
}

static bool open_compressor(struct warc_writer *w, unsigned level)
{
    if (w->coding == WARC_FAST)
        w->fast = gzip_fast_open(level_of(level, FAST_DEFAULT, GZIP_FAST_MAX_LEVEL));
    if (w->coding == WARC_COMPACT)
        w->compact = gzip_compact_open(level_of(level, COMPACT_DEFAULT, GZIP_COMPACT_MAX_LEVEL));
    return w->coding == WARC_PLAIN || w->fast || w->compact;
}

struct warc_writer *warc_writer_open(const struct warc_writer_options *options)
{
    struct warc_writer_options o = options ? *options : (struct warc_writer_options){0};
    struct warc_writer *w = mem_zero(1, sizeof *w);
    if (!w)
        return NULL;
    w->coding = o.coding;
    buf_init(&w->header, WARC_HEADER_MAX);
    buf_init(&w->fields, WARC_FIELDS_MAX);
    buf_init(&w->gather, WARC_GATHER_MAX + WARC_HEADER_MAX + RECORD_END_BYTES);
    if (!open_compressor(w, o.level)) {
        warc_writer_close(w);
        return NULL;
    }
    return w;
}

void warc_writer_close(struct warc_writer *w)
{
    if (!w)
        return;
    gzip_fast_close(w->fast);
    gzip_compact_close(w->compact);
    deflated_unpacker_close(w->unpacker);
    buf_done(&w->header);
    buf_done(&w->fields);
    buf_done(&w->gather);
    mem_free(w);
}

struct buf *warc_writer_header(struct warc_writer *w)
{
    buf_clear(&w->header);
    return &w->header;
}

struct buf *warc_writer_fields(struct warc_writer *w)
{
    buf_clear(&w->fields);
    return &w->fields;
}

static enum rc choose_way(struct warc_writer *w, uint64_t block_bytes)
{
    uint64_t most = w->coding == WARC_COMPACT ? WARC_GATHER_MAX : WARC_GATHER_FAST_MAX;
    w->route = w->coding == WARC_PLAIN ? ROUTE_PLAIN : ROUTE_STREAM;
    if (w->route == ROUTE_STREAM && block_bytes <= most)
        w->route = ROUTE_GATHER;
    if (w->route == ROUTE_STREAM && !w->fast)
        w->fast = gzip_fast_open(OVERSIZE_LEVEL);
    return w->route == ROUTE_STREAM && !w->fast ? RC_NOMEM : RC_OK;
}

/* The record in `gather` as a member. */
static void compress_gathered(struct warc_writer *w)
{
    struct str record = buf_str(&w->gather);
    if (w->coding == WARC_COMPACT) {
        gzip_compact_whole(w->compact, record, w->out);
        return;
    }
    gzip_fast_begin(w->fast, record.n - RECORD_END_BYTES);
    gzip_fast_add(w->fast, record, true, w->out);
}

static void emit(struct warc_writer *w, struct str piece, bool last)
{
    size_t before = w->out->n;
    if (w->route == ROUTE_PLAIN)
        buf_add(w->out, piece);
    else if (w->route == ROUTE_STREAM)
        gzip_fast_add(w->fast, piece, last, w->out);
    else if (w->route == ROUTE_STORE)
        gzip_fast_store(w->fast, piece, last, w->out);
    else
        buf_add(&w->gather, piece);
    if (w->route == ROUTE_GATHER && last && buf_rc(&w->gather) == RC_OK)
        compress_gathered(w);
    w->rc = buf_rc(w->route == ROUTE_GATHER ? &w->gather : w->out);
    if (w->rc == RC_OK)
        w->rc = buf_rc(w->out);
    w->given += w->out->n - before;
}

/* What was gathered, the record's header and the HTTP header, is packed alone. */
static void pack_heads(struct warc_writer *w)
{
    size_t before = w->out->n;
    if (w->route == ROUTE_GATHER) {
        gzip_fast_begin(w->fast, w->gather.n);
        gzip_fast_add(w->fast, buf_str(&w->gather), false, w->out);
    }
    w->given += w->out->n - before;
}

static void begin_storing(struct warc_writer *w)
{
    pack_heads(w);
    w->route = ROUTE_STORE;
}

static void start(struct warc_writer *w, enum rc rc, struct buf *out)
{
    assert(!w->out);
    w->out = out;
    w->out_start = out->n;
    w->given = 0;
    w->rc = rc ? rc : buf_rc(out);
}

void warc_writer_refuse(struct warc_writer *w, enum rc rc, struct buf *out)
{
    assert(rc != RC_OK);
    start(w, rc, out);
}

void warc_writer_begin(struct warc_writer *w, struct str header, uint64_t block_bytes,
                       struct buf *out)
{
    start(w, choose_way(w, block_bytes), out);
    w->left = block_bytes;
    if (w->rc)
        return;
    if (w->route == ROUTE_STREAM)
        gzip_fast_begin(w->fast, header.n + block_bytes);
    buf_clear(&w->gather);
    emit(w, header, false);
}

/* Whether the piece is to be emitted. */
static bool take(struct warc_writer *w, struct str piece)
{
    assert(w->out);
    if (w->rc || piece.n == 0)
        return false;
    if (piece.n > w->left) {
        w->rc = RC_INVALID;
        return false;
    }
    w->left -= piece.n;
    return true;
}

void warc_writer_add(struct warc_writer *w, struct str piece)
{
    if (take(w, piece))
        emit(w, piece, false);
}

void warc_writer_add_body(struct warc_writer *w, struct str piece)
{
    if (!take(w, piece))
        return;
    if (w->coding == WARC_FAST && w->route != ROUTE_STORE && packed_already(piece))
        begin_storing(w);
    emit(w, piece, false);
}

static void join(struct warc_writer *w, const struct deflated *body)
{
    pack_heads(w);
    size_t before = w->out->n;
    gzip_fast_join(w->fast, body, w->out);
    w->route = ROUTE_JOINED;
    w->rc = buf_rc(w->out);
    w->given += w->out->n - before;
}

static void unpack(struct warc_writer *w, const struct deflated *body)
{
    struct str plain;
    if (!w->unpacker)
        w->unpacker = deflated_unpacker_open();
    w->rc = w->unpacker ? deflated_unpack(w->unpacker, body, SIZE_MAX / 2, &plain) : RC_NOMEM;
    if (w->rc == RC_OK)
        warc_writer_add_body(w, plain);
}

void warc_writer_add_deflated(struct warc_writer *w, const struct deflated *body)
{
    assert(w->out);
    if (w->rc)
        return;
    if (body->bytes != w->left) {
        w->rc = RC_INVALID;
        return;
    }
    if (w->coding != WARC_FAST) {
        unpack(w, body);
        return;
    }
    w->left = 0;
    join(w, body);
}

enum rc warc_writer_end(struct warc_writer *w)
{
    assert(w->out);
    if (w->rc == RC_OK && w->left)
        w->rc = RC_INVALID;
    if (w->rc == RC_OK && w->route != ROUTE_JOINED)
        emit(w, STR("\r\n\r\n"), true);
    if (w->rc && w->out->n > w->out_start)
        w->out->n = w->out_start;
    w->out = NULL;
    return w->rc;
}

uint64_t warc_writer_record_bytes(const struct warc_writer *w)
{
    return w->given;
}
