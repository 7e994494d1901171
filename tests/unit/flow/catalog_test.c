/* SPDX-License-Identifier: Apache-2.0 */
#include "flow/catalog.h"

#include "catalog/catalog.h"
#include "lib/test.h"
#include "roles/seen.h"
#include "unit/flow/parts.h"

static void every_built_in_table_is_in_order_and_no_name_stands_twice(void **state)
{
    (void)state;
    for (const struct part *const *p = catalog_built_in.parts; *p; p++) {
        struct buf why = {.max = 1000};
        enum rc rc = part_validate(*p, &why);
        if (rc)
            fail_msg("%s: %.*s", (*p)->name, STR_ARG(buf_str(&why)));
        assert_int_equal((*p)->abi, PART_ABI);
        const struct part *found =
            (*p)->kind == PART_PROVIDER
                ? catalog_provider(&catalog_built_in, str_c((*p)->provides), str_c((*p)->name),
                                   NULL)
                : catalog_component(&catalog_built_in, str_c((*p)->name), NULL);
        assert_ptr_equal(found, *p);
        buf_done(&why);
    }
}

static void nothing_handle(struct instance *self, unsigned inlet, struct message *m)
{
    (void)inlet;
    part_end(self, m);
}

static void *nothing_provide(struct instance *self)
{
    return self;
}

static void nothing_stop(struct instance *self)
{
    (void)self;
}

static const struct option bad_key[] = {{.key = "shard", .type = OPTION_BOOL, .help = "x"}, {0}};
static const struct option bad_default[] = {
    {.key = "x", .type = OPTION_COUNT, .def = "lots", .help = "x"}, {0}};
static const struct part_port in[] = {{"in", "t"}, {0}};
static const struct part_port untyped[] = {{.name = "in"}, {0}};
static const struct part_port dotted[] = {{"a.b", "t"}, {0}};
static const struct part_need needs[] = {{.role = "seen"}, {0}};

static const struct option twice[] = {
    {.key = "x", .help = "x"}, {.key = "x", .offset = 1, .help = "x"}, {0}};
static const struct option no_choices[] = {{.key = "x", .type = OPTION_CHOICE, .help = "x"}, {0}};
static const struct option no_type[] = {{.key = "x", .type = 99, .help = "x"}, {0}};
static const struct option outside[] = {
    {.key = "x", .type = OPTION_COUNT, .offset = 8, .help = "x"}, {0}};

static enum produced nothing_produce(struct instance *self)
{
    (void)self;
    return PRODUCED_IDLE;
}

#define PART .kind = PART_COMPONENT, .name = "x", .help = "x", .handle = nothing_handle

static const struct {
    struct part part;
    const char *why;
} bad[] = {
    {{.name = "x", .help = "x"}, "its table is of no kind"},
    {{.kind = PART_COMPONENT, .help = "x"}, "its table has no name or no help"},
    {{.kind = PART_COMPONENT, .name = "x", .help = "x", .inlets = in},
     "its table has inlets and no handle function"},
    {{PART}, "its table has neither inlets nor a produce function"},
    {{PART, .inlets = untyped}, "its table names no message type for \"in\""},
    {{PART, .inlets = dotted}, "its table has a port whose name cannot be written: \"a.b\""},
    {{PART, .inlets = in, .needs = needs}, "its table names no interface for \"seen\""},
    {{PART, .inlets = in, .options = bad_key}, "its table has options and no settings_bytes"},
    {{PART, .inlets = in, .options = bad_key, .settings_bytes = 8},
     "its table has an option with a key that every component has: \"shard\""},
    {{PART, .inlets = in, .options = bad_default, .settings_bytes = 8},
     "its table has a default that cannot be read"},
    {{PART, .inlets = in, .options = twice, .settings_bytes = 8},
     "its table has two options \"x\""},
    {{PART, .inlets = in, .options = no_choices, .settings_bytes = 8},
     "its table has no type or no choices for option \"x\""},
    {{PART, .inlets = in, .options = no_type, .settings_bytes = 8},
     "its table has no type or no choices for option \"x\""},
    {{PART, .inlets = in, .options = outside, .settings_bytes = 15},
     "its table has settings_bytes that end before option \"x\""},
    {{PART, .produce = nothing_produce, .credits_each = PART_CREDITS + 1},
     "its table has credits_default below credits_each"},
    {{PART, .produce = nothing_produce, .credits_each = 9, .credits_default = 8},
     "its table has credits_default below credits_each"},
    {{.kind = PART_PROVIDER, .name = "x", .help = "x"}, "its table provides nothing"},
    {{.kind = PART_PROVIDER,
      .name = "x",
      .help = "x",
      .where = PART_ON_ONE_SHARD,
      .provides = "y",
      .provide = nothing_provide,
      .stop = nothing_stop},
     "its table has start, drain or stop, and no thread to call them on"},
};

static void a_table_that_is_not_in_order_is_refused_saying_why(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct buf why = {.max = 1000};
        assert_rc(part_validate(&bad[i].part, &why), RC_INVALID);
        assert_str(buf_str(&why), str_c(bad[i].why));
        buf_done(&why);
    }
}

static void the_exact_set_knows_what_it_was_given(void **state)
{
    (void)state;
    const struct part *p = catalog_provider(&catalog_built_in, STR("seen"), STR("exact"), NULL);
    uint64_t settings = 5000;
    struct instance self = {.settings = &settings};
    struct buf why = {.max = 100};
    assert_rc(p->open(&self, &why), RC_OK);
    struct seen *seen = p->provide(&self);
    bool was_there;
    for (int round = 0; round < 2; round++) {
        for (uint64_t i = 0; i < 5000; i++) {
            assert_rc(seen->add(seen, i * 7, &was_there), RC_OK);
            assert_int_equal(was_there, round);
        }
    }
    assert_int_equal(seen->count(seen), 5000);
    assert_rc(seen->add(seen, 1, &was_there), RC_LIMIT);
    p->close(&self);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_built_in_table_is_in_order_and_no_name_stands_twice),
        cmocka_unit_test(a_table_that_is_not_in_order_is_refused_saying_why),
        cmocka_unit_test(the_exact_set_knows_what_it_was_given),
    };
    return cmocka_run_group_tests_name("flow/catalog", tests, NULL, NULL);
}
