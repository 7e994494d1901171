/* SPDX-License-Identifier: Apache-2.0 */
#include "base/options.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void *value_of(const struct option *o, void *settings)
{
    return (char *)settings + o->offset;
}

static const void *value_in(const struct option *o, const void *settings)
{
    return (const char *)settings + o->offset;
}

const struct option *option_find(const struct option *table, struct str key)
{
    for (const struct option *o = table; o && o->key; o++)
        if (str_eq(str_c(o->key), key) || (o->former && str_eq(str_c(o->former), key)))
            return o;
    return NULL;
}

/* Optimal string alignment over three rows; names are short. */
size_t name_distance(struct str a, struct str b, size_t limit)
{
    enum { MAX_NAME = 64 };
    if (a.n > MAX_NAME || b.n > MAX_NAME)
        return limit + 1;
    size_t row[3][MAX_NAME + 1];
    size_t *before = row[0], *last = row[1], *now = row[2];
    for (size_t j = 0; j <= b.n; j++)
        before[j] = last[j] = j;
    for (size_t i = 1; i <= a.n; i++) {
        now[0] = i;
        for (size_t j = 1; j <= b.n; j++) {
            size_t best = last[j - 1] + (a.p[i - 1] != b.p[j - 1]);
            if (last[j] + 1 < best)
                best = last[j] + 1;
            if (now[j - 1] + 1 < best)
                best = now[j - 1] + 1;
            if (i > 1 && j > 1 && a.p[i - 1] == b.p[j - 2] && a.p[i - 2] == b.p[j - 1] &&
                before[j - 2] + 1 < best)
                best = before[j - 2] + 1;
            now[j] = best;
        }
        size_t *spare = before;
        before = last;
        last = now;
        now = spare;
    }
    return last[b.n] > limit ? limit + 1 : last[b.n];
}

const char *option_suggest(const struct option *table, struct str key)
{
    const char *best = NULL;
    size_t least = key.n < 4 ? 2 : 3; /* one error in a short name, two in a long one */
    for (const struct option *o = table; o && o->key; o++) {
        size_t d = name_distance(str_c(o->key), key, 3);
        if (d < least) {
            least = d;
            best = o->key;
        }
    }
    return best;
}

struct unit {
    const char *name;
    uint64_t factor;
};

static const struct unit count_units[] = {{"", 1}, {"k", 1000}, {"M", 1000000}, {"G", 1000000000}};
static const struct unit size_units[] = {
    {"", 1},          {"k", 1 << 10},     {"K", 1 << 10},         {"M", 1 << 20},
    {"G", 1 << 30},   {"T", 1ull << 40},  {"kB", 1000},           {"KB", 1000},
    {"MB", 1000000},  {"GB", 1000000000}, {"TB", 1000000000000u}, {"KiB", 1 << 10},
    {"MiB", 1 << 20}, {"GiB", 1 << 30},   {"TiB", 1ull << 40}};
static const struct unit duration_units[] = {{"ms", 1},      {"s", 1000},    {"", 1000},
                                             {"m", 60000},   {"min", 60000}, {"h", 3600000},
                                             {"d", 86400000}};

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* floor(0.digits * factor), from the last digit to the first: exact, however long the fraction. */
static bool read_fraction(struct str digits, uint64_t factor, uint64_t *ret)
{
    uint64_t value = 0;
    if (digits.n == 0 || digits.n > 9 || factor == 1)
        return false;
    for (size_t i = digits.n; i-- > 0;) {
        if (!ascii_is_digit(digits.p[i]))
            return false;
        value = ((uint64_t)(digits.p[i] - '0') * factor + value) / 10;
    }
    *ret = value;
    return true;
}

/* A decimal number and a unit; with a fraction only if the unit can be divided. */
static bool read_amount(struct str text, const struct unit *units, size_t unit_count, uint64_t *ret)
{
    size_t digits = 0;
    while (digits < text.n && (ascii_is_digit(text.p[digits]) || text.p[digits] == '.'))
        digits++;
    struct str number = str_first(text, digits);
    struct str unit_name = str_trim(str_from(text, digits));
    const struct unit *unit = NULL;
    for (size_t i = 0; i < unit_count && !unit; i++)
        if (str_eq(str_c(units[i].name), unit_name))
            unit = &units[i];
    struct str rest = number;
    struct str whole = str_take_until(&rest, '.');
    uint64_t value = 0, fraction = 0;
    if (!unit || str_to_u64(whole, &value) || __builtin_mul_overflow(value, unit->factor, &value))
        return false;
    if (rest.p && !read_fraction(rest, unit->factor, &fraction))
        return false;
    return !__builtin_add_overflow(value, fraction, ret);
}

/* 1e7: a whole number and how many noughts follow. */
static bool read_power(struct str text, uint64_t *ret)
{
    struct str rest = text;
    struct str number = str_take_until(&rest, 'e');
    uint64_t value, noughts;
    if (!rest.p || str_to_u64(number, &value) || str_to_u64(rest, &noughts) || noughts > 19)
        return false;
    for (; noughts; noughts--)
        if (__builtin_mul_overflow(value, 10, &value))
            return false;
    *ret = value;
    return true;
}

