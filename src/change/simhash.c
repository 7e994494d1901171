/* SPDX-License-Identifier: Apache-2.0 */
#include "change/simhash.h"

#include "base/hash.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

enum { BLOCK = 64 };

/* Letters of scripts without white space, by lead byte and the one behind it: Thai and Lao
 * (U+0E00..0EFF), kana and Han (U+3040..9FFF), compatibility Han (U+F900..FAFF) and the planes of
 * rare Han (U+20000..3FFFF). Returns the letter's length, or 0. */
static size_t spaceless_letter(struct str s, size_t at)
{
    uint8_t lead = (uint8_t)s.p[at];
    if (lead < 0xe0 || s.n - at < 3)
        return 0;
    uint8_t next = (uint8_t)s.p[at + 1];
    if (lead == 0xe0)
        return next >= 0xb8 && next <= 0xbb ? 3 : 0;
    if (lead == 0xe3)
        return next >= 0x81 ? 3 : 0;
    if (lead >= 0xe4 && lead <= 0xe9)
        return 3;
    if (lead == 0xef)
        return next >= 0xa4 && next <= 0xab ? 3 : 0;
    return lead == 0xf0 && next >= 0xa0 && next <= 0xbf && s.n - at > 3 ? 4 : 0;
}

/* Spaces in the 64 bytes at `p`, and bytes outside ASCII. */
struct block {
    uint64_t spaces, high;
};

static struct block block_at(const char *p)
{
    struct block b = {0, 0};
#ifdef __SSE2__
    for (unsigned i = 0; i < BLOCK; i += 16) {
        __m128i v = _mm_loadu_si128((const __m128i *)(const void *)(p + i));
        int spaces = _mm_movemask_epi8(_mm_cmpeq_epi8(v, _mm_set1_epi8(' ')));
        b.spaces |= (uint64_t)(unsigned)spaces << i;
        b.high |= (uint64_t)(unsigned)_mm_movemask_epi8(v) << i;
    }
#else
    for (unsigned i = 0; i < BLOCK; i++) {
        b.spaces |= (uint64_t)(p[i] == ' ') << i;
        b.high |= (uint64_t)((uint8_t)p[i] >> 7) << i;
    }
#endif
    return b;
}

/* The word ends in the block s->block; the text's own end is one. The first letter that is a word
 * makes the rest of the walk go letter by letter. */
static void look_at_block(struct change_shingles *s)
{
    size_t n = s->text.n - s->block;
    struct block b;
    if (n >= BLOCK) {
        b = block_at(s->text.p + s->block);
    } else {
        char rest[BLOCK] = {0};
        memcpy(rest, s->text.p + s->block, n);
        b = block_at(rest);
        b.spaces |= UINT64_C(1) << n;
    }
    s->ends = b.spaces;
    for (; b.high && !s->spaceless; b.high &= b.high - 1)
        s->spaceless = spaceless_letter(s->text, s->block + (unsigned)__builtin_ctzll(b.high)) != 0;
}

/* The end of the next word, unless a letter that is a word has come into sight. */
static size_t next_space(struct change_shingles *s)
{
    while (s->ends == 0 && !s->spaceless) {
        s->block += BLOCK;
        look_at_block(s);
    }
    if (s->spaceless)
        return 0;
    size_t end = s->block + (unsigned)__builtin_ctzll(s->ends);
    s->ends &= s->ends - 1;
    return end;
}

/* The same where a letter can be a word: a word ends before and behind such a letter. */
static size_t spaceless_end(struct str s, size_t from)
{
    size_t at = from;
    while (at < s.n && s.p[at] != ' ') {
        size_t letter = spaceless_letter(s, at);
        if (letter)
            return at == from ? at + letter : at;
        at++;
    }
    return at;
}

static size_t word_end(struct change_shingles *s)
{
    size_t end = s->spaceless ? 0 : next_space(s);
    if (s->spaceless)
        end = spaceless_end(s->text, s->start[s->words % CHANGE_SHINGLE_WORDS]);
    s->done = end == s->text.n;
    return end;
}

struct change_shingles change_shingles_of(struct str normal)
{
    struct change_shingles s = {.text = normal, .done = normal.n == 0};
    if (!s.done)
        look_at_block(&s);
    return s;
}

size_t change_shingles_next(struct change_shingles *s, uint64_t *to, size_t max)
{
    size_t made = 0;
    while (made < max && !s->done) {
        size_t end = word_end(s);
        s->words++;
        size_t oldest = s->start[s->words % CHANGE_SHINGLE_WORDS];
        if (s->words >= CHANGE_SHINGLE_WORDS)
            to[made++] = hash64(str_make(s->text.p + oldest, end - oldest));
        else if (s->done)
            to[made++] = hash64(s->text);
        if (!s->done)
            s->start[s->words % CHANGE_SHINGLE_WORDS] = end + (s->text.p[end] == ' ');
    }
    return made;
}

