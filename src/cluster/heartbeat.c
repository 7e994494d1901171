/* SPDX-License-Identifier: Apache-2.0 */
#include "cluster/heartbeat.h"

#include "base/bytes.h"

enum { VERSION_BYTE = 1, WORDS = 10, BYTES = 1 + 1 + 4 + WORDS * 8, GATES_OPEN = 1, HAS_FLOOR = 2 };

void heartbeat_write(const struct heartbeat *h, struct buf *out)
{
    const uint64_t words[WORDS] = {h->inc,        h->boot,  h->beat,  h->epoch,    h->roster,
                                   h->generation, h->floor, h->round, h->admitted, h->pages};
    buf_byte(out, VERSION_BYTE);
    buf_byte(out, (char)((h->gates_open ? GATES_OPEN : 0) | (h->has_floor ? HAS_FLOOR : 0)));
    buf_le32(out, h->quiet);
    for (size_t i = 0; i < WORDS; i++)
        buf_le64(out, words[i]);
}

enum rc heartbeat_read(struct str bytes, struct heartbeat *ret)
{
    if (bytes.n != BYTES)
        return RC_CORRUPT;
    if (bytes.p[0] != VERSION_BYTE)
        return RC_VERSION;
    unsigned flags = (unsigned char)bytes.p[1];
    if (flags > (GATES_OPEN | HAS_FLOOR))
        return RC_CORRUPT;
    uint64_t words[WORDS];
    for (size_t i = 0; i < WORDS; i++)
        words[i] = get_le64(bytes.p + 6 + i * 8);
    *ret = (struct heartbeat){.inc = words[0],
                              .boot = words[1],
                              .beat = words[2],
                              .epoch = words[3],
                              .roster = words[4],
                              .generation = words[5],
                              .floor = words[6],
                              .round = words[7],
                              .admitted = words[8],
                              .pages = words[9],
                              .gates_open = flags & GATES_OPEN,
                              .has_floor = flags & HAS_FLOOR,
                              .quiet = get_le32(bytes.p + 2)};
    return RC_OK;
}
