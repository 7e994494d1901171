/* SPDX-License-Identifier: Apache-2.0 */
/* Every path and origin of the world is made of letters, digits and / . - _ % : and, in a query, of
 * ? = & besides; a colon stands in origins alone. So nothing here looks for quotes, white space or
 * what a first segment could be mistaken for. */
#include "content/href.h"

#include "world/put.h"
#include "world/words.h"

enum { VALUE_BYTES = 3 * HREF_PATH_BYTES };

static struct str path_only(struct str path)
{
    return str_first(path, str_find(path, '?'));
}

/* Up to and with the last slash. */
static size_t folder_bytes(struct str path)
{
    size_t n = path_only(path).n;
    while (n && path.p[n - 1] != '/')
        n--;
    return n;
}

void href_page_init(struct href_page *h, const struct world *w, struct place page, bool has_base,
                    bool is_copied, enum ink ink)
{
    struct buf path = buf_on(h->folder, sizeof h->folder);
    h->world = w;
    h->host = page.host;
    h->is_https = host_is_https(w, page.host);
    h->ink = ink;
    h->may_relative = has_base || !is_copied;
    place_path(w, has_base ? (struct place){page.host, PLACE_PAGE, 0, 0} : page, &path);
    h->folder_bytes = path.rc == RC_OK ? folder_bytes(buf_str(&path)) : 0;
    if (h->folder_bytes == 0)
        h->may_relative = false;
}

/* The form the link can have here: another host cannot be reached by a path. */
static enum link_form form_of(const struct href_page *h, const struct link *l)
{
    bool away = l->to.host != h->host;
    switch (l->form) {
    case FORM_RELATIVE:
        return away ? FORM_ABSOLUTE : h->may_relative ? FORM_RELATIVE : FORM_ROOT;
    case FORM_ROOT:
        return away ? FORM_ABSOLUTE : FORM_ROOT;
    case FORM_PROTOCOL:
        return away && host_is_https(h->world, l->to.host) != h->is_https ? FORM_ABSOLUTE
                                                                          : FORM_PROTOCOL;
    default:
        return FORM_ABSOLUTE;
    }
}

/* The folder has no query, so what the two have in common has none either. */
static void relative_write(const struct href_page *h, struct str path, bool dots, struct buf *out)
{
    const char *folder = h->folder;
    size_t limit = path.n < h->folder_bytes ? path.n : h->folder_bytes, same = 0;
    for (size_t i = 0; i < limit && path.p[i] == folder[i]; i++)
        if (path.p[i] == '/')
            same = i + 1;
    struct str rest = str_from(path, same);
    bool up = false, is_empty = rest.n == 0 || rest.p[0] == '?';
    for (size_t i = same; i < h->folder_bytes; i++)
        if (folder[i] == '/') {
            PUT(out, "../");
            up = true;
        }
    if (!up && (dots || is_empty))
        PUT(out, "./");
    else if (dots)
        PUT(out, "side/../");
    put(out, rest);
}

/* A path from the root, with a detour if wanted. */
static void root_write(struct str path, bool dots, struct buf *out)
{
    if (!dots) {
        put(out, path);
        return;
    }
    size_t folder = folder_bytes(path);
    put(out, str_first(path, folder));
    put(out, path.n & 1 ? STR("./") : STR("detour/../"));
    put(out, str_from(path, folder));
}

/* The reference as plain UTF-8, all of it ASCII. */
static void reference_write(const struct href_page *h, const struct link *l, struct buf *out)
{
    char room[HREF_PATH_BYTES];
    struct buf path = buf_on(room, sizeof room);
    bool dots = l->quirks & QUIRK_DOTS;
    enum link_form form = form_of(h, l);
    place_path(h->world, l->to, &path);
    if (form == FORM_ABSOLUTE || form == FORM_PROTOCOL)
        host_origin(h->world, l->to.host, form == FORM_PROTOCOL, out);
    if (form == FORM_RELATIVE)
        relative_write(h, buf_str(&path), dots, out);
    else
        root_write(buf_str(&path), dots, out);
    if (l->quirks & QUIRK_FRAGMENT)
        PUT(out, "#part");
}

/* Letters beyond ASCII that stand percent-encoded at the start of `s`, as many as follow each other
 * and fit: decodes them into `room` and returns them. They take three bytes of `s` for one. */
