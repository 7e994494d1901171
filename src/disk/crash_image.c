/* SPDX-License-Identifier: Apache-2.0 */
/* Which images a power cut may leave (the list in disk.h), and each of them as a disk.
 *
 * A choice says, for every file that has changes, which outcome it has, and for every move of a
 * name whether it happened. A move may have happened only if the moves before it of the same names
 * have. Outcomes of a file are few and chosen where writers go wrong: nothing, everything, between
 * two calls, within the first and the last call, and everything with a damaged block. */
#include "disk/crash_state.h"

#include "base/hash.h"
#include "base/int_set.h"
#include "base/mem.h"
#include "base/rng.h"

enum { MAX_FILES = 120, MAX_MOVES = 120, MAX_OUTCOMES = 24, MAX_STEPS = 6, SEEN_MOST = 1 << 13 };

enum damage { DAMAGE_NONE, DAMAGE_ZEROS, DAMAGE_GARBAGE, DAMAGE_HOLE, DAMAGE_COUNT };

struct outcome {
    uint32_t whole;     /* changes that are there */
    size_t part;        /* bytes of the next one that are there */
    enum damage damage; /* to what is there and was never synced */
    uint32_t block;     /* bytes of a block, for damage */
    bool keeps_length;  /* truncations did not happen, what was appended after them did */
};

struct dirty {
    const struct node *node;
    struct outcome outcomes[MAX_OUTCOMES];
    uint32_t count;
};

struct choice {
    struct outcome file[MAX_FILES];
    unsigned __int128 moves; /* a bit each */
};

struct imaging {
    struct crash *from;
    struct dirty files[MAX_FILES];
    uint32_t file_count;
    unsigned __int128 needs[MAX_MOVES]; /* the earlier moves each builds on */
    struct rng rng;
    struct int_set seen; /* hashes of the images given out */
    struct buf what;
    enum rc (*each)(void *ctx, struct disk *image, const char *what);
    void *ctx;
};

static void outcome_add(struct dirty *f, struct outcome o)
{
    if (f->count < MAX_OUTCOMES)
        f->outcomes[f->count++] = o;
}

static void add_parts(struct dirty *f, uint32_t whole)
{
    size_t n = f->node->changes[whole].bytes.n;
    if (f->node->changes[whole].is_truncation)
        return;
    if (n > 1)
        outcome_add(f, (struct outcome){.whole = whole, .part = n / 2});
    if (n > 2)
        outcome_add(f, (struct outcome){.whole = whole, .part = n - 1});
    if (n > 3)
        outcome_add(f, (struct outcome){.whole = whole, .part = 1});
}

static void add_damaged(struct dirty *f, uint32_t whole)
{
    for (enum damage damage = DAMAGE_ZEROS; damage < DAMAGE_COUNT; damage++)
        for (uint32_t block = 512; block <= 4096; block *= 8)
            outcome_add(f, (struct outcome){.whole = whole, .damage = damage, .block = block});
}

/* Nothing and everything come first and second: the corners use them. */
static void list_outcomes(struct dirty *f)
{
    uint32_t n = f->node->change_count, step = (n + MAX_STEPS - 1) / MAX_STEPS;
    bool was_cut = false, grew_after = false;
    for (uint32_t i = 0; i < n; i++) {
        grew_after = grew_after || (was_cut && !f->node->changes[i].is_truncation);
        was_cut = was_cut || f->node->changes[i].is_truncation;
    }
    f->count = 0;
    outcome_add(f, (struct outcome){.whole = 0});
    outcome_add(f, (struct outcome){.whole = n});
    if (grew_after)
        outcome_add(f, (struct outcome){.whole = n, .keeps_length = true});
    add_parts(f, n - 1);
    add_damaged(f, n);
    for (uint32_t whole = step; whole < n; whole += step)
        outcome_add(f, (struct outcome){.whole = whole});
    if (n > 1)
        add_parts(f, 0);
}

static enum rc imaging_init(struct imaging *im, struct crash *c)
{
    im->from = c;
    for (const struct node *n = c->nodes; n; n = n->next) {
        if (n->change_count == 0)
            continue;
        if (im->file_count == MAX_FILES)
            return RC_LIMIT;
        im->files[im->file_count].node = n;
        list_outcomes(&im->files[im->file_count++]);
    }
    if (c->move_count > MAX_MOVES)
        return RC_LIMIT;
    buf_init(&im->what, 1 << 16);
    return int_set_begin(&im->seen, SEEN_MOST);
}

static bool same_name(const char *a, const char *b)
{
    return a && b && strcmp(a, b) == 0;
}

