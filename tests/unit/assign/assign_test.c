/* SPDX-License-Identifier: Apache-2.0 */
#include "assign/assign.h"

#include "base/hash.h"
#include "sets.h"

#include <stdlib.h>

static void each_kind_is_found_by_its_name(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        enum assign_by by;
    } rows[] = {{"ring", ASSIGN_BY_HOST},
                {"rendezvous", ASSIGN_BY_HOST},
                {"address", ASSIGN_BY_ADDRESS},
                {"modulo", ASSIGN_BY_URL},
                {"domain-table", ASSIGN_BY_DOMAIN}};
    size_t count = 0;
    while (assign_kinds[count])
        count++;
    assert_int_equal(count, sizeof rows / sizeof *rows);
    for (size_t i = 0; i < count; i++) {
        const struct assign_kind *kind = assign_kind_find(str_c(rows[i].name));
        assert_non_null(kind);
        assert_string_equal(assign_kind_name(kind), rows[i].name);
        assert_int_equal(assign_kind_by(kind), rows[i].by);
        assert_true(strlen(assign_kind_help(kind)) > 10);
    }
    assert_null(assign_kind_find(STR("Ring")));
}

struct refusal {
    const char *what;
    struct assign_agent agents[2];
    uint32_t count;
    enum rc expected;
};

static void lists_that_make_no_sense_are_refused(void **state)
{
    (void)state;
    static const char long_name[ASSIGN_MAX_NAME_BYTES + 1];
    const struct refusal rows[] = {
        {"no agent", {{{0}}}, 0, RC_INVALID},
        {"an empty name", {{{"", 0}, 64, 0}}, 1, RC_INVALID},
        {"a name too long", {{{long_name, sizeof long_name}, 64, 0}}, 1, RC_INVALID},
        {"no weight at all", {{STR("a"), 0, 0}, {STR("b"), 0, 0}}, 2, RC_INVALID},
        {"a weight too high", {{STR("a"), ASSIGN_MAX_WEIGHT + 1, 0}}, 1, RC_INVALID},
        {"one name twice", {{STR("a"), 64, 0}, {STR("a"), 32, 0}}, 2, RC_EXISTS},
    };
    for (const struct assign_kind *const *k = assign_kinds; *k; k++) {
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
            struct assign *a = NULL;
            struct assign_conflict conflict = {0};
            enum rc rc = assign_open(*k, NULL, rows[i].agents, rows[i].count, 1, &conflict, &a);
            if (rc != rows[i].expected)
                fail_msg("%s, %s: %s", assign_kind_name(*k), rows[i].what, rc_text(rc));
            assert_null(a);
            if (rc == RC_EXISTS)
                assert_str(conflict.second, STR("a"));
        }
    }
}

static void too_many_agents_are_refused(void **state)
{
    (void)state;
    struct assign_agent *agents = calloc(ASSIGN_MAX_AGENTS + 1, sizeof *agents);
    struct assign *a = NULL;
    assert_non_null(agents);
    assert_rc(assign_open(assign_kinds[0], NULL, agents, ASSIGN_MAX_AGENTS + 1, 1, NULL, &a),
              RC_LIMIT);
    free(agents);
}

static void the_list_and_the_epoch_are_carried_along(void **state)
{
    (void)state;
    char name[] = "ant";
    struct assign_agent agents[] = {{str_c(name), 64, 3}};
    struct assign *a;
    assert_rc(assign_open(assign_kinds[0], NULL, agents, 1, 42, NULL, &a), RC_OK);
    name[0] = 'x';
    assert_str(a->agents[0].name, STR("ant"));
    assert_int_equal(a->agents[0].zone, 3);
    assert_int_equal(a->epoch, 42);
    assign_close(a);
    assign_close(NULL);
}

static void a_host_and_its_hash_have_one_owner(void **state)
{
    (void)state;
    struct set s;
    set_make(&s, 3, 20, 0);
    static const char *const kinds[] = {"ring", "rendezvous"};
    for (size_t k = 0; k < 2; k++) {
        struct assign *a = set_open(kinds[k], &s);
        struct assign_key by_name = {.host = STR("www.example.org")};
        struct assign_key by_hash = {.host_hash = hash64(STR("www.example.org"))};
        assert_str(owner_name(a, &by_name), owner_name(a, &by_hash));
        assign_close(a);
    }
}

