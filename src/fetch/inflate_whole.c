/* SPDX-License-Identifier: Apache-2.0 */
#include "fetch/inflate_whole.h"

#include "base/bytes.h"
#include "base/mem.h"

#include <libdeflate.h>

enum { GZIP_LEAST_BYTES = 18, FLAGS_AT = 3, FLAG_HEADER_CRC = 2 }; /* RFC 1952, 2.3 */

struct inflate_whole {
    struct libdeflate_decompressor *d;
};

struct inflate_whole *inflate_whole_open(void)
{
    struct inflate_whole *w = mem_alloc(sizeof *w);
    if (!w)
        return NULL;
    w->d = libdeflate_alloc_decompressor();
    if (!w->d) {
        mem_free(w);
        return NULL;
    }
    return w;
}

void inflate_whole_close(struct inflate_whole *w)
{
    if (!w)
        return;
    libdeflate_free_decompressor(w->d);
    mem_free(w);
}

uint32_t inflate_whole_says(struct str body)
{
    return body.n < GZIP_LEAST_BYTES ? 0 : get_le32(body.p + body.n - 4);
}

static bool has_header_crc(struct str in)
{
    return ((unsigned char)in.p[FLAGS_AT] & FLAG_HEADER_CRC) != 0;
}

bool inflate_whole_run(struct inflate_whole *w, enum coding coding, struct str *in, char *to,
                       size_t room, size_t *ret_bytes)
{
    size_t taken, made;
    enum libdeflate_result result = LIBDEFLATE_BAD_DATA;
    if (coding == CODING_ZLIB)
        result = libdeflate_zlib_decompress_ex(w->d, in->p, in->n, to, room, &taken, &made);
    else if (in->n >= GZIP_LEAST_BYTES && !has_header_crc(*in))
        result = libdeflate_gzip_decompress_ex(w->d, in->p, in->n, to, room, &taken, &made);
    if (result != LIBDEFLATE_SUCCESS)
        return false;
    *in = str_from(*in, taken);
    *ret_bytes = made;
    return true;
}
