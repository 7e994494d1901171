/* SPDX-License-Identifier: Apache-2.0 */
#include "store/bloom.h"

#include "base/bytes.h"
#include "base/hash.h"
#include "base/mem.h"

#include <math.h>
#include <stdatomic.h>

enum {
    BLOCK_WORDS = BLOOM_BLOCK_BYTES / 8,
    BLOCK_BITS = BLOOM_BLOCK_BYTES * 8,
    BIT_BITS = 9, /* that choose one of a block's bits */
    MOST_HASHES = 16,
    MOST_SHARE = 128, /* bits for each fingerprint */
    STEPS = 64,       /* of the mean loss */
    SAMPLES = 4096,   /* blocks that are looked at for the loss */
};

/* The model of loss_at() is a little too good: in truth bits are not spread quite evenly. */
#define SAFETY 0.8

struct bloom {
    _Atomic uint64_t *words;
    struct bloom_shape shape;
    _Atomic uint64_t count;
};

/* How large ------------------------------------------------------------------------------------ */

/* The loss of a filter with `load` fingerprints in the mean block: over all numbers of fingerprints
 * that a block may have, how likely that number is (Poisson) times how likely all bits of another
 * fingerprint are set in such a block. */
static double loss_at(double load, unsigned hashes)
{
    double likely = exp(-load), sum = 0, clear = pow(1 - 1.0 / BLOCK_BITS, hashes), empty = 1;
    double most = load + 12 * sqrt(load) + 40;
    for (unsigned i = 0; i < most; i++) {
        sum += likely * pow(1 - empty, hashes);
        likely *= load / (i + 1);
        empty *= clear;
    }
    return sum;
}

/* The fewest hashes that keep the loss with so many bits for each fingerprint, in eighths; 0: none.
 */
static unsigned hashes_for(unsigned eighths, double loss)
{
    for (unsigned k = 1; k <= MOST_HASHES; k++)
        if (loss_at(8.0 * BLOCK_BITS / eighths, k) <= loss)
            return k;
    return 0;
}

/* The fewest bits for each fingerprint, in eighths, that keep the loss, and the number of hashes.
 * More bits never lose more, so halving finds them. */
static unsigned share_of(double loss, unsigned *ret_hashes)
{
    unsigned least = 8, most = 8 * MOST_SHARE;
    while (least < most) {
        unsigned middle = (least + most) / 2;
        if (hashes_for(middle, loss))
            most = middle;
        else
            least = middle + 1;
    }
    unsigned hashes = hashes_for(least, loss);
    *ret_hashes = hashes ? hashes : MOST_HASHES;
    return least;
}

struct bloom_shape bloom_shape(uint64_t expected, double loss)
{
    struct bloom_shape s = {0};
    uint64_t eighths = share_of(loss * SAFETY, &s.hashes);
    if (expected <= UINT64_MAX / eighths)
        s.blocks = expected * eighths / 8 / BLOCK_BITS + 1;
    return s;
}

struct bloom *bloom_open(struct bloom_shape s)
{
    if (!s.blocks || s.blocks > UINT32_MAX || !s.hashes || s.hashes > MOST_HASHES)
        return NULL;
    struct bloom *b = mem_zero(1, sizeof *b);
    if (!b)
        return NULL;
    b->shape = s;
    b->words = mem_zero(s.blocks, BLOOM_BLOCK_BYTES);
    if (!b->words) {
        mem_free(b);
        return NULL;
    }
    return b;
}

struct bloom_shape bloom_shape_of(const struct bloom *b)
{
    return b->shape;
}

void bloom_close(struct bloom *b)
{
    if (!b)
        return;
    mem_free((void *)b->words);
    mem_free(b);
}

/* Asking and adding ---------------------------------------------------------------------------- */

static _Atomic uint64_t *block_of(const struct bloom *b, uint64_t hash)
{
    return b->words + ((hash >> 32) * b->shape.blocks >> 32) * BLOCK_WORDS;
}

/* The bits that a fingerprint has in its block: the next BIT_BITS of a hash choose each, and every
 * A_HASH of them take another hash. */
struct bit_walk {
    uint64_t from, hash;
};
enum { A_HASH = 64 / BIT_BITS };

static unsigned next_bit(struct bit_walk *w, unsigned i)
{
    if (i % A_HASH == 0)
        w->hash = hash64_mix(w->from + i + 1);
    unsigned bit = (unsigned)w->hash % BLOCK_BITS;
    w->hash >>= BIT_BITS;
    return bit;
}

