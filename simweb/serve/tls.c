/* SPDX-License-Identifier: Apache-2.0 */
/* One SSL_CTX for all; what a host is like is known when the ClientHello names it, so certificate,
 * versions and misbehaviour are set on the connection from inside the ClientHello's callback. */
#include "serve/tls.h"

#include "base/buf.h"
#include "base/mem.h"
#include "serve/tls_ca.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    MAX_SNI = 255,
    STORM_ALERTS = 100 * 1000, /* in all; a client that is still there then meets silence */
    STORM_PIECE = 64,          /* alerts a write */
    DRAIN_READS = 16,
    MOST_KEPT = 10 * 1000, /* certificates, some 4 KB each */
    MAX_RECORD = SSL3_RT_MAX_PLAIN_LENGTH,
};

struct tls {
    struct tls_ca *ca;
    SSL_CTX *ctx;
    struct tls_asks asks;
};

struct tls_stream {
    struct stream stream; /* first: a stream's kind casts back */
    struct tls *tls;
    SSL *ssl;
    struct mood mood;
    bool wants_write;
    bool is_broken;       /* no close_notify can be sent any more */
    bool is_raw;          /* stalls or storms: TLS is over, the socket is ours */
    uint32_t alerts_sent; /* of a storm */
    size_t alert_offset;  /* how much of the next one is out */
    size_t pending;       /* bytes of a record that libssl has made and the socket did not take */
    size_t ahead;         /* bytes that are out though the caller has not been told */
    char sni[MAX_SNI];
};

static const struct stream_kind tls_kind;

static struct tls_stream *of(struct stream *s)
{
    return (struct tls_stream *)s;
}

/* The handshake's questions ----------------------------------------------------------------- */

/* RFC 6066, 3: a list of one host_name. Absent for anything else. */
static struct str sni_read(const unsigned char *p, size_t n)
{
    if (n < 5 || (size_t)(p[0] << 8 | p[1]) != n - 2 || p[2] != TLSEXT_NAMETYPE_host_name)
        return STR_NONE;
    size_t bytes = (size_t)(p[3] << 8 | p[4]);
    if (bytes != n - 5 || bytes == 0 || bytes > MAX_SNI)
        return STR_NONE;
    return str_make((const char *)p + 5, bytes);
}

static void sni_keep(struct tls_stream *s, SSL *ssl)
{
    const unsigned char *p;
    size_t n;
    if (SSL_client_hello_get0_ext(ssl, TLSEXT_TYPE_server_name, &p, &n) != 1)
        return;
    struct str name = sni_read(p, n);
    for (size_t i = 0; i < name.n; i++)
        s->sni[i] = ascii_lower(name.p[i]);
    if (name.p)
        s->stream.sni = str_make(s->sni, name.n);
}

static uint32_t address_of(int fd)
{
    struct sockaddr_in a = {0};
    socklen_t n = sizeof a;
    if (getsockname(fd, (struct sockaddr *)&a, &n) || a.sin_family != AF_INET)
        return INADDR_LOOPBACK;
    return ntohl(a.sin_addr.s_addr);
}

static struct mood mood_of(const struct tls_stream *s)
{
    const struct tls_asks *asks = &s->tls->asks;
    if (!s->stream.sni.p && asks->mood_at)
        return asks->mood_at(asks->ctx, address_of(s->stream.fd));
    return asks->mood(asks->ctx, s->stream.sni);
}

static enum leaf_kind leaf_of(enum tls_mood mood)
{
    switch (mood) {
    case TLS_EXPIRED:
        return LEAF_EXPIRED;
    case TLS_WRONG_HOST:
        return LEAF_WRONG_HOST;
    case TLS_SELF_SIGNED:
        return LEAF_SELF_SIGNED;
    case TLS_UNKNOWN_CA:
        return LEAF_UNKNOWN_CA;
    default:
        return LEAF_GOOD;
    }
}

