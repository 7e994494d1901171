/* SPDX-License-Identifier: Apache-2.0 */
/* sample: tags and pictures written short, for the tests of change. */
#ifndef TESTS_CHANGE_SAMPLE_H
#define TESTS_CHANGE_SAMPLE_H

#include "change/input.h"

enum { SAMPLE_MAX_TAGS = 4096 };

struct sample {
    struct change_tag tags[SAMPLE_MAX_TAGS];
    size_t count;
};

/* Words in a row: "p" starts, "/p" ends, "br/" is void. Borrows `words`. */
static inline struct sample *sample_tags(struct sample *s, const char *words)
{
    struct str left = str_c(words);
    s->count = 0;
    while (left.p && s->count < SAMPLE_MAX_TAGS) {
        struct str word = str_take_until(&left, ' ');
        enum change_tag_kind kind = CHANGE_TAG_START;
        if (word.n > 1 && word.p[0] == '/') {
            kind = CHANGE_TAG_END;
            word = str_from(word, 1);
        } else if (word.n > 1 && word.p[word.n - 1] == '/') {
            kind = CHANGE_TAG_VOID;
            word.n--;
        }
        if (word.n)
            s->tags[s->count++] = (struct change_tag){word, kind};
    }
    return s;
}

#endif