static void find_needs(struct imaging *im)
{
    const struct move *m = im->from->moves;
    for (uint32_t i = 0; i < im->from->move_count; i++) {
        im->needs[i] = 0;
        for (uint32_t j = 0; j < i; j++)
            if (same_name(m[i].path, m[j].path) || same_name(m[i].path, m[j].to) ||
                same_name(m[i].to, m[j].path) || same_name(m[i].to, m[j].to))
                im->needs[i] |= (unsigned __int128)1 << j;
    }
}

static unsigned __int128 all_moves(const struct imaging *im)
{
    uint32_t n = im->from->move_count;
    return ((unsigned __int128)1 << n) - 1;
}

/* Without the moves whose foundation is missing. */
static unsigned __int128 only_possible(const struct imaging *im, unsigned __int128 moves)
{
    for (uint32_t i = 0; i < im->from->move_count; i++)
        if ((moves & im->needs[i]) != im->needs[i])
            moves &= ~((unsigned __int128)1 << i);
    return moves;
}

/* With everything that `move` builds on. */
static unsigned __int128 with_foundation(const struct imaging *im, uint32_t move)
{
    unsigned __int128 moves = (unsigned __int128)1 << move;
    for (uint32_t i = move + 1; i-- > 0;)
        if (moves >> i & 1)
            moves |= im->needs[i];
    return moves;
}

/* Damages what is in the file and was never synced: from `floor` on. */
static void damage(struct imaging *im, struct buf *b, size_t floor, const struct outcome *o)
{
    if (o->damage == DAMAGE_NONE || b->n <= floor)
        return;
    size_t last = (b->n - 1) / o->block * o->block;
    size_t from = last > floor ? last : floor, to = b->n;
    if (o->damage == DAMAGE_HOLE) { /* the first block that is new, if there is another behind it */
        from = floor;
        to = floor / o->block * o->block + o->block;
        if (to >= b->n)
            return;
    }
    memset(b->p + from, 0, to - from);
    for (size_t i = from; o->damage == DAMAGE_GARBAGE && i < to; i++)
        b->p[i] = (char)rng_next(&im->rng);
}

/* What was appended, where it was appended, over what is there and longer. */
static void overlay(struct buf *b, const struct node *n)
{
    size_t at = b->n;
    for (uint32_t i = 0; i < n->change_count; i++) {
        const struct change *c = &n->changes[i];
        if (c->is_truncation) {
            at = c->length < at ? (size_t)c->length : at;
            continue;
        }
        size_t over = b->n - at < c->bytes.n ? b->n - at : c->bytes.n;
        memcpy(b->p + at, c->bytes.p, over);
        buf_add(b, str_from(c->bytes, over));
        at += c->bytes.n;
    }
}

static void build_bytes(struct imaging *im, const struct node *n, const struct outcome *o,
                        struct buf *ret)
{
    size_t floor = n->durable.n;
    buf_add(ret, buf_str(&n->durable));
    if (o->keeps_length && ret->p) {
        overlay(ret, n);
        return;
    }
    for (uint32_t i = 0; i < o->whole; i++) {
        change_apply(ret, &n->changes[i]);
        floor = ret->n < floor ? ret->n : floor;
    }
    if (o->part)
        buf_add(ret, str_first(n->changes[o->whole].bytes, o->part));
    if (buf_rc(ret) == RC_OK)
        damage(im, ret, floor, o);
}

static const struct outcome *outcome_of(const struct imaging *im, const struct choice *c,
                                        const struct node *n)
{
    static const struct outcome unchanged;
    for (uint32_t i = 0; i < im->file_count; i++)
        if (im->files[i].node == n)
            return &c->file[i];
    return &unchanged;
}

/* A copy of the node with what is left of it, durable. */
static enum rc copy_node(struct imaging *im, const struct choice *choice, struct crash *to,
                         const struct name *row)
{
    struct node *n = crash_node(to, row->node->is_folder);
    if (!n)
        return RC_NOMEM;
    build_bytes(im, row->node, outcome_of(im, choice, row->node), &n->durable);
    buf_add(&n->now, buf_str(&n->durable));
    enum rc rc = buf_rc(&n->durable);
    if (rc == RC_OK)
        rc = buf_rc(&n->now);
    if (rc == RC_OK)
        rc = names_put(&to->now, row->path, n);
    return rc ? rc : names_put(&to->durable, row->path, n);
}

