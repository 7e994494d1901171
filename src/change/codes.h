/* SPDX-License-Identifier: Apache-2.0 */
/* codes: the numbers stored about a page, so that its next version can be compared without the
 * page.
 *
 * A page becomes a handful of numbers, one or a few for each test; a usual page needs some 150
 * bytes, no page more than CHANGE_CODES_MAX_BYTES. Which tests were made is in `tests`; fields of
 * others are zero. The codes of the paper on web-page change detection are stored beside strong
 * hashes: the paper's codes are shown and measured, the hashes decide. */
#ifndef CHANGE_CODES_H
#define CHANGE_CODES_H

#include "change/image.h"
#include "change/text.h"
#include "change/tree.h"

/* The tests, in the paper's order: structure, text, image. The numbers are stored. */
enum change_test {
    CHANGE_LETTERS,      /* the paper's: first and last letters of the tags */
    CHANGE_LEVEL_COUNTS, /* the paper's: elements on each level */
    CHANGE_TREE,         /* hash of the tag tree; its simhash says how much */
    CHANGE_TEXT_MEAN,    /* the paper's Text I */
    CHANGE_TEXT_RMS,     /* the paper's Text II */
    CHANGE_TEXT_DIGEST,  /* SHA-256 of the normalised text */
    CHANGE_TEXT_SIMHASH, /* says how much */
    CHANGE_IVAL_16,      /* the paper's ival with n = 16, 32, 64 */
    CHANGE_IVAL_32,
    CHANGE_IVAL_64,
    CHANGE_IMAGE_DIGEST, /* SHA-256 of size and pixels */
    CHANGE_IMAGE_DHASH,  /* says how much */
    CHANGE_TEST_COUNT,
};

/* "letters", "levels", "tree", "text-1", "text-2", "text-sha256", "text-simhash", "ival-16", ... */
const char *change_test_name(enum change_test test);

/* Sets of tests are bits. */
#define CHANGE_BIT(test) (UINT32_C(1) << (test))
enum {
    CHANGE_STRUCTURE_TESTS = 0x007,
    CHANGE_TEXT_TESTS = 0x078,
    CHANGE_IMAGE_TESTS = 0xf80,
    CHANGE_ALL_TESTS = 0xfff,
};

/* Of each of the first pictures; further ones are in the digest and the number only. */
enum { CHANGE_PICTURES = 8, CHANGE_IVALS = 3 };

struct change_picture {
    struct change_ival ival[CHANGE_IVALS]; /* n = 16, 32, 64 */
    uint64_t dhash;
};

struct change_codes {
    uint32_t tests; /* which were made */

    uint64_t letters_first, letters_last; /* hash64 of the two strings of letters.h */
    struct change_levels levels;
    uint64_t tree, tree_simhash;
    uint32_t elements;

    struct change_text_sums text;
    uint8_t text_sha256[DIGEST_SHA256_BYTES];
    uint64_t text_simhash;

    uint32_t pictures;                            /* of the page */
    struct change_picture at[CHANGE_PICTURES];    /* in use: the first `pictures`, at most all */
    uint8_t pictures_sha256[DIGEST_SHA256_BYTES]; /* of the digests of all, one behind the other */
};

/* Makes the codes for `tests` (CHANGE_ALL_TESTS, or fewer to save time). Scratch memory comes from
 * the arena (about four times the text and 64 bytes a tag); nothing in *ret points into it.
 * RC_NOMEM, RC_LIMIT past a limit of input.h, RC_INVALID for a picture without pixels; *ret is
 * untouched then. */
MUST_CHECK enum rc change_codes_of(const struct change_page *page, uint32_t tests,
                                   struct arena *arena, struct change_codes *ret);

/* As bytes, little endian, with a version in front:
 *
 *     u8 version (1), u8 levels, u16 tests, then what belongs to the tests, in this order:
 *     letters: u64 first, u64 last
 *     levels:  a varint (base 128, low digits first) for each level
 *     tree:    u64 tree, u64 simhash, u32 elements
 *     mean, rms (either): u64 symbols, codes, squares, u32 distinct
 *     text digest: 32 bytes;  text simhash: u64
 *     any image test: u32 pictures; then for each of the first 8: u32 ival 16, u64 ival 32,
 *         u128 ival 64, each only if its test was made (two's complement), u64 dhash likewise
 *     image digest: 32 bytes
 *
 * Equal codes make equal bytes, and decoding gives back what was encoded. */
enum { CHANGE_CODES_VERSION = 1, CHANGE_CODES_MAX_BYTES = 900 };

void change_codes_encode(const struct change_codes *codes, struct buf *to);

/* RC_VERSION for another version, RC_CORRUPT for bytes that encode never makes (also if some are
 * left over). *ret is untouched then. */
MUST_CHECK enum rc change_codes_decode(struct str bytes, struct change_codes *ret);

#endif