static bool certify(struct tls_stream *s)
{
    char text[INET_ADDRSTRLEN];
    struct str name = s->stream.sni;
    if (!name.p) {
        struct in_addr a = {htonl(address_of(s->stream.fd))};
        name = str_c(inet_ntop(AF_INET, &a, text, sizeof text));
    }
    X509 *leaf = tls_ca_leaf(s->tls->ca, leaf_of(s->mood.tls), name);
    EVP_PKEY *key = tls_ca_leaf_key(s->tls->ca);
    return leaf && SSL_use_cert_and_key(s->ssl, leaf, key, NULL, 1) == 1;
}

static bool only_old(SSL *ssl)
{
    SSL_set_security_level(ssl, 0);
    return SSL_set_cipher_list(ssl, "ALL:@SECLEVEL=0") == 1 &&
           SSL_set_min_proto_version(ssl, TLS1_VERSION) == 1 &&
           SSL_set_max_proto_version(ssl, TLS1_VERSION) == 1;
}

static int on_client_hello(SSL *ssl, int *alert, void *ctx)
{
    struct tls_stream *s = SSL_get_app_data(ssl);
    (void)ctx;
    sni_keep(s, ssl);
    s->mood = mood_of(s);
    if (s->mood.tls == TLS_STALL || s->mood.tls == TLS_ALERTS) {
        s->is_raw = true;
        return SSL_CLIENT_HELLO_RETRY;
    }
    *alert = SSL_AD_UNRECOGNIZED_NAME;
    if (s->mood.tls == TLS_NEEDS_SNI && !s->stream.sni.p)
        return SSL_CLIENT_HELLO_ERROR;
    *alert = SSL_AD_INTERNAL_ERROR;
    if (s->mood.tls == TLS_OLD && !only_old(ssl))
        return SSL_CLIENT_HELLO_ERROR;
    return certify(s) ? SSL_CLIENT_HELLO_SUCCESS : SSL_CLIENT_HELLO_ERROR;
}

/* Ours in the order we like them; a client that offers neither is told nothing and speaks 1.1. */
static int on_alpn(SSL *ssl, const unsigned char **ret, unsigned char *ret_bytes,
                   const unsigned char *offer, unsigned bytes, void *ctx)
{
    static const unsigned char ours[] = "\x02h2\x08http/1.1";
    const struct tls_stream *s = SSL_get_app_data(ssl);
    (void)ctx;
    unsigned skip = s->mood.h2 == H2_NONE ? 3 : 0;
    unsigned char *chosen;
    int found = SSL_select_next_proto(&chosen, ret_bytes, ours + skip,
                                      (unsigned)sizeof ours - 1 - skip, offer, bytes);
    if (found != OPENSSL_NPN_NEGOTIATED)
        return SSL_TLSEXT_ERR_NOACK;
    *ret = chosen;
    return SSL_TLSEXT_ERR_OK;
}

/* Opening ----------------------------------------------------------------------------------- */

