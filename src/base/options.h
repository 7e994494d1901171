/* SPDX-License-Identifier: Apache-2.0 */
/* options: settings described by a table, filled from what a person wrote.
 *
 * A part, a command or the whole crawl describes each setting in one row: its key, its type, its
 * default, its help, and where in the owner's plain C struct the value goes. The command line, the
 * YAML file, the environment, `check`, the manual, shell completion and the workbench form all
 * come from that row.
 *
 *     struct slow { uint64_t wait_ms; bool loud; };
 *     static const struct option slow_options[] = {
 *         OPTION_DURATION_ROW(struct slow, wait_ms, "wait", "1s", "how long to wait"),
 *         OPTION_BOOL_ROW(struct slow, loud, "loud", "no", "say so", .live = true),
 *         {0},
 *     };
 *
 * Values are always set from text, the default's too, so what the help prints is what happens. */
#ifndef BASE_OPTIONS_H
#define BASE_OPTIONS_H

#include "base/arena.h"
#include "base/buf.h"

enum option_type {
    OPTION_BOOL,     /* bool          yes no true false on off */
    OPTION_COUNT,    /* uint64_t      1000, 1k, 1M (thousands) */
    OPTION_SIZE,     /* uint64_t      bytes: 512, 64k, 1M, 2G (1024s), 1GB (1000s) */
    OPTION_DURATION, /* uint64_t      milliseconds: 500ms, 1s, 2m, 1h, 7d; a bare number: seconds */
    OPTION_REAL,     /* double */
    OPTION_TEXT,     /* struct str    NUL behind it, in the arena */
    OPTION_CHOICE,   /* unsigned      index into `choices` */
    OPTION_LIST,     /* struct option_list; a flag may come again, YAML takes a sequence */
};

struct option_list {
    const struct str *items;
    size_t count;
};

struct option {
    const char *key; /* "ip-delay": the long flag and the YAML key; NULL ends a table */
    char letter;     /* short flag, 0 = none */
    enum option_type type;
    size_t offset;        /* of the value in the owner's struct */
    const char *def;      /* as a person would write it; NULL = unset: false, 0, absent */
    const char *choices;  /* "host|domain|any" for OPTION_CHOICE */
    const char *arg;      /* what the help calls the value; NULL = by type: "N", "TIME" */
    const char *help;     /* one line, lower case, no full stop */
    uint64_t min, max;    /* for counts, sizes and durations; max 0 = none */
    bool live;            /* may be changed while running */
    bool required;        /* an error if nothing set it */
    const char *bare;     /* what the flag alone means, when its value may be left out */
    const char *former;   /* the key before it was renamed: still read; NULL = none */
    const char *no, *yes; /* of a choice that was a bool under its former key: what those two values
                             mean now. The former key alone is still a flag. NULL = it was none */
};

#define OPTION_ROW_(kind, type_of, field, k, d, h, ...)                                          \
    {                                                                                            \
        .type = (kind), .offset = offsetof(type_of, field), .key = (k), .def = (d), .help = (h), \
        __VA_ARGS__                                                                              \
    }
#define OPTION_BOOL_ROW(t, f, k, d, h, ...) OPTION_ROW_(OPTION_BOOL, t, f, k, d, h, __VA_ARGS__)
#define OPTION_COUNT_ROW(t, f, k, d, h, ...) OPTION_ROW_(OPTION_COUNT, t, f, k, d, h, __VA_ARGS__)
#define OPTION_SIZE_ROW(t, f, k, d, h, ...) OPTION_ROW_(OPTION_SIZE, t, f, k, d, h, __VA_ARGS__)
#define OPTION_DURATION_ROW(t, f, k, d, h, ...) \
    OPTION_ROW_(OPTION_DURATION, t, f, k, d, h, __VA_ARGS__)
#define OPTION_REAL_ROW(t, f, k, d, h, ...) OPTION_ROW_(OPTION_REAL, t, f, k, d, h, __VA_ARGS__)
#define OPTION_TEXT_ROW(t, f, k, d, h, ...) OPTION_ROW_(OPTION_TEXT, t, f, k, d, h, __VA_ARGS__)
#define OPTION_CHOICE_ROW(t, f, k, d, h, ...) OPTION_ROW_(OPTION_CHOICE, t, f, k, d, h, __VA_ARGS__)
#define OPTION_LIST_ROW(t, f, k, d, h, ...) OPTION_ROW_(OPTION_LIST, t, f, k, d, h, __VA_ARGS__)

/* The row with that key, or NULL. */
const struct option *option_find(const struct option *table, struct str key);

/* The key most like `key` (a typing error away), or NULL: for "did you mean". */
const char *option_suggest(const struct option *table, struct str key);

/* Sets every value to its default. The table's own defaults are valid (a test sees to it), so the
 * only failure is RC_NOMEM. */
MUST_CHECK enum rc options_default(const struct option *table, void *settings, struct arena *arena);

/* Sets one value from text (OPTION_LIST: adds one item). On RC_INVALID the setting is untouched
 * and `why` says what was expected: "a duration such as 500ms, 1s, 2m". */
MUST_CHECK enum rc option_set(const struct option *o, void *settings, struct arena *arena,
                              struct str text, struct buf *why);

/* Copies one value between two structs of the same table; lists and texts stay where they are. */
void option_copy(const struct option *o, void *to, const void *from);

/* Copies the settings of a table, `bytes` long, with every text and list that they point to, so
 * that `to` needs only `arena`. RC_NOMEM leaves `to` unusable. */
MUST_CHECK enum rc options_copy(const struct option *table, size_t bytes, const void *from,
                                void *to, struct arena *arena);

/* Empties a list, so that what comes next replaces its default instead of adding to it. */
void option_list_clear(const struct option *o, void *settings);

/* The value as a person would write it. */
void option_print(const struct option *o, const void *settings, struct buf *out);

/* The size of the value in the owner's struct; 0 if its type is none of the above. */
size_t option_bytes(const struct option *o);

/* What the help calls the value: "N", "SIZE", "host|domain|any"; NULL for a bool. */
const char *option_arg(const struct option *o);

/* How far two names are apart in typing errors (insert, delete, replace, swap), at most `limit`
 * + 1: the measure behind every "did you mean". */
size_t name_distance(struct str a, struct str b, size_t limit);

#endif
