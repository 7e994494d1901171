/* SPDX-License-Identifier: Apache-2.0 */
#include "bus/bus_sim.h"

#include "lib/test.h"

struct heard {
    struct bus_event last;
    char payload[32];
    unsigned count, done, up, down;
};

static void each(void *ctx, const struct bus_event *e)
{
    struct heard *h = ctx;
    h->last = *e;
    h->count++;
    h->done += e->kind == BUS_DONE;
    h->up += e->kind == BUS_UP;
    h->down += e->kind == BUS_DOWN;
    size_t n = e->payload.n < sizeof h->payload - 1 ? e->payload.n : sizeof h->payload - 1;
    memcpy(h->payload, e->payload.p, n);
    h->payload[n] = 0;
}

static uint64_t run(struct nats_sim *o, uint64_t until_ms)
{
    for (uint64_t at; (at = nats_sim_next_ms(o)) <= until_ms;)
        (void)nats_sim_step(o, at);
    return until_ms;
}

static void what_is_appended_is_read_in_order(void **state)
{
    (void)state;
    struct heard h = {0};
    struct nats_sim *o = nats_sim_open(1, 1000);
    assert_int_equal(nats_sim_stream(o, STR("S"), STR("orb.c.j.a.")), 0);
    struct bus *b = nats_sim_connect(o, 0);
    assert_rc(bus_append(b, 1, STR("orb.c.j.a.1.in.b"), 7, STR("early")), RC_AGAIN);
    uint64_t now = run(o, 1000);
    assert_rc(bus_append(b, 2, STR("orb.c.j.a.1.in.b"), 7, STR("one")), RC_OK);
    now = run(o, now + 1000);
    assert_rc(bus_append(b, 3, STR("orb.c.j.a.2.in.b"), 8, STR("two")), RC_OK);
    now = run(o, now + 1000);
    assert_rc(bus_append(b, 4, STR("orb.c.j.a.1.in.b"), 7, STR("one")), RC_OK);
    now = run(o, now + 1000);
    (void)bus_poll(b, each, &h, 100);
    assert_int_equal(h.up, 1);
    assert_int_equal(h.done, 3);
    assert_true(h.last.is_repeat && h.last.sequence == 1);
    assert_rc(bus_get(b, 5, STR("S"), 1, STR("orb.c.j.a.2.>")), RC_OK);
    (void)run(o, now + 1000);
    (void)bus_poll(b, each, &h, 100);
    assert_rc(h.last.rc, RC_OK);
    assert_int_equal(h.last.sequence, 2);
    assert_string_equal(h.payload, "two");
    bus_close(b);
    nats_sim_close(o);
}

static void every_call_ends_once_though_the_connection_breaks(void **state)
{
    (void)state;
    struct heard h = {0};
    struct nats_sim *o = nats_sim_open(2, 1000);
    (void)nats_sim_stream(o, STR("S"), STR("orb.c.j.a."));
    struct bus *b = nats_sim_connect(o, 0);
    uint64_t now = run(o, 1000);
    assert_rc(bus_append(b, 1, STR("orb.c.j.a.1.in.b"), 7, STR("one")), RC_OK);
    nats_sim_cut(o, b, true, now);
    assert_rc(bus_get(b, 2, STR("S"), 1, STR("")), RC_AGAIN);
    now = run(o, now + 5000);
    nats_sim_cut(o, b, false, now);
    (void)run(o, now + 5000);
    (void)bus_poll(b, each, &h, 100);
    assert_int_equal(h.done, 1);
    assert_int_equal(h.up, 2);
    assert_int_equal(h.down, 1);
    assert_int_equal(nats_sim_length(o, 0), 1); /* it arrived all the same */
    bus_close(b);
    nats_sim_close(o);
}

static void a_power_cut_loses_the_end_of_a_stream(void **state)
{
    (void)state;
    struct heard h = {0};
    struct nats_sim *o = nats_sim_open(3, 1000);
    (void)nats_sim_stream(o, STR("S"), STR("orb.c.j.a."));
    struct bus *b = nats_sim_connect(o, 0);
    uint64_t now = run(o, 1000);
    for (uint64_t i = 0; i < 5; i++) {
        assert_rc(bus_append(b, i, STR("orb.c.j.a.1.in.b"), i, STR("x")), RC_OK);
        now = run(o, now + 1000);
    }
    nats_sim_power_cut(o, 0, 2, now);
    (void)run(o, now + 5000);
    (void)bus_poll(b, each, &h, 100);
    assert_int_equal(nats_sim_length(o, 0), 3);
    assert_int_equal(h.down, 1);
    assert_int_equal(h.up, 2);
    assert_int_equal(nats_sim_faults(o)[NATS_SIM_POWER_CUT], 1);
    bus_close(b);
    nats_sim_close(o);
}

static void what_is_said_is_heard_by_those_who_listen(void **state)
{
    (void)state;
    struct heard h = {0}, own = {0};
    struct nats_sim *o = nats_sim_open(4, 1000);
    struct bus *a = nats_sim_connect(o, 0), *b = nats_sim_connect(o, 0);
    assert_rc(bus_listen(b, STR("orb.c.hb.*")), RC_OK);
    uint64_t now = run(o, 1000);
    assert_rc(bus_say(a, STR("orb.c.hb.a"), STR("heartbeat")), RC_OK);
    assert_rc(bus_say(a, STR("orb.c.other.a"), STR("not")), RC_OK);
    (void)run(o, now + 10000);
    (void)bus_poll(b, each, &h, 100);
    (void)bus_poll(a, each, &own, 100);
    assert_int_equal(h.count, 2); /* BUS_UP, and the heartbeat */
    assert_string_equal(h.payload, "heartbeat");
    assert_int_equal(own.count, 1);
    bus_close(a);
    bus_close(b);
    nats_sim_close(o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_appended_is_read_in_order),
        cmocka_unit_test(every_call_ends_once_though_the_connection_breaks),
        cmocka_unit_test(a_power_cut_loses_the_end_of_a_stream),
        cmocka_unit_test(what_is_said_is_heard_by_those_who_listen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
