/* SPDX-License-Identifier: Apache-2.0 */
#include "damage_case.h"

#include "base/hash.h"
#include "base/rng.h"

#include <stdio.h>
#include <stdlib.h>

enum { PAGE_BYTES = 4096, PLACES = 8, JUNK_BYTES = 100, MOST_TRIES = 100 };

/* Naming --------------------------------------------------------------------------------------- */

static const struct {
    const char *begins, *name;
} file_kinds[FILE_KINDS] = {
    {"state/journal/", "journal"},
    {"state/images/", "image"},
    {"state/rest/", "rest"},
    {"state/history/CURRENT", "history CURRENT"},
    {"state/history/MANIFEST", "history MANIFEST"},
    {"state/history/OPTIONS", "history OPTIONS"},
    {"state/history/0", "history table"},
    {"state/history/", "history other"},
    {"state/VERSION", "VERSION"},
    {"state/MANIFEST", "MANIFEST"},
    {"logs/SYNCED", "SYNCED"},
    {"state/WRITTEN", "WRITTEN"},
    {"state/sealed", "sealed"},
    {"state/RECRAWL", "RECRAWL"},
    {"state/seeds", "seeds"},
    {"state/elsewhere", "elsewhere"},
    {"state/agent", "agent"},
    {"state/", "state other"},
    {"archive/", "archive"},
    {"indexes/", "index"},
    {"pages/", "pages"},
    {"logs/", "logs"},
    {"links/", "links"},
    {"reports/", "reports"},
    {"", "other"},
    {"", "folder"},
};
enum { KIND_FOLDER = FILE_KINDS - 1 };

unsigned damage_file_kind(const struct damage_case *c, const struct base *b)
{
    const struct tree_entry *e = tree_find(&b->now, c->path);
    unsigned kind = 0;
    if (e && e->is_folder)
        return KIND_FOLDER;
    while (strncmp(c->path, file_kinds[kind].begins, strlen(file_kinds[kind].begins)) != 0)
        kind++;
    return kind;
}

const char *damage_file_kind_name(unsigned kind)
{
    return file_kinds[kind].name;
}

const char *damage_name(enum damage d)
{
    static const char *const names[DAMAGES] = {
        "bit flipped",        "cut",          "missing", "replaced by its older copy",
        "longer (with junk)", "page of zeros"};
    return names[d];
}

void damage_print(const struct damage_case *c, const struct base *b, struct buf *out)
{
    const struct tree_entry *e = tree_find(&b->now, c->path);
    buf_printf(out, "%s: %s: %s", b->name, c->path, damage_name(c->damage));
    if (c->damage == DAMAGE_FLIP || c->damage == DAMAGE_CUT || c->damage == DAMAGE_ZEROS)
        buf_printf(out, " at %llu of %zu", (unsigned long long)c->at, e ? e->bytes.n : 0);
    if (c->is_rebooted)
        buf_add(out, STR(", then a boot"));
}

/* Doing ---------------------------------------------------------------------------------------- */

/* An archive that is sealed now was open then. */
static const struct tree_entry *older_copy(const struct base *b, const char *path)
{
    char room[TREE_MAX_PATH + 8];
    const struct tree_entry *e = tree_find(&b->old, path);
    (void)snprintf(room, sizeof room, "%s.open", path);
    return e ? e : tree_find(&b->old, room);
}

static bool make_older(const struct base *b, struct tree *t, const char *path)
{
    bool is_folder = tree_find(&b->now, path)->is_folder, good = true;
    size_t n = strlen(path);
    if (!is_folder) {
        const struct tree_entry *old = older_copy(b, path);
        struct tree_entry *e = tree_find(t, path);
        buf_clear(&e->bytes);
        if (old)
            buf_add(&e->bytes, buf_str(&old->bytes));
        return old != NULL;
    }
    tree_drop(t, path);
    for (size_t i = 0; i < b->old.count && good; i++) {
        const struct tree_entry *e = &b->old.entries[i];
        if (strncmp(e->path, path, n) == 0 && (e->path[n] == 0 || e->path[n] == '/'))
            good = tree_add(t, e);
    }
    return good;
}

static void change_bytes(const struct damage_case *c, struct buf *bytes)
{
    size_t at = (size_t)c->at;
    if (c->damage == DAMAGE_FLIP && at < bytes->n)
        bytes->p[at] = (char)(bytes->p[at] ^ (1 << c->bit));
    if (c->damage == DAMAGE_CUT && at < bytes->n)
        bytes->n = at;
    if (c->damage == DAMAGE_ZEROS && at < bytes->n)
        memset(bytes->p + at, 0, bytes->n - at < PAGE_BYTES ? bytes->n - at : PAGE_BYTES);
    for (size_t i = 0; c->damage == DAMAGE_LONGER && i < at; i++)
        buf_byte(bytes, (char)(hash64_mix(i + at) & 0xff));
}

static bool is_exempt_never(const char *path)
{
    (void)path;
    return false;
}

bool damage_apply(const struct damage_case *c, const struct base *b, struct tree *ret)
{
    bool good = tree_copy(&b->now, ret);
    struct tree_entry *e = tree_find(ret, c->path);
    if (!good || !e)
        return false;
    if (c->damage == DAMAGE_MISSING)
        tree_drop(ret, c->path);
    else if (c->damage == DAMAGE_OLDER)
        good = make_older(b, ret, c->path);
    else
        change_bytes(c, &e->bytes);
    return good && tree_difference(&b->now, ret, is_exempt_never) != NULL;
}

/* Choosing ------------------------------------------------------------------------------------- */

