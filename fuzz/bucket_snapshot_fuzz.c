/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes as a bucket's image, with the hash made right so that the reader goes on behind it. What is
 * taken can be written and read again and is then the same; what is refused leaves nothing. */
#include "base/bytes.h"
#include "base/hash.h"
#include "base/mem.h"
#include "frontier/snapshot.h"

#include <stdlib.h>

static const struct frontier_settings settings[] = {
    {.max_hosts = 1000, .max_host_queue = UINT32_MAX},
    {.max_hosts = 1000, .max_host_queue = UINT32_MAX, .order = ORDER_PRIORITY}, /* with counts */
};
static const struct snapshot_context context = {.now_ms = 1, .wall_ms = 1, .most_wait_ms = 1000};

static void check_again(struct frontier *f, unsigned bucket, const struct frontier_settings *s)
{
    struct buf one = {.max = 1 << 24}, two = {.max = 1 << 24};
    struct frontier *g = frontier_open(s, 0, 1);
    snapshot_write(f, bucket, &context, &one);
    if (!g || buf_rc(&one) || snapshot_read(g, buf_str(&one), &context))
        abort();
    snapshot_write(g, bucket, &context, &two);
    struct frontier_counts a = frontier_counts(f), b = frontier_counts(g);
    if (a.hosts != b.hosts || a.known != b.known || a.queued != b.queued || one.n != two.n)
        abort();
    frontier_close(g);
    buf_done(&one);
    buf_done(&two);
}

static void read_one(const uint8_t *data, size_t n, const struct frontier_settings *s)
{
    struct frontier *f = frontier_open(s, 0, 1);
    uint64_t empty = frontier_counts(f).bytes;
    struct buf image = {.max = 1 << 24};
    buf_add(&image, str_make((const char *)data, n));
    buf_le64(&image, n ? hash64(str_make((const char *)data, n)) : 0);
    if (!f || buf_rc(&image))
        abort();
    if (snapshot_read(f, buf_str(&image), &context) == RC_OK)
        check_again(f, get_le32(data + 12), s);
    else if (frontier_counts(f).bytes != empty)
        abort();
    frontier_close(f);
    buf_done(&image);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    read_one(data, n, &settings[0]);
    read_one(data, n, &settings[1]);
    return 0;
}
