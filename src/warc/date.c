/* SPDX-License-Identifier: Apache-2.0 */
#include "warc/date.h"

#include "base/calendar.h"

/* Years 0000-01-01 and 9999-12-31T23:59:59.999. */
#define DATE_MIN_MS (INT64_C(-62167219200) * 1000)
#define DATE_MAX_MS (INT64_C(253402300799) * 1000 + 999)

static enum rc ms_of(const struct moment *m, int64_t *ret_ms)
{
    int64_t ms = moment_is_good(m) ? moment_ms(m) : INT64_MAX;
    if (!warc_date_fits(ms))
        return RC_INVALID;
    *ret_ms = ms;
    return RC_OK;
}

/* Takes exactly `digits` digits, preceded by `before` unless that is 0. */
static bool take_number(struct str *s, char before, size_t digits, int *ret)
{
    size_t skip = before != 0;
    if (s->n < skip + digits || (skip && s->p[0] != before))
        return false;
    int value = 0;
    for (size_t i = skip; i < skip + digits; i++) {
        if (!ascii_is_digit(s->p[i]))
            return false;
        value = value * 10 + (s->p[i] - '0');
    }
    *s = str_from(*s, skip + digits);
    *ret = value;
    return true;
}

static bool take_fraction(struct str *s, int *ret_ms)
{
    *s = str_from(*s, 1);
    int ms = 0;
    size_t digits = 0;
    for (; digits < s->n && ascii_is_digit(s->p[digits]); digits++)
        if (digits < 3)
            ms = ms * 10 + (s->p[digits] - '0');
    for (size_t i = digits; i < 3; i++)
        ms *= 10;
    *s = str_from(*s, digits);
    *ret_ms = ms;
    return digits >= 1 && digits <= 9;
}

static bool take_time(struct str *s, struct moment *m)
{
    if (!take_number(s, 'T', 2, &m->hour) || !take_number(s, ':', 2, &m->minute))
        return false;
    if (s->n && s->p[0] == ':') {
        if (!take_number(s, ':', 2, &m->second))
            return false;
        if (s->n && s->p[0] == '.' && !take_fraction(s, &m->ms))
            return false;
    }
    return str_eq(*s, STR("Z"));
}

enum rc warc_date_parse(struct str text, int64_t *ret_ms)
{
    struct moment m = {.month = 1, .day = 1};
    if (!take_number(&text, 0, 4, &m.year))
        return RC_INVALID;
    if (text.n && !take_number(&text, '-', 2, &m.month))
        return RC_INVALID;
    if (text.n && !take_number(&text, '-', 2, &m.day))
        return RC_INVALID;
    if (text.n && !take_time(&text, &m))
        return RC_INVALID;
    return ms_of(&m, ret_ms);
}

bool warc_date_fits(int64_t ms)
{
    return ms >= DATE_MIN_MS && ms <= DATE_MAX_MS;
}

static void put_digits(char *to, size_t digits, int value)
{
    while (digits) {
        to[--digits] = (char)('0' + value % 10);
        value /= 10;
    }
}

void warc_date_print(struct buf *out, int64_t ms)
{
    if (!warc_date_fits(ms)) {
        out->rc = out->rc ? out->rc : RC_INVALID;
        return;
    }
    struct moment m = moment_of_ms(ms);
    char text[] = "0000-00-00T00:00:00.000Z";
    put_digits(text, 4, m.year);
    put_digits(text + 5, 2, m.month);
    put_digits(text + 8, 2, m.day);
    put_digits(text + 11, 2, m.hour);
    put_digits(text + 14, 2, m.minute);
    put_digits(text + 17, 2, m.second);
    put_digits(text + 20, 3, m.ms);
    if (m.ms == 0)
        text[19] = 'Z';
    buf_add(out, str_make(text, m.ms ? 24 : 20));
}

void warc_ts14_print(struct buf *out, int64_t ms)
{
    if (!warc_date_fits(ms)) {
        out->rc = out->rc ? out->rc : RC_INVALID;
        return;
    }
    struct moment m = moment_of_ms(ms);
    char text[14];
    put_digits(text, 4, m.year);
    put_digits(text + 4, 2, m.month);
    put_digits(text + 6, 2, m.day);
    put_digits(text + 8, 2, m.hour);
    put_digits(text + 10, 2, m.minute);
    put_digits(text + 12, 2, m.second);
    buf_add(out, str_make(text, sizeof text));
}

enum rc warc_ts14_parse(struct str text, int64_t *ret_ms)
{
    struct moment m = {0};
    if (text.n != 14 || !take_number(&text, 0, 4, &m.year) || !take_number(&text, 0, 2, &m.month) ||
        !take_number(&text, 0, 2, &m.day) || !take_number(&text, 0, 2, &m.hour) ||
        !take_number(&text, 0, 2, &m.minute) || !take_number(&text, 0, 2, &m.second))
        return RC_INVALID;
    return ms_of(&m, ret_ms);
}
