/* SPDX-License-Identifier: Apache-2.0 */
#include "change/verdict.h"

#include "change/simhash.h"

struct kind {
    const char *name;
    uint32_t tests;
    enum change_test decider;
    enum change_test measure; /* the one with a fingerprint */
};

static const struct kind kinds[CHANGE_KIND_COUNT] = {
    {"structure", CHANGE_STRUCTURE_TESTS, CHANGE_TREE, CHANGE_TREE},
    {"text", CHANGE_TEXT_TESTS, CHANGE_TEXT_DIGEST, CHANGE_TEXT_SIMHASH},
    {"image", CHANGE_IMAGE_TESTS, CHANGE_IMAGE_DIGEST, CHANGE_IMAGE_DHASH},
};

const char *change_kind_name(enum change_kind kind)
{
    return kind < CHANGE_KIND_COUNT ? kinds[kind].name : "nothing";
}

uint32_t change_kind_tests(enum change_kind kind)
{
    return kinds[kind].tests;
}

enum change_test change_kind_decider(enum change_kind kind)
{
    return kinds[kind].decider;
}

static bool ivals_differ(const struct change_codes *a, const struct change_codes *b, unsigned which)
{
    bool differ = a->pictures != b->pictures;
    for (unsigned i = 0; i < CHANGE_PICTURES; i++)
        differ |= !change_ival_eq(a->at[i].ival[which], b->at[i].ival[which]);
    return differ;
}

static unsigned dhash_bits(const struct change_codes *a, const struct change_codes *b)
{
    unsigned most = a->pictures == b->pictures ? 0 : 64;
    for (unsigned i = 0; i < CHANGE_PICTURES; i++) {
        unsigned bits = change_bits_apart(a->at[i].dhash, b->at[i].dhash);
        most = bits > most ? bits : most;
    }
    return most;
}

static bool structure_differs(const struct change_codes *a, const struct change_codes *b,
                              enum change_test test)
{
    if (test == CHANGE_LETTERS)
        return a->letters_first != b->letters_first || a->letters_last != b->letters_last;
    if (test == CHANGE_LEVEL_COUNTS)
        return change_levels_differ(&a->levels, &b->levels) != 0;
    return a->tree != b->tree;
}

static bool text_differs(const struct change_codes *a, const struct change_codes *b,
                         enum change_test test)
{
    if (test == CHANGE_TEXT_MEAN)
        return change_text_mean(&a->text) != change_text_mean(&b->text);
    if (test == CHANGE_TEXT_RMS)
        return change_text_rms(&a->text) != change_text_rms(&b->text);
    if (test == CHANGE_TEXT_SIMHASH)
        return a->text_simhash != b->text_simhash;
    return memcmp(a->text_sha256, b->text_sha256, sizeof a->text_sha256) != 0;
}

static bool image_differs(const struct change_codes *a, const struct change_codes *b,
                          enum change_test test)
{
    if (test == CHANGE_IMAGE_DIGEST)
        return a->pictures != b->pictures ||
               memcmp(a->pictures_sha256, b->pictures_sha256, sizeof a->pictures_sha256) != 0;
    if (test == CHANGE_IMAGE_DHASH)
        return dhash_bits(a, b) != 0;
    return ivals_differ(a, b, test - CHANGE_IVAL_16);
}

static bool differs(const struct change_codes *a, const struct change_codes *b,
                    enum change_kind kind, enum change_test test)
{
    if (kind == CHANGE_STRUCTURE)
        return structure_differs(a, b, test);
    return kind == CHANGE_TEXT ? text_differs(a, b, test) : image_differs(a, b, test);
}

/* The fingerprint's distance, and whether that is near. */
static bool fingerprints(const struct change_codes *a, const struct change_codes *b,
                         enum change_kind kind, unsigned *bits)
{
    if (kind == CHANGE_IMAGE) {
        *bits = dhash_bits(a, b);
        return *bits <= CHANGE_DHASH_NEAR;
    }
    *bits = kind == CHANGE_TEXT ? change_bits_apart(a->text_simhash, b->text_simhash)
                                : change_bits_apart(a->tree_simhash, b->tree_simhash);
    return *bits <= CHANGE_SIMHASH_NEAR;
}

static double similarity_of(bool changed, unsigned bits)
{
    if (!changed)
        return 1;
    double apart = bits ? (double)bits : 0.5;
    return apart < 32 ? 1 - apart / 32 : 0;
}

static enum change_test lowest(uint32_t tests)
{
    return tests ? (enum change_test)__builtin_ctz(tests) : CHANGE_TEST_COUNT;
}

static void find_changes(const struct change_codes *a, const struct change_codes *b,
                         enum change_kind kind, struct change_finding *f)
{
    *f = (struct change_finding){.compared = a->tests & b->tests & kinds[kind].tests};
    for (uint32_t left = f->compared; left; left &= left - 1)
        if (differs(a, b, kind, lowest(left)))
            f->saw |= CHANGE_BIT(lowest(left));
    uint32_t decider = f->compared & CHANGE_BIT(kinds[kind].decider);
    uint32_t deciding = decider ? decider : f->compared;
    f->tested = f->compared != 0;
    f->changed = (f->saw & deciding) != 0;
    f->by = lowest(f->changed ? f->saw & deciding : 0);
    if (f->compared & CHANGE_BIT(kinds[kind].measure)) {
        f->near = fingerprints(a, b, kind, &f->bits_apart);
        f->similarity = similarity_of(f->changed, f->bits_apart);
    } else {
        f->near = !f->changed;
        f->similarity = f->changed ? 0 : 1;
    }
}

