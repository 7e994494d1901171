/* SPDX-License-Identifier: Apache-2.0 */
/* css: the addresses a style sheet names, found without building the sheet.
 *
 * The text is cut into tokens as CSS Syntax Level 3 says (comments, strings, escapes, url tokens,
 * bad urls), so an "url(" inside a string or a comment is no link. What counts:
 *     url(x)  url("x")                       anywhere but in the at-rules below
 *     @import "x"  @import url(x)            is_import; wherever it stands, also where a browser
 *                                            would be too late to honour it
 *     image-set("x" 1x, "y" 2x)              and its -webkit- form
 * @charset, @namespace and @document name no resource and are passed over up to their ';' or '{',
 * as are the conditions behind an @import. An empty address is passed over too.
 *
 * The input is UTF-8 or anything that is ASCII below 0x80; other bytes go through as they are.
 * Style sheets, <style> elements and style="" attributes all fit. Time is linear in the input. */
#ifndef HTML_CSS_H
#define HTML_CSS_H

#include "base/buf.h"

struct css_url {
    struct str raw; /* unescaped, not resolved, not trimmed; borrowed until the next call */
    bool is_import;
};

struct css_scan {
    struct str css;
    size_t at;
    struct buf *scratch;
    unsigned rule;        /* what the at-rule we are in does with addresses */
    unsigned depth;       /* open parentheses in this declaration */
    unsigned image_depth; /* the depth inside image-set(, or 0 */
};

/* Begins at the start of `css`. Both `css` and `scratch` are borrowed until the last call of
 * css_scan_next. `scratch` holds an address while it has escapes in it (any other is a piece of
 * `css`), so its maximum bounds the length of such an address. */
void css_scan_init(struct css_scan *s, struct str css, struct buf *scratch);

/* The next address, in the order of the text. False at the end, and when `scratch` failed (no
 * memory, over its maximum): buf_rc(scratch) then tells. */
bool css_scan_next(struct css_scan *s, struct css_url *ret);

#endif
