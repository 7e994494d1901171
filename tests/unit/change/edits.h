/* SPDX-License-Identifier: Apache-2.0 */
/* edits: made-up pages, and edits of many kinds made to them, for measuring what each code sees.
 *
 * A page is a model that is written out as HTML and read back by the html library, so an edit that
 * should change nothing (an attribute, a comment, another spelling of a letter) has to come through
 * a real reader to count. Everything follows from the seed. */
#ifndef TESTS_CHANGE_EDITS_H
#define TESTS_CHANGE_EDITS_H

#include "base/buf.h"
#include "base/rng.h"

enum {
    EDIT_BLOCKS = 16,
    EDIT_WORDS = 48,
    EDIT_WORD_BYTES = 16,
    EDIT_COLUMNS = 3,
    EDIT_SIDE = 64,
};

/* A paragraph, heading or table. `mark` is an element without content behind its last word, and
 * `inner` one around its first word; both may be NULL. */
struct block {
    const char *tag;
    const char *mark, *mark2;
    const char *inner;
    bool inner_open; /* the next word's element stands inside `inner`, not behind it */
    unsigned words;
    char word[EDIT_WORDS + 1][EDIT_WORD_BYTES];
};

struct model {
    struct block block[EDIT_BLOCKS];
    unsigned blocks;
    const char *attribute; /* of every block */
    const char *comment;
    const char *blank;     /* between words */
    const char *accent;    /* how an e with an acute accent is written */
    const char *ampersand; /* how & is written */
    uint8_t pixels[EDIT_SIDE * EDIT_SIDE];
};

void model_make(struct model *m, struct rng *r);
void model_html(const struct model *m, struct buf *to);

/* What an edit changes: none, or bits by enum change_kind. */
enum { EDITS_NOTHING = 0, EDITS_STRUCTURE = 1, EDITS_TEXT = 2, EDITS_IMAGE = 4 };

struct edit_kind {
    const char *name;
    unsigned changes;
    /* Makes the edit; `old` may be prepared first so that the edit is possible (a tiled picture).
     * *new is a copy of *old made after `prepare`. */
    void (*prepare)(struct model *old, struct rng *r);
    void (*apply)(struct model *new, struct rng *r);
};

/* Ends with a NULL name. */
extern const struct edit_kind edit_kinds[];

const struct edit_kind *edit_find(const char *name);

#endif
