/* SPDX-License-Identifier: Apache-2.0 */
/* Why a link is gone: a peer that was killed, one that is not there, one with another secret. */
#include "net/link.h"

#include "base/digest.h"
#include "base/loop.h"
#include "lib/test.h"

#include <arpa/inet.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

enum { TURNS = 3000, TURN_MS = 10 };

#define SECRET STR("a secret of forty bytes, the same at both")
#define OTHER STR("another secret of forty bytes, elsewhere")

struct rig {
    struct loop loop;
    struct link_context *here, *there;
    struct link_address at;
    int listener;
    struct link dialled, accepted;
};

static void nothing(struct link *l)
{
    (void)l;
}

static void rig_open(struct rig *r, struct str here, struct str there)
{
    struct sockaddr_in name;
    socklen_t n = sizeof name;
    *r = (struct rig){.dialled.happened = nothing, .accepted.happened = nothing};
    assert_rc(loop_init(&r->loop, clock_real()), RC_OK);
    assert_rc(link_context_open(here, &r->here), RC_OK);
    assert_rc(link_context_open(there, &r->there), RC_OK);
    assert_rc(link_address_read(STR("127.0.0.1:1"), &r->at), RC_OK);
    r->at.port = 0; /* the kernel chooses */
    assert_rc(link_listen(&r->at, &r->listener), RC_OK);
    assert_int_equal(getsockname(r->listener, (struct sockaddr *)&name, &n), 0);
    r->at.port = ntohs(name.sin_port);
}

static void rig_close(struct rig *r)
{
    link_close(&r->dialled);
    link_close(&r->accepted);
    link_context_close(r->here);
    link_context_close(r->there);
    (void)close(r->listener);
    loop_done(&r->loop);
}

static void turn(struct rig *r)
{
    struct pollfd p = {.fd = r->loop.epoll_fd, .events = POLLIN};
    (void)poll(&p, 1, TURN_MS);
    loop_collect(&r->loop);
    (void)loop_run(&r->loop);
}

static void until_gone(struct rig *r, const struct link *l)
{
    for (int i = 0; i < TURNS && !l->is_gone; i++)
        turn(r);
    assert_true(l->is_gone);
}

static void dial(struct rig *r)
{
    assert_rc(link_dial(&r->dialled, r->here, &r->loop, &r->at), RC_OK);
}

static void wait_for_call(struct rig *r)
{
    struct pollfd p = {.fd = r->listener, .events = POLLIN};
    assert_int_equal(poll(&p, 1, TURNS * TURN_MS), 1);
}

static void accept_link(struct rig *r)
{
    wait_for_call(r);
    assert_rc(link_accept(&r->accepted, r->there, &r->loop, r->listener), RC_OK);
}

static void a_peer_that_is_killed_has_gone(void **state)
{
    (void)state;
    for (int who = 0; who < 2; who++) {
        struct rig r;
        rig_open(&r, SECRET, SECRET);
        dial(&r);
        accept_link(&r);
        for (int i = 0; i < TURNS && !(r.dialled.is_proven && r.accepted.is_proven); i++)
            turn(&r);
        assert_true(r.dialled.is_proven && r.accepted.is_proven);
        struct link *killed = who ? &r.dialled : &r.accepted;
        struct link *left = who ? &r.accepted : &r.dialled;
        link_close(killed); /* as the kernel does for a killed process: no last word */
        until_gone(&r, left);
        assert_string_equal(left->why, "the other end has gone");
        rig_close(&r);
    }
}

static void a_peer_that_is_killed_before_the_handshake_is_over_has_closed(void **state)
{
    (void)state;
    struct rig r;
    rig_open(&r, SECRET, SECRET);
    dial(&r);
    wait_for_call(&r);
    int fd = accept(r.listener, NULL, NULL);
    assert_true(fd >= 0);
    assert_int_equal(shutdown(fd, SHUT_WR), 0);
    until_gone(&r, &r.dialled);
    assert_string_equal(r.dialled.why,
                        "the other end closed the connection before the handshake was over");
    (void)close(fd);
    link_close(&r.dialled);

    dial(&r);
    accept_link(&r);
    link_close(&r.dialled); /* it has not said a word */
    until_gone(&r, &r.accepted);
    assert_string_equal(r.accepted.why,
                        "the other end closed the connection before the handshake was over");
    rig_close(&r);
}

