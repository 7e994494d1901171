/* SPDX-License-Identifier: Apache-2.0 */
/* The byte-stream prescan of the HTML Standard (13.2.3.2). It reads tags the way the standard says
 * there, which is simpler than the tokenizer, and gives up where the bytes end in the middle of
 * something: a declaration cut off is none. */
#include "html/charset.h"
#include "html/charset_internal.h"

enum { PRESCAN_BYTES = 1024, VALUE_MAX = 256 };

struct cursor {
    struct str s;
    size_t at;
};

/* An attribute: its name and value in lower case, each cut to what we could use, and the length
 * it had. */
struct attribute {
    char name[16], value[VALUE_MAX];
    size_t name_bytes, value_bytes;
};

static bool more(const struct cursor *c)
{
    return c->at < c->s.n;
}

static char here(const struct cursor *c)
{
    return c->s.p[c->at];
}

static struct str rest(const struct cursor *c)
{
    return str_from(c->s, c->at);
}

static void space_skip(struct cursor *c)
{
    while (more(c) && ascii_is_space(here(c)))
        c->at++;
}

static void put_byte(char *to, size_t room, size_t *n, char byte)
{
    if (*n < room)
        to[*n] = ascii_lower(byte);
    ++*n;
}

static struct str name_of(const struct attribute *a)
{
    return a->name_bytes <= sizeof a->name ? str_make(a->name, a->name_bytes) : STR_NONE;
}

static struct str value_of(const struct attribute *a)
{
    return a->value_bytes <= VALUE_MAX ? str_make(a->value, a->value_bytes) : STR_NONE;
}

/* The value behind the '='. */
static void value_take(struct cursor *c, struct attribute *a)
{
    space_skip(c);
    if (!more(c))
        return;
    char quote = here(c);
    if (quote == '"' || quote == '\'') {
        for (c->at++; more(c) && here(c) != quote; c->at++)
            put_byte(a->value, VALUE_MAX, &a->value_bytes, here(c));
        c->at += more(c);
        return;
    }
    for (; more(c) && !ascii_is_space(here(c)) && here(c) != '>'; c->at++)
        put_byte(a->value, VALUE_MAX, &a->value_bytes, here(c));
}

/* The next attribute of the tag; false at its '>' and at the end of the bytes. */
static bool attribute_take(struct cursor *c, struct attribute *a)
{
    a->name_bytes = a->value_bytes = 0;
    while (more(c) && (ascii_is_space(here(c)) || here(c) == '/'))
        c->at++;
    if (!more(c) || here(c) == '>')
        return false;
    for (; more(c); c->at++) {
        char byte = here(c);
        if ((byte == '=' && a->name_bytes) || ascii_is_space(byte) || byte == '/' || byte == '>')
            break;
        put_byte(a->name, sizeof a->name, &a->name_bytes, byte);
    }
    space_skip(c);
    if (more(c) && here(c) == '=') {
        c->at++;
        value_take(c, a);
    }
    return true;
}

/* "charset=x" inside the content of a meta; absent if there is none. */
static struct str content_label(struct str s)
{
    for (; s.n; s = str_from(s, 1)) {
        s = str_from(s, str_find_str(s, STR("charset")));
        struct cursor c = {s, sizeof "charset" - 1};
        space_skip(&c);
        if (!more(&c) || here(&c) != '=')
            continue;
        c.at++;
        space_skip(&c);
        if (more(&c) && (here(&c) == '"' || here(&c) == '\'')) {
            struct str inside = str_from(rest(&c), 1);
            size_t end = str_find(inside, here(&c));
            return end < inside.n ? str_first(inside, end) : STR_NONE;
        }
        size_t from = c.at;
        while (more(&c) && !ascii_is_space(here(&c)) && here(&c) != ';')
            c.at++;
        return str_make(s.p + from, c.at - from);
    }
    return STR_NONE;
}

/* What one meta says so far. */
struct meta {
    bool seen_pragma, seen_content, seen_charset; /* the first of each name counts */
    bool is_pragma;                               /* http-equiv=content-type */
    bool from_content;                            /* `name` needs the pragma to count */
    const char *name;
};

static void meta_add(struct meta *m, const struct attribute *a)
{
    if (str_eq(name_of(a), STR("http-equiv")) && !m->seen_pragma) {
        m->seen_pragma = true;
        m->is_pragma = str_eq(value_of(a), STR("content-type"));
    } else if (str_eq(name_of(a), STR("content")) && !m->seen_content) {
        m->seen_content = true;
        const char *name = m->seen_charset ? NULL : charset_name(content_label(value_of(a)));
        if (name) {
            m->name = name;
            m->from_content = true;
        }
    } else if (str_eq(name_of(a), STR("charset")) && !m->seen_charset) {
        m->seen_charset = true;
        m->name = charset_name(value_of(a));
        m->from_content = false;
    }
}

/* A declaration was read byte by byte, so the page cannot be in UTF-16. */
static const char *name_honest(const char *name)
{
    if (name && (strcmp(name, "UTF-16LE") == 0 || strcmp(name, "UTF-16BE") == 0))
        return "UTF-8";
    if (name && strcmp(name, "x-user-defined") == 0)
        return "windows-1252";
    return name;
}

