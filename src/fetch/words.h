/* SPDX-License-Identifier: Apache-2.0 */
/* words: a text word by word, with cases folded, in any script.
 *
 *     struct words w = {.rest = text};
 *     while (words_next(&w)) use(w.word, w.letters);
 *
 * A word is a run of letters, digits and marks; everything else stands between words. Ideographs
 * and kana are written without spaces, so each is a word of its own. Cases fold one code point to
 * one (Unicode's simple folding: Straße is straße, ΟΔΟΣ is οδοσ); accents stay, as written. Soft
 * hyphens are nothing. Bytes that are not UTF-8 stand between words. */
#ifndef FETCH_WORDS_H
#define FETCH_WORDS_H

#include "base/str.h"

enum { WORDS_MAX_BYTES = 128 };

struct words {
    struct str rest; /* not yet read */
    struct str word; /* the last one, folded, in `room`; longer ones are cut */
    unsigned letters;
    char room[WORDS_MAX_BYTES];
};

/* False at the end. */
bool words_next(struct words *w);

#endif
