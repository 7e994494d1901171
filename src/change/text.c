/* SPDX-License-Identifier: Apache-2.0 */
#include "change/text.h"

#include "base/utf8.h"
#include "change/simhash.h"

#include <math.h>

/* Which code points beyond ASCII have been met: a bitmap in blocks of 256, made when first needed.
 * A page uses a few of the 4,352 blocks. */
enum { BLOCK_CODES = 256, BLOCKS = 0x110000 / BLOCK_CODES };

struct met {
    uint64_t *block[BLOCKS];
};

struct sums {
    struct change_text_sums sum;
    struct met *met; /* NULL while all is ASCII */
    struct arena *arena;
};

static bool count_code(struct sums *s, uint32_t code)
{
    if (!s->met && !(s->met = arena_zero(s->arena, sizeof *s->met)))
        return false;
    uint64_t **block = &s->met->block[code / BLOCK_CODES];
    if (!*block && !(*block = arena_zero(s->arena, BLOCK_CODES / 8)))
        return false;
    uint64_t *word = &(*block)[code % BLOCK_CODES / 64];
    uint64_t bit = UINT64_C(1) << (code % 64);
    s->sum.distinct += (*word & bit) == 0;
    *word |= bit;
    s->sum.symbols++;
    s->sum.codes += code;
    s->sum.squares += (uint64_t)code * code;
    return true;
}

/* Four tables, so that a run of one letter does not wait for its own counter. */
struct ascii_counts {
    uint32_t of[4][128];
};

static size_t count_ascii(struct str text, struct ascii_counts *counts)
{
    const uint8_t *p = (const uint8_t *)text.p;
    size_t i = 0;
    for (; i + 4 <= text.n && !((p[i] | p[i + 1] | p[i + 2] | p[i + 3]) & 0x80); i += 4) {
        counts->of[0][p[i]]++;
        counts->of[1][p[i + 1]]++;
        counts->of[2][p[i + 2]]++;
        counts->of[3][p[i + 3]]++;
    }
    for (; i < text.n && p[i] < 0x80; i++)
        counts->of[0][p[i]]++;
    return i;
}

static void add_ascii(struct change_text_sums *sum, const struct ascii_counts *counts)
{
    for (uint32_t code = 0; code < 128; code++) {
        uint64_t times = (uint64_t)counts->of[0][code] + counts->of[1][code] + counts->of[2][code] +
                         counts->of[3][code];
        sum->distinct += times != 0;
        sum->symbols += times;
        sum->codes += times * code;
        sum->squares += times * code * code;
    }
}

enum rc change_text_sums(struct str text, struct arena *arena, struct change_text_sums *ret)
{
    if (text.n > CHANGE_MAX_TEXT_BYTES)
        return RC_LIMIT;
    struct sums s = {.arena = arena};
    struct ascii_counts counts = {{{0}}};
    while (text.n) {
        text = str_from(text, count_ascii(text, &counts));
        if (text.n == 0)
            break;
        uint32_t code;
        size_t bytes;
        utf8_decode(text, &code, &bytes);
        if (!count_code(&s, code))
            return RC_NOMEM;
        text = str_from(text, bytes);
    }
    add_ascii(&s.sum, &counts);
    *ret = s.sum;
    return RC_OK;
}

double change_text_mean(const struct change_text_sums *sums)
{
    return sums->distinct ? (double)sums->codes / sums->distinct : 0;
}

double change_text_rms(const struct change_text_sums *sums)
{
    return sums->symbols ? sqrt((double)sums->squares) / (double)sums->symbols : 0;
}

enum rc change_text_digest(struct str normal, struct digest *ret)
{
    return digest_of(DIGEST_SHA256, normal, ret);
}

/* Normalising can make three bytes, U+FFFD, of one that is not UTF-8. */
enum { NORMAL_MAX_BYTES = 3 * CHANGE_MAX_TEXT_BYTES };

struct hashes {
    uint64_t *at;
    size_t count;
};

/* One pass of a radix sort, by the byte at `shift`. */
static void sort_by_byte(const uint64_t *from, uint64_t *to, size_t count, unsigned shift)
{
    size_t next[257] = {0};
    for (size_t i = 0; i < count; i++)
        next[(from[i] >> shift & 255) + 1]++;
    for (unsigned b = 1; b < 256; b++)
        next[b] += next[b - 1];
    for (size_t i = 0; i < count; i++)
        to[next[from[i] >> shift & 255]++] = from[i];
}

static void sort(struct hashes *h, uint64_t *spare)
{
    for (unsigned shift = 0; shift < 64; shift += 8) {
        sort_by_byte(h->at, spare, h->count, shift);
        uint64_t *sorted = spare;
        spare = h->at;
        h->at = sorted;
    }
}

/* All shingles of a text in order of their hashes. Every word but the first needs a byte of white
 * space or is a letter of three, so there are at most half as many as bytes, and one more. */
static enum rc sorted_shingles(struct str normal, struct arena *arena, struct hashes *ret)
{
    size_t room = normal.n / 2 + 1;
    uint64_t *hashes = arena_alloc(arena, room * sizeof *hashes);
    uint64_t *spare = arena_alloc(arena, room * sizeof *spare);
    if (!hashes || !spare)
        return RC_NOMEM;
    struct change_shingles walk = change_shingles_of(normal);
    struct hashes all = {hashes, 0};
    size_t n;
    while (all.count < room &&
           (n = change_shingles_next(&walk, hashes + all.count, room - all.count)))
        all.count += n;
    sort(&all, spare);
    *ret = all;
    return RC_OK;
}

static size_t in_common(const struct hashes *a, const struct hashes *b)
{
    size_t i = 0, j = 0, common = 0;
    while (i < a->count && j < b->count) {
        common += a->at[i] == b->at[j];
        bool step_a = a->at[i] <= b->at[j];
        j += a->at[i] >= b->at[j];
        i += step_a;
    }
    return common;
}

enum rc change_text_similarity(struct str a, struct str b, struct arena *arena, double *ret)
{
    if (a.n > NORMAL_MAX_BYTES || b.n > NORMAL_MAX_BYTES)
        return RC_LIMIT;
    struct hashes ha, hb;
    enum rc rc = sorted_shingles(a, arena, &ha);
    if (rc == RC_OK)
        rc = sorted_shingles(b, arena, &hb);
    if (rc)
        return rc;
    size_t common = in_common(&ha, &hb);
    size_t all = ha.count + hb.count - common;
    *ret = all ? (double)common / (double)all : 1;
    return RC_OK;
}
