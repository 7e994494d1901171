/* SPDX-License-Identifier: Apache-2.0 */
/* Turns of hosts between agents: the messages of both sides, and what happens when some are lost. The
 * bus is a list of what was sent. */
#include "agent/guests.h"

#include "asking/guest.h"
#include "frontier/lend.h"
#include "lib/step.h"

#include "base/hash.h"

#include <stdio.h>

enum { MOST_SENT = 300 };

struct fake_bus {
    struct bus bus;
    enum rc rc;
    unsigned asked, answered;
    uint64_t ticket, reply;
    char subject[200], words[600]; /* of the last ask */
    char answer[200];
};

static struct step s;
static struct fake_bus bus;
static struct guests *guests;
static struct step_instance at;
static struct call_queue queue;
static const char *owner; /* NULL: no other agent owns the host */

static enum rc fake_ask(struct bus *b, uint64_t ticket, struct str subject, struct str words,
                        uint64_t timeout_ms)
{
    (void)b;
    assert_true(timeout_ms > 0);
    bus.asked += bus.rc == RC_OK;
    bus.ticket = ticket;
    (void)snprintf(bus.subject, sizeof bus.subject, STR_FMT, STR_ARG(subject));
    (void)snprintf(bus.words, sizeof bus.words, STR_FMT, STR_ARG(words));
    return bus.rc;
}

static enum rc fake_answer(struct bus *b, uint64_t reply, struct str words)
{
    (void)b;
    bus.answered++;
    bus.reply = reply;
    (void)snprintf(bus.answer, sizeof bus.answer, STR_FMT, STR_ARG(words));
    return RC_OK;
}

static const struct bus_ops fake_ops = {.name = "fake", .ask = fake_ask, .answer = fake_answer};

static bool find_owner(void *ctx, uint64_t host_hash, char *name)
{
    (void)ctx;
    assert_int_equal(host_hash, hash64(STR("b.test")));
    if (owner)
        (void)snprintf(name, PEER_NAME_BYTES + 1, "%s", owner);
    return owner;
}

static void open_world(void)
{
    step_world(&s, "", 0);
    at = (struct step_instance){.self = {.shard_count = 1}, .step = &s};
    queue = (struct call_queue){0};
    call_queue_open(&queue, &s.ledger->calls, 0, &at.self);
    bus = (struct fake_bus){.bus.ops = &fake_ops};
    owner = "other";
    const struct guests_setup setup = {.bus = &bus.bus,
                                       .ledger = s.ledger,
                                       .cluster = &s.cluster.service,
                                       .log = s.log,
                                       .crawl = STR("c"),
                                       .name = STR("me"),
                                       .shards = 1,
                                       .wake = -1,
                                       .owner = find_owner};
    assert_rc(guests_open(&setup, &guests), RC_OK);
}

static void close_world(void)
{
    call_queue_close(&queue, 0);
    guests_close(guests);
    step_close(&s);
}

static void turn(void)
{
    guests_turn(guests, s.clock.now);
}

static void advance(uint64_t ms)
{
    step_advance(&s, ms);
    turn();
}

static bool has_sent(const char *what)
{
    return strstr(bus.words, what) != NULL;
}

/* Asking ----------------------------------------------------------------------------------------- */

struct asker {
    struct cluster_guest guest;
    unsigned done;
};

static void on_done(struct cluster_guest *g)
{
    EVENT_OF(g, struct asker, guest)->done++;
}

static struct asker asker_of(const char *host)
{
    return (struct asker){
        .guest = {.host = str_c(host), .host_hash = hash64(str_c(host)), .done = on_done}};
}

static void answer_with(enum rc rc, const char *words)
{
    struct bus_event e = {
        .kind = BUS_DONE, .ticket = bus.ticket, .rc = rc, .payload = str_c(words)};
    assert_true(guests_event(guests, &e, s.clock.now));
}

