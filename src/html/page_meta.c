/* SPDX-License-Identifier: Apache-2.0 */
/* What meta, base, html and title say about the page. */
#include "html/page_internal.h"
#include "html/refresh.h"

unsigned page_robots_read(struct str content)
{
    static const struct {
        struct str word;
        unsigned bits;
    } rows[] = {
        {{"noindex", 7}, PAGE_NOINDEX},
        {{"nofollow", 8}, PAGE_NOFOLLOW},
        {{"noarchive", 9}, PAGE_NOARCHIVE},
        {{"none", 4}, PAGE_NOINDEX | PAGE_NOFOLLOW},
    };
    unsigned bits = 0;
    while (content.p) {
        struct str word = str_trim(str_take_until(&content, ','));
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
            if (page_has_word(word, rows[i].word))
                bits |= rows[i].bits;
    }
    return bits;
}

/* Properties whose content is a URL; the others are words and numbers. */
static bool is_url_property(struct str name)
{
    static const struct str rows[] = {
        {"og:url", 6},
        {"og:image", 8},
        {"og:image:url", 12},
        {"og:image:secure_url", 19},
        {"og:video", 8},
        {"og:video:url", 12},
        {"og:video:secure_url", 19},
        {"og:audio", 8},
        {"og:audio:url", 12},
        {"og:audio:secure_url", 19},
        {"og:see_also", 11},
        {"twitter:image", 13},
        {"twitter:image:src", 17},
        {"twitter:player", 14},
        {"twitter:player:stream", 21},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (str_eq_nocase(name, rows[i]))
            return true;
    return false;
}

static struct str keep_squeezed(struct page_reader *r, struct str s)
{
    struct squeeze q;
    squeeze_begin(&q, &r->alt_room, PAGE_MAX_TITLE_BYTES);
    squeeze_add(&q, s);
    if (buf_rc(&r->alt_room) != RC_OK)
        page_fail(r, buf_rc(&r->alt_room));
    return page_keep(r, buf_str(&r->alt_room));
}

/* <meta name=... content=...> that is about the page itself. */
static void meta_name(struct page_reader *r, struct str name, struct str content)
{
    bool agent = r->options.agent.n && str_eq_nocase(name, r->options.agent);
    if (agent || str_eq_nocase(name, STR("robots")))
        r->page.robots |= page_robots_read(content);
    else if (!r->page.description.p && page_wants(r, PAGE_HEAD) &&
             str_eq_nocase(name, STR("description")))
        r->page.description = keep_squeezed(r, content);
}

static void meta_http(struct page_reader *r, const struct html_tag *tag, struct str http,
                      struct str content)
{
    struct str url;
    if (str_eq_nocase(http, STR("refresh"))) {
        if (page_wants(r, PAGE_LINKS) && refresh_url(content, &url))
            (void)page_link_add(r, tag, url, ATTR_CONTENT, PAGE_REFRESH);
    } else if (str_eq_nocase(http, STR("content-language")) && !r->page.language.p &&
               page_wants(r, PAGE_HEAD)) {
        content = str_trim(content);
        content.n = str_find(content, ',');
        if (content.n)
            r->page.language = page_keep(r, content);
    }
}

void page_meta(struct page_reader *r, const struct html_tag *tag)
{
    struct str content = page_attr(r, tag, STR("content"), &r->scratch);
    if (!content.p)
        return;
    struct str http = page_attr(r, tag, STR("http-equiv"), &r->scratch2);
    if (http.p) {
        meta_http(r, tag, str_trim(http), content);
        return;
    }
    struct str name = page_attr(r, tag, STR("name"), &r->scratch2);
    if (name.p)
        meta_name(r, str_trim(name), content);
    struct str property = page_attr(r, tag, STR("property"), &r->scratch2);
    if (!property.p)
        property = page_attr(r, tag, STR("name"), &r->scratch2);
    if (page_wants(r, PAGE_LINKS) && property.p && is_url_property(str_trim(property)))
        (void)page_link_add(r, tag, content, ATTR_CONTENT, PAGE_SOCIAL);
}

static void base_element(struct page_reader *r, const struct html_tag *tag)
{
    struct str href = page_attr(r, tag, STR("href"), &r->scratch);
    if (href.p && !r->page.base.p)
        r->page.base = page_keep(r, href);
}

static void html_element(struct page_reader *r, const struct html_tag *tag)
{
    struct str lang = str_trim(page_attr(r, tag, STR("lang"), &r->scratch));
    if (!lang.n)
        lang = str_trim(page_attr(r, tag, STR("xml:lang"), &r->scratch));
    if (lang.n && page_wants(r, PAGE_HEAD))
        r->page.language = page_keep(r, lang);
}

/* Keeps the URL of rel=canonical when the links are not wanted. */
static void link_element(struct page_reader *r, const struct html_tag *tag)
{
    struct str rel = page_attr(r, tag, STR("rel"), &r->scratch);
    if (r->page.canonical.p || page_wants(r, PAGE_LINKS) || !page_has_word(rel, STR("canonical")))
        return;
    struct str href = page_attr(r, tag, STR("href"), &r->scratch2);
    if (href.p)
        r->page.canonical = page_keep(r, href);
}

void page_head_element(struct page_reader *r, const struct html_tag *tag)
{
    if (tag->element == ELEMENT_META)
        page_meta(r, tag);
    else if (tag->element == ELEMENT_BASE)
        base_element(r, tag);
    else if (tag->element == ELEMENT_HTML)
        html_element(r, tag);
    else if (tag->element == ELEMENT_LINK)
        link_element(r, tag);
}
