/* SPDX-License-Identifier: Apache-2.0 */
/* The operator's requests reach all agents in order, also agents that come later, and after the
 * servers lost them. */
#include "cluster/wire/control_log.h"

#include "bus/bus_sim.h"
#include "lib/test.h"

enum { POLL_MS = 100, MOST_STEPS = 5000 };

struct reader {
    struct nats_sim *servers;
    struct bus *bus;
    struct control_log log;
    uint64_t now_ms;
};

static void on_event(void *ctx, const struct bus_event *e)
{
    struct reader *r = ctx;
    if (e->kind != BUS_DONE || control_log_is_mine(e->ticket))
        control_log_event(&r->log, e, r->now_ms);
}

static struct reader *open_reader(struct nats_sim *servers, struct reader *r, uint64_t now_ms)
{
    *r = (struct reader){
        .servers = servers, .bus = nats_sim_connect(servers, now_ms), .now_ms = now_ms};
    assert_non_null(r->bus);
    assert_rc(control_log_init(&r->log, r->bus, STR("c"), POLL_MS), RC_OK);
    return r;
}

static void close_reader(struct reader *r)
{
    control_log_free(&r->log);
    bus_close(r->bus);
}

/* Runs until there is an entry; NULL: none in `ms`. */
static const struct control_entry *next(struct reader *r, uint64_t ms)
{
    uint64_t end_ms = r->now_ms + ms;
    for (unsigned i = 0; i < MOST_STEPS && r->now_ms < end_ms; i++) {
        control_log_turn(&r->log, r->now_ms);
        while (nats_sim_next_ms(r->servers) <= r->now_ms)
            (void)nats_sim_step(r->servers, r->now_ms);
        (void)bus_poll(r->bus, on_event, r, 64);
        if (control_log_entry(&r->log))
            return control_log_entry(&r->log);
        r->now_ms += 10;
    }
    return NULL;
}

static void say(struct reader *r, const char *subject, const char *text)
{
    assert_rc(nats_sim_append(r->servers, str_c(subject), str_c(text), r->now_ms), RC_OK);
}

static void expect(struct reader *r, const char *text, bool is_old)
{
    const struct control_entry *e = next(r, 5000);
    assert_non_null(e);
    assert_str(e->text, str_c(text));
    assert_int_equal(e->is_old, is_old);
    control_log_done(&r->log);
}

static struct nats_sim *open_nats(void)
{
    struct nats_sim *servers = nats_sim_open(7, 1000000);
    assert_non_null(servers);
    assert_true(nats_sim_stream(servers, STR("ORB_c_CONTROL"), STR("orb.c.control.")) >= 0);
    return servers;
}

#define OPERATOR "orb.c.control.operator"

static void what_was_there_is_old_and_what_comes_is_new(void **state)
{
    struct nats_sim *servers = open_nats();
    struct reader r;
    (void)state;
    open_reader(servers, &r, 1000);
    say(&r, OPERATOR, "first");
    say(&r, OPERATOR, "second");
    assert_false(control_log_is_read(&r.log));
    expect(&r, "first", true);
    expect(&r, "second", true);
    assert_null(next(&r, 1000));
    assert_true(control_log_is_read(&r.log));
    say(&r, OPERATOR, "third");
    expect(&r, "third", false);
    close_reader(&r);
    nats_sim_close(servers);
}

static void an_entry_waits_until_it_is_done(void **state)
{
    struct nats_sim *servers = open_nats();
    struct reader r;
    (void)state;
    open_reader(servers, &r, 1000);
    say(&r, OPERATOR, "one");
    say(&r, OPERATOR, "two");
    assert_str(next(&r, 1000)->text, STR("one"));
    assert_str(next(&r, 1000)->text, STR("one"));
    control_log_done(&r.log);
    expect(&r, "two", true);
    close_reader(&r);
    nats_sim_close(servers);
}

static void only_the_operator_is_heard_under_control(void **state)
{
    struct nats_sim *servers = open_nats();
    struct reader r;
    (void)state;
    open_reader(servers, &r, 1000);
    say(&r, "orb.c.control.a", "forged");
    say(&r, "orb.c.control.x.y", "no subject");
    say(&r, OPERATOR, "true");
    expect(&r, "true", true);
    assert_int_equal(r.log.junk, 2);
    close_reader(&r);
    nats_sim_close(servers);
}

static void what_servers_lost_does_not_deafen_us(void **state)
{
    struct nats_sim *servers = open_nats();
    struct reader r;
    (void)state;
    open_reader(servers, &r, 1000);
    say(&r, OPERATOR, "one");
    say(&r, OPERATOR, "two");
    expect(&r, "one", true);
    expect(&r, "two", true);
    assert_null(next(&r, 1000));
    nats_sim_power_cut(servers, 0, 2, r.now_ms); /* the whole stream */
    assert_null(next(&r, 30000));
    say(&r, OPERATOR, "three");
    expect(&r, "three", false);
    close_reader(&r);
    nats_sim_close(servers);
}

static void a_reconnection_repeats_nothing(void **state)
{
    struct nats_sim *servers = open_nats();
    struct reader r;
    (void)state;
    open_reader(servers, &r, 1000);
    say(&r, OPERATOR, "one");
    expect(&r, "one", true);
    assert_null(next(&r, 1000));
    nats_sim_cut(servers, r.bus, true, r.now_ms);
    assert_null(next(&r, 2000));
    nats_sim_cut(servers, r.bus, false, r.now_ms);
    assert_null(next(&r, 20000));
    say(&r, OPERATOR, "two");
    expect(&r, "two", false);
    close_reader(&r);
    nats_sim_close(servers);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_there_is_old_and_what_comes_is_new),
        cmocka_unit_test(an_entry_waits_until_it_is_done),
        cmocka_unit_test(only_the_operator_is_heard_under_control),
        cmocka_unit_test(what_servers_lost_does_not_deafen_us),
        cmocka_unit_test(a_reconnection_repeats_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
