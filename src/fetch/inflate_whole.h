/* SPDX-License-Identifier: Apache-2.0 */
/* inflate_whole: gzip or zlib data undone in one call, where all of it is there. Internal to fetch.
 *
 * libdeflate stands behind this header. It takes 40 % of zlib's time, and knows only success: of
 * data that is cut, broken or larger than the room it gives nothing. The caller then asks zlib,
 * which gives the bytes before the damage. */
#ifndef FETCH_INFLATE_WHOLE_H
#define FETCH_INFLATE_WHOLE_H

#include "fetch/codec.h"

struct inflate_whole;

/* NULL without memory. */
struct inflate_whole *inflate_whole_open(void);
void inflate_whole_close(struct inflate_whole *w);

/* How many bytes the last gzip member of `body` says it holds, modulo 2^32: it may be a lie. */
uint32_t inflate_whole_says(struct str body);

/* Undoes the first member of *in and takes it off. False: it cannot be done this way. *in is then
 * as it was, and `to` may have been written to. Only for CODING_GZIP and CODING_ZLIB, which end
 * in a checksum: raw deflate is left to zlib, which is stricter. So is a gzip header with a
 * checksum of its own, because libdeflate does not check that one. */
bool inflate_whole_run(struct inflate_whole *w, enum coding coding, struct str *in, char *to,
                       size_t room, size_t *ret_bytes);

#endif
