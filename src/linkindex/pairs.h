/* SPDX-License-Identifier: Apache-2.0 */
/* pairs: what the link index is made of, sorted.
 *
 *     links   key: the URL that is linked to    value: the page      letters: how it links
 *     names   key: a URL's fingerprint          value: where its line begins in links.nodes
 *
 * `letters` has a bit for each letter of links.arcs; the common ones have the low bits, so that
 * they take one byte in a file. */
#ifndef LINKINDEX_PAIRS_H
#define LINKINDEX_PAIRS_H

#include "base/rc.h"

#include <stddef.h>
#include <stdint.h>

enum pair_kind { PAIRS_LINKS, PAIRS_NAMES, PAIR_KINDS };

struct pair {
    uint64_t key, value;
    uint32_t letters;
};

enum { PAIR_LETTERS = 26 };
#define PAIR_ALL_LETTERS ((UINT32_C(1) << PAIR_LETTERS) - 1)

/* The bit of a letter, of either case; what is no letter has that of L. */
uint32_t pair_letter(char letter);
/* The letters of these bits, in the order of the alphabet. Returns how many. */
size_t pair_letters_print(uint32_t letters, char room[PAIR_LETTERS]);

/* Sorts by key, then value. Pairs that are there twice become one with the letters of both; returns
 * how many are left. `spare` has room for as many. The time does not depend on what the keys are:
 * strangers choose the URLs. */
size_t pairs_sort(struct pair *list, struct pair *spare, size_t count);

#endif
