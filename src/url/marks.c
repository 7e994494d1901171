/* SPDX-License-Identifier: Apache-2.0 */
#include "url/marks.h"

enum value {
    ANY,    /* not empty */
    HEX32,  /* 32 hexadecimal digits */
    WORD16, /* at least 16 letters and digits */
    WORD20,
};

struct mark {
    struct str name;
    enum url_mark mark;
    enum value value;
    bool is_prefix; /* the name may go on */
};

#define ROWS(...) ((const struct mark[]){__VA_ARGS__, {{NULL, 0}, URL_MARK_NONE, ANY, false}})
#define NAME(literal)                   \
    {                                   \
        "" literal, sizeof(literal) - 1 \
    }
#define SESSION(name, value)                       \
    {                                              \
        NAME(name), URL_MARK_SESSION, value, false \
    }
#define SESSION_FAMILY(name)                    \
    {                                           \
        NAME(name), URL_MARK_SESSION, ANY, true \
    }
#define TRACKING(name)                            \
    {                                             \
        NAME(name), URL_MARK_TRACKING, ANY, false \
    }
#define TRACKING_FAMILY(name)                    \
    {                                            \
        NAME(name), URL_MARK_TRACKING, ANY, true \
    }

/* By first byte, so that an ordinary name costs one look. */
static const struct mark *const by_first[128] = {
    ['_'] = ROWS(SESSION("_sid", HEX32), TRACKING("_ga"), TRACKING("_gl"), TRACKING("_hsenc"),
                 TRACKING("_hsmi"), TRACKING("__hssc"), TRACKING("__hstc"), TRACKING("__hsfp"),
                 TRACKING("_openstat"), TRACKING("_kx")),
    ['a'] = ROWS(SESSION_FAMILY("aspsessionid")),
    ['b'] = ROWS(SESSION("bv_sessionid", ANY), SESSION("bv_engineid", ANY)),
    ['c'] = ROWS(SESSION("cfid", ANY), SESSION("cftoken", ANY)),
    ['d'] = ROWS(TRACKING("dclid")),
    ['e'] = ROWS(TRACKING("epik")),
    ['f'] = ROWS(TRACKING("fbclid")),
    ['g'] = ROWS(TRACKING("gclid"), TRACKING("gclsrc"), TRACKING("gbraid")),
    ['h'] = ROWS(TRACKING("hsctatracking")),
    ['i'] = ROWS(TRACKING("igshid")),
    ['j'] = ROWS(SESSION("jsessionid", ANY)),
    ['l'] = ROWS(TRACKING("li_fat_id")),
    ['m'] = ROWS(TRACKING("msclkid"), TRACKING("mc_cid"), TRACKING("mc_eid"), TRACKING("mkt_tok"),
                 TRACKING_FAMILY("mtm_")),
    ['o'] = ROWS(SESSION("oscsid", WORD20), TRACKING("oly_anon_id"), TRACKING("oly_enc_id")),
    ['p'] = ROWS(SESSION("phpsessid", ANY), SESSION("phpsessionid", ANY), TRACKING("pk_campaign"),
                 TRACKING("pk_kwd"), TRACKING("pk_source"), TRACKING("pk_medium"),
                 TRACKING("pk_content"), TRACKING("piwik_campaign"), TRACKING("piwik_kwd")),
    ['r'] = ROWS(TRACKING("rb_clickid")),
    ['s'] = ROWS(SESSION("sid", HEX32), SESSION("s", HEX32), SESSION("sessid", WORD16),
                 SESSION("sessionid", WORD16), SESSION("session_id", WORD16), TRACKING("s_cid"),
                 TRACKING("srsltid")),
    ['t'] = ROWS(TRACKING("twclid"), TRACKING("ttclid")),
    ['u'] = ROWS(TRACKING_FAMILY("utm_")),
    ['v'] = ROWS(TRACKING("vero_id"), TRACKING("vero_conv")),
    ['w'] = ROWS(TRACKING("wbraid"), TRACKING("wickedid"), SESSION("weblogicsession", ANY)),
    ['y'] = ROWS(TRACKING("yclid")),
    ['z'] = ROWS(SESSION("zenid", WORD20), TRACKING("zanpid")),
};

static bool is_word(struct str s, size_t least)
{
    for (size_t i = 0; i < s.n; i++)
        if (!ascii_is_alnum(s.p[i]))
            return false;
    return s.n >= least;
}

static bool is_hex32(struct str s)
{
    for (size_t i = 0; i < s.n; i++)
        if (ascii_hex(s.p[i]) < 0)
            return false;
    return s.n == 32;
}

static bool value_fits(enum value kind, struct str value)
{
    switch (kind) {
    case HEX32:
        return is_hex32(value);
    case WORD16:
        return is_word(value, 16);
    case WORD20:
        return is_word(value, 20);
    case ANY:
        break;
    }
    return value.n > 0;
}

/* Lengths first: most names end the search there. */
static inline bool name_fits(const struct mark *m, struct str name)
{
    if (m->is_prefix)
        return str_starts_nocase(name, m->name);
    return m->name.n == name.n && str_starts_nocase(name, m->name);
}

/* A tracking parameter goes with or without a value; a session needs one. */
enum url_mark url_mark_find(struct str parameter)
{
    uint8_t first = parameter.n ? (uint8_t)ascii_lower(parameter.p[0]) : 0;
    const struct mark *m = first < 128 ? by_first[first] : NULL;
    if (!m)
        return URL_MARK_NONE;
    struct str name = str_first(parameter, str_find(parameter, '='));
    struct str value = str_from(parameter, name.n + 1);
    for (; m->name.p; m++)
        if (name_fits(m, name))
            return m->mark == URL_MARK_TRACKING || value_fits(m->value, value) ? m->mark
                                                                               : URL_MARK_NONE;
    return URL_MARK_NONE;
}

enum { ASPNET_LEAST = 24 };

/* Takes "S(...)" from the front of *s. */
static bool take_group(struct str *s)
{
    if (s->n < 3 || !ascii_is_alpha(s->p[0]) || s->p[1] != '(')
        return false;
    size_t end = str_find(*s, ')');
    size_t i = 2;
    while (i < end && (ascii_is_alnum(s->p[i]) || s->p[i] == '-' || s->p[i] == '_'))
        i++;
    if (i != end || end == s->n || end - 2 < ASPNET_LEAST)
        return false;
    *s = str_from(*s, end + 1);
    return true;
}

bool url_mark_is_segment(struct str segment)
{
    if (segment.n < ASPNET_LEAST + 2 || segment.p[0] != '(' || segment.p[segment.n - 1] != ')')
        return false;
    struct str inner = str_make(segment.p + 1, segment.n - 2);
    if (inner.n == ASPNET_LEAST && is_word(inner, ASPNET_LEAST))
        return true;
    while (inner.n && take_group(&inner))
        continue;
    return inner.n == 0;
}