static enum rc copy_names(const struct imaging *im, const struct choice *choice, struct names *ret)
{
    const struct crash *c = im->from;
    enum rc rc = RC_OK;
    for (uint32_t i = 0; rc == RC_OK && i < c->durable.count; i++)
        rc = names_put(ret, c->durable.rows[i].path, c->durable.rows[i].node);
    for (uint32_t i = 0; rc == RC_OK && i < c->move_count; i++)
        if (choice->moves >> i & 1)
            rc = names_move(ret, &c->moves[i]);
    return rc;
}

/* Rows are in the order of their paths, so a folder stands before what is in it; what is in a
 * folder that is gone is gone. */
static enum rc build_image(struct imaging *im, const struct choice *choice, struct crash *to)
{
    struct names names = {0};
    enum rc rc = copy_names(im, choice, &names);
    for (uint32_t i = 0; rc == RC_OK && i < names.count; i++) {
        struct str folder = disk_path_folder(names.rows[i].path);
        if (folder.n == 0 || names_get(&to->now, folder))
            rc = copy_node(im, choice, to, &names.rows[i]);
    }
    names_done(&names);
    return rc;
}

static uint64_t hash_of(const struct crash *c)
{
    uint64_t hash = 1;
    for (uint32_t i = 0; i < c->now.count; i++) {
        hash = hash64_seeded(str_c(c->now.rows[i].path), hash);
        hash = hash64_seeded(buf_str(&c->now.rows[i].node->now), hash);
    }
    return hash;
}

/* Those past the most are given out again. */
static bool seen_before(struct imaging *im, uint64_t hash)
{
    if (im->seen.count < SEEN_MOST)
        return !int_set_put(&im->seen, hash);
    return int_set_has(&im->seen, hash);
}

static const char *path_of(const struct crash *c, const struct node *n)
{
    for (uint32_t i = 0; i < c->now.count; i++)
        if (c->now.rows[i].node == n)
            return c->now.rows[i].path;
    return "(no name)";
}

static void describe(struct imaging *im, const struct choice *choice)
{
    static const char *const damages[] = {"", ", last block zeros", ", last block garbage",
                                          ", first new block zeros"};
    static const char *const kinds[] = {"made", "removed", "renamed"};
    struct buf *b = &im->what;
    buf_clear(b);
    buf_printf(b, "after %llu calls:", (unsigned long long)im->from->calls);
    for (uint32_t i = 0; i < im->file_count; i++) {
        const struct outcome *o = &choice->file[i];
        buf_printf(b, " [%s: %u of %u changes", path_of(im->from, im->files[i].node), o->whole,
                   im->files[i].node->change_count);
        if (o->part)
            buf_printf(b, " and %zu bytes", o->part);
        buf_printf(b, "%s%s]", damages[o->damage], o->keeps_length ? ", not cut" : "");
    }
    for (uint32_t i = 0; i < im->from->move_count; i++) {
        const struct move *m = &im->from->moves[i];
        buf_printf(b, " [%s%s %s%s%s]", choice->moves >> i & 1 ? "" : "not ", kinds[m->kind],
                   m->path, m->to ? " to " : "", m->to ? m->to : "");
    }
}

static enum rc give_image(struct imaging *im, const struct choice *choice)
{
    struct disk *image;
    enum rc rc = disk_crash_open(&image);
    if (rc)
        return rc;
    rc = build_image(im, choice, (struct crash *)image);
    if (rc == RC_OK && !seen_before(im, hash_of((struct crash *)image))) {
        describe(im, choice);
        const char *what = buf_c(&im->what);
        rc = im->each(im->ctx, image, what ? what : "");
    }
    disk_close(image);
    return rc;
}

static void choose_files(const struct imaging *im, struct choice *c, uint32_t outcome)
{
    for (uint32_t i = 0; i < im->file_count; i++)
        c->file[i] = im->files[i].outcomes[outcome];
}

/* Every outcome of every file with every possible set of moves, by counting up. */
static enum rc give_all(struct imaging *im)
{
    uint32_t at[MAX_FILES] = {0};
    struct choice choice = {0};
    enum rc rc = RC_OK;
    for (uint32_t i = 0; rc == RC_OK;) {
        for (uint32_t k = 0; k < im->file_count; k++)
            choice.file[k] = im->files[k].outcomes[at[k]];
        for (choice.moves = 0; rc == RC_OK && choice.moves <= all_moves(im); choice.moves++)
            if (only_possible(im, choice.moves) == choice.moves)
                rc = give_image(im, &choice);
        for (i = 0; i < im->file_count && ++at[i] == im->files[i].count; i++)
            at[i] = 0;
        if (i == im->file_count)
            break;
    }
    return rc;
}