static void another_secret_is_named_at_both_ends(void **state)
{
    (void)state;
    struct rig r;
    rig_open(&r, SECRET, OTHER);
    dial(&r);
    accept_link(&r);
    until_gone(&r, &r.accepted);
    until_gone(&r, &r.dialled);
    assert_string_equal(r.accepted.why, "the two ends do not have the same secret");
    assert_string_equal(r.dialled.why, "the two ends do not have the same secret");
    rig_close(&r);
}

static void a_stranger_is_no_peer(void **state)
{
    (void)state;
    struct rig r;
    rig_open(&r, SECRET, SECRET);
    struct sockaddr_in name = {
        .sin_family = AF_INET, .sin_port = htons(r.at.port), .sin_addr = {htonl(INADDR_LOOPBACK)}};
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(connect(fd, (struct sockaddr *)&name, sizeof name), 0);
    accept_link(&r);
    static const char words[] = "GET / HTTP/1.1\r\nHost: a.example\r\n\r\n";
    assert_int_equal(send(fd, words, sizeof words - 1, 0), sizeof words - 1);
    until_gone(&r, &r.accepted);
    assert_string_equal(r.accepted.why, "the other end does not speak the protocol of places");
    (void)close(fd);
    rig_close(&r);
}

static void a_port_where_nothing_listens_cannot_be_reached(void **state)
{
    (void)state;
    struct rig r;
    rig_open(&r, SECRET, SECRET);
    (void)close(r.listener);
    r.listener = -1;
    dial(&r);
    until_gone(&r, &r.dialled);
    assert_string_equal(r.dialled.why, "it cannot be reached");
    rig_close(&r);
}

/* Keys with names: the other end has one of a few. */
static bool find_key(void *ctx, struct str name, struct digest *ret)
{
    unsigned *asked = ctx;
    ++*asked;
    return (str_eq(name, STR("ant")) && link_key(SECRET, ret) == RC_OK) ||
           (str_eq(name, STR("bee")) && link_key(OTHER, ret) == RC_OK);
}

static void rig_open_named(struct rig *r, struct str name, struct str secret, unsigned *asked)
{
    rig_open(r, SECRET, SECRET);
    link_context_close(r->here);
    link_context_close(r->there);
    assert_rc(link_context_open_named(name, secret, &r->here), RC_OK);
    assert_rc(link_context_open_keys((struct link_keys){find_key, asked}, &r->there), RC_OK);
}

static void until_both_are_proven(struct rig *r)
{
    for (int i = 0; i < TURNS && !(r->dialled.is_proven && r->accepted.is_proven); i++)
        turn(r);
    assert_true(r->dialled.is_proven && r->accepted.is_proven);
}

static void the_end_that_accepts_learns_the_name_of_the_key(void **state)
{
    (void)state;
    static const struct {
        struct str name, secret;
    } rows[] = {{{"ant", sizeof "ant" - 1},
                 {"a secret of forty bytes, the same at both",
                  sizeof "a secret of forty bytes, the same at both" - 1}},
                {{"bee", sizeof "bee" - 1},
                 {"another secret of forty bytes, elsewhere",
                  sizeof "another secret of forty bytes, elsewhere" - 1}}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct rig r;
        unsigned asked = 0;
        rig_open_named(&r, rows[i].name, rows[i].secret, &asked);
        dial(&r);
        accept_link(&r);
        until_both_are_proven(&r);
        assert_str(str_c(r.accepted.name), rows[i].name);
        assert_string_equal(r.dialled.name, "");
        assert_int_equal(asked, 1);
        rig_close(&r);
    }
}

static void a_name_without_a_key_and_a_key_of_another_name_are_refused(void **state)
{
    (void)state;
    static const struct {
        struct str name, secret;
    } rows[] = {{{"cat", sizeof "cat" - 1},
                 {"a secret of forty bytes, the same at both",
                  sizeof "a secret of forty bytes, the same at both" - 1}},
                {{"bee", sizeof "bee" - 1},
                 {"a secret of forty bytes, the same at both",
                  sizeof "a secret of forty bytes, the same at both" - 1}}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct rig r;
        unsigned asked = 0;
        rig_open_named(&r, rows[i].name, rows[i].secret, &asked);
        dial(&r);
        accept_link(&r);
        until_gone(&r, &r.accepted);
        until_gone(&r, &r.dialled);
        assert_false(r.accepted.is_proven || r.dialled.is_proven);
        assert_string_equal(r.dialled.why, "the two ends do not have the same secret");
        rig_close(&r);
    }
}

