/* SPDX-License-Identifier: Apache-2.0 */
#include "change/implied.h"

enum {
    P = 1,
    LI = 2,
    DT_DD = 4,
    CELL = 8,
    ROW = 16,
    ROWS = 32,
    COLS = 64,
    OPTION = 128,
    GROUP = 256,
    RUBY = 512,
    HEAD = 1024,
    HEADING = CHANGE_IMPLIED_HEADING,
};

struct rule {
    const char *name;
    struct change_implied implied;
};

/* By the length of the name, so that a lookup compares with few. */
static const struct rule rules_1[] = {{"p", {P, P}}, {NULL, {0, 0}}};
static const struct rule rules_2[] = {
    {"li", {LI, LI | P}},
    {"td", {CELL, CELL | P}},
    {"tr", {ROW, CELL | ROW | COLS | P}},
    {"th", {CELL, CELL | P}},
    {"dt", {DT_DD, DT_DD | P}},
    {"dd", {DT_DD, DT_DD | P}},
    {"ul", {0, P}},
    {"ol", {0, P}},
    {"dl", {0, P}},
    {"hr", {0, P}},
    {"h1", {HEADING, HEADING | P}},
    {"h2", {HEADING, HEADING | P}},
    {"h3", {HEADING, HEADING | P}},
    {"h4", {HEADING, HEADING | P}},
    {"h5", {HEADING, HEADING | P}},
    {"h6", {HEADING, HEADING | P}},
    {"rt", {RUBY, RUBY}},
    {"rp", {RUBY, RUBY}},
    {NULL, {0, 0}},
};
static const struct rule rules_3[] = {
    {"div", {0, P}}, {"nav", {0, P}}, {"pre", {0, P}}, {"dir", {0, P}}, {NULL, {0, 0}},
};
static const struct rule rules_4[] = {
    {"head", {HEAD, 0}}, {"body", {0, HEAD}}, {"form", {0, P}},
    {"main", {0, P}},    {"menu", {0, P}},    {NULL, {0, 0}},
};
static const struct rule rules_5[] = {
    {"tbody", {ROWS, CELL | ROW | ROWS | COLS | P}},
    {"thead", {ROWS, COLS}},
    {"tfoot", {ROWS, CELL | ROW | ROWS | COLS | P}},
    {"table", {0, P}},
    {"aside", {0, P}},
    {NULL, {0, 0}},
};
static const struct rule rules_6[] = {
    {"option", {OPTION, OPTION}}, {"header", {0, P}}, {"footer", {0, P}},
    {"figure", {0, P}},           {"center", {0, P}}, {"dialog", {0, P}},
    {"hgroup", {0, P}},           {"search", {0, P}}, {NULL, {0, 0}},
};
static const struct rule rules_7[] = {
    {"section", {0, P}}, {"article", {0, P}},    {"address", {0, P}},
    {"details", {0, P}}, {"caption", {COLS, 0}}, {NULL, {0, 0}},
};
static const struct rule rules_8[] = {
    {"optgroup", {GROUP, OPTION | GROUP}},
    {"colgroup", {COLS, COLS}},
    {"fieldset", {0, P}},
    {NULL, {0, 0}},
};
static const struct rule rules_10[] = {
    {"blockquote", {0, P}},
    {"figcaption", {0, P}},
    {NULL, {0, 0}},
};

enum { LONGEST = 10 };

static const struct rule *const rules[LONGEST + 1] = {
    NULL, rules_1, rules_2, rules_3, rules_4, rules_5, rules_6, rules_7, rules_8, NULL, rules_10,
};

struct change_implied change_implied(struct str name)
{
    const struct rule *r = name.n <= LONGEST ? rules[name.n] : NULL;
    for (; r && r->name; r++)
        if (r->name[0] == name.p[0] && memcmp(r->name, name.p, name.n) == 0)
            return r->implied;
    return (struct change_implied){0, 0};
}
