/* SPDX-License-Identifier: Apache-2.0 */
/* Every allocation of the library fails once; nothing leaks, and the answer is "out of memory". */
#include "change/letters.h"
#include "change/verdict.h"

#include "lib/test.h"
#include "sample.h"

struct pages {
    struct sample tags[2];
    struct change_page page[2];
};

static enum rc compare(struct pages *p, struct arena *arena)
{
    struct change_verdict v = {.levels = 77};
    struct change_letters letters;
    enum rc rc = change_letters(p->page[0].tags, p->page[0].tag_count, arena, &letters);
    if (rc == RC_OK)
        rc = change_compare_pages(&p->page[0], &p->page[1], CHANGE_EVERYTHING, arena, &v, NULL);
    if (rc)
        assert_true(v.levels == 77);
    return rc;
}

static enum rc step(void *ctx)
{
    struct arena *arena = arena_open(64, 1 << 20); /* small blocks: many allocations */
    if (!arena)
        return RC_NOMEM;
    enum rc rc = compare(ctx, arena);
    arena_close(arena);
    return rc;
}

static void no_memory(void **state)
{
    (void)state;
    static const uint8_t grey[2][4] = {{1, 2, 3, 4}, {4, 3, 2, 1}};
    static const struct change_image images[2] = {{grey[0], 2, 2}, {grey[1], 2, 2}};
    static struct pages p;
    sample_tags(&p.tags[0], "html body p b /b /p p");
    sample_tags(&p.tags[1], "html body p i /i /p p p");
    p.page[0] = (struct change_page){p.tags[0].tags, p.tags[0].count,
                                     STR("caf\xc3\xa9 \xe6\xbc\xa2 one two"), &images[0], 1};
    p.page[1] = (struct change_page){p.tags[1].tags, p.tags[1].count,
                                     STR("caf\xc3\xa9 \xe6\xbc\xa2 one three"), &images[1], 1};
    test_each_allocation_fails(step, &p);
}

/* The arena's own maximum is met the same way. */
static void arena_too_small(void **state)
{
    (void)state;
    struct sample tags;
    sample_tags(&tags, "html body p b /b /p p");
    struct change_page page = {tags.tags, tags.count, STR("text"), NULL, 0};
    size_t max = 0;
    enum rc rc = RC_NOMEM;
    for (; rc != RC_OK && max < 1 << 16; max += 16) {
        struct arena *arena = arena_open(32, max);
        struct change_codes codes;
        rc = change_codes_of(&page, CHANGE_ALL_TESTS, arena, &codes);
        assert_true(rc == RC_OK || rc == RC_NOMEM);
        arena_close(arena);
    }
    assert_rc(rc, RC_OK);
    assert_true(max > 64);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_memory),
        cmocka_unit_test(arena_too_small),
    };
    return cmocka_run_group_tests_name("change without memory", tests, NULL, NULL);
}
