/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/try/change_report.h"

#include "base/jsonw.h"
#include "base/utf8.h"

#include <stdio.h>

enum { SHOWN_LETTERS = 60, SHOWN_DIGEST_BYTES = 8, CODE_WIDTH = 26 };

static bool applies(const struct change_report *r, unsigned kind)
{
    return r->kinds >> kind & 1;
}

/* One code of one page, as a person reads it. In JSON digests and letters are not cut. */
static void put_levels(const struct change_levels *levels, struct buf *out)
{
    for (uint32_t i = 0; i < levels->count; i++)
        buf_printf(out, "%s%u", i ? "," : "", levels->at[i]);
}

static void put_letters(struct str letters, bool whole, struct buf *out)
{
    size_t cut = letters.n <= SHOWN_LETTERS || whole ? letters.n : SHOWN_LETTERS;
    while (cut < letters.n && (letters.p[cut] & 0xc0) == 0x80)
        cut--;
    if (whole)
        buf_add(out, letters);
    else
        buf_visible(out, str_first(letters, cut));
    if (cut < letters.n)
        buf_printf(out, "... (%zu)", letters.n);
}

static void put_digest(const uint8_t *digest, bool whole, struct buf *out)
{
    buf_hex(out, digest, whole ? DIGEST_SHA256_BYTES : SHOWN_DIGEST_BYTES);
    if (!whole)
        buf_add(out, STR("..."));
}

static void put_hash(uint64_t hash, struct buf *out)
{
    buf_printf(out, "%016llx", (unsigned long long)hash);
}

enum row {
    ROW_FIRST,
    ROW_LAST,
    ROW_LEVELS,
    ROW_TREE,
    ROW_TREE_SIMHASH,
    ROW_ELEMENTS,
    ROW_MEAN,
    ROW_RMS,
    ROW_DIGEST,
    ROW_SIMHASH,
    ROW_SYMBOLS,
    ROW_IVAL_16,
    ROW_IVAL_32,
    ROW_IVAL_64,
    ROW_PIXELS,
    ROW_DHASH,
    ROW_COUNT,
};

struct row_table {
    const char *name, *key;
    enum change_test test;
    const char *from; /* where the code comes from */
};

static const struct row_table row_tables[ROW_COUNT] = {
    [ROW_FIRST] = {"first letters", "first_letters", CHANGE_LETTERS, "paper, structure I"},
    [ROW_LAST] = {"last letters", "last_letters", CHANGE_LETTERS, "paper, structure I"},
    [ROW_LEVELS] = {"levels", "levels", CHANGE_LEVEL_COUNTS, "paper, structure II"},
    [ROW_TREE] = {"tree", "tree", CHANGE_TREE, "decides"},
    [ROW_TREE_SIMHASH] = {"tree simhash", "tree_simhash", CHANGE_TREE, "how much"},
    [ROW_ELEMENTS] = {"elements", "elements", CHANGE_TREE, ""},
    [ROW_MEAN] = {"text-1", "text_1", CHANGE_TEXT_MEAN, "paper, text I"},
    [ROW_RMS] = {"text-2", "text_2", CHANGE_TEXT_RMS, "paper, text II"},
    [ROW_DIGEST] = {"text-sha256", "text_sha256", CHANGE_TEXT_DIGEST, "decides"},
    [ROW_SIMHASH] = {"text-simhash", "text_simhash", CHANGE_TEXT_SIMHASH, "how much"},
    [ROW_SYMBOLS] = {"symbols", "symbols", CHANGE_TEXT_MEAN, ""},
    [ROW_IVAL_16] = {"ival-16", "ival_16", CHANGE_IVAL_16, "paper, n = 16"},
    [ROW_IVAL_32] = {"ival-32", "ival_32", CHANGE_IVAL_32, "paper, n = 32"},
    [ROW_IVAL_64] = {"ival-64", "ival_64", CHANGE_IVAL_64, "paper, n = 64"},
    [ROW_PIXELS] = {"image-sha256", "image_sha256", CHANGE_IMAGE_DIGEST, "decides"},
    [ROW_DHASH] = {"image-dhash", "image_dhash", CHANGE_IMAGE_DHASH, "how much"},
};

static void put_structure_code(const struct change_report *r, unsigned side, enum row row,
                               bool whole, struct buf *out)
{
    const struct change_codes *c = &r->codes[side];
    if (row == ROW_FIRST)
        put_letters(r->letters[side].first, whole, out);
    else if (row == ROW_LAST)
        put_letters(r->letters[side].last, whole, out);
    else if (row == ROW_LEVELS)
        put_levels(&c->levels, out);
    else if (row == ROW_ELEMENTS)
        buf_u64(out, c->elements);
    else
        put_hash(row == ROW_TREE ? c->tree : c->tree_simhash, out);
}

