/* SPDX-License-Identifier: Apache-2.0 */
#include "kit.h"

#include "reading/style_sheet.h"

static struct visit_parsed parsed;

/* `arena_bytes`: the most that the references may take. */
static struct arena *refer(struct str css, size_t arena_bytes, size_t scratch_bytes)
{
    struct arena *arena = arena_open(1024, arena_bytes);
    struct buf scratch;
    assert_non_null(arena);
    buf_init(&scratch, scratch_bytes);
    buf_add(&scratch, STR("left")); /* by the answer before */
    parsed = (struct visit_parsed){0};
    style_sheet_refer(css, &scratch, arena, &parsed);
    buf_done(&scratch);
    return arena;
}

static void every_address_is_an_embed(void **state)
{
    (void)state;
    char css[] = "@import 'a.css'; b { background: url(c.png) } /* url(no) */ d{e:url('\\66')}";
    struct arena *arena = refer(str_c(css), 1 << 20, 1000);
    memset(css, 'x', sizeof css); /* the references are copies */
    assert_int_equal(parsed.reference_count, 3);
    assert_true(kit_refers(&parsed, "a.css", HOP_EMBED) && kit_refers(&parsed, "c.png", HOP_EMBED));
    assert_true(kit_refers(&parsed, "f", HOP_EMBED));
    assert_str(parsed.references[0].context, STR("css/url"));
    assert_false(parsed.is_cut);
    arena_close(arena);
}

static void without_addresses_there_is_nothing(void **state)
{
    (void)state;
    struct arena *arena = refer(STR("a { color: red }"), 1 << 20, 1000);
    assert_int_equal(parsed.reference_count, 0);
    arena_close(arena);
}

static void a_full_arena_ends_the_reading(void **state)
{
    (void)state;
    struct arena *arena = refer(STR("a{b:url(1)}"), 1024, 1000); /* the list does not fit */
    assert_int_equal(parsed.reference_count, 0);
    assert_true(parsed.is_cut);
    arena_close(arena);
}

static void an_address_with_escapes_that_is_too_long_ends_the_reading(void **state)
{
    (void)state;
    struct arena *arena = refer(STR("a{b:url(1);c:url(\\32"
                                    "22222222222222222);d:url(3)}"),
                                1 << 20, 8);
    assert_int_equal(parsed.reference_count, 1);
    arena_close(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_address_is_an_embed),
        cmocka_unit_test(without_addresses_there_is_nothing),
        cmocka_unit_test(a_full_arena_ends_the_reading),
        cmocka_unit_test(an_address_with_escapes_that_is_too_long_ends_the_reading),
    };
    return cmocka_run_group_tests_name("style_sheet", tests, NULL, NULL);
}
