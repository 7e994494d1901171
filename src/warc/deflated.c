/* SPDX-License-Identifier: Apache-2.0 */
#include "warc/deflated.h"

#include "base/mem.h"
#include "warc/gzip.h"
#include "warc/inflate.h"
#include "warc/packed.h"

#include <libdeflate.h>

enum { LEVEL = 1, KEPT_BYTES = 1 << 20 };
#define RECORD_END STR("\r\n\r\n")

/* A large body is seldom: its room is not kept. */
static void shrink(struct buf *b)
{
    size_t max = b->max;
    if (b->cap <= KEPT_BYTES)
        return;
    buf_done(b);
    buf_init(b, max);
}

uint32_t deflated_crc_behind(uint32_t crc, const struct deflated *d)
{
    return inflate_crc_join(crc, d->crc, d->bytes + DEFLATED_END_BYTES);
}

/* Packing --------------------------------------------------------------------------------------- */

struct deflated_packer {
    struct gzip_fast *gzip;
    struct buf out;
};

struct deflated_packer *deflated_packer_open(void)
{
    struct deflated_packer *p = mem_zero(1, sizeof *p);
    if (!p)
        return NULL;
    p->gzip = gzip_fast_open(LEVEL);
    if (p->gzip)
        return p;
    deflated_packer_close(p);
    return NULL;
}

void deflated_packer_close(struct deflated_packer *p)
{
    if (!p)
        return;
    gzip_fast_close(p->gzip);
    buf_done(&p->out);
    mem_free(p);
}

enum rc deflated_pack(struct deflated_packer *p, struct str body, size_t most_bytes,
                      struct deflated *ret)
{
    shrink(&p->out);
    buf_clear(&p->out);
    p->out.max = most_bytes;
    gzip_fast_begin_bare(p->gzip, body.n);
    if (packed_already(body)) {
        gzip_fast_store(p->gzip, body, false, &p->out);
        gzip_fast_store(p->gzip, RECORD_END, true, &p->out);
    } else {
        gzip_fast_add(p->gzip, body, false, &p->out);
        gzip_fast_add(p->gzip, RECORD_END, true, &p->out);
    }
    enum rc rc = buf_rc(&p->out);
    if (rc)
        return rc;
    struct str stream = str_first(buf_str(&p->out), p->out.n - GZIP_TRAILER_BYTES);
    if (stream.n > most_bytes) /* the room was there from before */
        return RC_LIMIT;
    *ret =
        (struct deflated){.stream = stream, .bytes = body.n, .crc = get_le32(stream.p + stream.n)};
    return RC_OK;
}

/* Unpacking ------------------------------------------------------------------------------------- */

struct deflated_unpacker {
    struct libdeflate_decompressor *inflate;
    struct buf body;
};

struct deflated_unpacker *deflated_unpacker_open(void)
{
    struct deflated_unpacker *u = mem_zero(1, sizeof *u);
    if (!u)
        return NULL;
    u->inflate = libdeflate_alloc_decompressor();
    if (u->inflate)
        return u;
    deflated_unpacker_close(u);
    return NULL;
}

void deflated_unpacker_close(struct deflated_unpacker *u)
{
    if (!u)
        return;
    libdeflate_free_decompressor(u->inflate);
    buf_done(&u->body);
    mem_free(u);
}

/* libdeflate takes some streams for good that zlib, and so most readers, refuse: with symbols and
 * counts of codes that RFC 1951 reserves. Such a member damages itself and what stands behind it in a
 * file that is read from its beginning; it cannot make a record of its own. */
enum rc deflated_unpack(struct deflated_unpacker *u, const struct deflated *d, size_t most_bytes,
                        struct str *ret_body)
{
    const struct str end = RECORD_END;
    size_t taken, made;
    if (d->bytes > most_bytes || most_bytes > SIZE_MAX - end.n)
        return RC_LIMIT;
    shrink(&u->body);
    buf_clear(&u->body);
    u->body.max = most_bytes + end.n;
    size_t bytes = (size_t)d->bytes + end.n;
    char *room = buf_reserve(&u->body, bytes);
    if (!room)
        return RC_NOMEM;
    if (libdeflate_deflate_decompress_ex(u->inflate, d->stream.p, d->stream.n, room, bytes, &taken,
                                         &made) != LIBDEFLATE_SUCCESS ||
        taken != d->stream.n || made != bytes || !str_eq(str_make(room + d->bytes, end.n), end) ||
        libdeflate_crc32(0, room, bytes) != d->crc)
        return RC_INVALID;
    *ret_body = str_make(room, (size_t)d->bytes);
    return RC_OK;
}
