/* SPDX-License-Identifier: Apache-2.0 */
/* words: what names, paths and titles are made of.
 *
 * A host speaks one tongue. Most speak English; the others have words outside ASCII, which stand in
 * their paths percent-encoded as UTF-8, and which can be written in one old charset each. */
#ifndef WORLD_WORDS_H
#define WORLD_WORDS_H

#include "world/world.h"

enum tongue {
    TONGUE_ENGLISH,
    TONGUE_LATIN,    /* German, French, Spanish …: all in windows-1252 */
    TONGUE_RUSSIAN,  /* all in KOI8-R */
    TONGUE_JAPANESE, /* all in Shift_JIS */
    TONGUE_COUNT_
};

enum word_kind {
    WORD_ADJECTIVE,
    WORD_NOUN,    /* English nouns are ASCII letters in lower case, fit for a host name */
    WORD_SECTION, /* of a site */
    WORD_KINDS_
};

/* A word, UTF-8 in lower case, in a room of one size: copying the whole room is faster than
 * counting, and words are copied for every link of every page. */
enum { WORD_ROOM = 24 };
struct word {
    char text[WORD_ROOM];
    uint32_t n;
};
struct word_list {
    const struct word *words;
    uint32_t count;
};
extern const struct word_list word_lists[TONGUE_COUNT_][WORD_KINDS_];

static inline struct str word_str(const struct word *w)
{
    return str_make(w->text, w->n);
}

/* How many words there are of a kind, the nth, and the one that a chance picks. */
static inline uint32_t words_count(enum tongue t, enum word_kind kind)
{
    return word_lists[t][kind].count;
}

static inline struct str word_at(enum tongue t, enum word_kind kind, uint32_t nth)
{
    return word_str(&word_lists[t][kind].words[nth % words_count(t, kind)]);
}

static inline const struct word *word_chosen(enum tongue t, enum word_kind kind, uint64_t chance)
{
    const struct word_list *list = &word_lists[t][kind];
    return &list->words[(uint64_t)(((unsigned __int128)chance * list->count) >> 64)];
}

static inline struct str word_pick(enum tongue t, enum word_kind kind, uint64_t chance)
{
    return word_str(word_chosen(t, kind, chance));
}

/* What a host speaks. The demo speaks English throughout. */
enum tongue host_tongue(const struct world *w, uint32_t host);

/* The words of a page's path (its title may use them too). `tongue` is that of all three: English,
 * or, for half the pages of such a host, the host's own. */
struct page_words {
    enum tongue tongue;
    const struct word *section, *adjective, *noun;
};
struct page_words page_words(const struct world *w, uint32_t host, uint32_t page);

/* The name of a demo's host ("garden" of garden.localhost), or absent past the table. */
struct str demo_label(uint32_t host);

#endif
