/* SPDX-License-Identifier: Apache-2.0 */
/* resolve: what a browser makes of an attribute of ours, by simple means: just enough of HTML and
 * of the URL standard for what href.c writes, and none of its code. */
#ifndef TESTS_UNIT_SIMWEB_CONTENT_RESOLVE_H
#define TESTS_UNIT_SIMWEB_CONTENT_RESOLVE_H

#include "lib/test.h"

#include <stdlib.h>

/* The value of ="…", ='…' or =… at the start of `s`, up to what ends it. */
static inline struct str attribute_value(struct str s)
{
    assert_true(s.n > 1 && s.p[0] == '=');
    s = str_from(s, 1);
    if (s.p[0] == '"' || s.p[0] == '\'')
        return str_first(str_from(s, 1), str_find(str_from(s, 1), s.p[0]));
    size_t n = 0;
    while (n < s.n && !ascii_is_space(s.p[n]) && s.p[n] != '>')
        n++;
    return str_first(s, n);
}

static inline void add_utf8(struct buf *out, unsigned long point)
{
    if (point < 0x80) {
        buf_byte(out, (char)point);
    } else if (point < 0x800) {
        buf_byte(out, (char)(0xc0 | point >> 6));
        buf_byte(out, (char)(0x80 | (point & 0x3f)));
    } else {
        buf_byte(out, (char)(0xe0 | point >> 12));
        buf_byte(out, (char)(0x80 | (point >> 6 & 0x3f)));
        buf_byte(out, (char)(0x80 | (point & 0x3f)));
    }
}

/* With character references read; an & that starts none stays. */
static inline void unescape(struct str s, struct buf *out)
{
    for (size_t i = 0; i < s.n; i++) {
        struct str at = str_from(s, i);
        if (str_starts(at, STR("&amp;"))) {
            buf_byte(out, '&');
            i += 4;
        } else if (str_starts(at, STR("&#x"))) {
            add_utf8(out, strtoul(at.p + 3, NULL, 16));
            i += str_find(at, ';');
        } else if (str_starts(at, STR("&#"))) {
            add_utf8(out, strtoul(at.p + 2, NULL, 10));
            i += str_find(at, ';');
        } else {
            buf_byte(out, s.p[i]);
        }
    }
}

/* Where `path` may hold . and .. and letters outside ASCII. */
static inline void add_clean_path(struct str path, struct buf *out)
{
    size_t start = out->n;
    while (path.p && path.n) {
        path = str_from(path, 1); /* the slash */
        size_t n = str_find(path, '/');
        struct str segment = str_first(path, n);
        bool last = n == path.n;
        path = str_from(path, n);
        if (str_eq(segment, STR(".."))) {
            while (out->n > start && out->p[--out->n] != '/')
                ;
            segment = STR("");
        }
        bool dot = str_eq(segment, STR("."));
        if (segment.n == 0 || dot) {
            if (last)
                buf_byte(out, '/');
            continue;
        }
        buf_byte(out, '/');
        for (size_t i = 0; i < segment.n; i++)
            if (segment.p[i] & 0x80)
                buf_printf(out, "%%%02X", (unsigned char)segment.p[i]);
            else
                buf_byte(out, segment.p[i]);
    }
}

/* `reference` against `base`, an http or https URL with a path; without fragment. */
static inline void resolve(struct str base, struct str reference, struct buf *out)
{
    char room[8192];
    struct buf path = buf_on(room, sizeof room);
    struct str ref = str_trim(reference);
    ref = str_first(ref, str_find(ref, '#'));
    size_t scheme = str_find_str(base, STR("://"));
    size_t root = scheme + 3 + str_find(str_from(base, scheme + 3), '/');
    if (str_find_str(ref, STR("://")) < ref.n) {
        base = ref;
        scheme = str_find_str(base, STR("://"));
        root = scheme + 3 + str_find(str_from(base, scheme + 3), '/');
        ref = str_from(ref, root);
        buf_add(out, str_first(base, root));
    } else if (str_starts(ref, STR("//"))) {
        buf_add(out, str_first(base, scheme + 1));
        root = 2 + str_find(str_from(ref, 2), '/');
        buf_add(out, str_first(ref, root));
        ref = str_from(ref, root);
    } else {
        buf_add(out, str_first(base, root));
        struct str folder = str_from(base, root);
        folder = str_first(folder, str_find(folder, '?'));
        while (folder.n && folder.p[folder.n - 1] != '/')
            folder.n--;
        if (!str_starts(ref, STR("/")))
            buf_add(&path, folder);
    }
    size_t query = str_find(ref, '?');
    buf_add(&path, str_first(ref, query));
    add_clean_path(buf_str(&path), out);
    buf_add(out, str_from(ref, query));
}

#endif