static enum rc set_amount(const struct option *o, uint64_t *to, struct str text, struct buf *why)
{
    uint64_t value = 0;
    bool good;
    const char *expected;
    switch (o->type) {
    case OPTION_COUNT:
        good = read_amount(text, count_units, COUNT_OF(count_units), &value) ||
               read_power(text, &value);
        expected = "a whole number such as 100, 20k or 1M";
        break;
    case OPTION_SIZE:
        good = read_amount(text, size_units, COUNT_OF(size_units), &value);
        expected = "a size such as 512, 64k, 10M or 1GB";
        break;
    default:
        good = read_amount(text, duration_units, COUNT_OF(duration_units), &value);
        expected = "a duration such as 500ms, 1s, 2m, 1h or 7d";
    }
    if (!good) {
        buf_printf(why, "expected %s", expected);
        return RC_INVALID;
    }
    if (value < o->min || (o->max && value > o->max)) {
        buf_printf(why, "expected %s, at least %llu", expected, (unsigned long long)o->min);
        if (o->max)
            buf_printf(why, " and at most %llu", (unsigned long long)o->max);
        if (o->type == OPTION_DURATION)
            buf_add(why, STR(" (in milliseconds)"));
        return RC_INVALID;
    }
    *to = value;
    return RC_OK;
}

static bool read_bool(struct str text, bool *ret)
{
    static const char *const words[2][5] = {{"no", "false", "off", "n", "0"},
                                            {"yes", "true", "on", "y", "1"}};
    for (int value = 0; value < 2; value++) {
        for (size_t i = 0; i < COUNT_OF(words[0]); i++) {
            if (str_eq_nocase(text, str_c(words[value][i]))) {
                *ret = value;
                return true;
            }
        }
    }
    return false;
}

static enum rc set_bool(bool *to, struct str text, struct buf *why)
{
    if (read_bool(text, to))
        return RC_OK;
    buf_add(why, STR("expected yes or no"));
    return RC_INVALID;
}

/* What was written for a choice that was a bool. Digits are left: they may be meant as a choice. */
static struct str choice_text(const struct option *o, struct str text)
{
    bool value;
    if (!o->yes || (text.n && ascii_is_digit(text.p[0])) || !read_bool(text, &value))
        return text;
    return str_c(value ? o->yes : o->no);
}

static enum rc set_choice(const struct option *o, unsigned *to, struct str text, struct buf *why)
{
    struct str rest = str_c(o->choices);
    text = choice_text(o, text);
    for (unsigned i = 0; rest.p; i++) {
        if (str_eq(str_take_until(&rest, '|'), text)) {
            *to = i;
            return RC_OK;
        }
    }
    buf_printf(why, "expected one of %s", o->choices);
    return RC_INVALID;
}

static enum rc set_real(double *to, struct str text, struct buf *why)
{
    char digits[64];
    char *end = digits;
    double value = 0;
    if (text.n && text.n < sizeof digits) {
        memcpy(digits, text.p, text.n);
        digits[text.n] = '\0';
        value = strtod(digits, &end);
    }
    if (end == digits || *end || !isfinite(value)) {
        buf_add(why, STR("expected a number such as 0.25"));
        return RC_INVALID;
    }
    *to = value;
    return RC_OK;
}

static enum rc add_item(struct option_list *list, struct arena *arena, struct str text)
{
    struct str copy = arena_dup(arena, text);
    struct str *items = arena_alloc(arena, (list->count + 1) * sizeof *items);
    if (!copy.p || !items)
        return RC_NOMEM;
    if (list->count)
        memcpy(items, list->items, list->count * sizeof *items);
    items[list->count] = copy;
    *list = (struct option_list){items, list->count + 1};
    return RC_OK;
}

enum rc option_set(const struct option *o, void *settings, struct arena *arena, struct str text,
                   struct buf *why)
{
    void *value = value_of(o, settings);
    switch (o->type) {
    case OPTION_BOOL:
        return set_bool(value, text, why);
    case OPTION_COUNT:
    case OPTION_SIZE:
    case OPTION_DURATION:
        return set_amount(o, value, text, why);
    case OPTION_REAL:
        return set_real(value, text, why);
    case OPTION_CHOICE:
        return set_choice(o, value, text, why);
    case OPTION_LIST:
        return add_item(value, arena, text);
    case OPTION_TEXT:
        break;
    }
    struct str copy = arena_dup(arena, text);
    if (!copy.p)
        return RC_NOMEM;
    *(struct str *)value = copy;
    return RC_OK;
}

void option_list_clear(const struct option *o, void *settings)
{
    if (o->type == OPTION_LIST)
        *(struct option_list *)value_of(o, settings) = (struct option_list){0};
}

