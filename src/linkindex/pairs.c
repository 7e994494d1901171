/* SPDX-License-Identifier: Apache-2.0 */
#include "linkindex/pairs.h"

#include "base/str.h"

#include <string.h>

enum { DIGIT_BITS = 11, DIGITS = 1 << DIGIT_BITS, WORD_BITS = 64 };

/* In the order LERXP, then the rest of the alphabet. */
uint32_t pair_letter(char letter)
{
    static const uint8_t bits[PAIR_LETTERS] = {5,  6,  7, 8,  1, 9,  10, 11, 12, 13, 14, 0,  15,
                                               16, 17, 4, 18, 2, 19, 20, 21, 22, 23, 3,  24, 25};
    char upper = ascii_upper(letter);
    return UINT32_C(1) << (upper >= 'A' && upper <= 'Z' ? bits[upper - 'A'] : 0);
}

size_t pair_letters_print(uint32_t letters, char room[PAIR_LETTERS])
{
    size_t n = 0;
    for (char c = 'A'; c <= 'Z'; c++)
        if (letters & pair_letter(c))
            room[n++] = c;
    return n;
}

static inline uint64_t word_of(const struct pair *p, bool is_key)
{
    return is_key ? p->key : p->value;
}

/* One pass of a radix sort; stable. False: all have the same digit, and nothing was moved. */
static bool sort_by_digit(const struct pair *from, struct pair *to, size_t count, bool is_key,
                          unsigned shift)
{
    size_t at[DIGITS] = {0}, sum = 0;
    for (size_t i = 0; i < count; i++)
        at[word_of(&from[i], is_key) >> shift & (DIGITS - 1)]++;
    if (at[word_of(&from[0], is_key) >> shift & (DIGITS - 1)] == count)
        return false;
    for (size_t i = 0; i < DIGITS; i++) {
        size_t n = at[i];
        at[i] = sum;
        sum += n;
    }
    for (size_t i = 0; i < count; i++)
        to[at[word_of(&from[i], is_key) >> shift & (DIGITS - 1)]++] = from[i];
    return true;
}

static size_t join_equal(struct pair *list, size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        struct pair *last = kept ? &list[kept - 1] : NULL;
        if (last && last->key == list[i].key && last->value == list[i].value)
            last->letters |= list[i].letters;
        else
            list[kept++] = list[i];
    }
    return kept;
}

size_t pairs_sort(struct pair *list, struct pair *spare, size_t count)
{
    struct pair *from = list, *to = spare;
    for (unsigned word = 0; word < 2 && count; word++)
        for (unsigned shift = 0; shift < WORD_BITS; shift += DIGIT_BITS)
            if (sort_by_digit(from, to, count, word == 1, shift)) {
                struct pair *swap = from;
                from = to;
                to = swap;
            }
    if (from != list)
        memcpy(list, from, count * sizeof *list);
    return join_equal(list, count);
}
