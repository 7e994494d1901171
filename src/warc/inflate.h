/* SPDX-License-Identifier: Apache-2.0 */
/* inflate: one gzip member after another, undone piece by piece. zlib stands behind this header:
 * archives are read with it and not with igzip, because it has long been used on hostile input.
 *
 * A member's header (extra fields, name, comment, header checksum), its CRC and its length are all
 * checked. Memory is constant: zlib's window. */
#ifndef WARC_INFLATE_H
#define WARC_INFLATE_H

#include "base/str.h"

enum inflate_state {
    INFLATE_MORE,   /* went as far as input or room allowed */
    INFLATE_END,    /* the member is over and its checksums are right */
    INFLATE_BROKEN, /* it is not gzip, or damaged: inflater_problem() */
    INFLATE_NOMEM,
};

/* NULL without memory. */
struct inflater *inflater_open(void);
void inflater_close(struct inflater *f);

/* To the start of a member. */
void inflater_reset(struct inflater *f);

/* Takes from the front of *in and fills at most `room` bytes of `to`; *ret_bytes says how many,
 * which may be more than 0 whatever the state. */
enum inflate_state inflater_run(struct inflater *f, struct str *in, char *to, size_t room,
                                size_t *ret_bytes);

/* What was expected, after INFLATE_BROKEN: a phrase in English. */
const char *inflater_problem(const struct inflater *f);

/* How many of the bytes taken last belong to the thing complained of: 4 when a checksum or length
 * is wrong, so that the complaint can point at it. */
size_t inflater_problem_back(const struct inflater *f);

/* The CRC-32 of two stretches one behind the other, of which each is known: `bytes` is the second's
 * length. */
uint32_t inflate_crc_join(uint32_t first, uint32_t second, uint64_t bytes);

#endif
