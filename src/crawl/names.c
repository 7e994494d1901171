/* SPDX-License-Identifier: Apache-2.0 */
#include "crawl/names.h"

#include "archive/line_file.h"
#include "archive/line_source.h"
#include "base/hash.h"
#include "base/hex.h"
#include "base/mem.h"

enum {
    FIRST_SLOTS = 1024,
    STEP_BYTES = 1 << 20,
    USUAL_LINE_BYTES = 96, /* so many bytes of the file are read for each URL that has room */
};

/* Open addressing, at most three quarters full; 0 is a free slot. */
struct generation {
    uint64_t *slots;
    size_t slot_count, count;
};

struct names {
    struct generation young, old;
    size_t most_slots; /* of a generation */
};

struct names *names_open(uint64_t max_bytes)
{
    struct names *n = mem_zero(1, sizeof *n);
    if (!n)
        return NULL;
    n->most_slots = FIRST_SLOTS;
    while (n->most_slots * 2 * 2 * sizeof(uint64_t) <= max_bytes)
        n->most_slots *= 2;
    return n;
}

void names_close(struct names *n)
{
    if (!n)
        return;
    mem_free(n->young.slots);
    mem_free(n->old.slots);
    mem_free(n);
}

static size_t find_slot(const struct generation *g, uint64_t fingerprint)
{
    size_t at = (size_t)hash64_mix(fingerprint) & (g->slot_count - 1);
    while (g->slots[at] && g->slots[at] != fingerprint)
        at = (at + 1) & (g->slot_count - 1);
    return at;
}

static bool has(const struct generation *g, uint64_t fingerprint)
{
    return g->slot_count && g->slots[find_slot(g, fingerprint)];
}

static bool grow(struct generation *g)
{
    struct generation larger = {.slot_count = g->slot_count ? g->slot_count * 2 : FIRST_SLOTS,
                                .count = g->count};
    larger.slots = mem_zero(larger.slot_count, sizeof *larger.slots);
    if (!larger.slots)
        return false;
    for (size_t i = 0; i < g->slot_count; i++)
        if (g->slots[i])
            larger.slots[find_slot(&larger, g->slots[i])] = g->slots[i];
    mem_free(g->slots);
    *g = larger;
    return true;
}

/* Whether the young generation has room for one more. */
static bool make_room(struct names *n)
{
    struct generation *young = &n->young;
    if (young->count < young->slot_count / 4 * 3)
        return true;
    if (young->slot_count < n->most_slots)
        return grow(young);
    mem_free(n->old.slots);
    n->old = *young;
    *young = (struct generation){0};
    return grow(young);
}

bool names_add(struct names *n, uint64_t fingerprint)
{
    bool is_old = has(&n->old, fingerprint);
    if (has(&n->young, fingerprint))
        return false;
    if (fingerprint && make_room(n)) { /* one that is met again stays */
        n->young.slots[find_slot(&n->young, fingerprint)] = fingerprint;
        n->young.count++;
    }
    return !is_old;
}

/* "0123456789abcdef URL" */
static void refill_line(struct names *n, struct str line)
{
    uint64_t fingerprint;
    if (line.n > HEX16_BYTES && line.p[HEX16_BYTES] == ' ' &&
        hex16_read(str_first(line, HEX16_BYTES), &fingerprint))
        (void)names_add(n, fingerprint);
}

/* Where the tail begins within a line, the rest of that line is passed over. */
enum rc names_refill(struct names *n, struct disk *d, const char *path)
{
    struct line_source s;
    uint64_t size = 0, most = (uint64_t)n->most_slots / 2 * 3 * USUAL_LINE_BYTES;
    enum rc rc = line_source_open(&s, d, path, UINT64_MAX, STEP_BYTES, LINE_FILE_MAX_LINE);
    rc = rc ? rc : disk_size(s.file, &size);
    if (rc == RC_OK && size > most)
        s.at = size - most;
    while (rc == RC_OK && (rc = line_source_next(&s)) == RC_OK && s.line.p)
        refill_line(n, s.line);
    line_source_done(&s);
    return rc == RC_NOMEM || rc == RC_IO ? rc : RC_OK;
}
