/* SPDX-License-Identifier: Apache-2.0 */
/* Our side of TLS against a client of OpenSSL over a pair of sockets, both in this thread. */
#include "lib/test.h"

#include "serve/tls.h"
#include "serve/tls_ca.h"

#include <dirent.h>
#include <fcntl.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_BYTES = 4 * 1024 * 1024, ROUNDS = 100000, MOST_KEPT = 100 };

static char folder[] = "/tmp/simweb-tls-XXXXXX";

/* Valid until the call after the next. */
static const char *in_folder(const char *name)
{
    static char paths[2][512];
    static unsigned next;
    char *path = paths[next++ % 2];
    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

/* libssl writes without MSG_NOSIGNAL, on our side and the client's. */
static int folder_make(void **state)
{
    (void)state;
    if (signal(SIGPIPE, SIG_IGN) == SIG_ERR)
        return -1;
    return mkdtemp(folder) ? 0 : -1;
}

static int folder_empty(void **state)
{
    (void)state;
    DIR *d = opendir(folder);
    assert_non_null(d);
    for (struct dirent *e = readdir(d); e; e = readdir(d))
        if (e->d_name[0] != '.')
            unlink(in_folder(e->d_name));
    closedir(d);
    return 0;
}

static int folder_remove(void **state)
{
    folder_empty(state);
    return rmdir(folder);
}

/* The authority ----------------------------------------------------------------------------- */

static void the_authority_is_made_once(void **state)
{
    (void)state;
    struct tls_ca *ca;
    struct stat key, cert;
    struct buf before, after;
    assert_rc(tls_ca_open(folder, MOST_KEPT, &ca), RC_OK);
    tls_ca_close(ca);
    assert_int_equal(stat(in_folder("ca.key"), &key), 0);
    assert_int_equal(stat(in_folder("ca.pem"), &cert), 0);
    assert_int_equal(key.st_mode & 0777, 0600);
    assert_true(test_slurp(in_folder("ca.pem"), &before));
    assert_rc(tls_ca_open(folder, MOST_KEPT, &ca), RC_OK);
    tls_ca_close(ca);
    assert_true(test_slurp(in_folder("ca.pem"), &after));
    assert_str(buf_str(&after), buf_str(&before));
    buf_done(&before);
    buf_done(&after);
}

static void put_file(const char *name, const char *text)
{
    FILE *f = fopen(in_folder(name), "w");
    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(fclose(f), 0);
}

static void a_folder_with_other_things_in_it_is_refused(void **state)
{
    (void)state;
    struct tls_ca *ca = NULL;
    assert_rc(tls_ca_open("/nonexistent/folder", MOST_KEPT, &ca), RC_IO);
    put_file("ca.pem", "this is no certificate");
    assert_rc(tls_ca_open(folder, MOST_KEPT, &ca), RC_CORRUPT); /* and no key */
    put_file("ca.key", "this is no key");
    assert_rc(tls_ca_open(folder, MOST_KEPT, &ca), RC_CORRUPT);
    /* A key alone is what a cut-short making leaves. */
    assert_int_equal(unlink(in_folder("ca.pem")), 0);
    assert_rc(tls_ca_open(folder, MOST_KEPT, &ca), RC_OK);
    tls_ca_close(ca);
    /* The key of one authority does not belong to the certificate of another. */
    assert_int_equal(rename(in_folder("ca.key"), in_folder("old")), 0);
    assert_int_equal(unlink(in_folder("ca.pem")), 0);
    assert_rc(tls_ca_open(folder, MOST_KEPT, &ca), RC_OK);
    tls_ca_close(ca);
    assert_int_equal(rename(in_folder("old"), in_folder("ca.key")), 0);
    ca = NULL;
    assert_rc(tls_ca_open(folder, MOST_KEPT, &ca), RC_CORRUPT);
    assert_null(ca);
}

static void certificates_are_kept_and_the_oldest_go(void **state)
{
    (void)state;
    struct tls_ca *ca;
    assert_rc(tls_ca_open(folder, MOST_KEPT, &ca), RC_OK);
    X509 *first = tls_ca_leaf(ca, LEAF_GOOD, STR("a.test"));
    assert_non_null(first);
    assert_ptr_equal(tls_ca_leaf(ca, LEAF_GOOD, STR("a.test")), first);
    assert_ptr_not_equal(tls_ca_leaf(ca, LEAF_GOOD, STR("b.test")), first);
    assert_ptr_not_equal(tls_ca_leaf(ca, LEAF_EXPIRED, STR("a.test")), first);
    assert_int_equal(tls_ca_kept(ca), 3);
    X509_up_ref(first); /* so that its address is not used again */
    for (int i = 0; i < MOST_KEPT; i++) {
        char name[32];
        snprintf(name, sizeof name, "h%d.test", i);
        assert_non_null(tls_ca_leaf(ca, LEAF_GOOD, str_c(name)));
    }
    assert_int_equal(tls_ca_kept(ca), MOST_KEPT);
    assert_ptr_not_equal(tls_ca_leaf(ca, LEAF_GOOD, STR("a.test")), first);
    X509_free(first);
    assert_null(tls_ca_leaf(ca, LEAF_GOOD, STR("")));
    assert_null(tls_ca_leaf(ca, LEAF_GOOD, STR("a\0b.test")));
    tls_ca_close(ca);
}

static void a_name_cannot_become_two(void **state)
{
    (void)state;
    struct tls_ca *ca;
    assert_rc(tls_ca_open(folder, MOST_KEPT, &ca), RC_OK);
    X509 *x = tls_ca_leaf(ca, LEAF_GOOD, STR("a.test,DNS:b.test"));
    assert_non_null(x);
    assert_int_equal(X509_check_host(x, "b.test", 0, 0, NULL), 0);
    x = tls_ca_leaf(ca, LEAF_GOOD, STR("127.1.0.5"));
    assert_int_equal(X509_check_ip_asc(x, "127.1.0.5", 0), 1);
    tls_ca_close(ca);
}

/* Handshakes -------------------------------------------------------------------------------- */

struct pair {
    struct tls *tls;
    struct stream *server;
    SSL_CTX *ctx;
    SSL *client;
    int client_fd;
};

static struct mood mood_now; /* what the only host is like */

static struct mood mood(void *ctx, struct str name)
{
    (void)ctx, (void)name;
    return mood_now;
}

static void sockets_make(int *server, int *client)
{
    int fds[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, fds), 0);
    *server = fds[0];
    *client = fds[1];
}

