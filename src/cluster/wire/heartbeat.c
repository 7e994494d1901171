/* SPDX-License-Identifier: Apache-2.0 */
#include "cluster/wire/heartbeat.h"

#include "base/bytes.h"

enum {
    VERSION_BYTE = 4,
    WORDS = 14,
    BYTES = 1 + 1 + 4 + WORDS * 8 + 1 + 1 + 1, /* and domains, addresses and receipts */
    DOMAIN_BYTES = 3 * 8,
    ADDRESS_BYTES = 8,
    RECEIPT_BYTES = 3 * 8,
    GATES_OPEN = 1,
    HAS_ACKED_THROUGH = 2,
    FINISHED = 4,
    OVER = 8,
    HOME = 16,
    FLAGS = 31
};
_Static_assert(BYTES + HEARTBEAT_MAX_DOMAINS * DOMAIN_BYTES +
                       HEARTBEAT_MAX_ADDRESSES * ADDRESS_BYTES +
                       HEARTBEAT_MAX_RECEIPTS * RECEIPT_BYTES <=
                   HEARTBEAT_MAX_BYTES,
               "a heartbeat fits into its room");

void heartbeat_write(const struct heartbeat *h, const struct heartbeat_lists *l, struct buf *out)
{
    const uint64_t words[WORDS] = {h->inc,       h->boot,       h->number,        h->epoch,
                                   h->roster,    h->generation, h->acked_through, h->finish_round,
                                   h->admitted,  h->pages,      h->bytes,         h->all_pages,
                                   h->all_bytes, h->sent};
    buf_byte(out, VERSION_BYTE);
    buf_byte(out, (char)((h->gates_open ? GATES_OPEN : 0) |
                         (h->has_acked_through ? HAS_ACKED_THROUGH : 0) |
                         (h->is_finished ? FINISHED : 0) | (h->is_over ? OVER : 0) |
                         (h->is_home ? HOME : 0)));
    buf_le32(out, h->quiet);
    for (size_t i = 0; i < WORDS; i++)
        buf_le64(out, words[i]);
    buf_byte(out, (char)l->domain_count);
    buf_byte(out, (char)l->address_count);
    buf_byte(out, (char)l->receipt_count);
    for (uint8_t i = 0; i < l->domain_count; i++) {
        buf_le64(out, l->domains[i].domain);
        buf_le64(out, l->domains[i].pages);
        buf_le64(out, l->domains[i].bytes);
    }
    for (uint8_t i = 0; i < l->address_count; i++)
        buf_le64(out, l->addresses[i]);
    for (uint8_t i = 0; i < l->receipt_count; i++) {
        buf_le64(out, l->receipts[i].session);
        buf_le64(out, l->receipts[i].through);
        buf_le64(out, l->receipts[i].above);
    }
}

static void read_lists(const char *from, struct heartbeat_lists *ret)
{
    for (uint8_t i = 0; i < ret->domain_count; i++, from += DOMAIN_BYTES)
        ret->domains[i] =
            (struct heartbeat_domain){get_le64(from), get_le64(from + 8), get_le64(from + 16)};
    for (uint8_t i = 0; i < ret->address_count; i++, from += ADDRESS_BYTES)
        ret->addresses[i] = get_le64(from);
    for (uint8_t i = 0; i < ret->receipt_count; i++, from += RECEIPT_BYTES)
        ret->receipts[i] =
            (struct heartbeat_receipt){get_le64(from), get_le64(from + 8), get_le64(from + 16)};
}

enum rc heartbeat_read(struct str bytes, struct heartbeat *ret, struct heartbeat_lists *ret_lists)
{
    if (!bytes.n)
        return RC_CORRUPT;
    if (bytes.p[0] != VERSION_BYTE)
        return RC_VERSION;
    if (bytes.n < BYTES)
        return RC_CORRUPT;
    unsigned flags = (unsigned char)bytes.p[1], domains = (unsigned char)bytes.p[BYTES - 3];
    unsigned addresses = (unsigned char)bytes.p[BYTES - 2];
    unsigned receipts = (unsigned char)bytes.p[BYTES - 1];
    if (flags > FLAGS || domains > HEARTBEAT_MAX_DOMAINS || addresses > HEARTBEAT_MAX_ADDRESSES ||
        receipts > HEARTBEAT_MAX_RECEIPTS ||
        bytes.n != BYTES + (size_t)domains * DOMAIN_BYTES + (size_t)addresses * ADDRESS_BYTES +
                       (size_t)receipts * RECEIPT_BYTES)
        return RC_CORRUPT;
    uint64_t words[WORDS];
    for (size_t i = 0; i < WORDS; i++)
        words[i] = get_le64(bytes.p + 6 + i * 8);
    *ret = (struct heartbeat){.inc = words[0],
                              .boot = words[1],
                              .number = words[2],
                              .epoch = words[3],
                              .roster = words[4],
                              .generation = words[5],
                              .acked_through = words[6],
                              .finish_round = words[7],
                              .admitted = words[8],
                              .pages = words[9],
                              .bytes = words[10],
                              .all_pages = words[11],
                              .all_bytes = words[12],
                              .sent = words[13],
                              .is_over = flags & OVER,
                              .gates_open = flags & GATES_OPEN,
                              .has_acked_through = flags & HAS_ACKED_THROUGH,
                              .is_finished = flags & FINISHED,
                              .is_home = flags & HOME,
                              .quiet = get_le32(bytes.p + 2)};
    ret_lists->domain_count = (uint8_t)domains;
    ret_lists->address_count = (uint8_t)addresses;
    ret_lists->receipt_count = (uint8_t)receipts;
    read_lists(bytes.p + BYTES, ret_lists);
    return RC_OK;
}
