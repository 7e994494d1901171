/* SPDX-License-Identifier: Apache-2.0 */
/* What the servers are told, as text; that they act on it, scenario/cluster proves. */
#include "provision/nats_config.h"

#include "base/mem.h"
#include "bus/bus.h"
#include "lib/test.h"

#include <jansson.h>

static struct nats_plan *plan(const char *hosts)
{
    struct nats_plan *p = mem_zero(1, sizeof *p);
    struct nats_user *a;
    uint32_t at;
    struct str rest = str_c(hosts);
    memcpy(p->crawl, "c", 2);
    memcpy(p->route.text, "ROUTE", 6);
    memcpy(p->admin.text, "ADMIN", 6);
    memcpy(p->operator.name, NATS_OPERATOR, sizeof NATS_OPERATOR);
    p->stream_bytes = 77 << 20;
    while (rest.p)
        assert_rc(nats_plan_machine(p, str_take_until(&rest, ','), &at), RC_OK);
    assert_rc(nats_plan_stores(p, 0), RC_OK);
    assert_rc(nats_plan_add(p, STR("x"), 0, &a), RC_OK);
    memcpy(a->say.text, "SAYX", 5);
    memcpy(a->hear.text, "HEARX", 6);
    assert_rc(nats_plan_add(p, STR("y"), 0, &a), RC_OK);
    return p;
}

static struct buf config(const struct nats_plan *p, uint32_t at)
{
    struct buf out = {.max = NATS_CONFIG_MAX_BYTES};
    nats_config_write(p, at, &out);
    assert_rc(buf_rc(&out), RC_OK);
    return out;
}

static bool has(const struct buf *text, const char *what)
{
    struct str all = buf_str(text);
    return str_find_str(all, str_c(what)) < all.n;
}

static void one_machine_has_no_route(void **state)
{
    struct nats_plan *p = plan("a.example");
    struct buf text = config(p, 0);
    (void)state;
    assert_true(has(&text, "listen: \"127.0.0.1:4222\""));
    assert_true(has(&text, "jetstream {store_dir"));
    assert_false(has(&text, "cluster {"));
    assert_false(has(&text, "ROUTE"));
    buf_done(&text);
    mem_free(p);
}

static void routes_are_closed_and_lead_to_those_that_keep(void **state)
{
    struct nats_plan *p = plan("a.example,b.example:7000:7001,c.example,d.example");
    struct buf first = config(p, 0), last = config(p, 3);
    (void)state;
    assert_true(has(&first, "verify: true"));
    assert_true(has(&first, "authorization {user: route, password: \"ROUTE\""));
    assert_true(has(&first, "nats-route://route:ROUTE@b.example:7000"));
    assert_true(has(&first, "nats-route://route:ROUTE@c.example:6222"));
    assert_false(has(&first, "@a.example"));
    assert_false(has(&first, "@d.example")); /* it would count for the majority */
    assert_true(has(&last, "@a.example:6222"));
    assert_false(has(&last, "store_dir"));
    assert_true(has(&first, "listen: \"0.0.0.0:6222\""));
    assert_true(has(&first, "advertise: \"a.example:6222\""));
    buf_done(&first);
    buf_done(&last);
    mem_free(p);
}

static void no_user_is_anonymous(void **state)
{
    struct nats_plan *p = plan("a.example");
    struct buf text = config(p, 0);
    (void)state;
    assert_false(has(&text, "no_auth_user"));
    assert_true(has(&text, "SYS {}"));
    assert_false(has(&text, "http"));
    assert_false(has(&text, "leafnodes"));
    buf_done(&text);
    mem_free(p);
}

static void each_account_imports_what_its_owner_may_say(void **state)
{
    struct nats_plan *p = plan("a.example");
    struct buf text = config(p, 0);
    struct str all = buf_str(&text);
    size_t from = str_find_str(all, STR("  \"A_x\" {")), to = str_find_str(all, STR("  \"A_y\" {"));
    struct str mine = str_first(str_from(all, from), to - from);
    (void)state;
    assert_true(from < to && to < all.n);
    for (size_t i = 0; i + 1 < mine.n; i++) /* no subject of another's */
        assert_false(mine.p[i] == '.' && mine.p[i + 1] == 'y');
    assert_true(str_find_str(mine, STR("\"orb.c.hb.x\"")) < mine.n);
    assert_true(str_find_str(mine, STR("\"orb.c.j.*.*.in.x\"")) < mine.n);
    assert_true(str_find_str(mine, STR("\"orb.c.j.x.*.out\"")) < mine.n);
    assert_true(str_find_str(mine, STR("\"orb.c.scope.x\"")) < mine.n);
    assert_false(str_find_str(mine, STR("control")) < mine.n);
    assert_false(str_find_str(mine, STR("STREAM")) < mine.n);
    assert_true(has(&text, "{service: \"orb.c.roster.x\", accounts: [\"A_x\"]}"));
    assert_true(has(&text, "{service: \"orb.c.control.operator\", accounts: [OPERATOR]}"));
    buf_done(&text);
    mem_free(p);
}

static void streams(void **state)
{
    struct nats_plan *one = plan("a.example"), *three = plan("a,b,c");
    static const char *const names[] = {"ORB_c_ROSTER", "ORB_c_CONTROL", "ORB_c_x", "ORB_c_y"};
    static const char *const subjects[] = {"orb.c.roster.*", "orb.c.control.*", "orb.c.j.x.>",
                                           "orb.c.j.y.>"};
    (void)state;
    assert_int_equal(nats_stream_count(one), 4);
    for (uint32_t i = 0; i < 4; i++) {
        char room[NATS_STREAM_MAX_BYTES];
        struct buf text = buf_on(room, sizeof room);
        nats_stream_write(i % 2 ? one : three, i, &text);
        assert_rc(buf_rc(&text), RC_OK);
        json_t *o = json_loadb(text.p, text.n, 0, NULL);
        assert_non_null(o);
        assert_string_equal(json_string_value(json_object_get(o, "name")), names[i]);
        assert_string_equal(json_string_value(json_array_get(json_object_get(o, "subjects"), 0)),
                            subjects[i]);
        if (i == 1) /* control: what agents found joins the scope, in the same order for all */
            assert_string_equal(
                json_string_value(json_array_get(json_object_get(o, "subjects"), 1)),
                "orb.c.scope.*");
        assert_string_equal(json_string_value(json_object_get(o, "discard")), "new");
        assert_string_equal(json_string_value(json_object_get(o, "retention")), "limits");
        assert_true(json_is_true(json_object_get(o, "allow_direct")));
        assert_int_equal(json_integer_value(json_object_get(o, "num_replicas")), i % 2 ? 1 : 3);
        assert_true(json_integer_value(json_object_get(o, "max_msg_size")) > BUS_MAX_PAYLOAD_BYTES);
        if (i >= 2)
            assert_int_equal(json_integer_value(json_object_get(o, "max_bytes")), 77 << 20);
        json_decref(o);
    }
    mem_free(one);
    mem_free(three);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_machine_has_no_route),
        cmocka_unit_test(routes_are_closed_and_lead_to_those_that_keep),
        cmocka_unit_test(no_user_is_anonymous),
        cmocka_unit_test(each_account_imports_what_its_owner_may_say),
        cmocka_unit_test(streams),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
