/* SPDX-License-Identifier: Apache-2.0 */
#include "content/xml.h"

#include "world/put.h"

#include <time.h>

void xml_text(struct str text, struct buf *out)
{
    for (size_t i = 0; i < text.n; i++)
        if (text.p[i] == '&')
            PUT(out, "&amp;");
        else if (text.p[i] == '<')
            PUT(out, "&lt;");
        else
            put_byte(out, text.p[i]);
}

void xml_url(const struct world *w, struct place p, struct buf *out)
{
    char room[2048];
    struct buf url = buf_on(room, sizeof room);
    place_url(w, p, &url);
    xml_text(buf_str(&url), out);
}

static void date_write(uint64_t wall_ms, const char *format, struct buf *out)
{
    char room[64];
    struct tm parts;
    time_t seconds = (time_t)(wall_ms / 1000);
    if (gmtime_r(&seconds, &parts))
        put(out, str_make(room, strftime(room, sizeof room, format, &parts)));
}

void date_write_w3c(uint64_t wall_ms, struct buf *out)
{
    date_write(wall_ms, "%Y-%m-%dT%H:%M:%SZ", out);
}

/* The program never leaves the C locale, so the names of days are English. */
void date_write_822(uint64_t wall_ms, struct buf *out)
{
    date_write(wall_ms, "%a, %d %b %Y %H:%M:%S GMT", out);
}
