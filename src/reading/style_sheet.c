/* SPDX-License-Identifier: Apache-2.0 */
#include "reading/style_sheet.h"

#include "html/css.h"

void style_sheet_refer(struct str css, struct buf *scratch, struct arena *arena,
                       struct visit_parsed *parsed)
{
    struct css_scan scan;
    struct css_url url;
    css_scan_init(&scan, css, scratch);
    while (css_scan_next(&scan, &url)) {
        struct str raw = arena_dup(arena, url.raw);
        if (!raw.p || !parsed_refer(parsed, arena, raw, HOP_EMBED, STR("css/url")))
            break;
    }
}
