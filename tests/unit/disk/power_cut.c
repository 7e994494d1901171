/* SPDX-License-Identifier: Apache-2.0 */
#include "power_cut.h"

#include "base/hash.h"
#include "base/rc.h"
#include "lib/test.h"

#include <stdio.h>
#include <stdlib.h>

enum { FAIL_ONE_IN = TEST_IS_EMULATED ? 25 : TEST_IS_SANITIZED ? 5 : 1 };
enum { PARTS = 50 }; /* how much of an append that fails is written: other bytes for each call */

static struct power_cut *copy_of(const struct power_cut *c)
{
    struct power_cut *copy = malloc(c->test->bytes);
    assert_non_null(copy);
    memcpy(copy, c, c->test->bytes);
    return copy;
}

static enum rc fail_image(struct power_cut *c, const char *what, const char *why)
{
    struct power_cut *top = c;
    while (top->outer)
        top = top->outer;
    top->failed = c->failed = true;
    (void)snprintf(top->why, sizeof top->why, "%s%s (%s)", c->outer ? "after a second cut: " : "",
                   why, what);
    return RC_CLOSED;
}

static void before_call(void *ctx, struct disk *d, const char *call)
{
    (void)call;
    power_cut_look(ctx, d);
}

static enum rc try_image(void *ctx, struct disk *image, const char *what)
{
    struct power_cut *outer = ctx, *c = copy_of(outer);
    c->outer = outer;
    c->depth = outer->depth + 1;
    c->looks = outer->depth == 0 && outer->images++ % outer->test->nested_every == 0;
    if (c->looks)
        disk_crash_before_each(image, before_call, c);
    const char *why = c->test->go_on(c, image);
    disk_crash_before_each(image, NULL, NULL);
    bool failed = c->failed;
    free(c);
    if (failed)
        return RC_CLOSED;
    return why ? fail_image(outer, what, why) : RC_OK;
}

void power_cut_look(struct power_cut *c, struct disk *d)
{
    bool is_nested = c->depth > 0 || c->is_brief;
    struct disk_crash_limits limits = is_nested ? c->test->nested : c->test->outer;
    limits.seed ^= c->round;
    if (c->looks && !c->failed && disk_crash_images(d, &limits, try_image, c) != RC_OK)
        c->failed = true;
}

void power_cut_enough(struct disk *image)
{
    disk_crash_before_each(image, NULL, NULL);
}

void power_cut_run(struct power_cut *c)
{
    struct disk *d;
    c->looks = true;
    c->round = test_seed(0) ^ hash64_mix(0);
    assert_rc(disk_crash_open(&d), RC_OK);
    disk_crash_before_each(d, before_call, c);
    assert_rc(c->test->work(c, d), RC_OK);
    power_cut_look(c, d);
    disk_close(d);
}

void power_cut_everywhere(struct power_cut *c, uint64_t images)
{
    power_cut_run(c);
    if (c->failed)
        fail_msg("%s", c->why);
    print_message("# %llu images, every one recovered\n", (unsigned long long)c->images);
    assert_true(c->images > images);
}

/* False: the work was over before that call. */
static bool fail_at(const struct power_cut *fresh, uint64_t call, enum rc way)
{
    struct disk *d;
    struct power_cut *c = copy_of(fresh);
    assert_rc(disk_crash_open(&d), RC_OK);
    disk_crash_fail_at(d, call, way, call % PARTS);
    enum rc result = c->test->work(c, d);
    bool hit = disk_crash_has_failed(d);
    assert_int_equal(hit, result != RC_OK);
    disk_crash_fail_at(d, 0, RC_OK, 0);
    c->looks = c->is_brief = true;
    power_cut_look(c, d);
    disk_close(d);
    if (c->failed)
        fail_msg("call %llu, %s: %s", (unsigned long long)call, rc_text(way), c->why);
    free(c);
    return hit;
}

void power_cut_failures(const struct power_cut *fresh, const enum rc *ways, size_t count,
                        uint64_t calls)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t call = 1 + i % FAIL_ONE_IN;
        while (fail_at(fresh, call, ways[i]))
            call += FAIL_ONE_IN;
        assert_true(call > calls);
    }
}