static SSL_CTX *context_make(void)
{
    SSL_CTX *ctx = SSL_CTX_new(TLS_server_method());
    if (!ctx || SSL_CTX_set_min_proto_version(ctx, TLS1_2_VERSION) != 1 ||
        SSL_CTX_set_num_tickets(ctx, 1) != 1) {
        SSL_CTX_free(ctx);
        return NULL;
    }
    SSL_CTX_set_mode(ctx, SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE |
                              SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
    SSL_CTX_set_options(ctx, SSL_OP_IGNORE_UNEXPECTED_EOF | SSL_OP_NO_RENEGOTIATION);
    SSL_CTX_set_session_cache_mode(ctx, SSL_SESS_CACHE_OFF);
    SSL_CTX_set_client_hello_cb(ctx, on_client_hello, NULL);
    SSL_CTX_set_alpn_select_cb(ctx, on_alpn, NULL);
    return ctx;
}

enum rc tls_open(const char *folder, struct tls_asks asks, struct tls **ret)
{
    struct tls *t = mem_zero(1, sizeof *t);
    if (!t)
        return RC_NOMEM;
    t->asks = asks;
    t->ctx = context_make();
    enum rc rc = t->ctx ? tls_ca_open(folder, MOST_KEPT, &t->ca) : RC_NOMEM;
    ERR_clear_error();
    if (rc)
        tls_close(t);
    else
        *ret = t;
    return rc;
}

void tls_close(struct tls *t)
{
    if (!t)
        return;
    tls_ca_close(t->ca);
    SSL_CTX_free(t->ctx);
    mem_free(t);
}

struct stream *tls_stream(struct tls *t, int fd)
{
    struct tls_stream *s = mem_zero(1, sizeof *s);
    SSL *ssl = s ? SSL_new(t->ctx) : NULL;
    if (!ssl || SSL_set_fd(ssl, fd) != 1) {
        ERR_clear_error();
        SSL_free(ssl);
        mem_free(s);
        (void)close(fd);
        return NULL;
    }
    SSL_set_accept_state(ssl);
    SSL_set_app_data(ssl, s);
    s->stream = (struct stream){.kind = &tls_kind, .fd = fd, .is_tls = true};
    s->tls = t;
    s->ssl = ssl;
    return &s->stream;
}

/* Misbehaving below TLS --------------------------------------------------------------------- */

/* Warnings that say nothing (user_canceled), record after record, as far as the socket takes them.
 */
static enum rc storm(struct tls_stream *s)
{
    static const char alert[7] = {SSL3_RT_ALERT,        3, 3, 0, 2, SSL3_AL_WARNING,
                                  SSL_AD_USER_CANCELLED};
    char room[STORM_PIECE * sizeof alert];
    for (size_t i = 0; i < sizeof room; i++)
        room[i] = alert[(i + s->alert_offset) % sizeof alert];
    while (s->alerts_sent < STORM_ALERTS) {
        size_t most = sizeof room - s->alert_offset; /* so that a piece ends with an alert */
        ssize_t n = send(s->stream.fd, room, most, MSG_NOSIGNAL);
        if (n < 0)
            return errno == EAGAIN || errno == EINTR ? RC_AGAIN : RC_IO;
        size_t sent = s->alert_offset + (size_t)n;
        s->alerts_sent += (uint32_t)(sent / sizeof alert);
        s->alert_offset = sent % sizeof alert;
        if (s->alert_offset)
            return RC_AGAIN;
    }
    return RC_AGAIN;
}

static enum rc raw_act(struct tls_stream *s)
{
    char junk[4096];
    ssize_t n = recv(s->stream.fd, junk, sizeof junk, 0);
    if (n == 0)
        return RC_CLOSED;
    if (n < 0 && errno != EAGAIN && errno != EINTR)
        return RC_IO;
    return s->mood.tls == TLS_ALERTS ? storm(s) : RC_AGAIN;
}

/* The stream's functions -------------------------------------------------------------------- */

/* What a call of libssl that did not succeed means. */
static enum rc rc_of(struct tls_stream *s, int result)
{
    int error = SSL_get_error(s->ssl, result);
    ERR_clear_error();
    s->wants_write = error == SSL_ERROR_WANT_WRITE;
    switch (error) {
    case SSL_ERROR_WANT_READ:
    case SSL_ERROR_WANT_WRITE:
        return RC_AGAIN;
    case SSL_ERROR_WANT_CLIENT_HELLO_CB:
        return raw_act(s);
    case SSL_ERROR_ZERO_RETURN:
        return RC_CLOSED;
    default:
        s->is_broken = true;
        return RC_IO;
    }
}

static void note_protocol(struct tls_stream *s)
{
    const unsigned char *name;
    unsigned bytes;
    SSL_get0_alpn_selected(s->ssl, &name, &bytes);
    s->stream.is_h2 = str_eq(str_make((const char *)name, bytes), STR("h2"));
    s->stream.is_resumed = SSL_session_reused(s->ssl) == 1;
}

static enum rc tls_read(struct stream *stream, char *to, size_t room, size_t *ret_n)
{
    struct tls_stream *s = of(stream);
    size_t all = 0, n = 0;
    if (s->is_raw)
        return raw_act(s);
    if (s->is_broken)
        return RC_IO;
    s->wants_write = false;
    ERR_clear_error();
    int result = 1;
    while (all < room && (result = SSL_read_ex(s->ssl, to + all, room - all, &n)) == 1)
        all += n;
    if (all == 0)
        return rc_of(s, result);
    note_protocol(s);
    ERR_clear_error();
    *ret_n = all;
    return RC_OK;
}

/* One record. libssl wants a record that did not go out repeated at its full length, of which it
 * reads nothing again, while a caller with a limit on its speed may come back with fewer bytes:
 * what it brought too few of, it is told next time. */
static int write_record(struct tls_stream *s, struct str bytes, size_t *ret_n)
{
    size_t whole = bytes.n < MAX_RECORD ? bytes.n : MAX_RECORD, n = 0;
    if (s->pending > 0)
        whole = s->pending;
    int result = SSL_write_ex(s->ssl, bytes.p, whole, &n);
    s->pending = result == 1 ? 0 : whole;
    *ret_n = n < bytes.n ? n : bytes.n;
    s->ahead = n - *ret_n;
    return result;
}

static enum rc tls_write(struct stream *stream, struct str bytes, size_t *ret_n)
{
    struct tls_stream *s = of(stream);
    size_t all = s->ahead < bytes.n ? s->ahead : bytes.n, n = 0;
    if (s->is_raw)
        return raw_act(s);
    if (s->is_broken)
        return RC_IO;
    s->ahead -= all;
    s->wants_write = false;
    ERR_clear_error();
    int result = 1;
    while (all < bytes.n && (result = write_record(s, str_from(bytes, all), &n)) == 1)
        all += n;
    if (all == 0 && bytes.n > 0)
        return rc_of(s, result);
    ERR_clear_error();
    *ret_n = all;
    return RC_OK;
}

static bool tls_wants_write(const struct stream *stream)
{
    const struct tls_stream *s = (const struct tls_stream *)stream;
    if (s->is_raw)
        return s->mood.tls == TLS_ALERTS && s->alerts_sent < STORM_ALERTS;
    return s->wants_write;
}

static void tls_free(struct tls_stream *s)
{
    SSL_free(s->ssl);
    (void)close(s->stream.fd);
    mem_free(s);
}

/* What the client sent last is taken first: a socket that is closed over unread bytes resets the
 * connection, and the client may lose the end of the answer. */
static void drain(int fd)
{
    char junk[4096];
    for (int i = 0; i < DRAIN_READS && recv(fd, junk, sizeof junk, MSG_DONTWAIT) > 0; i++)
        ;
}

static void tls_end(struct stream *stream)
{
    struct tls_stream *s = of(stream);
    ERR_clear_error();
    if (!s->is_broken && !s->is_raw && s->mood.tls != TLS_NO_CLOSE_NOTIFY &&
        SSL_is_init_finished(s->ssl))
        (void)SSL_shutdown(s->ssl);
    ERR_clear_error();
    (void)shutdown(s->stream.fd, SHUT_WR);
    drain(s->stream.fd);
    tls_free(s);
}

static void tls_reset(struct stream *stream)
{
    struct tls_stream *s = of(stream);
    struct linger at_once = {.l_onoff = 1, .l_linger = 0};
    (void)setsockopt(s->stream.fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    tls_free(s);
}

static const struct stream_kind tls_kind = {
    .read = tls_read,
    .write = tls_write,
    .wants_write = tls_wants_write,
    .close = tls_end,
    .reset = tls_reset,
};
