/* SPDX-License-Identifier: Apache-2.0 */
/* Property: every address found, written back as an escaped string, is found again alone and the
 * same; the scan ends. srcset and refresh are given the same bytes: what they find lies within. */
#include "fuzz.h"
#include "html/css.h"
#include "html/refresh.h"
#include "html/srcset.h"

static void written_back(struct css_url url)
{
    struct buf css, scratch;
    buf_init(&css, 1 << 24);
    buf_init(&scratch, 1 << 24);
    buf_add(&css, url.is_import ? STR("@import '") : STR("a{b:url('"));
    for (size_t i = 0; i < url.raw.n; i++) {
        char c = url.raw.p[i];
        if ((unsigned char)c < 0x30 || c == '\\')
            buf_printf(&css, "\\%x ", (unsigned)c);
        else
            buf_byte(&css, c);
    }
    buf_add(&css, url.is_import ? STR("';") : STR("')}"));
    struct css_scan scan;
    struct css_url again;
    css_scan_init(&scan, buf_str(&css), &scratch);
    MUST(css_scan_next(&scan, &again));
    MUST(again.is_import == url.is_import && str_eq(again.raw, url.raw));
    MUST(!css_scan_next(&scan, &again));
    buf_done(&css);
    buf_done(&scratch);
}

static bool within(struct str piece, struct str whole)
{
    return piece.p >= whole.p && piece.p + piece.n <= whole.p + whole.n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str text = str_make((const char *)data, size), url, rest = text;
    struct buf scratch;
    buf_init(&scratch, 1 << 24);
    struct css_scan scan;
    struct css_url found;
    css_scan_init(&scan, text, &scratch);
    while (css_scan_next(&scan, &found))
        written_back(found);
    MUST(buf_rc(&scratch) == RC_OK);
    buf_done(&scratch);
    while (srcset_next(&rest, &url))
        MUST(url.n > 0 && within(url, text) && url.p[0] != ',' && url.p[url.n - 1] != ',');
    if (refresh_url(text, &url))
        MUST(url.n > 0 && within(url, text));
    return 0;
}
