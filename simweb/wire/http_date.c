/* SPDX-License-Identifier: Apache-2.0 */
/* The three forms of a date in HTTP (RFC 9110 5.6.7), without the C library's locale:
 *     Sun, 06 Nov 1994 08:49:37 GMT
 *     Sunday, 06-Nov-94 08:49:37 GMT
 *     Sun Nov  6 08:49:37 1994 */
#include "wire/reply.h"

#include "base/calendar.h"

#define DAY_S UINT64_C(86400)
#define LAST_S UINT64_C(253402300799) /* of the year 9999; the form has no room for more */

static const char *const day_names[] = {"Sunday",   "Monday", "Tuesday", "Wednesday",
                                        "Thursday", "Friday", "Saturday"};

static void two_digits(char *to, int v)
{
    to[0] = (char)('0' + v / 10 % 10);
    to[1] = (char)('0' + v % 10);
}

void buf_http_date(struct buf *b, uint64_t wall_ms)
{
    uint64_t seconds = wall_ms / 1000 < LAST_S ? wall_ms / 1000 : LAST_S;
    struct moment m = moment_of_ms((int64_t)seconds * 1000);
    char text[] = "Day, 00 Mon 0000 00:00:00 GMT";
    memcpy(text, day_names[(seconds / DAY_S + 4) % 7], 3);
    two_digits(text + 5, m.day);
    memcpy(text + 8, calendar_month_name(m.month).p, 3);
    two_digits(text + 12, m.year / 100);
    two_digits(text + 14, m.year % 100);
    two_digits(text + 17, m.hour);
    two_digits(text + 20, m.minute);
    two_digits(text + 23, m.second);
    buf_add(b, str_make(text, sizeof text - 1));
}

/* Reading: each takes something from the front of *s, or sets it absent. */

static void refuse(struct str *s)
{
    *s = STR_NONE;
}

static void take_text(struct str *s, struct str text)
{
    if (s->p && str_starts(*s, text))
        *s = str_from(*s, text.n);
    else
        refuse(s);
}

static int take_digits(struct str *s, size_t digits)
{
    int v = 0;
    for (size_t i = 0; i < digits && s->p; i++) {
        if (i >= s->n || !ascii_is_digit(s->p[i])) {
            refuse(s);
            return 0;
        }
        v = v * 10 + (s->p[i] - '0');
    }
    *s = str_from(*s, digits);
    return v;
}

static int take_month(struct str *s)
{
    int month = s->p ? calendar_month(str_first(*s, 3)) : 0;
    if (month && str_starts(*s, calendar_month_name(month))) {
        *s = str_from(*s, 3);
        return month;
    }
    refuse(s);
    return 0;
}

static void take_time(struct str *s, struct moment *m)
{
    m->hour = take_digits(s, 2);
    take_text(s, STR(":"));
    m->minute = take_digits(s, 2);
    take_text(s, STR(":"));
    m->second = take_digits(s, 2);
}

/* " Nov  6 08:49:37 1994", behind the day's short name. */
static void take_asctime(struct str *s, struct moment *m)
{
    take_text(s, STR(" "));
    m->month = take_month(s);
    take_text(s, STR(" "));
    if (s->n && s->p[0] == ' ') {
        take_text(s, STR(" "));
        m->day = take_digits(s, 1);
    } else {
        m->day = take_digits(s, 2);
    }
    take_text(s, STR(" "));
    take_time(s, m);
    take_text(s, STR(" "));
    m->year = take_digits(s, 4);
}

/* ", 06 Nov 1994 08:49:37 GMT" and ", 06-Nov-94 08:49:37 GMT". Two digits of a year mean the
 * nearest one that is not over 50 years ahead of ours; the simulated web lives between 2025 and
 * 2030, so 80 and above are of the last century. */
static void take_rfc(struct str *s, bool is_long, struct moment *m)
{
    struct str gap = is_long ? STR("-") : STR(" ");
    take_text(s, STR(", "));
    m->day = take_digits(s, 2);
    take_text(s, gap);
    m->month = take_month(s);
    take_text(s, gap);
    m->year = take_digits(s, is_long ? 2 : 4);
    if (is_long)
        m->year += m->year >= 80 ? 1900 : 2000;
    take_text(s, STR(" "));
    take_time(s, m);
    take_text(s, STR(" GMT"));
}

enum rc http_date_read(struct str text, uint64_t *ret_wall_ms)
{
    struct str s = STR_NONE;
    bool is_long = false;
    for (int i = 0; i < 7 && !s.p; i++) {
        struct str name = str_c(day_names[i]);
        if (str_starts(text, str_first(name, 3))) {
            is_long = str_starts(text, name);
            s = str_from(text, is_long ? name.n : 3);
        }
    }
    struct moment m = {0};
    if (s.n && s.p[0] == ' ' && !is_long)
        take_asctime(&s, &m);
    else
        take_rfc(&s, is_long, &m);
    if (!s.p || s.n || m.year < 1970 || !moment_is_good(&m))
        return RC_INVALID;
    *ret_wall_ms = (uint64_t)moment_ms(&m);
    return RC_OK;
}