static struct str escaped_letters(struct str s, char *room, size_t bytes)
{
    size_t n = 0;
    while (n < bytes && 3 * n + 2 < s.n && s.p[3 * n] == '%') {
        int high = ascii_hex(s.p[3 * n + 1]), low = ascii_hex(s.p[3 * n + 2]);
        if (high < 8 || low < 0)
            break;
        room[n++] = (char)(high * 16 + low);
    }
    return str_make(room, n);
}

/* With entities, what would start a character reference is written as one, and so are the slashes
 * of some. */
static void part_write(struct str s, bool entities, bool slashes, struct buf *out)
{
    size_t done = 0;
    for (size_t i = 0; entities && i < s.n; i++) {
        if (s.p[i] != '&' && !(s.p[i] == '/' && slashes))
            continue;
        put(out, str_make(s.p + done, i - done));
        if (s.p[i] == '/')
            PUT(out, "&#x2F;");
        else
            PUT_EITHER(out, slashes, "&#38;", "&amp;");
        done = i + 1;
    }
    put(out, str_from(s, done));
}

/* Words of the path may stand raw; a query may not, as browsers encode it in the page's charset
 * instead of UTF-8. No word is longer than its room, so no letter is cut. */
static void value_write(const struct href_page *h, const struct link *l, struct str value,
                        struct buf *out)
{
    bool entities = l->quirks & QUIRK_ENTITIES, slashes = value.n & 1;
    size_t path = l->quirks & QUIRK_RAW_CHARS ? path_only(value).n : 0, plain;
    while ((plain = str_find(str_first(value, path), '%')) < path) {
        char room[WORD_ROOM];
        struct str letters = escaped_letters(str_from(value, plain), room, sizeof room);
        size_t end = plain + (letters.n ? 3 * letters.n : 1);
        part_write(str_first(value, letters.n ? plain : end), entities, slashes, out);
        ink_write(h->ink, letters, out);
        value = str_from(value, end);
        path -= end;
    }
    part_write(value, entities, slashes, out);
}

/* Most links: nothing to think about, written straight where they belong. */
static void simple_write(const struct href_page *h, const struct link *l, enum link_form form,
                         struct buf *out)
{
    PUT(out, "=\"");
    if (form == FORM_RELATIVE) {
        char room[HREF_PATH_BYTES];
        struct buf path = buf_on(room, sizeof room);
        place_path(h->world, l->to, &path);
        relative_write(h, buf_str(&path), false, out);
    } else {
        if (form != FORM_ROOT)
            host_origin(h->world, l->to.host, form == FORM_PROTOCOL, out);
        place_path(h->world, l->to, out);
    }
    PUT_EITHER(out, l->quirks & QUIRK_FRAGMENT, "#part\"", "\"");
}

static void quoted_write(const struct href_page *h, const struct link *l, struct str value,
                         struct buf *out)
{
    char quote = l->quirks & QUIRK_SINGLE ? '\'' : '"';
    put_byte(out, quote);
    if (l->quirks & QUIRK_SPACES)
        put(out, value.n & 1 ? STR(" \n") : STR("  "));
    value_write(h, l, value, out);
    if (l->quirks & QUIRK_SPACES)
        put_byte(out, value.n & 1 ? '\t' : ' ');
    put_byte(out, quote);
}

/* Without quotes a value may hold no '=', which queries have. */
void href_write(const struct href_page *h, const struct link *l, struct buf *out)
{
    char room[VALUE_BYTES];
    struct buf value = buf_on(room, sizeof room);
    if (!(l->quirks & ~(unsigned)QUIRK_FRAGMENT)) {
        simple_write(h, l, form_of(h, l), out);
        return;
    }
    reference_write(h, l, &value);
    put_byte(out, '=');
    if ((l->quirks & QUIRK_UNQUOTED) && str_find(buf_str(&value), '=') == value.n)
        value_write(h, l, buf_str(&value), out);
    else
        quoted_write(h, l, buf_str(&value), out);
}

void href_write_bare(const struct href_page *h, const struct link *l, struct buf *out)
{
    char room[VALUE_BYTES];
    struct buf value = buf_on(room, sizeof room);
    reference_write(h, l, &value);
    value_write(h, l, buf_str(&value), out);
}
