/* SPDX-License-Identifier: Apache-2.0 */
/* tongue: what a host speaks and which words stand in a page's path, from chances that are known
 * already. Inline, for every link is named so; inside this folder only. */
#ifndef WORLD_TONGUE_H
#define WORLD_TONGUE_H

#include "world/chance.h"
#include "world/words.h"

/* By the host's CHANCE_TONGUE: its first bits decide, its last ones say which. */
static inline enum tongue tongue_by(const struct world *w, uint32_t host, uint64_t chance)
{
    if (chance_share(chance, 0.80) || w->settings.demo || host == 0)
        return TONGUE_ENGLISH;
    return (enum tongue)(TONGUE_LATIN + (chance & 0xffff) % 3);
}

/* By the page's CHANCE_WORDS. A host keeps to a handful of neighbouring sections. */
static inline struct page_words page_words_by(const struct world *w, uint32_t host, uint64_t chance)
{
    enum { SECTIONS_OF_HOST = 6 };
    uint64_t of_host = chance_of(w, CHANCE_TONGUE, host, 0), words = chance_at(chance, 1);
    enum tongue t = chance & 1 ? TONGUE_ENGLISH : tongue_by(w, host, of_host);
    uint32_t first = (uint32_t)(of_host >> 16 & 0xffff);
    uint32_t section = first + bits_below(chance, 48, SECTIONS_OF_HOST);
    return (struct page_words){
        .tongue = t,
        .section = &word_lists[t][WORD_SECTION].words[section % words_count(t, WORD_SECTION)],
        .adjective = word_chosen(t, WORD_ADJECTIVE, words),
        .noun = word_chosen(t, WORD_NOUN, words << 32),
    };
}

#endif
