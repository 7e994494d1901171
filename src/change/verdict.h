/* SPDX-License-Identifier: Apache-2.0 */
/* verdict: what changed between two versions of a page, how much, by which test, and where.
 *
 * The strong test of a kind decides whether it changed: the tree's hash, the SHA-256 of the text,
 * the SHA-256 of the pictures. What the paper's codes say stands beside it in `saw`: a bit there
 * without `changed` is a false alarm (white space, for the text codes), a missing one is a miss.
 * Where a strong test is not in both codes, any of the tests that are decides.
 *
 * How much is a similarity from 0 to 1, and 1 only if the kind did not change. From stored codes it
 * is an estimate out of the fingerprints' bits: two unrelated pages differ in about 32 of 64, so it
 * is 1 - bits/32, not under 0; a change that moved no bit counts as half a bit, one without a
 * fingerprint in both codes as 0. From full pages, structure and text are measured (differences.h,
 * text.h). `near` says that the fingerprints differ in so few bits that it is the same page or the
 * same picture, retouched.
 *
 * The paper's order: structure, then text only if the structure is the same, then pictures only if
 * the text is. CHANGE_STEPS keeps to it and leaves the later kinds untested; CHANGE_EVERYTHING
 * tests all three. */
#ifndef CHANGE_VERDICT_H
#define CHANGE_VERDICT_H

#include "change/codes.h"
#include "change/differences.h"

enum change_kind { CHANGE_STRUCTURE, CHANGE_TEXT, CHANGE_IMAGE, CHANGE_KIND_COUNT };

/* "structure", "text", "image". */
const char *change_kind_name(enum change_kind kind);

/* All tests of the kind, and the one that decides. */
uint32_t change_kind_tests(enum change_kind kind);
enum change_test change_kind_decider(enum change_kind kind);

enum change_mode { CHANGE_STEPS, CHANGE_EVERYTHING };

struct change_finding {
    bool tested, changed, near;
    enum change_test by; /* the test that decided; CHANGE_TEST_COUNT if none */
    uint32_t compared;   /* tests that are in both codes */
    uint32_t saw;        /* those of them that saw a difference */
    unsigned bits_apart; /* of the two fingerprints; for pictures the largest of all */
    double similarity;
};

struct change_verdict {
    bool changed;
    enum change_kind first; /* the first kind that changed; CHANGE_KIND_COUNT if none */
    struct change_finding of[CHANGE_KIND_COUNT];
    uint64_t levels; /* levels with another number of elements, bit 0 = level 1 */
    struct change_differences differences; /* of the structure; empty if only codes were compared */
};

/* Compares what was kept. Needs nothing and cannot fail. */
void change_compare_codes(const struct change_codes *old, const struct change_codes *new,
                          enum change_mode mode, struct change_verdict *ret);

/* Compares the pages themselves. With CHANGE_STEPS the codes of a later kind are not even made.
 * `ret_codes` may be NULL, else ret_codes[0] and [1] receive the codes of old and new as far as
 * they were made. Fails as change_codes_of() does, *ret is untouched then. */
MUST_CHECK enum rc change_compare_pages(const struct change_page *old,
                                        const struct change_page *new, enum change_mode mode,
                                        struct arena *arena, struct change_verdict *ret,
                                        struct change_codes ret_codes[2]);

#endif