static void a_changed_list_answers_as_one_opened_anew(void **state)
{
    (void)state;
    struct set s, t;
    set_make(&s, 3, 20, 0);
    set_make(&t, 4, 7, 0);
    struct assign *a = set_open("ring", &s), *b = set_open("ring", &t);
    assert_rc(assign_change(a, NULL, t.agents, t.count, 2, NULL), RC_OK);
    assert_int_equal(a->epoch, 2);
    for (uint64_t i = 0; i < 500; i++)
        assert_str(owner_of_hash(a, i << 55), owner_of_hash(b, i << 55));
    assign_close(a);
    assign_close(b);
}

static void a_refused_change_leaves_the_former_list(void **state)
{
    (void)state;
    struct set s;
    set_make(&s, 3, 20, 0);
    struct assign_agent twice[] = {s.agents[0], s.agents[0]};
    for (const struct assign_kind *const *k = assign_kinds; *k; k++) {
        struct assign *a = set_open(assign_kind_name(*k), &s);
        assert_rc(assign_change(a, NULL, twice, 2, 2, NULL), RC_EXISTS);
        assert_int_equal(a->agent_count, 20);
        assert_int_equal(a->epoch, 1);
        assign_close(a);
    }
}

static void m2_the_sum_of_the_bytes_modulo_the_crawlers(void **state)
{
    (void)state;
    static const struct {
        const char *url;
        uint32_t crawlers, expected;
    } rows[] = {
        {"http://a.b/", 5, 3}, /* 888 */
        {"http://a.b/", 2, 0}, {"http://a.b/", 1, 0}, {"http://a.b/", 100, 88}, {"", 7, 0},
        {"\xff\xff", 100, 10}, /* bytes are 0 to 255, not signed: 510 */
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct set s;
        set_make(&s, 1, rows[i].crawlers, 0);
        struct assign *a = set_open("modulo", &s);
        struct assign_key key = {.url = str_c(rows[i].url)};
        uint32_t at;
        assert_rc(assign_owner(a, &key, &at), RC_OK);
        assert_int_equal(at, rows[i].expected);
        key.url = STR_NONE;
        assert_rc(assign_owner(a, &key, &at), RC_INVALID);
        assign_close(a);
    }
}

static enum rc open_ask_change(void *ctx)
{
    const struct assign_kind *kind = ctx;
    struct set s;
    struct assign *a;
    uint32_t at;
    struct assign_options few = {.points = 20};
    struct assign_key key = {.host = STR("h.org"), .url = STR("u"), .domain = STR("h.org")};
    key.ip.bytes = 4;
    set_make(&s, 3, 5, 0);
    enum rc rc = assign_open(kind, &few, s.agents, 4, 1, NULL, &a);
    if (rc)
        return rc;
    rc = assign_owner(a, &key, &at);
    if (rc == RC_OK)
        rc = assign_change(a, &few, s.agents + 1, 4, 2, NULL);
    if (rc == RC_OK)
        rc = assign_owner(a, &key, &at);
    assign_close(a);
    return rc;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    for (const struct assign_kind *const *k = assign_kinds; *k; k++)
        test_each_allocation_fails(open_ask_change, (void *)(uintptr_t)*k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_kind_is_found_by_its_name),
        cmocka_unit_test(lists_that_make_no_sense_are_refused),
        cmocka_unit_test(too_many_agents_are_refused),
        cmocka_unit_test(the_list_and_the_epoch_are_carried_along),
        cmocka_unit_test(a_host_and_its_hash_have_one_owner),
        cmocka_unit_test(a_changed_list_answers_as_one_opened_anew),
        cmocka_unit_test(a_refused_change_leaves_the_former_list),
        cmocka_unit_test(m2_the_sum_of_the_bytes_modulo_the_crawlers),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
