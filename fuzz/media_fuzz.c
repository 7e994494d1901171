/* SPDX-License-Identifier: Apache-2.0 */
/* Input: a Content-Type up to a line end, then the start of a body. Properties: a media there is;
 * a type is a part of its header, with one slash and nothing that a log or an index could stumble
 * over; what the bytes show is such a type itself; what shows a mark of an image is one. The same
 * bytes serve as a head for X-Robots-Tag, which knows three bits. */
#include "fetch/media.h"
#include "fetch/x_robots.h"
#include "fuzz.h"

static void check_type(struct str type)
{
    MUST(type.n >= 3 && type.n <= 127);
    size_t slashes = 0;
    for (size_t i = 0; i < type.n; i++) {
        MUST(type.p[i] > 0x20 && type.p[i] < 0x7f && type.p[i] != '"' && type.p[i] != ';');
        slashes += type.p[i] == '/';
    }
    MUST(slashes == 1);
    MUST(str_eq(media_type(type), type));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    struct str all = str_make((const char *)data, n), start = all;
    struct str header = str_take_until(&start, '\n');
    struct str type = media_type(header), seen = media_identify(start);
    enum media m = media_of(header, start);
    MUST(m < MEDIA_COUNT_);
    if (type.p) {
        MUST(type.p >= header.p && type.p + type.n <= header.p + header.n);
        check_type(type);
        MUST(media_of(type, start) == m);
    }
    if (seen.p)
        check_type(seen);
    if (str_starts(seen, STR("image/")) && !str_eq(seen, STR("image/svg+xml")))
        MUST(m == MEDIA_IMAGE);
    struct buf scratch = {.max = 1 << 16};
    MUST(x_robots_read(all, STR("bot"), &scratch) < 8);
    buf_done(&scratch);
    return 0;
}
