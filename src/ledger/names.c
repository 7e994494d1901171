/* SPDX-License-Identifier: Apache-2.0 */
#include "ledger/names.h"

#include "archive/line_file.h"
#include "archive/line_source.h"
#include "base/hex.h"
#include "base/int_set.h"
#include "base/mem.h"

enum {
    LEAST_SLOTS = 1024,
    STEP_BYTES = 1 << 20,
    USUAL_LINE_BYTES = 96, /* bytes of the file that are read for each URL with room */
};

struct names {
    struct int_set young, old;
    size_t most; /* of a generation */
};

struct names *names_open(uint64_t max_bytes)
{
    struct names *n = mem_zero(1, sizeof *n);
    size_t slots = LEAST_SLOTS;
    if (!n)
        return NULL;
    while (slots * 2 * 2 * sizeof(uint64_t) <= max_bytes)
        slots *= 2;
    n->most = slots / 4 * 3; /* a set of this size needs no more slots */
    return n;
}

void names_close(struct names *n)
{
    if (!n)
        return;
    int_set_done(&n->young);
    int_set_done(&n->old);
    mem_free(n);
}

bool names_add(struct names *n, uint64_t fingerprint)
{
    bool is_new = true, was_old = int_set_has(&n->old, fingerprint);
    if (n->young.count >= n->most && !int_set_has(&n->young, fingerprint)) {
        int_set_done(&n->old);
        n->old = n->young;
        n->young = (struct int_set){0};
    }
    if (int_set_add(&n->young, fingerprint, &is_new)) /* one that is met again stays */
        return !was_old;
    return is_new && !was_old;
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
    uint64_t size = 0, most = (uint64_t)n->most * 2 * USUAL_LINE_BYTES;
    enum rc rc = line_source_open(&s, d, path, UINT64_MAX, STEP_BYTES, LINE_FILE_MAX_LINE);
    rc = rc ? rc : disk_size(s.file, &size);
    if (rc == RC_OK && size > most)
        s.at = size - most;
    while (rc == RC_OK && (rc = line_source_next(&s)) == RC_OK && s.line.p)
        refill_line(n, s.line);
    line_source_done(&s);
    return rc == RC_NOMEM || rc == RC_IO ? rc : RC_OK;
}