/* Two 64-bit lanes; gcc and clang make it one SSE2, NEON or VX register, or two words. */
typedef uint64_t lanes __attribute__((vector_size(16)));

static inline lanes lanes_at(const uint64_t *p)
{
    lanes v;
    memcpy(&v, p, sizeof v);
    return v;
}

/* A full adder: *sum takes the low digit of a + b + *sum, the result is the carry. */
static inline lanes add3(lanes *sum, lanes a, lanes b)
{
    lanes half = a ^ b;
    lanes carry = (a & b) | (half & *sum);
    *sum ^= half;
    return carry;
}

static void add_carry(struct change_sim *s, unsigned plane, lanes carry)
{
    for (; plane < CHANGE_SIM_PLANES && (carry[0] | carry[1]); plane++) {
        lanes digit = lanes_at(s->plane[plane]);
        lanes next = digit & carry;
        digit ^= carry;
        memcpy(s->plane[plane], &digit, sizeof digit);
        carry = next;
    }
}

static void add_batch(struct change_sim *s, const uint64_t *h)
{
    lanes ones = lanes_at(s->plane[0]);
    lanes twos = lanes_at(s->plane[1]);
    lanes fours = lanes_at(s->plane[2]);
    lanes two_a = add3(&ones, lanes_at(h), lanes_at(h + 2));
    lanes two_b = add3(&ones, lanes_at(h + 4), lanes_at(h + 6));
    lanes four_a = add3(&twos, two_a, two_b);
    two_a = add3(&ones, lanes_at(h + 8), lanes_at(h + 10));
    two_b = add3(&ones, lanes_at(h + 12), lanes_at(h + 14));
    lanes four_b = add3(&twos, two_a, two_b);
    lanes eights = add3(&fours, four_a, four_b);
    memcpy(s->plane[0], &ones, sizeof ones);
    memcpy(s->plane[1], &twos, sizeof twos);
    memcpy(s->plane[2], &fours, sizeof fours);
    add_carry(s, 3, eights);
}

void change_sim_add(struct change_sim *s, const uint64_t *hashes, size_t count)
{
    s->features += count;
    while (count) {
        if (s->waiting_count == 0 && count >= CHANGE_SIM_BATCH) {
            add_batch(s, hashes);
            hashes += CHANGE_SIM_BATCH;
            count -= CHANGE_SIM_BATCH;
            continue;
        }
        s->waiting[s->waiting_count++] = *hashes++;
        count--;
        if (s->waiting_count == CHANGE_SIM_BATCH) {
            add_batch(s, s->waiting);
            s->waiting_count = 0;
        }
    }
}

static uint64_t ones_of(const struct change_sim *s, unsigned bit)
{
    uint64_t ones = 0;
    for (unsigned p = 0; p < CHANGE_SIM_PLANES; p++)
        ones += ((s->plane[p][0] >> bit & 1) + (s->plane[p][1] >> bit & 1)) << p;
    return ones;
}

uint64_t change_sim_finish(struct change_sim *s)
{
    if (s->waiting_count) {
        size_t rest = CHANGE_SIM_BATCH - s->waiting_count;
        memset(s->waiting + s->waiting_count, 0, rest * sizeof *s->waiting);
        add_batch(s, s->waiting);
        s->waiting_count = 0;
    }
    uint64_t result = 0;
    for (unsigned bit = 0; bit < 64; bit++)
        result |= (uint64_t)(ones_of(s, bit) * 2 > s->features) << bit;
    return result;
}

uint64_t change_simhash(struct str normal)
{
    struct change_sim sim;
    memset(sim.plane, 0, sizeof sim.plane);
    sim.waiting_count = 0;
    sim.features = 0;
    struct change_shingles walk = change_shingles_of(normal);
    uint64_t hashes[CHANGE_SIM_BATCH * 8];
    size_t n;
    while ((n = change_shingles_next(&walk, hashes, sizeof hashes / sizeof *hashes)))
        change_sim_add(&sim, hashes, n);
    return change_sim_finish(&sim);
}

static void plain_count(uint64_t hash, int64_t weight[64])
{
    for (unsigned bit = 0; bit < 64; bit++)
        weight[bit] += hash >> bit & 1 ? 1 : -1;
}

uint64_t change_simhash_plain(struct str normal)
{
    int64_t weight[64] = {0};
    size_t start[2] = {0, 0}; /* of the last word and the one before it */
    size_t words = 0;
    for (size_t from = 0; from < normal.n; words++) {
        size_t end = spaceless_end(normal, from);
        if (words >= 2)
            plain_count(hash64(str_make(normal.p + start[1], end - start[1])), weight);
        start[1] = start[0];
        start[0] = from;
        from = end + (end < normal.n && normal.p[end] == ' ');
    }
    if (words && words < 3)
        plain_count(hash64(normal), weight);
    uint64_t result = 0;
    for (unsigned bit = 0; bit < 64; bit++)
        result |= (uint64_t)(weight[bit] > 0) << bit;
    return result;
}
