/* SPDX-License-Identifier: Apache-2.0 */
#include "change/simhash.h"

#include "base/bytes.h"
#include "base/hash.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

enum { BLOCK = 64, PIECE = 16 };

static const uint64_t LOW_SALT = UINT64_C(0xa0761d6478bd642f);
static const uint64_t HIGH_SALT = UINT64_C(0xe7037ed1a0b428db);

/* Sixteen bytes, as two little-endian numbers, into a word's hash: the 128-bit product, folded. */
static inline uint64_t word_step(uint64_t hash, uint64_t low, uint64_t high)
{
    unsigned __int128 product = (unsigned __int128)(low ^ LOW_SALT ^ hash) * (high ^ HIGH_SALT);
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* The hash starts from the length, so the zeros behind a short piece say nothing else. */
static inline uint64_t word_begin(size_t bytes)
{
    return (uint64_t)bytes << 32;
}

/* Of one to three words; absent ones are 0. Rotated, since order matters. */
static inline uint64_t shingle(uint64_t first, uint64_t second, uint64_t third)
{
    return hash64_mix(third + (second << 21 | second >> 43) + (first << 42 | first >> 22));
}

/* The bytes of a piece that belong to a word of n bytes, without a branch on its length. */
static const uint8_t piece_mask[2 * PIECE] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
                                              0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};

/* `room` bytes can be read at `p`, the word is the first `n`. */
static inline uint64_t word_hash(const char *p, size_t n, size_t room)
{
    uint64_t hash = word_begin(n);
    char rest[PIECE];
    for (; n > PIECE; p += PIECE, n -= PIECE, room -= PIECE)
        hash = word_step(hash, get_le64(p), get_le64(p + 8));
    if (room < PIECE) {
        memset(rest, 0, sizeof rest);
        memcpy(rest, p, n);
        p = rest;
    }
    const uint8_t *mask = piece_mask + PIECE - n;
    return word_step(hash, get_le64(p) & get_le64(mask), get_le64(p + 8) & get_le64(mask + 8));
}

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

/* The end of the word at `from` where a letter can be a word: it ends before and behind one. */
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

struct change_shingles change_shingles_of(struct str normal)
{
    struct change_shingles s = {.text = normal, .done = normal.n == 0};
    if (!s.done)
        look_at_block(&s);
    return s;
}

/* Takes the word up to `end`; returns how many shingles that made (0 or 1). */
static inline size_t take_word(struct change_shingles *s, size_t end, uint64_t *to)
{
    uint64_t hash = word_hash(s->text.p + s->start, end - s->start, s->text.n - s->start);
    s->done = end == s->text.n;
    *to = shingle(s->earlier, s->last, hash);
    s->earlier = s->last;
    s->last = hash;
    s->start = end + (!s->done && s->text.p[end] == ' ');
    return ++s->words >= CHANGE_SHINGLE_WORDS || s->done;
}

/* All words that end in the block, as far as there is room. The walk is a copy, which lets the
 * compiler keep it in registers: half of the time of a whole simhash. */
static size_t take_block(struct change_shingles *walk, uint64_t *to, size_t max)
{
    struct change_shingles s = *walk;
    size_t made = 0;
    for (; s.ends && made < max; s.ends &= s.ends - 1)
        made += take_word(&s, s.block + (unsigned)__builtin_ctzll(s.ends), to + made);
    *walk = s;
    return made;
}

size_t change_shingles_next(struct change_shingles *s, uint64_t *to, size_t max)
{
    size_t made = 0;
    while (made < max && !s->done) {
        if (s->spaceless) {
            made += take_word(s, spaceless_end(s->text, s->start), to + made);
        } else if (s->ends) {
            made += take_block(s, to + made, max - made);
        } else {
            s->block += BLOCK;
            look_at_block(s);
        }
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

static uint64_t ones_of(const struct change_sim *s, unsigned bit, unsigned planes)
{
    uint64_t ones = 0;
    for (unsigned p = 0; p < planes; p++)
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
    unsigned planes = 0; /* no counter is over the number of features */
    while (planes < CHANGE_SIM_PLANES && s->features >> planes)
        planes++;
    for (unsigned bit = 0; bit < 64; bit++)
        result |= (uint64_t)(ones_of(s, bit, planes) * 2 > s->features) << bit;
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

static uint64_t plain_word_hash(struct str word)
{
    uint64_t hash = word_begin(word.n);
    do {
        uint64_t half[2] = {0, 0};
        for (size_t i = 0; i < PIECE && i < word.n; i++)
            half[i / 8] |= (uint64_t)(uint8_t)word.p[i] << (i % 8 * 8);
        hash = word_step(hash, half[0], half[1]);
        word = str_from(word, PIECE);
    } while (word.n);
    return hash;
}

static void plain_count(uint64_t hash, int64_t weight[64])
{
    for (unsigned bit = 0; bit < 64; bit++)
        weight[bit] += hash >> bit & 1 ? 1 : -1;
}

uint64_t change_simhash_plain(struct str normal)
{
    int64_t weight[64] = {0};
    uint64_t word[3] = {0, 0, 0};
    size_t words = 0;
    for (size_t from = 0; from < normal.n; words++) {
        size_t end = spaceless_end(normal, from);
        word[0] = word[1];
        word[1] = word[2];
        word[2] = plain_word_hash(str_make(normal.p + from, end - from));
        if (words >= 2)
            plain_count(shingle(word[0], word[1], word[2]), weight);
        from = end + (end < normal.n && normal.p[end] == ' ');
    }
    if (words && words < 3)
        plain_count(shingle(word[0], word[1], word[2]), weight);
    uint64_t result = 0;
    for (unsigned bit = 0; bit < 64; bit++)
        result |= (uint64_t)(weight[bit] > 0) << bit;
    return result;
}