static void pair_open(struct pair *p, struct mood m, const char *sni)
{
    int fd;
    mood_now = m;
    assert_rc(tls_open(folder, (struct tls_asks){.mood = mood}, &p->tls), RC_OK);
    sockets_make(&fd, &p->client_fd);
    p->server = tls_stream(p->tls, fd);
    assert_non_null(p->server);
    p->ctx = SSL_CTX_new(TLS_client_method());
    assert_int_equal(SSL_CTX_load_verify_locations(p->ctx, in_folder("ca.pem"), NULL), 1);
    SSL_CTX_set_verify(p->ctx, SSL_VERIFY_PEER, NULL);
    p->client = SSL_new(p->ctx);
    SSL_set_fd(p->client, p->client_fd);
    SSL_set_connect_state(p->client);
    if (sni) {
        SSL_set_tlsext_host_name(p->client, sni);
        assert_int_equal(SSL_set1_host(p->client, sni), 1);
    }
}

static void pair_close(struct pair *p)
{
    if (p->server)
        p->server->kind->close(p->server);
    SSL_free(p->client);
    SSL_CTX_free(p->ctx);
    close(p->client_fd);
    tls_close(p->tls);
    ERR_clear_error();
}

/* The client writes "ping" as soon as it can, the server reads it. RC_AGAIN: neither gets on. */
static enum rc greet(struct pair *p, int *ret_client_error)
{
    char room[100];
    size_t n = 0;
    *ret_client_error = SSL_ERROR_NONE;
    for (int i = 0; i < 100; i++) {
        ERR_clear_error();
        int written = *ret_client_error == SSL_ERROR_NONE ? SSL_write(p->client, "ping", 4) : 1;
        int error = written > 0 ? SSL_ERROR_NONE : SSL_get_error(p->client, written);
        if (error != SSL_ERROR_NONE && error != SSL_ERROR_WANT_READ)
            *ret_client_error = error;
        enum rc rc = p->server->kind->read(p->server, room, sizeof room, &n);
        if (rc == RC_OK)
            assert_memory_equal(room, "ping", 4);
        if (rc != RC_AGAIN)
            return rc;
    }
    return RC_AGAIN;
}

