/* SPDX-License-Identifier: Apache-2.0 */
#include "content/feed.h"
#include "content/sheet.h"
#include "world/put.h"

static void charset_write(struct sheet *s)
{
    bool said = s->page.charset_said == CHARSET_IN_META || s->page.charset_said == CHARSET_IN_BOTH;
    if (!said)
        return;
    bool old = sheet_chance(s, SHEET_HEAD) & 1;
    PUT_EITHER(s->out, old, "<meta http-equiv=\"Content-Type\" content=\"text/html; charset=",
               "<meta charset=\"");
    put(s->out, str_c(charset_label(s->page.charset)));
    PUT(s->out, "\">\n");
}

static void title_write(struct sheet *s)
{
    char room[800];
    struct buf words = buf_on(room, sizeof room);
    page_title_write(s->world, s->at.host, s->original, &words);
    PUT(&words, " - ");
    site_name_write(s->world, s->at.host, &words);
    PUT(s->out, "<title>");
    sheet_text(s, buf_str(&words));
    PUT(s->out, "</title>\n");
}

static void base_write(struct sheet *s)
{
    struct place root = {s->at.host, PLACE_PAGE, 0, 0};
    if (!s->page.has_base)
        return;
    PUT(s->out, "<base href=\"");
    place_url(s->world, root, s->out);
    PUT(s->out, "\">\n");
}

static void meta_write(struct sheet *s)
{
    uint64_t chance = sheet_chance(s, SHEET_HEAD);
    PUT(s->out, "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                "<meta name=\"description\" content=\"");
    put(s->out, pool_piece(s->pool, pool_pick(s->pool, PIECE_HEADING, chance)));
    PUT(s->out, "\">\n<meta name=\"generator\" content=\"simweb\">\n");
    if (s->page.role == PAGE_NOFOLLOW && !s->page.nofollow_header)
        PUT_EITHER(s->out, chance & 2, "<meta name=\"robots\" content=\"nofollow\">\n",
                   "<META NAME=ROBOTS CONTENT=\"index, NoFollow\">\n");
}

static void refresh_write(struct sheet *s, const struct link *l)
{
    PUT(s->out, "<meta http-equiv=\"refresh\" content=\"300; url=");
    href_write_bare(&s->href, l, s->out);
    PUT(s->out, "\">\n");
}

/* <link rel=… href=…> */
static void link_write(struct sheet *s, const struct link *l, struct str rel)
{
    bool upper = l->quirks & QUIRK_UPPER;
    PUT_EITHER(s->out, upper, "<LINK REL=\"", "<link rel=\"");
    put(s->out, rel);
    PUT_EITHER(s->out, upper, "\" HREF", "\" href");
    href_write(&s->href, l, s->out);
    PUT(s->out, ">\n");
}

static void script_write_link(struct sheet *s, const struct link *l)
{
    bool upper = l->quirks & QUIRK_UPPER;
    PUT_EITHER(s->out, upper, "<SCRIPT SRC", "<script src");
    href_write(&s->href, l, s->out);
    PUT_EITHER(s->out, upper, "></SCRIPT>\n", "></script>\n");
}

static void head_link(struct sheet *s, const struct link *l)
{
    switch (l->kind) {
    case LINK_STYLE:
        link_write(s, l, STR("stylesheet"));
        break;
    case LINK_SCRIPT:
        script_write_link(s, l);
        break;
    case LINK_ICON:
        link_write(s, l, s->at.host & 1 ? STR("icon") : STR("shortcut icon"));
        break;
    case LINK_FEED:
        link_write(s, l,
                   feed_is_atom(s->world, s->at.host)
                       ? STR("alternate\" title=\"feed\" type=\"application/atom+xml")
                       : STR("alternate\" title=\"feed\" type=\"application/rss+xml"));
        break;
    case LINK_REFRESH:
        refresh_write(s, l);
        break;
    default:
        break;
    }
}

void head_write(struct sheet *s)
{
    static const char *const languages[TONGUE_COUNT_] = {"en", "de", "ru", "ja"};
    uint64_t chance = sheet_chance(s, SHEET_HEAD);
    PUT(s->out, "<!DOCTYPE html>\n<html lang=\"");
    put(s->out, str_c(languages[s->tongue]));
    PUT(s->out, "\">\n<head>\n");
    charset_write(s);
    title_write(s);
    base_write(s);
    meta_write(s);
    for (uint32_t i = 0; i < s->links->count; i++)
        head_link(s, &s->links->list[i]);
    if (s->page.bytes > 6000 && chance >> 8 & 1)
        sheet_piece(s, pool_pick(s->pool, PIECE_STYLE, hash64_mix(chance)));
    if (s->page.bytes > 6000 && chance >> 9 & 1)
        sheet_piece(s, pool_pick(s->pool, PIECE_SCRIPT, hash64_mix(chance)));
    PUT(s->out, "</head>\n");
}