struct choosing {
    struct damage_cases *cases;
    const struct base *base;
    struct rng rng;
    bool failed;
};

static void add_case(struct choosing *c, const char *path, enum damage d, uint64_t at)
{
    struct damage_cases *s = c->cases;
    struct tree t = {0};
    struct damage_case new = {.base = c->base->kind,
                              .damage = d,
                              .at = at,
                              .bit = (unsigned)(hash64_mix(at + c->cases->count) & 7),
                              .is_rebooted = hash64_mix(c->cases->count) & 8};
    (void)snprintf(new.path, sizeof new.path, "%s", path);
    bool changes = damage_apply(&new, c->base, &t);
    tree_done(&t);
    if (!changes)
        return;
    if (s->count == s->room) {
        size_t room = s->room ? 2 * s->room : 1024;
        struct damage_case *more = realloc(s->list, room * sizeof *more);
        if (!more) {
            c->failed = true;
            return;
        }
        s->list = more;
        s->room = room;
    }
    s->list[s->count++] = new;
}

/* In the head: position, length, hash; in the body its kind, its middle and its last byte. */
static void add_batch(struct choosing *c, const struct base_batch *b)
{
    uint64_t body = b->offset + JOURNAL_HEAD_BYTES, end = b->offset + b->bytes;
    const uint64_t flips[] = {b->offset, b->offset + 8,    b->offset + 13,
                              body,      (body + end) / 2, end - 1};
    const uint64_t cuts[] = {b->offset, b->offset + 10, (body + end) / 2, end - 1};
    for (size_t i = 0; i < sizeof flips / sizeof *flips; i++)
        add_case(c, b->file, DAMAGE_FLIP, flips[i]);
    for (size_t i = 0; i < sizeof cuts / sizeof *cuts; i++)
        add_case(c, b->file, DAMAGE_CUT, cuts[i]);
    add_case(c, b->file, DAMAGE_ZEROS, b->offset);
}

static void add_whole(struct choosing *c, const struct tree_entry *e)
{
    add_case(c, e->path, DAMAGE_MISSING, 0);
    add_case(c, e->path, DAMAGE_OLDER, 0);
    if (e->is_folder)
        return;
    add_case(c, e->path, DAMAGE_CUT, 0);
    add_case(c, e->path, DAMAGE_CUT, e->bytes.n - 1);
    add_case(c, e->path, DAMAGE_LONGER, 1);
    add_case(c, e->path, DAMAGE_LONGER, JUNK_BYTES);
    add_case(c, e->path, DAMAGE_LONGER, PAGE_BYTES);
}

static void add_places(struct choosing *c, const struct tree_entry *e)
{
    size_t n = e->bytes.n;
    for (size_t i = 0; i < PLACES; i++)
        add_case(c, e->path, DAMAGE_FLIP, n * i / PLACES + (i == PLACES - 1 ? 0 : n / 50));
    if (n)
        add_case(c, e->path, DAMAGE_FLIP, n - 1);
    for (size_t i = 1; i < 4; i++)
        add_case(c, e->path, DAMAGE_CUT, n * i / 4);
    for (size_t i = 0; i < 3; i++)
        add_case(c, e->path, DAMAGE_ZEROS, n * i / 3);
}

/* Where gzip members of an archive begin: they are the ends of records. */
static void add_records(struct choosing *c, const struct tree_entry *e)
{
    for (size_t i = 1; i + 2 < e->bytes.n; i++)
        if (memcmp(e->bytes.p + i, "\x1f\x8b\x08", 3) == 0) {
            add_case(c, e->path, DAMAGE_CUT, i);
            add_case(c, e->path, DAMAGE_FLIP, i);
        }
}

static void add_base(struct choosing *c)
{
    const struct base *b = c->base;
    for (size_t i = 0; i < b->batch_count; i++)
        add_batch(c, &b->batches[i]);
    for (size_t i = 0; i < b->now.count; i++) {
        const struct tree_entry *e = &b->now.entries[i];
        add_whole(c, e);
        if (!e->is_folder && strncmp(e->path, "state/journal/", 14) != 0)
            add_places(c, e);
        if (strncmp(e->path, "archive/", 8) == 0)
            add_records(c, e);
    }
}

static void add_random(struct choosing *c, const struct base bases[BASES])
{
    static const enum damage kinds[] = {DAMAGE_FLIP, DAMAGE_FLIP,  DAMAGE_FLIP,  DAMAGE_CUT,
                                        DAMAGE_CUT,  DAMAGE_ZEROS, DAMAGE_LONGER};
    c->base = &bases[rng_below(&c->rng, BASES)];
    const struct tree_entry *e = &c->base->now.entries[rng_below(&c->rng, c->base->now.count)];
    enum damage d = kinds[rng_below(&c->rng, sizeof kinds / sizeof *kinds)];
    if (!e->is_folder && e->bytes.n)
        add_case(c, e->path, d, rng_below(&c->rng, e->bytes.n));
}

bool damage_cases_make(const struct base bases[BASES], uint64_t seed, size_t want,
                       struct damage_cases *ret)
{
    *ret = (struct damage_cases){0};
    struct choosing c = {.cases = ret};
    rng_init(&c.rng, seed);
    for (unsigned i = 0; i < BASES; i++) {
        c.base = &bases[i];
        add_base(&c);
    }
    for (size_t i = 0; i < MOST_TRIES * want && ret->count < want; i++)
        add_random(&c, bases);
    return !c.failed;
}

void damage_cases_done(struct damage_cases *c)
{
    free(c->list);
    *c = (struct damage_cases){0};
}