static void put_text_code(const struct change_codes *c, enum row row, bool whole, struct buf *out)
{
    if (row == ROW_MEAN)
        buf_printf(out, "%.6f", change_text_mean(&c->text));
    else if (row == ROW_RMS)
        buf_printf(out, "%.6f", change_text_rms(&c->text));
    else if (row == ROW_DIGEST)
        put_digest(c->text_sha256, whole, out);
    else if (row == ROW_SYMBOLS)
        buf_u64(out, c->text.symbols);
    else
        put_hash(c->text_simhash, out);
}

static void put_image_code(const struct change_codes *c, enum row row, bool whole, struct buf *out)
{
    if (row == ROW_PIXELS)
        put_digest(c->pictures_sha256, whole, out);
    else if (row == ROW_DHASH)
        put_hash(c->at[0].dhash, out);
    else
        buf_ival(out, c->at[0].ival[row - ROW_IVAL_16]);
}

static void put_code(const struct change_report *r, unsigned side, enum row row, bool whole,
                     struct buf *out)
{
    if (row < ROW_MEAN)
        put_structure_code(r, side, row, whole, out);
    else if (row < ROW_IVAL_16)
        put_text_code(&r->codes[side], row, whole, out);
    else
        put_image_code(&r->codes[side], row, whole, out);
}

static bool row_applies(const struct change_report *r, enum row row)
{
    enum change_test test = row_tables[row].test;
    bool made = r->codes[0].tests >> test & 1 && r->codes[1].tests >> test & 1;
    for (unsigned k = 0; k < CHANGE_KIND_COUNT; k++)
        if (change_kind_tests((enum change_kind)k) >> test & 1)
            return made && applies(r, k);
    return false;
}

static void list_kinds(const struct change_report *r, struct buf *out)
{
    const char *comma = "";
    for (unsigned k = 0; k < CHANGE_KIND_COUNT; k++) {
        if (!r->verdict->of[k].changed)
            continue;
        buf_printf(out, "%s%s", comma, change_kind_name((enum change_kind)k));
        comma = ", ";
    }
}

static void list_tests(uint32_t tests, struct buf *out)
{
    const char *comma = "";
    for (unsigned test = 0; test < CHANGE_TEST_COUNT; test++) {
        if (!(tests >> test & 1))
            continue;
        buf_printf(out, "%s%s", comma, change_test_name((enum change_test)test));
        comma = ", ";
    }
}

static void finding_words(const struct change_finding *f, struct buf *out)
{
    if (!f->tested) {
        buf_add(out, STR("not tested, as a step before it saw a change\n"));
        return;
    }
    uint32_t others = f->saw & ~(f->changed ? CHANGE_BIT(f->by) : 0);
    if (f->changed)
        buf_printf(out, "changed, %.1f %% alike%s, by %s", f->similarity * 100,
                   f->near ? " (nearly the same)" : "", change_test_name(f->by));
    else
        buf_add(out, STR("the same"));
    if (others) {
        buf_add(out, f->changed ? STR("; also seen by ") : STR("; false alarm of "));
        list_tests(others, out);
    }
    uint32_t missed = f->changed ? f->compared & ~f->saw : 0;
    if (missed) {
        buf_add(out, STR("; missed by "));
        list_tests(missed, out);
    }
    buf_byte(out, '\n');
}

static void differences_words(const struct change_report *r, struct buf *out)
{
    const struct change_verdict *v = r->verdict;
    if (v->levels) {
        buf_add(out, STR("           elements on level"));
        for (unsigned i = 0; i < CHANGE_LEVELS; i++)
            if (v->levels >> i & 1)
                buf_printf(out, " %u (%u -> %u)", i + 1, r->codes[0].levels.at[i],
                           r->codes[1].levels.at[i]);
        buf_byte(out, '\n');
    }
    for (uint32_t i = 0; i < v->differences.count; i++) {
        const struct change_difference *p = &v->differences.list[i];
        buf_printf(out, "           %-8s level %-3u %s", change_difference_kind_name(p->kind),
                   p->level, p->path);
        if (p->elements > 1)
            buf_printf(out, " (%u elements)", p->elements);
        buf_byte(out, '\n');
    }
    if (v->differences.all > v->differences.count)
        buf_printf(out, "           and %u more\n", v->differences.all - v->differences.count);
}

/* Of the whole codes, not of what is shown of them. */
static bool row_differs(const struct change_report *r, enum row row, char sides[2][256])
{
    if (row == ROW_FIRST)
        return !str_eq(r->letters[0].first, r->letters[1].first);
    if (row == ROW_LAST)
        return !str_eq(r->letters[0].last, r->letters[1].last);
    if (row == ROW_LEVELS)
        return r->verdict->levels != 0;
    return strcmp(sides[0], sides[1]) != 0;
}

