/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes as a batch of the crawl's journal, and as a record. What is taken has been looked at whole:
 * walking it ends, and a record that is taken is written and read again as the same. */
#include "ledger/batch.h"

#include <stdlib.h>

static void check_host_record(struct str bytes)
{
    struct host_record c = {0};
    struct buf one = {.max = 1 << 24}, two = {.max = 1 << 24};
    if (host_record_read(&c, bytes) == RC_OK) {
        host_record_write(&c, true, &one);
        if (buf_rc(&one) || host_record_read(&c, buf_str(&one)))
            abort();
        host_record_write(&c, true, &two);
        if (!str_eq(buf_str(&one), buf_str(&two)))
            abort();
    }
    struct host_record empty = {0};
    buf_clear(&one);
    host_record_write(&empty, true, &one);
    if (host_record_read(&c, buf_str(&one))) /* frees what it has */
        abort();
    buf_done(&one);
    buf_done(&two);
}

static void walk(struct batch *b)
{
    struct ledger_line line;
    struct candidate link;
    struct str name;
    uint64_t bytes;
    while (batch_next_line(&b->lines, &line))
        if (line.file >= LEDGER_FILES || !str_ends(line.text, STR("\n")))
            abort();
    while (batch_next_link(&b->links, &link, NULL))
        if (!link.host.n || link.path.n > FRONTIER_MAX_PATH_BYTES)
            abort();
    while (batch_next_drop(&b->drops, &bytes))
        ;
    while (batch_next_file(&b->files, &name, &bytes))
        ;
    if (b->has_url)
        check_host_record(b->url.record);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    struct str bytes = str_make((const char *)data, n);
    struct batch b;
    const char *why = NULL;
    enum rc rc = n ? batch_read(bytes, &b, &why) : RC_CORRUPT;
    if (rc == RC_OK)
        walk(&b);
    else if (n && !why)
        abort();
    check_host_record(bytes);
    return 0;
}