static void a_handshake_ends_in_bytes(void **state)
{
    (void)state;
    struct pair p;
    int error;
    pair_open(&p, (struct mood){0}, "WWW.heron1.test");
    assert_true(p.server->is_tls);
    assert_rc(greet(&p, &error), RC_OK);
    assert_str(p.server->sni, STR("www.heron1.test"));
    assert_false(p.server->is_h2);
    assert_int_equal(SSL_version(p.client), TLS1_3_VERSION);
    assert_int_equal(SSL_get_verify_result(p.client), X509_V_OK);
    char room[16];
    size_t n = 0;
    assert_rc(p.server->kind->read(p.server, room, sizeof room, &n), RC_AGAIN);
    assert_rc(p.server->kind->write(p.server, STR("pong"), &n), RC_OK);
    assert_int_equal(n, 4);
    assert_int_equal(SSL_read(p.client, room, sizeof room), 4);
    p.server->kind->close(p.server);
    p.server = NULL;
    int result = SSL_read(p.client, room, sizeof room);
    assert_int_equal(SSL_get_error(p.client, result), SSL_ERROR_ZERO_RETURN); /* close_notify */
    pair_close(&p);
}

static void the_host_decides_whether_http2_is_spoken(void **state)
{
    (void)state;
    static const struct {
        enum h2_mood mood;
        struct str offer;
        struct str chosen;
    } rows[] = {
        {H2_NONE, STR("\x02h2\x08http/1.1"), STR("http/1.1")},
        {H2_GOOD, STR("\x02h2\x08http/1.1"), STR("h2")},
        {H2_GOOD, STR("\x08http/1.1\x02h2"), STR("h2")},
        {H2_GOOD, STR("\x08http/1.1"), STR("http/1.1")},
        {H2_NONE, STR("\x02h2"), STR("")},
        {H2_RST_STREAM, STR("\x02h2"), STR("h2")},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct pair p;
        const unsigned char *name;
        unsigned n;
        int error;
        pair_open(&p, (struct mood){.h2 = rows[i].mood}, "www.heron1.test");
        SSL_set_alpn_protos(p.client, (const unsigned char *)rows[i].offer.p,
                            (unsigned)rows[i].offer.n);
        assert_rc(greet(&p, &error), RC_OK);
        SSL_get0_alpn_selected(p.client, &name, &n);
        assert_str(str_make((const char *)name, n), rows[i].chosen);
        assert_int_equal(p.server->is_h2, str_eq(rows[i].chosen, STR("h2")));
        pair_close(&p);
    }
}

static void bad_certificates_are_bad_in_the_way_they_say(void **state)
{
    (void)state;
    static const struct {
        enum tls_mood mood;
        long verify;
    } rows[] = {
        {TLS_EXPIRED, X509_V_ERR_CERT_HAS_EXPIRED},
        {TLS_WRONG_HOST, X509_V_ERR_HOSTNAME_MISMATCH},
        {TLS_SELF_SIGNED, X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT},
        {TLS_UNKNOWN_CA, X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY},
        {TLS_NO_CLOSE_NOTIFY, X509_V_OK},
        {TLS_NEEDS_SNI, X509_V_OK},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct pair p;
        int error;
        pair_open(&p, (struct mood){.tls = rows[i].mood}, "www.heron1.test");
        enum rc rc = greet(&p, &error);
        assert_int_equal(SSL_get_verify_result(p.client), rows[i].verify);
        assert_int_equal(rc, rows[i].verify == X509_V_OK ? RC_OK : RC_IO);
        pair_close(&p);
        pair_open(&p, (struct mood){.tls = rows[i].mood}, "www.heron1.test");
        SSL_set_verify(p.client, SSL_VERIFY_NONE, NULL); /* who looks away is served */
        assert_rc(greet(&p, &error), RC_OK);
        pair_close(&p);
    }
}

static void an_end_without_close_notify(void **state)
{
    (void)state;
    struct pair p;
    int error;
    char room[16];
    pair_open(&p, (struct mood){.tls = TLS_NO_CLOSE_NOTIFY}, "www.heron1.test");
    assert_rc(greet(&p, &error), RC_OK);
    p.server->kind->close(p.server);
    p.server = NULL;
    int result = SSL_read(p.client, room, sizeof room);
    assert_int_equal(SSL_get_error(p.client, result), SSL_ERROR_SSL);
    assert_int_equal(ERR_GET_REASON(ERR_peek_error()), SSL_R_UNEXPECTED_EOF_WHILE_READING);
    pair_close(&p);
}

