/* SPDX-License-Identifier: Apache-2.0 */
#include "ledger/seed.h"

#include "base/utf8.h"
#include "frontier/frontier.h"
#include "net/address.h"

enum { SHOWN_BYTES = 200 };

/* A scheme, or what could be one -------------------------------------------------------------- */

static bool is_in_scheme(char c)
{
    return ascii_is_alnum(c) || c == '+' || c == '-' || c == '.';
}

/* "https" of "https://…" and "localhost" of "localhost:80"; empty if no colon ends such a word. */
static struct str word_before_colon(struct str text)
{
    size_t at = 0;
    while (at < text.n && is_in_scheme(text.p[at]))
        at++;
    bool is_word = at > 0 && at < text.n && text.p[at] == ':' && !ascii_is_digit(text.p[0]);
    return is_word ? str_first(text, at) : STR("");
}

/* "8080", "8080/x" */
static bool begins_with_port(struct str text)
{
    size_t at = 0;
    while (at < text.n && ascii_is_digit(text.p[at]))
        at++;
    return at > 0 && (at == text.n || memchr("/?#\\", text.p[at], 4));
}

/* Schemes of which digits may follow the colon. */
static bool is_phone_scheme(struct str word)
{
    static const char *const words[] = {"tel", "sms", "fax", "callto"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (str_eq_nocase(word, str_c(words[i])))
            return true;
    return false;
}

static bool has_scheme(struct str text)
{
    struct str word = word_before_colon(text);
    struct str rest = str_from(text, word.n + 1);
    if (!word.n)
        return false;
    if (str_starts(rest, STR("//")) || is_phone_scheme(word))
        return true;
    return str_find(word, '.') == word.n && !begins_with_port(rest);
}

/* Those in use without "//" in which an @ is no sign of a password. */
static bool is_at_scheme(struct str word)
{
    static const char *const words[] = {
        "mailto", "sip",  "sips",  "xmpp",       "acct",  "im",   "news", "mid",
        "cid",    "data", "about", "javascript", "skype", "blob", "urn",  "view-source"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (str_eq_nocase(word, str_c(words[i])))
            return true;
    return is_phone_scheme(word);
}

/* "user:password@example.org", which by its form could have the scheme "user". */
static bool is_bare_login(struct str text)
{
    struct str word = word_before_colon(text);
    struct str rest = str_from(text, word.n + 1);
    return word.n && !str_starts(rest, STR("//")) && !is_at_scheme(word) &&
           str_find(rest, '@') < rest.n;
}

static bool begins_with_slash(struct str text)
{
    return text.n && (text.p[0] == '/' || text.p[0] == '\\');
}

/* "/etc/hosts", "./a", "..\a", "C:\a": of a file on this machine. */
static bool is_file_path(struct str text)
{
    struct str rest = text;
    while (rest.n && rest.p[0] == '.')
        rest = str_from(rest, 1);
    if (begins_with_slash(rest))
        return rest.n != text.n || !str_starts(text, STR("//"));
    return word_before_colon(text).n == 1 && begins_with_slash(str_from(text, 2));
}

/* Reading -------------------------------------------------------------------------------------- */

static const char has_login[] =
    "has a user name or password; a crawl cannot log in yet, so remove them";

static enum rc refuse(const char *why, const char **ret_why)
{
    *ret_why = why;
    return RC_INVALID;
}

/* With the scheme that it has, or http. */
static enum rc parse_whole(struct url_parser *parser, struct str text, struct url_room room,
                           struct url *ret)
{
    char whole[URL_ROOM_BYTES];
    struct buf b = buf_on(whole, sizeof whole);
    if (has_scheme(text))
        return url_parse(parser, text, NULL, room, ret);
    buf_add(&b, str_starts(text, STR("//")) ? STR("http:") : STR("http://"));
    buf_add(&b, text);
    parser->reason = URL_REASON_LENGTH;
    return buf_rc(&b) ? RC_LIMIT : url_parse(parser, buf_str(&b), NULL, room, ret);
}

enum rc seed_parse(struct str text, const struct url_idn *idn, struct url_room room,
                   struct url *ret, const char **ret_why)
{
    struct url_parser parser = {.idn = idn};
    text = str_trim(text);
    if (!text.n)
        return refuse("empty", ret_why);
    if (utf8_valid(text) != text.n)
        return refuse("not UTF-8; write such bytes as %XX", ret_why);
    if (is_file_path(text))
        return refuse("the path of a file, not a URL", ret_why);
    enum rc rc = parse_whole(&parser, text, room, ret);
    if (rc == RC_INVALID || rc == RC_LIMIT)
        return refuse(url_reason_text(parser.reason), ret_why);
    if (rc == RC_OK && !url_is_http(ret))
        return refuse(is_bare_login(text) ? has_login : "neither http nor https", ret_why);
    return rc;
}

enum rc seed_read(struct str text, const struct url_idn *idn, struct url_room room, struct url *ret,
                  const char **ret_why)
{
    enum rc rc = seed_parse(text, idn, room, ret, ret_why);
    if (rc)
        return rc;
    if (ret->host_at != ret->user_at)
        return refuse(has_login, ret_why);
    if (port_is_bad(url_port(ret)))
        return refuse("that port is never asked", ret_why);
    if (url_host(ret).n > FRONTIER_MAX_HOST_BYTES ||
        url_path_query(ret).n > FRONTIER_MAX_PATH_BYTES)
        return refuse("longer than a crawl takes", ret_why);
    return RC_OK;
}

/* Showing -------------------------------------------------------------------------------------- */

/* Where the last @ stands, or s.n. */
static size_t last_at(struct str s)
{
    size_t at = s.n;
    while (at && s.p[at - 1] != '@')
        at--;
    return at ? at - 1 : s.n;
}

void seed_print(struct str text, struct buf *out)
{
    struct str rest = text;
    size_t at = last_at(text);
    if (at < text.n && !str_eq_nocase(word_before_colon(text), STR("mailto"))) {
        size_t scheme = word_before_colon(text).n;
        bool is_shown = str_starts(str_from(text, scheme), STR("://")) && scheme + 3 <= at;
        buf_add(out, is_shown ? str_first(text, scheme + 3) : STR(""));
        buf_add(out, STR("***"));
        rest = str_from(text, at);
    }
    struct str shown = str_first(rest, rest.n < SHOWN_BYTES ? rest.n : SHOWN_BYTES);
    buf_visible(out, shown);
    if (shown.n < rest.n)
        buf_add(out, STR("..."));
}

struct str seed_line(struct str line)
{
    struct str mark = STR("\xef\xbb\xbf");
    struct str seed = str_trim(str_starts(line, mark) ? str_from(line, mark.n) : line);
    for (size_t i = 0; i < seed.n; i++)
        if (seed.p[i] == '#' && (!i || ascii_is_space(seed.p[i - 1])))
            return str_trim(str_first(seed, i));
    return seed;
}
