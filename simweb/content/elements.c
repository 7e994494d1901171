/* SPDX-License-Identifier: Apache-2.0 */
#include "content/looks.h"
#include "content/sheet.h"
#include "world/put.h"

enum { WORDS_BYTES = 400 };

void sheet_piece(struct sheet *s, uint32_t piece)
{
    struct str text = pool_piece(s->pool, piece);
    if (text.n >= SPAN_LEAST_BYTES && s->span_count < SHEET_MAX_SPANS)
        s->spans[s->span_count++] = (struct span){(uint32_t)s->out->n, piece};
    put(s->out, text);
}

void sheet_text(struct sheet *s, struct str utf8)
{
    while (utf8.n) {
        size_t plain = 0;
        while (plain < utf8.n && utf8.p[plain] != '&' && utf8.p[plain] != '<')
            plain++;
        ink_write(s->ink, str_first(utf8, plain), s->out);
        utf8 = str_from(utf8, plain);
        if (utf8.n) {
            PUT_EITHER(s->out, utf8.p[0] == '&', "&amp;", "&lt;");
            utf8 = str_from(utf8, 1);
        }
    }
}

static void site_words(struct sheet *s, uint32_t host)
{
    char room[WORDS_BYTES];
    struct buf words = buf_on(room, sizeof room);
    site_name_write(s->world, host, &words);
    sheet_text(s, buf_str(&words));
}

void sheet_name_site(struct sheet *s)
{
    struct buf site = buf_on(s->site, sizeof s->site), *usual = s->out;
    s->out = &site;
    site_words(s, s->at.host);
    s->out = usual;
    s->site_bytes = site.n;
}

/* What a link to a place says: in the demo what it leads to, elsewhere whatever words come. */
static void target_words(struct sheet *s, struct place to)
{
    char room[WORDS_BYTES];
    struct buf words = buf_on(room, sizeof room);
    if (to.page != 0 && !world_settings(s->world)->demo) {
        uint64_t chance = hash64_mix((uint64_t)to.host << 32 | to.page);
        put(s->out, pool_piece(s->pool, pool_pick(s->pool, PIECE_HEADING, chance)));
    } else if (to.kind == PLACE_PAGE && to.page == 0 && to.host == s->at.host) {
        put(s->out, str_make(s->site, s->site_bytes));
    } else if (to.kind == PLACE_PAGE && to.page == 0) {
        site_words(s, to.host);
    } else {
        page_title_write(s->world, to.host, to.page, &words);
        sheet_text(s, buf_str(&words));
    }
}

void anchor_write(struct sheet *s, const struct link *l, struct str inner)
{
    bool upper = l->quirks & QUIRK_UPPER;
    bool nofollow = l->kind == LINK_A_NOFOLLOW;
    PUT_EITHER(s->out, upper, "<A HREF", "<a href");
    href_write(&s->href, l, s->out);
    if (nofollow)
        PUT_EITHER(s->out, upper, " REL=nofollow", " rel=\"nofollow\"");
    put_byte(s->out, '>');
    if (inner.p)
        put(s->out, inner);
    else
        target_words(s, l->to);
    PUT_EITHER(s->out, upper, "</A>", "</a>");
}

static void number_attribute(struct sheet *s, struct str name, uint64_t value)
{
    put(s->out, name);
    put_u64(s->out, value);
    put_byte(s->out, '"');
}

static void image_alt(struct sheet *s, const struct link *l, struct str alt)
{
    char room[WORDS_BYTES];
    struct buf words = buf_on(room, sizeof room);
    if (!alt.p) {
        image_words(s->world, l->to, &words);
        alt = buf_str(&words);
    }
    PUT(s->out, " alt=\"");
    put(s->out, alt);
    put_byte(s->out, '"');
}

/* srcset="a 1x, b 2x": `second` may be absent. */
static void srcset_write(struct sheet *s, const struct link *first, const struct link *second)
{
    PUT_EITHER(s->out, first->quirks & QUIRK_UPPER, " SRCSET=\"", " srcset=\"");
    href_write_bare(&s->href, first, s->out);
    if (second) {
        PUT(s->out, " 1x,\n  ");
        href_write_bare(&s->href, second, s->out);
    }
    PUT(s->out, " 2x\"");
}

void image_element_write(struct sheet *s, const struct link *l, const struct link *other,
                         struct str alt, struct str usemap)
{
    bool upper = l->quirks & QUIRK_UPPER;
    PUT_EITHER(s->out, upper, "<IMG", "<img");
    if (!(l->quirks & QUIRK_SRCSET)) {
        PUT_EITHER(s->out, upper, " SRC", " src");
        href_write(&s->href, l, s->out);
    }
    if (other || (l->quirks & QUIRK_SRCSET))
        srcset_write(s, l, other);
    struct image_size size = image_size(s->world, l->to);
    number_attribute(s, STR(" width=\""), size.width);
    number_attribute(s, STR(" height=\""), size.height);
    image_alt(s, l, alt);
    if (usemap.p) {
        PUT(s->out, " usemap=\"#");
        put(s->out, usemap);
        put_byte(s->out, '"');
    }
    put_byte(s->out, '>');
}

void area_write(struct sheet *s, const struct link *l, uint64_t nth, struct str alt)
{
    bool upper = l->quirks & QUIRK_UPPER;
    PUT_EITHER(s->out, upper, "<AREA SHAPE=rect COORDS=\"", "<area shape=\"rect\" coords=\"");
    put_u64(s->out, nth * 40);
    PUT(s->out, ",0,");
    put_u64(s->out, nth * 40 + 39);
    PUT(s->out, ",80\"");
    PUT_EITHER(s->out, upper, " HREF", " href");
    href_write(&s->href, l, s->out);
    PUT(s->out, " alt=\"");
    if (alt.p)
        put(s->out, alt);
    else
        target_words(s, l->to);
    PUT(s->out, "\">");
}

void iframe_write(struct sheet *s, const struct link *l)
{
    bool upper = l->quirks & QUIRK_UPPER;
    PUT_EITHER(s->out, upper, "<IFRAME SRC", "<iframe src");
    href_write(&s->href, l, s->out);
    PUT(s->out, " width=\"320\" height=\"180\" loading=\"lazy\">");
    PUT_EITHER(s->out, upper, "</IFRAME>", "</iframe>");
}
