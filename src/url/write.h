/* SPDX-License-Identifier: Apache-2.0 */
/* write: the bytes of a URL as they are put into the caller's room, percent-encoded where the part
 * they belong to asks for it. Internal to url. */
#ifndef URL_WRITE_H
#define URL_WRITE_H

#include "base/str.h"

/* A bit is set in url_sets[byte] when that byte is percent-encoded in that part (the standard's
 * percent-encode sets); every byte past ASCII is, in all of them. Two further bits serve the
 * short way: what may stand in a host as it is, and the bytes a path scan must look at. */
enum url_set {
    URL_SET_C0 = 1,
    URL_SET_FRAGMENT = 2,
    URL_SET_QUERY = 4,
    URL_SET_SPECIAL_QUERY = 8,
    URL_SET_PATH = 16,
    URL_SET_USERINFO = 32,
    URL_HOST_PLAIN = 64, /* letters, digits, - . _ */
    URL_PATH_LOOK = 128, /* all of URL_SET_PATH, \ and the starts of dot segments, . and % */
};
extern const uint8_t url_sets[256];

/* A room being filled. `full` says that something did not fit; what was written before stays. */
struct url_out {
    char *p;
    size_t n, cap;
    bool full;
};

static inline void url_put(struct url_out *o, char byte)
{
    if (o->n < o->cap)
        o->p[o->n++] = byte;
    else
        o->full = true;
}

static inline void url_put_str(struct url_out *o, struct str s)
{
    if (s.n > o->cap - o->n) {
        o->full = true;
    } else if (s.n) {
        memcpy(o->p + o->n, s.p, s.n);
        o->n += s.n;
    }
}

/* "%XX", upper case. */
void url_put_percent(struct url_out *o, uint8_t byte);

/* `s` with the bytes of `set` percent-encoded. */
void url_put_encoded(struct url_out *o, struct str s, enum url_set set);

void url_put_number(struct url_out *o, uint32_t number);

#endif
