/* SPDX-License-Identifier: Apache-2.0 */
/* codec: one content coding undone piece by piece, in memory that has a maximum. Internal to fetch.
 *
 * Three files end in one of these tables each: for zlib and libdeflate, for brotli, for zstd. */
#ifndef FETCH_CODEC_H
#define FETCH_CODEC_H

#include "base/str.h"

/* As the bytes show it: "deflate" is ZLIB or RAW. */
enum coding { CODING_NONE, CODING_GZIP, CODING_ZLIB, CODING_RAW, CODING_BROTLI, CODING_ZSTD };

enum codec_end {
    CODEC_MORE,   /* went as far as input or room allowed */
    CODEC_OVER,   /* it has ended as it should; what is left of the input is not its own */
    CODEC_CUT,    /* the input ended before it did */
    CODEC_BROKEN, /* what comes next is not of that coding */
    CODEC_NOMEM,
};

struct codec {
    void *(*open)(void); /* NULL without memory */
    void (*close)(void *state);
    /* To the start of another body. False: no memory. */
    bool (*begin)(void *state, enum coding coding);
    /* Takes from the front of *in and fills at most `room` bytes of `to`, room > 0. `last`: nothing
     * comes behind *in. CODEC_MORE without a byte means that all of *in was taken and is not the
     * last. *ret_bytes may be more than 0 whatever the end. */
    enum codec_end (*run)(void *state, struct str *in, bool last, char *to, size_t room,
                          size_t *ret_bytes);
    /* How many bytes `body`, all of it, says it holds; 0: it does not say. It may be a lie. Room
     * for as many lets run() undo the body in one call, without a window. NULL: it never says. */
    uint64_t (*says)(enum coding coding, struct str body);
    /* The body is done with: a large window is given back. */
    void (*end)(void *state);
};

extern const struct codec codec_zlib, codec_brotli, codec_zstd;

#endif
