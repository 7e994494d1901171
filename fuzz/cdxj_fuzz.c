/* SPDX-License-Identifier: Apache-2.0 */
/* A line that is read can be written, is then read as the same entry, and written as the same
 * bytes. */
#include "warc/cdxj.h"

#include "fuzz.h"

static bool same(const struct cdxj_entry *a, const struct cdxj_entry *b)
{
    struct str digest = a->digest;
    if (str_starts(digest, STR("sha1:")))
        digest = str_from(digest, 5);
    return str_eq(a->key, b->key) && a->date_ms == b->date_ms && str_eq(a->url, b->url) &&
           str_eq(a->mime, b->mime) && a->status == b->status && str_eq(digest, b->digest) &&
           a->length == b->length && a->offset == b->offset && str_eq(a->filename, b->filename);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    struct buf room = {.max = 4 << 20}, again_room = {.max = 16 << 20};
    struct buf line = {.max = 16 << 20}, again = {.max = 16 << 20};
    struct cdxj_entry first, second;
    if (cdxj_parse(str_make((const char *)data, n), &room, &first) == RC_OK) {
        MUST(cdxj_print(&line, &first) == RC_OK);
        /* Escapes may make a line longer than the limit; nothing else may keep it from being read.
         */
        if (line.n <= CDXJ_MAX_LINE) {
            MUST(cdxj_parse(buf_str(&line), &again_room, &second) == RC_OK &&
                 same(&first, &second));
            MUST(cdxj_print(&again, &second) == RC_OK);
            bool twice_prefixed = str_starts(second.digest, STR("sha1:"));
            MUST(twice_prefixed || str_eq(buf_str(&line), buf_str(&again)));
        }
    }
    buf_done(&room);
    buf_done(&again_room);
    buf_done(&line);
    buf_done(&again);
    return 0;
}