/* Side by side, or one below the other where there is no room. */
static void row_words(const struct row_table *row, bool differs, char sides[2][256],
                      struct buf *out)
{
    bool wide = strlen(sides[0]) > CODE_WIDTH || strlen(sides[1]) > CODE_WIDTH;
    buf_printf(out, "%-14s %-20s %c ", row->name, row->from, differs ? '*' : ' ');
    if (wide)
        buf_printf(out, "%s\n%38s%s\n", sides[0], "", sides[1]);
    else
        buf_printf(out, "%-*s %s\n", CODE_WIDTH, sides[0], sides[1]);
}

static void codes_words(const struct change_report *r, struct buf *out)
{
    char sides[2][256];
    for (unsigned row = 0; row < ROW_COUNT; row++) {
        if (!row_applies(r, (enum row)row))
            continue;
        for (unsigned side = 0; side < 2; side++) {
            struct buf b = buf_on(sides[side], sizeof sides[side] - 1);
            put_code(r, side, (enum row)row, false, &b);
            sides[side][b.n] = 0;
        }
        row_words(&row_tables[row], row_differs(r, (enum row)row, sides), sides, out);
    }
}

void change_report_words(const struct change_report *r, struct buf *out)
{
    if (r->verdict->changed) {
        buf_add(out, STR("changed: "));
        list_kinds(r, out);
        buf_byte(out, '\n');
    } else {
        buf_add(out, STR("no change\n"));
    }
    for (unsigned k = 0; k < CHANGE_KIND_COUNT; k++) {
        if (!applies(r, k))
            continue;
        buf_printf(out, "%-10s ", change_kind_name((enum change_kind)k));
        finding_words(&r->verdict->of[k], out);
        if (k == CHANGE_STRUCTURE)
            differences_words(r, out);
    }
    buf_printf(out, "\n%-14s %-20s   %-26s %s\n", "code", "", "old", "new");
    codes_words(r, out);
}

static void tests_json(struct jsonw *j, const char *key, uint32_t tests)
{
    jsonw_key(j, key);
    jsonw_array(j);
    for (unsigned test = 0; test < CHANGE_TEST_COUNT; test++)
        if (tests >> test & 1)
            jsonw_text(j, str_c(change_test_name((enum change_test)test)));
    jsonw_end(j);
}

static void differences_json(struct jsonw *j, const struct change_verdict *v)
{
    jsonw_key(j, "levels");
    jsonw_array(j);
    for (unsigned i = 0; i < CHANGE_LEVELS; i++)
        if (v->levels >> i & 1)
            jsonw_u64(j, i + 1);
    jsonw_end(j);
    jsonw_key(j, "places");
    jsonw_array(j);
    for (uint32_t i = 0; i < v->differences.count; i++) {
        const struct change_difference *p = &v->differences.list[i];
        jsonw_object(j);
        jsonw_text_field(j, "what", str_c(change_difference_kind_name(p->kind)));
        jsonw_text_field(j, "path", str_c(p->path));
        jsonw_u64_field(j, "level", p->level);
        jsonw_u64_field(j, "elements", p->elements);
        jsonw_end(j);
    }
    jsonw_end(j);
    jsonw_u64_field(j, "differences", v->differences.all);
}

static void finding_json(struct jsonw *j, const struct change_verdict *v, unsigned kind)
{
    const struct change_finding *f = &v->of[kind];
    jsonw_key(j, change_kind_name((enum change_kind)kind));
    jsonw_object(j);
    jsonw_bool_field(j, "tested", f->tested);
    if (f->tested) {
        jsonw_bool_field(j, "changed", f->changed);
        jsonw_key(j, "similarity");
        jsonw_real(j, f->similarity);
        jsonw_bool_field(j, "near", f->near);
        jsonw_text_field(j, "by", f->changed ? str_c(change_test_name(f->by)) : STR_NONE);
        tests_json(j, "seen_by", f->saw);
        tests_json(j, "missed_by", f->changed ? f->compared & ~f->saw : 0);
        if (kind == CHANGE_STRUCTURE)
            differences_json(j, v);
    }
    jsonw_end(j);
}

static void codes_json(struct jsonw *j, const struct change_report *r, unsigned side)
{
    jsonw_object(j);
    for (unsigned row = 0; row < ROW_COUNT; row++) {
        if (!row_applies(r, (enum row)row))
            continue;
        struct buf text;
        buf_init(&text, 8 << 20);
        put_code(r, side, (enum row)row, true, &text);
        jsonw_text_field(j, row_tables[row].key, buf_str(&text));
        buf_done(&text);
    }
    jsonw_end(j);
}

void change_report_json(const struct change_report *r, struct buf *out)
{
    struct jsonw j = jsonw_to(out);
    jsonw_object(&j);
    jsonw_bool_field(&j, "changed", r->verdict->changed);
    for (unsigned k = 0; k < CHANGE_KIND_COUNT; k++)
        if (applies(r, k))
            finding_json(&j, r->verdict, k);
    jsonw_key(&j, "old");
    codes_json(&j, r, 0);
    jsonw_key(&j, "new");
    codes_json(&j, r, 1);
    jsonw_end(&j);
    buf_byte(out, '\n');
}