static void a_turn_is_asked_for_kept_and_given_back(void **state)
{
    (void)state;
    open_world();
    struct asker a = asker_of("b.test");
    assert_true(guests_ask(guests, &a.guest));
    turn();
    turn(); /* once */
    assert_int_equal(bus.asked, 1);
    assert_non_null(strstr(bus.subject, "other"));
    assert_true(has_sent("{\"do\":\"guest\",\"host\":\"b.test\",\"id\":"));
    answer_with(RC_OK, "{\"wait\":0}");
    assert_true(a.done == 1 && a.guest.may);
    advance(GUESTS_KEEP_MS - 1);
    assert_int_equal(bus.asked, 1);
    advance(1);
    assert_true(bus.asked == 2 && has_sent("\"guest-keep\""));
    answer_with(RC_OK, "{\"wait\":0}");
    const struct cluster_guest_end end = {STR("b.test"), 500, 1000, 30000};
    guests_end(guests, &end);
    turn();
    assert_true(bus.asked == 3 && has_sent("\"guest-back\""));
    assert_true(has_sent("\"wait\":500,\"delay\":1000,\"delay_most\":30000"));
    answer_with(RC_AGAIN, ""); /* lost: once more */
    advance(2000);
    assert_int_equal(bus.asked, 4);
    answer_with(RC_OK, "{\"wait\":0}");
    advance(60000);
    assert_int_equal(bus.asked, 4);
    close_world();
}

static void a_no_says_when_to_come_again(void **state)
{
    (void)state;
    open_world();
    struct asker a = asker_of("b.test");
    assert_true(guests_ask(guests, &a.guest));
    turn();
    answer_with(RC_OK, "{\"wait\":777}");
    assert_true(a.done == 1 && !a.guest.may && a.guest.wait_ms == 777);
    advance(60000);
    assert_int_equal(bus.asked, 1);
    close_world();
}

/* Then the host may have been lent, and is given back. */
static void an_answer_that_is_lost_or_makes_no_sense_is_a_no(void **state)
{
    (void)state;
    static const struct {
        enum rc rc;
        const char *words;
    } rows[] = {{RC_AGAIN, ""},           {RC_NOT_FOUND, ""},          {RC_OK, "{}"},
                {RC_OK, "{\"wait\":-1}"}, {RC_OK, "{\"wait\":\"0\"}"}, {RC_OK, "junk"},
                {RC_OK, "{\"ok\":false}"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        open_world();
        struct asker a = asker_of("b.test");
        assert_true(guests_ask(guests, &a.guest));
        turn();
        answer_with(rows[i].rc, rows[i].words);
        assert_true(a.done == 1 && !a.guest.may && a.guest.wait_ms > 0);
        unsigned before = bus.asked;
        for (int k = 0; k < 20; k++) {
            advance(2000);
            if (bus.asked > before) {
                assert_true(has_sent("\"guest-back\""));
                answer_with(RC_AGAIN, "");
            }
        }
        assert_int_equal(bus.asked, before + GUESTS_TRIES);
        close_world();
    }
}

static void without_another_owner_or_a_bus_it_is_a_no(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        open_world();
        struct asker a = asker_of("b.test");
        owner = i ? "other" : NULL;
        bus.rc = i ? RC_AGAIN : RC_OK;
        assert_true(guests_ask(guests, &a.guest));
        turn();
        assert_true(a.done == 1 && !a.guest.may && a.guest.wait_ms > 0 && bus.asked == 0);
        close_world();
    }
}

static void so_many_are_asked_for_at_a_time_and_none_is_left_without_an_answer(void **state)
{
    (void)state;
    static struct asker list[GUESTS_MOST + 1];
    open_world();
    for (size_t i = 0; i <= GUESTS_MOST; i++) {
        list[i] = asker_of("b.test");
        assert_int_equal(guests_ask(guests, &list[i].guest), i < GUESTS_MOST);
    }
    turn();
    assert_int_equal(bus.asked, GUESTS_MOST);
    close_world();
    for (size_t i = 0; i < GUESTS_MOST; i++)
        assert_true(list[i].done == 1 && !list[i].guest.may);
    assert_int_equal(list[GUESTS_MOST].done, 0);
}

/* Lending ---------------------------------------------------------------------------------------- */

static bool ask_us(const char *from, const char *words, uint64_t reply)
{
    char room[200];
    struct buf subject = buf_on(room, sizeof room);
    buf_printf(&subject, "orb.c.ask.me.%s", from);
    struct bus_event e = {
        .kind = BUS_ASKED, .subject = buf_str(&subject), .payload = str_c(words), .reply = reply};
    bool is_taken = guests_event(guests, &e, s.clock.now);
    advance(0);
    return is_taken;
}

static struct host *host_b(void)
{
    return frontier_host(ledger_frontier(s.ledger->ledger, 0), hash64(STR("b.test")),
                         STR("b.test"));
}

