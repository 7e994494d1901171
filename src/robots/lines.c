/* SPDX-License-Identifier: Apache-2.0 */
#include "robots/lines.h"

#include "robots/robots.h"

struct spelling {
    const char *start; /* in lower case; a longer key that starts so is taken for it too */
    enum robots_key key;
};

static const struct spelling spellings[] = {
    {"user-agent", KEY_USER_AGENT},   {"useragent", KEY_USER_AGENT},
    {"user agent", KEY_USER_AGENT},   {"disallow", KEY_DISALLOW},
    {"dissallow", KEY_DISALLOW},      {"dissalow", KEY_DISALLOW},
    {"disalow", KEY_DISALLOW},        {"diasllow", KEY_DISALLOW},
    {"disallaw", KEY_DISALLOW},       {"allow", KEY_ALLOW},
    {"sitemap", KEY_SITEMAP},         {"site-map", KEY_SITEMAP},
    {"crawl-delay", KEY_CRAWL_DELAY}, {"crawldelay", KEY_CRAWL_DELAY},
    {"crawl delay", KEY_CRAWL_DELAY},
};

static enum robots_key key_of(struct str name)
{
    if (name.n == 0)
        return KEY_NONE;
    char first = ascii_lower(*name.p);
    for (size_t i = 0; i < sizeof spellings / sizeof spellings[0]; i++) {
        if (*spellings[i].start == first && str_starts_nocase(name, str_c(spellings[i].start)))
            return spellings[i].key;
    }
    return KEY_NONE;
}

static bool is_blank(char c)
{
    return ascii_is_space(c) || c == '\v';
}

static struct str blank_trim(struct str s)
{
    while (s.n && is_blank(s.p[0]))
        s = str_from(s, 1);
    while (s.n && is_blank(s.p[s.n - 1]))
        s.n--;
    return s;
}

static size_t blank_find(struct str s)
{
    size_t i = 0;
    while (i < s.n && !is_blank(s.p[i]))
        i++;
    return i;
}

/* Without a colon, a line of exactly two words is a key and its value. */
static bool words_split(struct str line, struct str *ret_name, struct str *ret_value)
{
    *ret_name = str_first(line, blank_find(line));
    *ret_value = blank_trim(str_from(line, ret_name->n));
    return ret_value->n > 0 && blank_find(*ret_value) == ret_value->n;
}

static enum robots_key line_read(struct str line, struct str *ret_value)
{
    line = str_first(line, ROBOTS_LINE_MAX);
    line = str_first(line, str_find(line, '\0'));
    line = blank_trim(str_first(line, str_find(line, '#')));
    struct str name;
    size_t colon = str_find(line, ':');
    if (colon < line.n) {
        name = blank_trim(str_first(line, colon));
        *ret_value = blank_trim(str_from(line, colon + 1));
    } else if (!words_split(line, &name, ret_value)) {
        return KEY_NONE;
    }
    return key_of(name);
}

static size_t line_end(struct str s)
{
    size_t i = 0;
    while (i < s.n && s.p[i] != '\n' && s.p[i] != '\r')
        i++;
    return i;
}

/* Bytes of a byte order mark, or of its start: editors have left halves of it. */
static size_t mark_bytes(struct str s)
{
    static const char mark[] = "\xef\xbb\xbf";
    size_t n = 0;
    while (n < sizeof mark - 1 && n < s.n && s.p[n] == mark[n])
        n++;
    return n;
}

void robots_lines_init(struct robots_lines *l, struct str body)
{
    *l = (struct robots_lines){.rest = body};
    if (body.n > ROBOTS_BODY_MAX) {
        size_t end = ROBOTS_BODY_MAX;
        while (end && body.p[end - 1] != '\n' && body.p[end - 1] != '\r')
            end--;
        l->rest = str_first(body, end);
    }
    l->rest = str_from(l->rest, mark_bytes(l->rest));
}

bool robots_lines_next(struct robots_lines *l, enum robots_key *ret_key, struct str *ret_value)
{
    if (!l->rest.p || l->rest.n == 0)
        return false;
    size_t end = line_end(l->rest);
    struct str line = str_first(l->rest, end);
    l->rest = str_from(l->rest, end);
    if (str_starts(l->rest, STR("\r\n")))
        l->rest = str_from(l->rest, 2);
    else
        l->rest = str_from(l->rest, 1);
    l->number++;
    *ret_key = line_read(line, ret_value);
    return true;
}
