/* SPDX-License-Identifier: Apache-2.0 */
#include "content/sheet.h"
#include "world/put.h"

void html_write(struct sheet *s)
{
    if (s->has_mark && s->page.charset != CHARSET_UTF16LE)
        PUT(s->out, "\xef\xbb\xbf");
    head_write(s);
    body_write(s);
    PUT(s->out, "</html>\n");
}
