/* SPDX-License-Identifier: Apache-2.0 */
/* Why a link is gone: a peer that was killed, one that is not there, one with another secret. */
#include "net/link.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_peer_that_is_killed_has_gone),
        cmocka_unit_test(a_peer_that_is_killed_before_the_handshake_is_over_has_closed),
        cmocka_unit_test(another_secret_is_named_at_both_ends),
        cmocka_unit_test(a_stranger_is_no_peer),
        cmocka_unit_test(a_port_where_nothing_listens_cannot_be_reached),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
