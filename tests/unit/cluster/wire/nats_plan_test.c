/* SPDX-License-Identifier: Apache-2.0 */
#include "cluster/wire/nats_plan.h"

#include "base/mem.h"
#include "base/rng.h"
#include "cluster/wire/nats_login.h"
#include "lib/test.h"

static void names(void **state)
{
    (void)state;
    assert_true(nats_name_is_good(STR("a")));
    assert_true(nats_name_is_good(STR("a-1_b")));
    assert_true(nats_name_is_good(STR("abcdefghijklmnopqrstuvwxyz012345")));
    assert_false(nats_name_is_good(STR("abcdefghijklmnopqrstuvwxyz0123456")));
    assert_false(nats_name_is_good(STR("")));
    assert_false(nats_name_is_good(STR("A"))); /* ORB_c_ROSTER is not an agent's stream */
    assert_false(nats_name_is_good(STR("a.b")));
    assert_false(nats_name_is_good(STR("*")));
    assert_false(nats_name_is_good(STR("a\"b")));
    assert_false(nats_name_is_good(STR(NATS_OPERATOR)));
    assert_true(nats_crawl_is_good(STR("my-crawl")));
    assert_false(nats_crawl_is_good(STR("my_crawl")));
}

static void places(void **state)
{
    struct nats_plan *p = mem_zero(1, sizeof *p);
    uint32_t at = 9;
    (void)state;
    assert_rc(nats_plan_machine(p, STR("a.example"), &at), RC_OK);
    assert_int_equal(p->machines[0].route_port, NATS_ROUTE_PORT);
    assert_int_equal(p->machines[0].client_port, NATS_CLIENT_PORT);
    assert_rc(nats_plan_machine(p, STR("10.0.0.1:7000:7001"), &at), RC_OK);
    assert_int_equal(at, 1);
    assert_rc(nats_plan_machine(p, STR("a.example"), &at), RC_OK);
    assert_int_equal(at, 0);
    assert_int_equal(p->machine_count, 2);
    assert_rc(nats_plan_machine(p, STR("10.0.0.1:7000:7002"), &at), RC_EXISTS);
    assert_rc(nats_plan_machine(p, STR("10.0.0.1:7003:7001"), &at), RC_EXISTS);
    static const char *const bad[] = {"",        "a b", "a:", "a:0",   "a:65536", "a:1:", "a:1:1",
                                      "a:1:2:3", "-a",  ".a", "[::1]", "a/b",     "a\"b", "../a"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_rc(nats_plan_machine(p, str_c(bad[i]), &at), RC_INVALID);
    mem_free(p);
}

static void who_keeps(void **state)
{
    struct nats_plan *p = mem_zero(1, sizeof *p);
    (void)state;
    p->machine_count = 1;
    assert_rc(nats_plan_stores(p, 0), RC_OK);
    assert_int_equal(nats_plan_copies(p), 1);
    assert_rc(nats_plan_stores(p, 3), RC_INVALID);
    p->machine_count = 2; /* no majority */
    assert_rc(nats_plan_stores(p, 0), RC_INVALID);
    assert_rc(nats_plan_stores(p, 1), RC_INVALID);
    p->machine_count = 7;
    assert_rc(nats_plan_stores(p, 0), RC_OK);
    assert_true(p->machines[2].keeps);
    assert_false(p->machines[3].keeps);
    assert_int_equal(nats_plan_copies(p), 3);
    assert_rc(nats_plan_stores(p, 5), RC_OK);
    assert_true(p->machines[4].keeps);
    assert_int_equal(nats_plan_copies(p), 3);
    assert_rc(nats_plan_stores(p, 4), RC_INVALID);
    mem_free(p);
}

static void fill_plan(struct nats_plan *p)
{
    struct nats_user *a;
    uint32_t at;
    memcpy(p->crawl, "c", 2);
    memcpy(p->route.text, "beef", 5);
    memcpy(p->admin.text, "$2a$05$x/y.z", 13);
    memcpy(p->operator.name, NATS_OPERATOR, sizeof NATS_OPERATOR);
    memcpy(p->operator.say.text, "$2a$1", 6);
    memcpy(p->operator.hear.text, "$2a$2", 6);
    p->stream_bytes = 1 << 20;
    assert_rc(nats_plan_machine(p, STR("a"), &at), RC_OK);
    assert_rc(nats_plan_machine(p, STR("b"), &at), RC_OK);
    assert_rc(nats_plan_machine(p, STR("c:1:2"), &at), RC_OK);
    assert_rc(nats_plan_stores(p, 0), RC_OK);
    assert_rc(nats_plan_add(p, STR("x"), 0, &a), RC_OK);
    memcpy(a->say.text, "h1", 3);
    memcpy(a->hear.text, "h2", 3);
    assert_rc(nats_plan_add(p, STR("y"), 2, &a), RC_OK);
    memcpy(a->say.text, "h3", 3);
    memcpy(a->hear.text, "h4", 3);
}

static void a_plan_comes_back_as_it_was(void **state)
{
    struct nats_plan *p = mem_zero(1, sizeof *p), *q = mem_zero(1, sizeof *q);
    struct buf text = {.max = NATS_PLAN_MAX_BYTES}, again = {.max = NATS_PLAN_MAX_BYTES};
    const char *why;
    (void)state;
    fill_plan(p);
    nats_plan_write(p, &text);
    assert_rc(buf_rc(&text), RC_OK);
    assert_rc(nats_plan_read(buf_str(&text), q, &why), RC_OK);
    nats_plan_write(q, &again);
    assert_str(buf_str(&again), buf_str(&text));
    assert_memory_equal(p, q, sizeof *p);
    assert_true(nats_plan_remove(q, STR("x")));
    assert_false(nats_plan_remove(q, STR("x")));
    assert_int_equal(q->agent_count, 1);
    assert_string_equal(q->agents[0].name, "y");
    buf_done(&text);
    buf_done(&again);
    mem_free(p);
    mem_free(q);
}

/* A changed byte: the plan is refused, or is still a plan; no text in it could break the quotes of
 * a configuration. */
static void a_damaged_plan_is_judged(void **state)
{
    struct nats_plan *p = mem_zero(1, sizeof *p), *q = mem_zero(1, sizeof *q);
    struct buf text = {.max = NATS_PLAN_MAX_BYTES};
    struct rng r;
    const char *why;
    (void)state;
    fill_plan(p);
    nats_plan_write(p, &text);
    rng_init(&r, test_seed(13));
    for (int i = 0; i < 3000; i++) {
        size_t at = rng_below(&r, text.n);
        char was = text.p[at];
        text.p[at] = (char)rng_next(&r);
        memset(q, 0, sizeof *q);
        if (nats_plan_read(buf_str(&text), q, &why) == RC_OK) {
            assert_null(strpbrk(q->admin.text, "\"\\\n{} "));
            assert_true(nats_crawl_is_good(str_c(q->crawl)));
        }
        text.p[at] = was;
    }
    assert_rc(nats_plan_read(STR("{\"version\":2}"), q, &why), RC_VERSION);
    assert_rc(nats_plan_read(STR("{}"), q, &why), RC_INVALID);
    assert_rc(nats_plan_read(STR(""), q, &why), RC_INVALID);
    buf_done(&text);
    mem_free(p);
    mem_free(q);
}

static void a_login_comes_back(void **state)
{
    struct nats_login l = {.crawl = "c",
                           .name = "a",
                           .url = "nats://127.0.0.1:4222",
                           .say_user = "say.a",
                           .say = {"s1"},
                           .hear_user = "hear.a",
                           .hear = {"s2"},
                           .copies = 1},
                      back = {0};
    char room[NATS_LOGIN_MAX_BYTES];
    struct buf text = buf_on(room, sizeof room);
    (void)state;
    nats_login_write(&l, &text);
    assert_rc(nats_login_read(buf_str(&text), &back), RC_OK);
    assert_memory_equal(&l, &back, sizeof l);
    l.copies = 0; /* not given: copies are assumed */
    buf_clear(&text);
    nats_login_write(&l, &text);
    assert_rc(nats_login_read(buf_str(&text), &back), RC_OK);
    assert_int_equal(back.copies, 3);
    for (size_t n = 0; n + 1 < text.n; n++)
        assert_rc(nats_login_read(str_make(room, n), &back), RC_INVALID);
    assert_rc(
        nats_login_read(STR("{\"crawl\":\"c\",\"name\":\"a\",\"url\":\"u\",\"say\":7}"), &back),
        RC_INVALID);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names),
        cmocka_unit_test(places),
        cmocka_unit_test(who_keeps),
        cmocka_unit_test(a_plan_comes_back_as_it_was),
        cmocka_unit_test(a_damaged_plan_is_judged),
        cmocka_unit_test(a_login_comes_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
