/* SPDX-License-Identifier: Apache-2.0 */
/* What the operator says reaches everybody in order: who comes later, and after servers lost it. */
#include "cluster/control_log.h"

#include "bus/bus_sim.h"
#include "lib/test.h"

enum { POLL_MS = 100, MOST_STEPS = 5000 };

struct reader {
    struct post *post;
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

static struct reader *open_reader(struct post *post, struct reader *r, uint64_t now_ms)
{
    *r = (struct reader){.post = post, .bus = post_connect(post, now_ms), .now_ms = now_ms};
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
        while (post_next_ms(r->post) <= r->now_ms)
            (void)post_step(r->post, r->now_ms);
        (void)bus_poll(r->bus, on_event, r, 64);
        if (control_log_entry(&r->log))
            return control_log_entry(&r->log);
        r->now_ms += 10;
    }
    return NULL;
}

static void say(struct reader *r, const char *subject, const char *text)
{
    assert_rc(post_append(r->post, str_c(subject), str_c(text), r->now_ms), RC_OK);
}

static void expect(struct reader *r, const char *text, bool is_old)
{
    const struct control_entry *e = next(r, 5000);
    assert_non_null(e);
    assert_str(e->text, str_c(text));
    assert_int_equal(e->is_old, is_old);
    control_log_done(&r->log);
}

static struct post *open_post(void)
{
    struct post *post = post_open(7, 1000000);
    assert_non_null(post);
    assert_true(post_stream(post, STR("ORB_c_CONTROL"), STR("orb.c.control.")) >= 0);
    return post;
}

#define OPERATOR "orb.c.control.operator"

static void what_was_there_is_old_and_what_comes_is_new(void **state)
{
    struct post *post = open_post();
    struct reader r;
    (void)state;
    open_reader(post, &r, 1000);
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
    post_close(post);
}

static void an_entry_waits_until_it_is_done(void **state)
{
    struct post *post = open_post();
    struct reader r;
    (void)state;
    open_reader(post, &r, 1000);
    say(&r, OPERATOR, "one");
    say(&r, OPERATOR, "two");
    assert_str(next(&r, 1000)->text, STR("one"));
    assert_str(next(&r, 1000)->text, STR("one"));
    control_log_done(&r.log);
    expect(&r, "two", true);
    close_reader(&r);
    post_close(post);
}

static void only_the_operator_is_heard_under_control(void **state)
{
    struct post *post = open_post();
    struct reader r;
    (void)state;
    open_reader(post, &r, 1000);
    say(&r, "orb.c.control.a", "forged");
    say(&r, "orb.c.control.x.y", "no subject");
    say(&r, OPERATOR, "true");
    expect(&r, "true", true);
    assert_int_equal(r.log.junk, 2);
    close_reader(&r);
    post_close(post);
}

static void what_servers_lost_does_not_deafen_us(void **state)
{
    struct post *post = open_post();
    struct reader r;
    (void)state;
    open_reader(post, &r, 1000);
    say(&r, OPERATOR, "one");
    say(&r, OPERATOR, "two");
    expect(&r, "one", true);
    expect(&r, "two", true);
    assert_null(next(&r, 1000));
    post_power_cut(post, 0, 2, r.now_ms); /* all of it */
    assert_null(next(&r, 30000));
    say(&r, OPERATOR, "three");
    expect(&r, "three", false);
    close_reader(&r);
    post_close(post);
}

static void a_reconnection_repeats_nothing(void **state)
{
    struct post *post = open_post();
    struct reader r;
    (void)state;
    open_reader(post, &r, 1000);
    say(&r, OPERATOR, "one");
    expect(&r, "one", true);
    assert_null(next(&r, 1000));
    post_cut(post, r.bus, true, r.now_ms);
    assert_null(next(&r, 2000));
    post_cut(post, r.bus, false, r.now_ms);
    assert_null(next(&r, 20000));
    say(&r, OPERATOR, "two");
    expect(&r, "two", false);
    close_reader(&r);
    post_close(post);
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
