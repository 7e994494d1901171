/* SPDX-License-Identifier: Apache-2.0 */
#include "linkindex/index_list.h"

#include "base/hash.h"
#include "base/hex.h"
#include "base/mem.h"

#include <stdio.h>

#define LIST_PATH INDEX_FOLDER "/LIST"
#define FIRST_LINE "orbweaver link index "
#define VERSION_NUMBER 1

static const struct {
    const char *name, *text;
} kinds[PAIR_KINDS] = {
    [PAIRS_LINKS] = {"links", "links/links.arcs"},
    [PAIRS_NAMES] = {"names", "links/links.nodes"},
};

const char *index_text_path(enum pair_kind kind)
{
    return kinds[kind].text;
}

const char *index_run_path(char room[INDEX_PATH_BYTES], enum pair_kind kind, uint64_t number)
{
    (void)snprintf(room, INDEX_PATH_BYTES, INDEX_FOLDER "/%s-%08llu", kinds[kind].name,
                   (unsigned long long)number);
    return room;
}

/* The list -------------------------------------------------------------------------------------- */

void index_list_done(struct index_list *l)
{
    for (unsigned i = 0; i < PAIR_KINDS; i++)
        mem_free(l->of[i].list);
    *l = (struct index_list){0};
}

enum rc index_list_copy(const struct index_list *l, struct index_list *ret)
{
    *ret = (struct index_list){0};
    for (unsigned i = 0; i < PAIR_KINDS; i++) {
        const struct index_runs *from = &l->of[i];
        struct index_runs *to = &ret->of[i];
        *to = (struct index_runs){.covered = from->covered, .tail_hash = from->tail_hash};
        to->list = from->count ? mem_alloc(from->count * sizeof *to->list) : NULL;
        if (from->count && !to->list) {
            index_list_done(ret);
            return RC_NOMEM;
        }
        to->room = to->count = from->count;
        if (from->count)
            memcpy(to->list, from->list, from->count * sizeof *to->list);
    }
    return RC_OK;
}

enum rc index_list_put(struct index_list *l, enum pair_kind kind, size_t at, size_t count,
                       struct index_run run)
{
    struct index_runs *r = &l->of[kind];
    if (!count && r->count == INDEX_MAX_RUNS)
        return RC_LIMIT;
    struct index_run *list =
        count ? r->list : mem_grow(r->list, r->count, &r->room, sizeof *r->list);
    if (!list)
        return RC_NOMEM;
    r->list = list;
    memmove(list + at + 1, list + at + count, (r->count - at - count) * sizeof *list);
    list[at] = run;
    r->count += 1 - count;
    return RC_OK;
}

uint64_t index_list_next(const struct index_list *l)
{
    uint64_t most = 0;
    for (unsigned k = 0; k < PAIR_KINDS; k++)
        for (size_t i = 0; i < l->of[k].count; i++)
            most = l->of[k].list[i].number > most ? l->of[k].list[i].number : most;
    return most + 1;
}

/* The text of the list -------------------------------------------------------------------------- */

void index_list_print(const struct index_list *l, struct buf *out)
{
    size_t begin = out->n;
    buf_printf(out, FIRST_LINE "%d\n", VERSION_NUMBER);
    for (unsigned k = 0; k < PAIR_KINDS; k++) {
        const struct index_runs *r = &l->of[k];
        buf_printf(out, "covers %s %llu %016llx\n", kinds[k].name, (unsigned long long)r->covered,
                   (unsigned long long)r->tail_hash);
        for (size_t i = 0; i < r->count; i++)
            buf_printf(out, "run %s %llu %u %llu %llu %llu\n", kinds[k].name,
                       (unsigned long long)r->list[i].number, r->list[i].level,
                       (unsigned long long)r->list[i].from, (unsigned long long)r->list[i].to,
                       (unsigned long long)r->list[i].bytes);
    }
    if (!buf_rc(out))
        buf_printf(out, "check %016llx\n",
                   (unsigned long long)hash64(str_from(buf_str(out), begin)));
}

static bool take_number(struct str *line, uint64_t *ret)
{
    return str_to_u64(str_take_until(line, ' '), ret) == RC_OK;
}

static bool take_kind(struct str *line, enum pair_kind *ret)
{
    struct str name = str_take_until(line, ' ');
    for (unsigned i = 0; i < PAIR_KINDS; i++)
        if (str_eq(name, str_c(kinds[i].name))) {
            *ret = (enum pair_kind)i;
            return true;
        }
    return false;
}