#define GUEST(what, id) "{\"do\":\"" what "\",\"host\":\"b.test\",\"id\":" id "}"
#define BACK                                                                            \
    "{\"do\":\"guest-back\",\"host\":\"b.test\",\"id\":5,\"wait\":2000,\"delay\":1000," \
    "\"delay_most\":30000}"

static void a_host_is_lent_to_one_agent_at_a_time(void **state)
{
    (void)state;
    open_world();
    assert_true(ask_us("x", GUEST("guest", "5"), 1));
    assert_true(bus.reply == 1 && strcmp(bus.answer, "{\"wait\":0}") == 0);
    assert_true(host_is_out(host_b()));
    assert_true(ask_us("y", GUEST("guest", "6"), 2));
    assert_true(bus.reply == 2 && strcmp(bus.answer, "{\"wait\":250}") == 0);
    assert_true(ask_us("y", GUEST("guest-back", "5"), 3)); /* not its loan */
    assert_true(ask_us("x", GUEST("guest-back", "4"), 4)); /* not this one */
    assert_true(host_is_out(host_b()) && bus.answered == 4);
    assert_true(ask_us("x", BACK, 5));
    assert_true(!host_is_out(host_b()) && host_due_ms(host_b()) == s.clock.now + 2001);
    assert_true(ask_us("y", GUEST("guest", "7"), 6));
    assert_true(bus.reply == 6 && strcmp(bus.answer, "{\"wait\":2001}") == 0);
    assert_int_equal(s.cluster.claimed, s.cluster.given_back);
    close_world();
}

static void a_loan_that_is_not_kept_ends(void **state)
{
    (void)state;
    open_world();
    assert_true(ask_us("x", GUEST("guest", "5"), 1));
    advance(GUESTS_LOAN_MS - 1);
    assert_true(ask_us("x", GUEST("guest-keep", "5"), 2));
    advance(GUESTS_LOAN_MS - 1);
    assert_true(host_is_out(host_b()));
    advance(1);
    advance(0);
    assert_false(host_is_out(host_b()));
    assert_int_equal(host_due_ms(host_b()), s.clock.now + 1001);
    assert_true(ask_us("x", BACK, 3)); /* too late: that is no matter */
    close_world();
}

static void other_requests_are_not_taken(void **state)
{
    (void)state;
    static const char *const rows[] = {"",
                                       "{\"do\":\"agent\"}",
                                       "{\"do\":\"guest",
                                       "{\"do\":\"guest\"}",
                                       "{\"do\":\"guests\",\"host\":\"b.test\"}",
                                       "{\"do\":\"guest\",\"host\":7}"};
    open_world();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_false(ask_us("x", rows[i], 1));
    struct bus_event other = {.kind = BUS_DONE, .ticket = UINT64_C(1) << 60};
    assert_false(guests_event(guests, &other, s.clock.now));
    assert_true(ask_us("x", "{\"do\":\"guest\",\"host\":\"\"}", 1));
    assert_true(bus.answered == 1 && strcmp(bus.answer, "{\"wait\":0}") != 0);
    close_world();
}

static void an_agent_lends_so_many_hosts(void **state)
{
    (void)state;
    open_world();
    for (unsigned i = 0; i <= GUESTS_MOST; i++) {
        char words[100];
        (void)snprintf(words, sizeof words, "{\"do\":\"guest\",\"host\":\"h%u.test\",\"id\":1}", i);
        assert_true(ask_us("x", words, i));
        assert_int_equal(strcmp(bus.answer, "{\"wait\":0}") == 0, i < GUESTS_MOST);
    }
    close_world();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_turn_is_asked_for_kept_and_given_back),
        cmocka_unit_test(a_no_says_when_to_come_again),
        cmocka_unit_test(an_answer_that_is_lost_or_makes_no_sense_is_a_no),
        cmocka_unit_test(without_another_owner_or_a_bus_it_is_a_no),
        cmocka_unit_test(so_many_are_asked_for_at_a_time_and_none_is_left_without_an_answer),
        cmocka_unit_test(a_host_is_lent_to_one_agent_at_a_time),
        cmocka_unit_test(a_loan_that_is_not_kept_ends),
        cmocka_unit_test(other_requests_are_not_taken),
        cmocka_unit_test(an_agent_lends_so_many_hosts),
    };
    return cmocka_run_group_tests_name("agent/guests", tests, NULL, NULL);
}