/* Behind "<meta". A tag that the end of the bytes cuts off says nothing. */
static const char *meta_take(struct cursor *c)
{
    struct meta m = {0};
    struct attribute a;
    while (attribute_take(c, &a))
        meta_add(&m, &a);
    if (!more(c) || (m.from_content && !m.is_pragma))
        return NULL;
    return name_honest(m.name);
}

static void skip_behind(struct cursor *c, struct str what)
{
    size_t found = str_find_str(rest(c), what);
    c->at += found;
    if (more(c))
        c->at += what.n;
}

/* To the end tag of an element whose content is text only. */
static void raw_skip(struct cursor *c, struct str name)
{
    while (more(c)) {
        c->at += str_find(rest(c), '<');
        if (str_starts(rest(c), STR("</")) && str_starts_nocase(str_from(rest(c), 2), name))
            return;
        c->at += more(c);
    }
}

/* Any other tag: its attributes are read, because a '<' or '>' inside a value means nothing. */
static void tag_skip(struct cursor *c, bool skip_raw)
{
    static const char *const raw[] = {"script", "style", "title", "textarea", "xmp"};
    struct str name = rest(c);
    while (more(c) && !ascii_is_space(here(c)) && here(c) != '>')
        c->at++;
    name = str_first(name, name.n - rest(c).n);
    struct attribute a;
    while (attribute_take(c, &a))
        continue;
    for (size_t i = 0; skip_raw && i < sizeof raw / sizeof raw[0]; i++) {
        if (str_eq_nocase(name, str_c(raw[i])))
            raw_skip(c, name);
    }
}

static bool meta_here(struct str s)
{
    return s.n > 5 && str_starts_nocase(s, STR("<meta")) &&
           (ascii_is_space(s.p[5]) || s.p[5] == '/');
}

/* The encoding in <?xml ... encoding="x"?>. */
static const char *xml_declared(struct str head)
{
    if (!str_starts(head, STR("<?xml")))
        return NULL;
    struct cursor c = {str_first(head, str_find(head, '>')), 5};
    if (c.s.n == head.n)
        return NULL;
    skip_behind(&c, STR("encoding"));
    space_skip(&c);
    if (!more(&c) || here(&c) != '=')
        return NULL;
    c.at++;
    space_skip(&c);
    if (!more(&c) || (here(&c) != '"' && here(&c) != '\''))
        return NULL;
    struct str label = str_from(rest(&c), 1);
    size_t end = str_find(label, here(&c));
    return end < label.n ? name_honest(charset_name(str_first(label, end))) : NULL;
}

/* One markup at the '<'; returns the encoding if it declares one. */
static const char *markup_take(struct cursor *c, bool skip_raw)
{
    struct str s = rest(c);
    char next = 0;
    if (s.n > 1)
        next = s.p[1];
    if (str_starts(s, STR("<!--"))) {
        c->at += 2; /* its dashes may close it: <!--> */
        skip_behind(c, STR("-->"));
    } else if (meta_here(s)) {
        c->at += 5;
        return meta_take(c);
    } else if (ascii_is_alpha(next) || (next == '/' && s.n > 2 && ascii_is_alpha(s.p[2]))) {
        c->at++;
        tag_skip(c, skip_raw);
    } else if (next == '!' || next == '/' || next == '?') {
        skip_behind(c, STR(">"));
    } else {
        c->at++;
    }
    return NULL;
}

const char *charset_declared(struct str head, bool skip_raw)
{
    struct cursor c = {head, 0};
    while ((c.at += str_find(rest(&c), '<')) < c.s.n) {
        const char *name = markup_take(&c, skip_raw);
        if (name)
            return name;
    }
    return xml_declared(head);
}

const char *charset_prescan(struct str body)
{
    if (str_starts(body, STR("<\0?\0x\0")))
        return "UTF-16LE";
    if (str_starts(body, STR("\0<\0?\0x")))
        return "UTF-16BE";
    return charset_declared(str_first(body, PRESCAN_BYTES), false);
}

/* One "name=value" of a header; the value without its quotes if the name is charset. */
static struct str param_value(struct str field)
{
    struct str name = str_trim(str_first(field, str_find(field, '=')));
    struct str value = str_trim(str_from(field, str_find(field, '=') + 1));
    if (!str_eq_nocase(name, STR("charset")) || value.n == 0)
        return STR_NONE;
    if (*value.p == '"' || *value.p == '\'') {
        struct str inside = str_from(value, 1);
        return str_first(inside, str_find(inside, *value.p));
    }
    return value;
}

struct str charset_param(struct str content_type)
{
    str_take_until(&content_type, ';');
    while (content_type.p) {
        /* A ';' inside double quotes does not end the parameter. */
        size_t end = 0;
        bool quoted = false;
        for (; end < content_type.n && (quoted || content_type.p[end] != ';'); end++)
            quoted ^= content_type.p[end] == '"';
        struct str value = param_value(str_first(content_type, end));
        if (value.p)
            return value;
        content_type = end < content_type.n ? str_from(content_type, end + 1) : STR_NONE;
    }
    return STR_NONE;
}
