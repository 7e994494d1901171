/* SPDX-License-Identifier: Apache-2.0 */
/* simhash: a 64-bit fingerprint that changes little when the page changes little.
 *
 * Every feature is hashed to 64 bits; bit b of the fingerprint is 1 if more than half of the
 * features have bit b set. Pages that share most features agree in most bits, pages that share none
 * differ in about 32. A common reading for 64 bits: up to CHANGE_SIMHASH_NEAR bits apart, two pages
 * are near duplicates.
 *
 * Features of a text are its shingles: every run of CHANGE_SHINGLE_WORDS words in the normalised
 * text (text.h); a text of fewer words is one feature, an empty one has none and the fingerprint 0.
 * Words end at white space; in scripts that write none (Han, kana, Thai and so on) each letter is a
 * word. A word is hashed 16 bytes at a time, a shingle is the mix of its words' hashes: simhash.c
 * has both, a few lines each, and they are as much part of stored fingerprints as this definition.
 *
 * The value depends on nothing but the text: not on byte order, word size or vector unit. */
#ifndef CHANGE_SIMHASH_H
#define CHANGE_SIMHASH_H

#include "base/str.h"

enum { CHANGE_SHINGLE_WORDS = 3, CHANGE_SIMHASH_NEAR = 3 };

/* `normal` is text as change_text_normalise() makes it. */
uint64_t change_simhash(struct str normal);

/* The definition written down plainly, one bit after another: the same result, several times
 * slower. For tests. */
uint64_t change_simhash_plain(struct str normal);

/* The shingles' hashes, some at a time: a walk that can be taken up where it stopped. */
struct change_shingles {
    struct str text;
    size_t start;           /* of the word to come */
    size_t words;           /* behind us */
    uint64_t last, earlier; /* hashes of the two words before it */
    size_t block;           /* where the 64 bytes now looked at begin */
    uint64_t ends;          /* word ends in them that are still to come */
    bool spaceless;         /* letters that are words have been met */
    bool done;
};

struct change_shingles change_shingles_of(struct str normal);

/* Puts up to `max` of the next hashes to `to`; 0 when there are no more. */
size_t change_shingles_next(struct change_shingles *s, uint64_t *to, size_t max);

/* Any features: add hashes in any order and number, then ask. Zeroed is ready for use.
 *
 * How: a bit plane holds one binary digit of all 64 counters, so a full adder is five logical
 * operations for 64 counters at once; two lanes of planes fill a 128-bit vector register. Sixteen
 * hashes go through seven full adders before anything reaches the fourth plane. */
enum { CHANGE_SIM_PLANES = 32, CHANGE_SIM_BATCH = 16 };

struct change_sim {
    uint64_t plane[CHANGE_SIM_PLANES][2];
    uint64_t waiting[CHANGE_SIM_BATCH];
    unsigned waiting_count;
    uint64_t features; /* at most 2^32 */
};

void change_sim_add(struct change_sim *s, const uint64_t *hashes, size_t count);
uint64_t change_sim_finish(struct change_sim *s);

/* Bits that differ. */
static inline unsigned change_bits_apart(uint64_t a, uint64_t b)
{
    return (unsigned)__builtin_popcountll(a ^ b);
}

#endif
