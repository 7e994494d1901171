/* SPDX-License-Identifier: Apache-2.0 */
/* prose: sentences that read almost like a language and repeat themselves the way people do.
 *
 * A sentence follows a pattern of its tongue; common words come often, rare ones rarely (Zipf), and
 * a store of ready phrases comes back again and again, which is what makes real text compress. */
#ifndef CONTENT_PROSE_H
#define CONTENT_PROSE_H

#include "world/words.h"

#include "base/buf.h"
#include "base/rng.h"

enum { PROSE_PHRASES = 64, PROSE_PHRASE_BYTES = 96 };

struct prose {
    struct rng rng;
    enum tongue tongue;
    bool is_plain;  /* nothing beyond ASCII */
    uint32_t shift; /* which words are the common ones */
    struct {
        char text[PROSE_PHRASE_BYTES];
        uint32_t n;
    } phrases[PROSE_PHRASES];
    bool is_demo; /* sentences and headings for people: looks.h */
};

/* Makes its store of phrases; needs no end. */
void prose_init(struct prose *p, enum tongue tongue, bool is_plain, uint64_t seed);

/* Appends one sentence with its full stop, no space around; UTF-8, free of < > & and quotes. */
void prose_sentence(struct prose *p, struct buf *out);

/* A few words without a full stop, beginning with a capital letter where the tongue has them. */
void prose_heading(struct prose *p, struct buf *out);

/* One noun, and one word that could be a name in a program: "river_count". */
void prose_noun(struct prose *p, struct buf *out);
void prose_name(struct prose *p, struct buf *out);

/* A number in [0, count): small ones come far more often, as words do. */
uint32_t prose_zipf(struct rng *r, uint32_t count);

/* Appends a word with its first letter large: ASCII, Latin and Cyrillic. */
void word_write_capital(struct str word, struct buf *out);

#endif