static bool goes_on(const struct change_verdict *v, enum change_mode mode)
{
    return mode == CHANGE_EVERYTHING || !v->changed;
}

static void take_finding(struct change_verdict *v, enum change_kind kind)
{
    if (!v->of[kind].changed || v->changed)
        return;
    v->changed = true;
    v->first = kind;
}

static void verdict_init(struct change_verdict *v)
{
    *v = (struct change_verdict){.first = CHANGE_KIND_COUNT, .differences.similarity = 1};
    for (unsigned kind = 0; kind < CHANGE_KIND_COUNT; kind++)
        v->of[kind] = (struct change_finding){.by = CHANGE_TEST_COUNT, .similarity = 1};
}

static void compare_kind(const struct change_codes *a, const struct change_codes *b,
                         enum change_kind kind, struct change_verdict *v)
{
    find_changes(a, b, kind, &v->of[kind]);
    take_finding(v, kind);
    if (v->of[kind].compared & CHANGE_BIT(CHANGE_LEVEL_COUNTS))
        v->levels = change_levels_differ(&a->levels, &b->levels);
}

void change_compare_codes(const struct change_codes *old, const struct change_codes *new,
                          enum change_mode mode, struct change_verdict *ret)
{
    verdict_init(ret);
    for (unsigned kind = 0; kind < CHANGE_KIND_COUNT && goes_on(ret, mode); kind++)
        compare_kind(old, new, (enum change_kind)kind, ret);
}

/* Comparing pages: the codes of both, and a measure instead of the estimate. */
struct sides {
    const struct change_page *page[2];
    struct change_codes *codes; /* of two */
    struct arena *arena;
};

static enum rc measure_structure(const struct sides *s, struct change_verdict *v)
{
    struct change_tree tree[2];
    for (unsigned i = 0; i < 2; i++) {
        enum rc rc = change_tree(s->page[i]->tags, s->page[i]->tag_count, s->arena, &tree[i]);
        if (rc)
            return rc;
    }
    enum rc rc = change_differences(&tree[0], &tree[1], s->arena, &v->differences);
    if (rc == RC_OK)
        v->of[CHANGE_STRUCTURE].similarity = v->differences.similarity;
    return rc;
}

/* Two texts can have the same shingles in another order; they are not the same text. */
static enum rc measure_text(const struct sides *s, struct change_verdict *v)
{
    struct str normal[2];
    for (unsigned i = 0; i < 2; i++) {
        enum rc rc = change_text_normalise(s->page[i]->text, s->arena, &normal[i]);
        if (rc)
            return rc;
    }
    double measured;
    enum rc rc = change_text_similarity(normal[0], normal[1], s->arena, &measured);
    if (rc == RC_OK)
        v->of[CHANGE_TEXT].similarity = measured < 1 ? measured : similarity_of(true, 0);
    return rc;
}

static enum rc measure(const struct sides *s, enum change_kind kind, struct change_verdict *v)
{
    if (!v->of[kind].changed || kind == CHANGE_IMAGE)
        return RC_OK;
    return kind == CHANGE_STRUCTURE ? measure_structure(s, v) : measure_text(s, v);
}

static enum rc add_codes(const struct sides *s, unsigned side, uint32_t tests)
{
    struct change_codes *to = &s->codes[side], made;
    enum rc rc = change_codes_of(s->page[side], tests, s->arena, &made);
    if (rc)
        return rc;
    if (tests & CHANGE_TEXT_TESTS) {
        to->text = made.text;
        memcpy(to->text_sha256, made.text_sha256, sizeof to->text_sha256);
        to->text_simhash = made.text_simhash;
    } else if (tests & CHANGE_IMAGE_TESTS) {
        to->pictures = made.pictures;
        memcpy(to->at, made.at, sizeof to->at);
        memcpy(to->pictures_sha256, made.pictures_sha256, sizeof to->pictures_sha256);
    } else {
        *to = made;
    }
    to->tests |= tests;
    return RC_OK;
}

static enum rc compare_step(const struct sides *s, enum change_kind kind, struct change_verdict *v)
{
    enum rc rc = add_codes(s, 0, kinds[kind].tests);
    if (rc == RC_OK)
        rc = add_codes(s, 1, kinds[kind].tests);
    if (rc)
        return rc;
    compare_kind(&s->codes[0], &s->codes[1], kind, v);
    return measure(s, kind, v);
}

enum rc change_compare_pages(const struct change_page *old, const struct change_page *new,
                             enum change_mode mode, struct arena *arena, struct change_verdict *ret,
                             struct change_codes ret_codes[2])
{
    struct change_codes codes[2];
    memset(codes, 0, sizeof codes);
    struct sides s = {{old, new}, codes, arena};
    struct change_verdict v;
    verdict_init(&v);
    for (unsigned kind = 0; kind < CHANGE_KIND_COUNT && goes_on(&v, mode); kind++) {
        enum rc rc = compare_step(&s, (enum change_kind)kind, &v);
        if (rc)
            return rc;
    }
    *ret = v;
    if (ret_codes)
        memcpy(ret_codes, codes, sizeof codes);
    return RC_OK;
}
