/* SPDX-License-Identifier: Apache-2.0 */
/* letters: the page's structure as two strings (the paper's "Structure I").
 *
 *     html head title body h1 p p p      first  hhtbhppp
 *                                        last   ldey1ppp
 *
 * Every start and void tag gives its first and its last letter, in the order of the page; end tags
 * give nothing. A letter is a code point. Tags that begin and end alike (section and span) look the
 * same to it, and so does every change of nesting that keeps the order; tree.h sees both. */
#ifndef CHANGE_LETTERS_H
#define CHANGE_LETTERS_H

#include "change/input.h"

struct change_letters {
    struct str first, last; /* UTF-8, in the arena */
};

/* RC_NOMEM, or RC_LIMIT past CHANGE_MAX_TAGS; *ret is untouched then. */
MUST_CHECK enum rc change_letters(const struct change_tag *tags, size_t count, struct arena *arena,
                                  struct change_letters *ret);

#endif