static void a_place_of_a_wiring_without_a_pool_has_no_name_there(void **state)
{
    (void)state;
    struct rig r;
    unsigned asked = 0;
    rig_open_named(&r, STR("ant"), SECRET, &asked);
    link_context_close(r.here);
    assert_rc(link_context_open(SECRET, &r.here), RC_OK);
    dial(&r);
    accept_link(&r);
    until_gone(&r, &r.accepted);
    until_gone(&r, &r.dialled);
    assert_int_equal(asked, 0);
    rig_close(&r);
}

static void names_and_secrets_out_of_bounds_are_refused(void **state)
{
    (void)state;
    struct link_context *c = NULL;
    char name[LINK_MAX_NAME_BYTES + 1];
    memset(name, 'a', sizeof name);
    assert_rc(link_context_open_named(STR(""), SECRET, &c), RC_INVALID);
    assert_rc(link_context_open_named(str_make(name, sizeof name), SECRET, &c), RC_INVALID);
    assert_rc(link_context_open_named(STR("ant"), STR("short"), &c), RC_INVALID);
    assert_rc(link_context_open_named(str_make(name, sizeof name - 1), SECRET, &c), RC_OK);
    link_context_close(c);
}

static void a_frame_past_the_bound_of_a_link_ends_it(void **state)
{
    (void)state;
    struct rig r;
    static char text[5000];
    const struct str piece = {text, sizeof text};
    rig_open(&r, SECRET, SECRET);
    r.accepted.frame_bytes = sizeof text - 1;
    dial(&r);
    accept_link(&r);
    until_both_are_proven(&r);
    link_put(&r.dialled, &piece, 1);
    link_flush(&r.dialled);
    until_gone(&r, &r.accepted);
    assert_string_equal(r.accepted.why, "it says more than is allowed at a time");
    assert_false(link_has_frame(&r.accepted));
    rig_close(&r);
}

static void a_link_goes_on_in_the_loop_of_another_thread(void **state)
{
    (void)state;
    struct rig r;
    struct loop other;
    const struct str piece = STR("moved");
    struct str frame;
    rig_open(&r, SECRET, SECRET);
    assert_rc(loop_init(&other, clock_real()), RC_OK);
    dial(&r);
    accept_link(&r);
    until_both_are_proven(&r);
    link_leave(&r.accepted);
    assert_rc(link_enter(&r.accepted, &other), RC_OK);
    link_put(&r.dialled, &piece, 1);
    link_flush(&r.dialled);
    for (int i = 0; i < TURNS && !link_has_frame(&r.accepted); i++) {
        turn(&r);
        loop_collect(&other);
        (void)loop_run(&other);
    }
    assert_true(link_next(&r.accepted, &frame));
    assert_str(frame, piece);
    link_close(&r.accepted);
    rig_close(&r);
    loop_done(&other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_peer_that_is_killed_has_gone),
        cmocka_unit_test(a_peer_that_is_killed_before_the_handshake_is_over_has_closed),
        cmocka_unit_test(another_secret_is_named_at_both_ends),
        cmocka_unit_test(a_stranger_is_no_peer),
        cmocka_unit_test(a_port_where_nothing_listens_cannot_be_reached),
        cmocka_unit_test(the_end_that_accepts_learns_the_name_of_the_key),
        cmocka_unit_test(a_name_without_a_key_and_a_key_of_another_name_are_refused),
        cmocka_unit_test(a_place_of_a_wiring_without_a_pool_has_no_name_there),
        cmocka_unit_test(names_and_secrets_out_of_bounds_are_refused),
        cmocka_unit_test(a_frame_past_the_bound_of_a_link_ends_it),
        cmocka_unit_test(a_link_goes_on_in_the_loop_of_another_thread),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