/* How many give_all would try; more than `most` is not counted further. */
static uint64_t count_all(const struct imaging *im, uint64_t most)
{
    uint64_t count = 1;
    for (uint32_t i = 0; i < im->from->move_count && count <= most; i++)
        count *= 2;
    for (uint32_t i = 0; i < im->file_count && count <= most; i++)
        count *= im->files[i].count;
    return count;
}

static enum rc give_two_corners(struct imaging *im)
{
    struct choice choice = {0};
    choose_files(im, &choice, 0);
    enum rc rc = give_image(im, &choice);
    choose_files(im, &choice, 1);
    choice.moves = all_moves(im);
    return rc ? rc : give_image(im, &choice);
}

/* Files all with nothing or all with everything; names likewise, and each move alone missing or
 * alone there. */
static enum rc give_move_corners(struct imaging *im)
{
    struct choice choice = {0};
    enum rc rc = RC_OK;
    for (uint32_t outcome = 0; outcome < 2; outcome++) {
        choose_files(im, &choice, outcome);
        choice.moves = 0;
        rc = rc ? rc : give_image(im, &choice);
        choice.moves = all_moves(im);
        rc = rc ? rc : give_image(im, &choice);
        for (uint32_t i = 0; rc == RC_OK && i < im->from->move_count; i++) {
            choice.moves = only_possible(im, all_moves(im) & ~((unsigned __int128)1 << i));
            rc = give_image(im, &choice);
            choice.moves = with_foundation(im, i);
            rc = rc ? rc : give_image(im, &choice);
        }
    }
    return rc;
}

/* One file with each of its outcomes, the others with nothing or with everything. */
static enum rc give_file_corners(struct imaging *im)
{
    struct choice choice = {.moves = all_moves(im)};
    enum rc rc = RC_OK;
    for (uint32_t others = 0; others < 2; others++)
        for (uint32_t i = 0; i < im->file_count; i++)
            for (uint32_t k = 0; rc == RC_OK && k < im->files[i].count; k++) {
                choose_files(im, &choice, others);
                choice.file[i] = im->files[i].outcomes[k];
                rc = give_image(im, &choice);
            }
    return rc;
}

static struct outcome random_outcome(struct imaging *im, const struct dirty *f)
{
    if (rng_below(&im->rng, 2))
        return f->outcomes[rng_below(&im->rng, f->count)];
    struct outcome o = {.whole = (uint32_t)rng_below(&im->rng, f->node->change_count + 1),
                        .damage = (enum damage)rng_below(&im->rng, DAMAGE_COUNT),
                        .block = rng_below(&im->rng, 2) ? 512 : 4096};
    if (o.whole < f->node->change_count && f->node->changes[o.whole].bytes.n)
        o.part = (size_t)rng_below(&im->rng, f->node->changes[o.whole].bytes.n);
    return o;
}

static enum rc give_random(struct imaging *im, uint32_t samples)
{
    enum rc rc = RC_OK;
    for (uint32_t n = 0; rc == RC_OK && n < samples; n++) {
        struct choice choice = {0};
        for (uint32_t i = 0; i < im->file_count; i++)
            choice.file[i] = random_outcome(im, &im->files[i]);
        unsigned __int128 drawn = rng_next(&im->rng);
        if (im->from->move_count > 64)
            drawn |= (unsigned __int128)rng_next(&im->rng) << 64;
        choice.moves = only_possible(im, drawn & all_moves(im));
        rc = give_image(im, &choice);
    }
    return rc;
}

enum rc disk_crash_images(struct disk *d, const struct disk_crash_limits *limits,
                          enum rc (*each)(void *ctx, struct disk *image, const char *what),
                          void *ctx)
{
    static const struct disk_crash_limits usual = {400, 100, 1, false};
    const struct disk_crash_limits *l = limits ? limits : &usual;
    struct imaging *im = mem_zero(1, sizeof *im);
    if (!im)
        return RC_NOMEM;
    im->each = each;
    im->ctx = ctx;
    rng_init(&im->rng, l->seed + ((struct crash *)d)->calls);
    enum rc rc = imaging_init(im, (struct crash *)d);
    if (rc == RC_OK) {
        find_needs(im);
        if (count_all(im, l->exhaustive) <= l->exhaustive) {
            rc = give_all(im);
        } else if (l->few) {
            rc = give_two_corners(im);
        } else {
            rc = give_move_corners(im);
            rc = rc ? rc : give_file_corners(im);
        }
        rc = rc ? rc : give_random(im, l->samples);
    }
    int_set_done(&im->seen);
    buf_done(&im->what);
    mem_free(im);
    return rc;
}