bool bloom_has(const struct bloom *b, uint64_t fingerprint)
{
    struct bit_walk w = {.from = hash64_mix(fingerprint)};
    _Atomic uint64_t *block = block_of(b, w.from);
    for (unsigned i = 0; i < b->shape.hashes; i++) {
        unsigned bit = next_bit(&w, i);
        if (!(atomic_load_explicit(&block[bit / 64], memory_order_relaxed) >> bit % 64 & 1))
            return false;
    }
    return true;
}

void bloom_add(struct bloom *b, uint64_t fingerprint)
{
    struct bit_walk w = {.from = hash64_mix(fingerprint)};
    _Atomic uint64_t *block = block_of(b, w.from);
    bool is_new = false;
    for (unsigned i = 0; i < b->shape.hashes; i++) {
        unsigned bit = next_bit(&w, i);
        uint64_t old = atomic_load_explicit(&block[bit / 64], memory_order_relaxed);
        uint64_t now = old | UINT64_C(1) << bit % 64;
        is_new |= now != old;
        atomic_store_explicit(&block[bit / 64], now, memory_order_relaxed);
    }
    if (is_new)
        atomic_fetch_add_explicit(&b->count, 1, memory_order_relaxed);
}

void bloom_clear(struct bloom *b)
{
    for (uint64_t i = 0; i < b->shape.blocks * BLOCK_WORDS; i++)
        atomic_store_explicit(&b->words[i], 0, memory_order_relaxed);
    atomic_store_explicit(&b->count, 0, memory_order_relaxed);
}

/* Numbers -------------------------------------------------------------------------------------- */

uint64_t bloom_count(const struct bloom *b)
{
    return atomic_load_explicit(&b->count, memory_order_relaxed);
}

uint64_t bloom_bytes(const struct bloom *b)
{
    return b->shape.blocks * BLOOM_BLOCK_BYTES;
}

/* The probability that all bits of another fingerprint are set in this block. */
static double block_loss(const struct bloom *b, uint64_t block)
{
    unsigned ones = 0;
    for (unsigned i = 0; i < BLOCK_WORDS; i++)
        ones += (unsigned)__builtin_popcountll(
            atomic_load_explicit(&b->words[block * BLOCK_WORDS + i], memory_order_relaxed));
    return pow((double)ones / BLOCK_BITS, b->shape.hashes);
}

/* As the filter is: the mean of blocks from all over it. */
double bloom_loss(const struct bloom *b)
{
    uint64_t step = b->shape.blocks / SAMPLES + 1, count = 0;
    double sum = 0;
    for (uint64_t i = 0; i < b->shape.blocks; i += step, count++)
        sum += block_loss(b, i);
    return sum / (double)count;
}

/* Each was lost with the loss of its moment: the mean loss from the empty filter on, by steps,
 * which is off by as much as the loss of now is. */
double bloom_lost(const struct bloom *b)
{
    double count = (double)bloom_count(b), blocks = (double)b->shape.blocks, sum = 0;
    double now = loss_at(count / blocks, b->shape.hashes);
    if (now <= 0)
        return 0;
    for (unsigned i = 0; i < STEPS; i++)
        sum += loss_at(count * (i + 0.5) / STEPS / blocks, b->shape.hashes);
    return sum / STEPS * count * bloom_loss(b) / now;
}

/* As bytes ------------------------------------------------------------------------------------- */

void bloom_write(const struct bloom *b, uint64_t at, size_t bytes, struct buf *out)
{
    uint64_t all = bloom_bytes(b);
    for (uint64_t i = at; i < at + bytes && i < all; i += 8)
        buf_le64(out, atomic_load_explicit(&b->words[i / 8], memory_order_relaxed));
}

enum rc bloom_read(struct bloom *b, uint64_t at, struct str bytes)
{
    uint64_t all = bloom_bytes(b);
    if (at % BLOOM_BLOCK_BYTES || bytes.n % BLOOM_BLOCK_BYTES || at > all || bytes.n > all - at)
        return RC_CORRUPT;
    for (size_t i = 0; i < bytes.n; i += 8)
        atomic_store_explicit(&b->words[(at + i) / 8], get_le64(bytes.p + i), memory_order_relaxed);
    return RC_OK;
}

void bloom_set_count(struct bloom *b, uint64_t count)
{
    atomic_store_explicit(&b->count, count, memory_order_relaxed);
}