static void without_a_name_there_may_be_an_alert(void **state)
{
    (void)state;
    struct pair p;
    int error;
    pair_open(&p, (struct mood){.tls = TLS_NEEDS_SNI}, NULL);
    assert_rc(greet(&p, &error), RC_IO);
    int result = SSL_do_handshake(p.client);
    assert_int_equal(SSL_get_error(p.client, result), SSL_ERROR_SSL);
    assert_int_equal(ERR_GET_REASON(ERR_peek_error()), SSL_R_TLSV1_UNRECOGNIZED_NAME);
    pair_close(&p);
    pair_open(&p, (struct mood){0}, NULL);
    assert_rc(greet(&p, &error), RC_OK); /* others answer with a certificate for the address */
    X509 *x = SSL_get1_peer_certificate(p.client);
    assert_int_equal(X509_check_ip_asc(x, "127.0.0.1", 0), 1);
    X509_free(x);
    pair_close(&p);
}

static void a_stall_hears_and_says_nothing(void **state)
{
    (void)state;
    struct pair p;
    int error;
    char room[16];
    size_t n;
    pair_open(&p, (struct mood){.tls = TLS_STALL}, "www.heron1.test");
    assert_rc(greet(&p, &error), RC_AGAIN);
    assert_int_equal(error, SSL_ERROR_NONE);
    assert_false(p.server->kind->wants_write(p.server));
    assert_int_equal(recv(p.client_fd, room, sizeof room, 0), -1);
    shutdown(p.client_fd, SHUT_WR);
    assert_rc(p.server->kind->read(p.server, room, sizeof room, &n), RC_CLOSED);
    pair_close(&p);
}

/* Everything of the storm, read past the TLS of the client. */
static size_t storm_size(struct pair *p)
{
    char room[65536];
    size_t all = 0, n;
    for (int i = 0; i < ROUNDS && p->server->kind->wants_write(p->server); i++) {
        assert_rc(p->server->kind->read(p->server, room, sizeof room, &n), RC_AGAIN);
        for (ssize_t got = recv(p->client_fd, room, sizeof room, 0); got > 0;
             got = recv(p->client_fd, room, sizeof room, 0)) {
            static const char alert[7] = {21, 3, 3, 0, 2, 1, 90};
            for (ssize_t k = 0; k < got; k++)
                if (room[k] != alert[(all + (size_t)k) % 7])
                    fail_msg("byte %zu is not of an alert", all + (size_t)k);
            all += (size_t)got;
        }
    }
    assert_false(p->server->kind->wants_write(p->server));
    return all;
}

static void a_storm_of_alerts_comes_to_an_end(void **state)
{
    (void)state;
    struct pair p;
    int error;
    size_t n;
    char room[16];
    pair_open(&p, (struct mood){.tls = TLS_ALERTS}, "www.heron1.test");
    assert_rc(greet(&p, &error), RC_AGAIN);
    assert_int_equal(error, SSL_ERROR_SSL); /* OpenSSL takes a few, then leaves */
    pair_close(&p);
    pair_open(&p, (struct mood){.tls = TLS_ALERTS}, "www.heron1.test");
    SSL_do_handshake(p.client);
    assert_rc(p.server->kind->read(p.server, room, sizeof room, &n), RC_AGAIN);
    assert_in_range(storm_size(&p), 7 * 100000, 7 * 100064);
    pair_close(&p);
}

static void an_old_server_speaks_nothing_newer(void **state)
{
    (void)state;
    struct pair p;
    int error;
    pair_open(&p, (struct mood){.tls = TLS_OLD}, "www.heron1.test");
    assert_rc(greet(&p, &error), RC_IO);
    pair_close(&p);
    pair_open(&p, (struct mood){.tls = TLS_OLD}, "www.heron1.test");
    SSL_set_security_level(p.client, 0);
    SSL_set_cipher_list(p.client, "ALL:@SECLEVEL=0");
    SSL_set_min_proto_version(p.client, TLS1_VERSION);
    assert_rc(greet(&p, &error), RC_OK);
    assert_int_equal(SSL_version(p.client), TLS1_VERSION);
    pair_close(&p);
    /* And its neighbours nothing so old. */
    pair_open(&p, (struct mood){0}, "www.heron1.test");
    SSL_set_security_level(p.client, 0);
    SSL_set_cipher_list(p.client, "ALL:@SECLEVEL=0");
    SSL_set_min_proto_version(p.client, TLS1_VERSION);
    SSL_set_max_proto_version(p.client, TLS1_1_VERSION);
    assert_rc(greet(&p, &error), RC_IO);
    pair_close(&p);
}

