/* SPDX-License-Identifier: Apache-2.0 */
/* text: what a page says, as numbers that can be compared.
 *
 * The paper's two codes are made from the text as it is given, where every blank counts; the code
 * of a symbol is its code point. Both ignore order: swapped letters or lines leave them unchanged.
 * The digest is of the normalised text and misses nothing but white space. */
#ifndef CHANGE_TEXT_H
#define CHANGE_TEXT_H

#include "base/digest.h"
#include "change/input.h"

/* The sums behind the paper's codes; exact, since CHANGE_MAX_TEXT_BYTES of the largest code points
 * fit. */
struct change_text_sums {
    uint64_t symbols;  /* code points */
    uint64_t codes;    /* sum of them, that is of frequency times code */
    uint64_t squares;  /* sum of their squares */
    uint32_t distinct; /* different code points */
};

/* RC_LIMIT past CHANGE_MAX_TEXT_BYTES, RC_NOMEM; *ret is untouched then. */
MUST_CHECK enum rc change_text_sums(struct str text, struct arena *arena,
                                    struct change_text_sums *ret);

/* Text I: sum of frequency times code over the number of distinct symbols, and Text II: square
 * root of the sum of squares over the number of symbols. 0 for an empty text. The same to the last
 * bit on every machine with IEEE arithmetic. */
double change_text_mean(const struct change_text_sums *sums);
double change_text_rms(const struct change_text_sums *sums);

/* `text` with every run of white space (Unicode's White_Space) as one space, none at the ends, and
 * U+FFFD for what is not UTF-8; nothing else is touched: case, accents and punctuation count. In
 * the arena. Normalising twice equals once. */
MUST_CHECK enum rc change_text_normalise(struct str text, struct arena *arena, struct str *ret);

/* The same without vector instructions, for tests. */
MUST_CHECK enum rc change_text_normalise_plain(struct str text, struct arena *arena,
                                               struct str *ret);

/* SHA-256 of a normalised text. */
MUST_CHECK enum rc change_text_digest(struct str normal, struct digest *ret);

/* Whatever change_text_normalise() gave can be compared: how much two normalised texts share, 0 to
 * 1: shingles (simhash.h) they have in common over all shingles, repetitions counted. 1 for equal
 * texts, two empty ones too. */
MUST_CHECK enum rc change_text_similarity(struct str a, struct str b, struct arena *arena,
                                          double *ret);

#endif