static enum rc parse_run(struct str line, struct index_list *l)
{
    enum pair_kind kind;
    struct index_run run = {0};
    uint64_t level;
    if (!take_kind(&line, &kind) || !take_number(&line, &run.number) ||
        !take_number(&line, &level) || !take_number(&line, &run.from) ||
        !take_number(&line, &run.to) || !take_number(&line, &run.bytes) || line.n || level > 64)
        return RC_CORRUPT;
    const struct index_runs *r = &l->of[kind];
    uint64_t before = r->count ? r->list[r->count - 1].to : 0;
    if (run.from != before || run.to <= run.from || !run.number || run.number >= UINT32_MAX)
        return RC_CORRUPT;
    run.level = (unsigned)level;
    enum rc rc = index_list_put(l, kind, r->count, 0, run);
    return rc == RC_LIMIT ? RC_CORRUPT : rc;
}

static enum rc parse_covers(struct str line, struct index_list *l)
{
    enum pair_kind kind;
    uint64_t covered, hash;
    if (!take_kind(&line, &kind) || !take_number(&line, &covered) || !hex16_read(line, &hash))
        return RC_CORRUPT;
    l->of[kind].covered = covered;
    l->of[kind].tail_hash = hash;
    return RC_OK;
}

static enum rc parse_line(struct str line, struct index_list *l)
{
    struct str word = str_take_until(&line, ' ');
    return str_eq(word, STR("run"))      ? parse_run(line, l)
           : str_eq(word, STR("covers")) ? parse_covers(line, l)
                                         : RC_CORRUPT;
}

static enum rc parse_lines(struct str text, struct index_list *l)
{
    enum rc rc = RC_OK;
    while (rc == RC_OK && text.n)
        rc = parse_line(str_take_until(&text, '\n'), l);
    for (unsigned k = 0; k < PAIR_KINDS && rc == RC_OK; k++) {
        const struct index_runs *r = &l->of[k];
        if (r->covered != (r->count ? r->list[r->count - 1].to : 0))
            rc = RC_CORRUPT;
    }
    return rc;
}

/* "check 0123456789abcdef\n" behind the rest. */
static bool take_check(struct str *text)
{
    enum { CHECK_BYTES = 6 + HEX16_BYTES + 1 };
    uint64_t hash;
    if (text->n < CHECK_BYTES)
        return false;
    struct str last = str_from(*text, text->n - CHECK_BYTES);
    *text = str_first(*text, text->n - CHECK_BYTES);
    return str_starts(last, STR("check ")) && last.p[CHECK_BYTES - 1] == '\n' &&
           hex16_read(str_make(last.p + 6, HEX16_BYTES), &hash) && hash == hash64(*text);
}

enum rc index_list_parse(struct str text, struct index_list *ret)
{
    uint64_t version;
    *ret = (struct index_list){0};
    if (!take_check(&text))
        return RC_CORRUPT;
    struct str first = str_take_until(&text, '\n');
    if (!str_starts(first, STR(FIRST_LINE)) ||
        str_to_u64(str_from(first, sizeof FIRST_LINE - 1), &version) != RC_OK)
        return RC_CORRUPT;
    enum rc rc = version == VERSION_NUMBER ? parse_lines(text, ret) : RC_VERSION;
    if (rc)
        index_list_done(ret);
    return rc;
}

/* Files ----------------------------------------------------------------------------------------- */

enum rc index_list_read(struct disk *d, struct index_list *ret)
{
    struct buf text = {.max = INDEX_LIST_MAX_BYTES};
    *ret = (struct index_list){0};
    enum rc rc = disk_read_whole(d, LIST_PATH, &text);
    rc = rc == RC_LIMIT ? RC_CORRUPT : rc;
    rc = rc ? rc : index_list_parse(buf_str(&text), ret);
    buf_done(&text);
    return rc;
}

enum rc index_list_write(struct disk *d, const struct index_list *l)
{
    struct buf text = {.max = INDEX_LIST_MAX_BYTES};
    index_list_print(l, &text);
    enum rc rc = buf_rc(&text);
    rc = rc ? rc : disk_replace(d, LIST_PATH, buf_str(&text));
    buf_done(&text);
    return rc;
}

enum rc index_tail_hash(struct disk *d, enum pair_kind kind, uint64_t covered, uint64_t *ret)
{
    char room[INDEX_TAIL_BYTES];
    struct disk_file *f = NULL;
    size_t bytes = covered < sizeof room ? (size_t)covered : sizeof room, got = 0;
    enum rc rc = bytes ? disk_open(d, index_text_path(kind), DISK_READ, &f) : RC_OK;
    if (rc == RC_OK && bytes)
        rc = disk_read(f, covered - bytes, room, bytes, &got);
    disk_file_close(f);
    *ret = hash64(str_make(room, bytes));
    return rc == RC_NOT_FOUND ? RC_CORRUPT : rc ? rc : got == bytes ? RC_OK : RC_CORRUPT;
}