/* As a sender with a limit on its speed: it may come back with less than it tried to send. */
static void a_write_may_be_repeated_with_fewer_bytes(void **state)
{
    (void)state;
    struct pair p;
    int error;
    struct buf sent, got;
    char room[5000];
    buf_init(&sent, MAX_BYTES);
    buf_init(&got, MAX_BYTES);
    for (int i = 0; sent.n < 2 * 1000 * 1000; i++)
        buf_printf(&sent, "%d,", i);
    pair_open(&p, (struct mood){0}, "www.heron1.test");
    assert_rc(greet(&p, &error), RC_OK);
    size_t at = 0, n;
    for (unsigned i = 0; got.n < sent.n && i < ROUNDS; i++) {
        static const size_t most[] = {100000, 1, 700, 16384, 3, 50000};
        struct str piece = str_first(str_from(buf_str(&sent), at), most[i % 6]);
        enum rc rc = piece.n ? p.server->kind->write(p.server, piece, &n) : RC_AGAIN;
        at += rc == RC_OK ? n : 0;
        assert_true(rc == RC_OK || rc == RC_AGAIN);
        int taken = i % 3 == 0 || !piece.n ? SSL_read(p.client, room, sizeof room) : 0;
        buf_add(&got, str_make(room, taken > 0 ? (size_t)taken : 0));
    }
    assert_str(buf_str(&got), buf_str(&sent));
    pair_close(&p);
    buf_done(&sent);
    buf_done(&got);
}

static void what_is_no_tls_is_refused(void **state)
{
    (void)state;
    struct pair p;
    char room[100];
    size_t n;
    pair_open(&p, (struct mood){0}, NULL);
    assert_int_equal(send(p.client_fd, "GET / HTTP/1.1\r\n\r\n", 18, 0), 18);
    assert_rc(p.server->kind->read(p.server, room, sizeof room, &n), RC_IO);
    assert_rc(p.server->kind->write(p.server, STR("x"), &n), RC_IO);
    p.server->kind->reset(p.server);
    p.server = NULL;
    pair_close(&p);
}

/* Opening, a stream, and a handshake with a certificate to be made. */
static enum rc live(void *ctx)
{
    struct tls *tls = NULL;
    int server, client;
    char room[16];
    size_t n;
    enum rc rc = tls_open(folder, (struct tls_asks){.mood = mood}, &tls);
    if (rc)
        return rc;
    sockets_make(&server, &client);
    struct stream *s = tls_stream(tls, server);
    rc = RC_NOMEM;
    if (s) {
        struct str *hello = ctx;
        assert_int_equal(send(client, hello->p, hello->n, 0), (ssize_t)hello->n);
        rc = s->kind->read(s, room, sizeof room, &n) == RC_AGAIN ? RC_OK : RC_NOMEM;
        s->kind->close(s);
    }
    close(client);
    tls_close(tls);
    return rc;
}

static void without_memory_nothing_is_left_behind(void **state)
{
    (void)state;
    struct pair p;
    char room[4096];
    pair_open(&p, (struct mood){0}, "www.heron1.test");
    SSL_do_handshake(p.client);
    ssize_t n = recv(p.server->fd, room, sizeof room, 0);
    pair_close(&p);
    assert_true(n > 0);
    struct str hello = str_make(room, (size_t)n);
    test_each_allocation_fails(live, &hello);
}

#define IN_FOLDER(f) cmocka_unit_test_teardown(f, folder_empty)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(the_authority_is_made_once),
        IN_FOLDER(a_folder_with_other_things_in_it_is_refused),
        cmocka_unit_test(certificates_are_kept_and_the_oldest_go),
        cmocka_unit_test(a_name_cannot_become_two),
        cmocka_unit_test(a_handshake_ends_in_bytes),
        cmocka_unit_test(the_host_decides_whether_http2_is_spoken),
        cmocka_unit_test(bad_certificates_are_bad_in_the_way_they_say),
        cmocka_unit_test(an_end_without_close_notify),
        cmocka_unit_test(without_a_name_there_may_be_an_alert),
        cmocka_unit_test(a_stall_hears_and_says_nothing),
        cmocka_unit_test(a_storm_of_alerts_comes_to_an_end),
        cmocka_unit_test(an_old_server_speaks_nothing_newer),
        cmocka_unit_test(a_write_may_be_repeated_with_fewer_bytes),
        cmocka_unit_test(what_is_no_tls_is_refused),
        cmocka_unit_test(without_memory_nothing_is_left_behind),
    };
    return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