size_t option_bytes(const struct option *o)
{
    static const size_t bytes[] = {
        [OPTION_BOOL] = sizeof(bool),       [OPTION_COUNT] = sizeof(uint64_t),
        [OPTION_SIZE] = sizeof(uint64_t),   [OPTION_DURATION] = sizeof(uint64_t),
        [OPTION_REAL] = sizeof(double),     [OPTION_TEXT] = sizeof(struct str),
        [OPTION_CHOICE] = sizeof(unsigned), [OPTION_LIST] = sizeof(struct option_list)};
    return (size_t)o->type < COUNT_OF(bytes) ? bytes[o->type] : 0;
}

void option_copy(const struct option *o, void *to, const void *from)
{
    memcpy(value_of(o, to), value_in(o, from), option_bytes(o));
}

enum rc options_default(const struct option *table, void *settings, struct arena *arena)
{
    struct buf why = {.max = 256};
    enum rc rc = RC_OK;
    for (const struct option *o = table; o && o->key && rc == RC_OK; o++) {
        memset(value_of(o, settings), 0, option_bytes(o));
        if (o->def)
            rc = option_set(o, settings, arena, str_c(o->def), &why);
    }
    buf_done(&why);
    return rc;
}

static enum rc copy_list(struct option_list *list, struct arena *arena)
{
    struct str *items = arena_alloc(arena, list->count * sizeof *items);
    if (!items)
        return RC_NOMEM;
    for (size_t i = 0; i < list->count; i++) {
        items[i] = arena_dup(arena, list->items[i]);
        if (!items[i].p)
            return RC_NOMEM;
    }
    list->items = items;
    return RC_OK;
}

enum rc options_copy(const struct option *table, size_t bytes, const void *from, void *to,
                     struct arena *arena)
{
    if (bytes)
        memcpy(to, from, bytes);
    enum rc rc = RC_OK;
    for (const struct option *o = table; o && o->key && rc == RC_OK; o++) {
        void *value = value_of(o, to);
        struct str *text = value;
        if (o->type == OPTION_LIST)
            rc = copy_list(value, arena);
        else if (o->type == OPTION_TEXT && text->p && !(*text = arena_dup(arena, *text)).p)
            rc = RC_NOMEM;
    }
    return rc;
}

/* The largest unit that says it exactly; the unit lists above read it back. */
static void print_amount(uint64_t v, const struct unit *units, size_t count, const char *zero,
                         struct buf *out)
{
    const struct unit *best = NULL;
    for (size_t i = 0; i < count; i++)
        if (v && v % units[i].factor == 0 && (!best || units[i].factor > best->factor))
            best = &units[i];
    buf_u64(out, best ? v / best->factor : v);
    buf_add(out, str_c(best ? best->name : zero));
}

/* The fewest digits that are read back as the same number. */
static void print_real(double v, struct buf *out)
{
    char digits[64];
    int n = 0;
    for (int precision = 6; precision <= 17; precision++) {
        n = snprintf(digits, sizeof digits, "%.*g", precision, v);
        if (strtod(digits, NULL) == v)
            break;
    }
    buf_add(out, str_make(digits, n > 0 ? (size_t)n : 0));
}

static void print_choice(const struct option *o, unsigned index, struct buf *out)
{
    struct str rest = str_c(o->choices);
    struct str word = str_take_until(&rest, '|');
    while (index-- && rest.p)
        word = str_take_until(&rest, '|');
    buf_add(out, word);
}

void option_print(const struct option *o, const void *settings, struct buf *out)
{
    const void *value = value_in(o, settings);
    switch (o->type) {
    case OPTION_BOOL:
        buf_add(out, *(const bool *)value ? STR("yes") : STR("no"));
        break;
    case OPTION_COUNT:
        buf_u64(out, *(const uint64_t *)value);
        break;
    case OPTION_SIZE:
        print_amount(*(const uint64_t *)value, size_units, COUNT_OF(size_units), "", out);
        break;
    case OPTION_DURATION:
        print_amount(*(const uint64_t *)value, duration_units, COUNT_OF(duration_units), "s", out);
        break;
    case OPTION_REAL:
        print_real(*(const double *)value, out);
        break;
    case OPTION_TEXT:
        buf_add(out, *(const struct str *)value);
        break;
    case OPTION_CHOICE:
        print_choice(o, *(const unsigned *)value, out);
        break;
    case OPTION_LIST: {
        const struct option_list *list = value;
        for (size_t i = 0; i < list->count; i++) {
            buf_add(out, i ? STR(", ") : STR(""));
            buf_add(out, list->items[i]);
        }
        break;
    }
    }
}

const char *option_arg(const struct option *o)
{
    static const char *const names[] = {
        [OPTION_COUNT] = "N",   [OPTION_SIZE] = "SIZE", [OPTION_DURATION] = "TIME",
        [OPTION_REAL] = "X",    [OPTION_TEXT] = "TEXT", [OPTION_CHOICE] = NULL,
        [OPTION_LIST] = "TEXT", [OPTION_BOOL] = NULL};
    if (o->arg)
        return o->arg;
    return o->type == OPTION_CHOICE ? o->choices : names[o->type];
}
