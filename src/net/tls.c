/* SPDX-License-Identifier: Apache-2.0 */
#include "net/tls.h"

#include "base/mem.h"
#include "net/socket_bio.h"
#include "net/tls_sessions.h"

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

enum { NAME_BYTES = 256 + 8 }; /* "host:port" */

struct tls {
    SSL_CTX *context;
    BIO_METHOD *method;
    bool insecure;
    bool needs_system; /* its authorities are not read yet: that takes tens of milliseconds */
    struct tls_sessions sessions;
};

struct tls_link {
    struct tls *tls;
    SSL *ssl;
    int fd;
    bool is_shaken;
    bool offers_h2;
    bool has_failed; /* a record that is none */
    bool has_no_protocol;
    size_t name_n;
    char name[]; /* of its session */
};

/* OpenSSL's call when a session can be resumed later; 1 keeps the reference. */
static int remember(SSL *ssl, SSL_SESSION *session)
{
    const struct tls_link *l = SSL_get_app_data(ssl);
    return tls_sessions_put(&l->tls->sessions, str_make(l->name, l->name_n), session);
}

static bool authorities_load(SSL_CTX *context, struct str ca_file, struct buf *why)
{
    if (!ca_file.p)
        return true; /* the system's, when they are first needed */
    struct buf path;
    buf_init(&path, 4096);
    buf_add(&path, ca_file);
    const char *c = buf_c(&path);
    bool ok = c && SSL_CTX_load_verify_file(context, c) == 1;
    buf_done(&path);
    if (!ok)
        buf_printf(why, "ca-file: " STR_FMT ": not a file of certificates", STR_ARG(ca_file));
    return ok;
}

static bool context_set(SSL_CTX *c, bool insecure)
{
    SSL_CTX_set_verify(c, insecure ? SSL_VERIFY_NONE : SSL_VERIFY_PEER, NULL);
    SSL_CTX_set_mode(c, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
                            SSL_MODE_RELEASE_BUFFERS);
    SSL_CTX_set_session_cache_mode(c, SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL);
    SSL_CTX_sess_set_new_cb(c, remember);
    SSL_CTX_set_options(c, SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION);
    SSL_CTX_set_read_ahead(c, 1);
    return SSL_CTX_set_min_proto_version(c, TLS1_2_VERSION) == 1;
}

enum rc tls_open(struct str ca_file, bool insecure, struct tls **ret, struct buf *why)
{
    struct tls *t = mem_zero(1, sizeof *t);
    if (!t)
        return RC_NOMEM;
    t->insecure = insecure;
    t->sessions.most = TLS_SESSIONS;
    t->needs_system = !ca_file.p;
    t->context = SSL_CTX_new(TLS_client_method());
    t->method = socket_bio_method();
    bool ok = t->context && t->method && context_set(t->context, insecure);
    enum rc rc = ok && authorities_load(t->context, ca_file, why) ? RC_OK
                 : ok                                             ? RC_INVALID
                                                                  : RC_NOMEM;
    ERR_clear_error();
    if (rc != RC_OK)
        tls_close(t);
    else
        *ret = t;
    return rc;
}

static bool server_set(SSL_CTX *c)
{
    SSL_CTX_set_verify(c, SSL_VERIFY_NONE, NULL);
    SSL_CTX_set_mode(c, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
                            SSL_MODE_RELEASE_BUFFERS);
    SSL_CTX_set_session_cache_mode(c, SSL_SESS_CACHE_OFF);
    SSL_CTX_set_options(c, SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_TICKET);
    SSL_CTX_set_read_ahead(c, 1);
    return SSL_CTX_set_num_tickets(c, 0) == 1 &&
           SSL_CTX_set_min_proto_version(c, TLS1_3_VERSION) == 1;
}

enum rc tls_open_server(const char *cert_file, const char *key_file, struct tls **ret,
                        struct buf *why)
{
    struct tls *t = mem_zero(1, sizeof *t);
    if (!t)
        return RC_NOMEM;
    t->insecure = true; /* nothing is asked of the other end's certificate: it has none */
    t->context = SSL_CTX_new(TLS_server_method());
    t->method = socket_bio_method();
    enum rc rc = t->context && t->method && server_set(t->context) ? RC_OK : RC_NOMEM;
    if (rc == RC_OK && SSL_CTX_use_certificate_chain_file(t->context, cert_file) != 1) {
        buf_printf(why, "%s: no certificate", cert_file);
        rc = RC_INVALID;
    }
    if (rc == RC_OK && SSL_CTX_use_PrivateKey_file(t->context, key_file, SSL_FILETYPE_PEM) != 1) {
        buf_printf(why, "%s: not a private key, or the key of another certificate", key_file);
        rc = RC_INVALID;
    }
    ERR_clear_error();
    if (rc != RC_OK)
        tls_close(t);
    else
        *ret = t;
    return rc;
}

void tls_close(struct tls *t)
{
    if (!t)
        return;
    tls_sessions_done(&t->sessions);
    SSL_CTX_free(t->context);
    BIO_meth_free(t->method);
    mem_free(t);
}

/* The name to send and to find in the certificate; an address is looked for, but never sent. */
static bool expect_host(SSL *ssl, struct str host)
{
    char room[256];
    if (host.n > 2 && host.p[0] == '[' && host.p[host.n - 1] == ']')
        host = str_make(host.p + 1, host.n - 2);
    if (host.n && host.p[host.n - 1] == '.')
        host.n--;
    struct buf c = buf_on(room, sizeof room);
    buf_add(&c, host);
    const char *name = buf_c(&c);
    if (!name || strlen(name) != host.n)
        return false;
    if (X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), name) == 1)
        return true;
    SSL_set_hostflags(ssl, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
    return SSL_set1_host(ssl, name) == 1 && SSL_set_tlsext_host_name(ssl, name) == 1;
}

static bool offer(const struct tls_link *l)
{
    static const unsigned char both[] = "\x02h2\x08http/1.1";
    unsigned skipped = l->offers_h2 ? 0 : 3;
    return SSL_set_alpn_protos(l->ssl, both + skipped, sizeof both - 1 - skipped) == 0;
}

static bool link_join(struct tls_link *l)
{
    l->ssl = SSL_new(l->tls->context);
    BIO *bio = l->ssl ? BIO_new(l->tls->method) : NULL;
    if (!bio)
        return false;
    BIO_set_data(bio, &l->fd);
    BIO_set_init(bio, 1);
    SSL_set_bio(l->ssl, bio, bio);
    SSL_set_app_data(l->ssl, l);
    return true;
}

static bool link_set(struct tls_link *l, struct str host)
{
    struct tls *t = l->tls;
    if (t->needs_system && SSL_CTX_set_default_verify_paths(t->context) != 1)
        return false;
    t->needs_system = false;
    if (!link_join(l))
        return false;
    SSL_set_connect_state(l->ssl);
    if (!expect_host(l->ssl, host) || !offer(l))
        return false;
    SSL_SESSION *session = tls_sessions_take(&t->sessions, str_make(l->name, l->name_n));
    if (session)
        (void)SSL_set_session(l->ssl, session);
    SSL_SESSION_free(session);
    return true;
}

enum rc tls_link_open(struct tls *t, int fd, struct str host, uint16_t port, bool offers_h2,
                      struct tls_link **ret)
{
    if (host.n == 0 || host.n > 255)
        return RC_INVALID;
    struct tls_link *l = mem_zero(1, sizeof *l + NAME_BYTES);
    if (!l)
        return RC_NOMEM;
    l->tls = t;
    l->fd = fd;
    l->offers_h2 = offers_h2;
    struct buf name = buf_on(l->name, NAME_BYTES);
    buf_add(&name, host);
    buf_byte(&name, ':');
    buf_u64(&name, port);
    l->name_n = name.n;
    bool ok = link_set(l, host);
    ERR_clear_error();
    if (!ok) {
        tls_link_close(l, false);
        return RC_NOMEM;
    }
    *ret = l;
    return RC_OK;
}

enum rc tls_link_accept(struct tls *t, int fd, struct tls_link **ret)
{
    struct tls_link *l = mem_zero(1, sizeof *l);
    if (!l)
        return RC_NOMEM;
    l->tls = t;
    l->fd = fd;
    bool ok = link_join(l);
    if (ok)
        SSL_set_accept_state(l->ssl);
    ERR_clear_error();
    if (!ok) {
        tls_link_close(l, false);
        return RC_NOMEM;
    }
    *ret = l;
    return RC_OK;
}

void tls_link_close(struct tls_link *l, bool politely)
{
    if (!l)
        return;
    ERR_clear_error();
    if (politely && l->is_shaken)
        (void)SSL_shutdown(l->ssl);
    else if (l->is_shaken && !l->has_failed) /* or the session would not be resumed any more */
        SSL_set_shutdown(l->ssl, SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN);
    SSL_free(l->ssl);
    ERR_clear_error();
    mem_free(l);
}

static enum tls_result result_of(struct tls_link *l, int returned)
{
    switch (SSL_get_error(l->ssl, returned)) {
    case SSL_ERROR_NONE:
        return TLS_OK;
    case SSL_ERROR_WANT_READ:
        return TLS_WANTS_READ;
    case SSL_ERROR_WANT_WRITE:
        return TLS_WANTS_WRITE;
    case SSL_ERROR_ZERO_RETURN:
        return TLS_ENDED;
    case SSL_ERROR_SYSCALL:
        return TLS_CUT;
    default:
        l->has_failed = ERR_GET_REASON(ERR_peek_error()) != SSL_R_UNEXPECTED_EOF_WHILE_READING;
        return l->has_failed ? TLS_FAILED : TLS_CUT;
    }
}

/* OpenSSL's reason for an alert that came is its number behind an offset. */
static bool is_no_protocol(unsigned long error)
{
    return ERR_GET_REASON(error) == SSL_AD_REASON_OFFSET + SSL_AD_NO_APPLICATION_PROTOCOL;
}

/* Both tables of texts are the library's constants. */
static const char *why_failed(const struct tls_link *l)
{
    long verified = SSL_get_verify_result(l->ssl);
    if (!l->tls->insecure && verified != X509_V_OK)
        return X509_verify_cert_error_string(verified);
    if (l->has_no_protocol)
        return l->offers_h2 ? "the server speaks neither HTTP/2 nor HTTP/1.1"
                            : "the server refuses HTTP/1.1";
    const char *text = ERR_reason_error_string(ERR_peek_error());
    return text ? text : "the handshake failed";
}

/* What the server chose of our protocols; absent: it did not say. */
static struct str chosen(const struct tls_link *l)
{
    const unsigned char *name = NULL;
    unsigned n = 0;
    SSL_get0_alpn_selected(l->ssl, &name, &n);
    return str_make((const char *)name, n);
}

/* OpenSSL does not look whether it was offered. */
static bool chose_well(const struct tls_link *l)
{
    struct str name = chosen(l);
    return name.n == 0 || str_eq(name, STR("http/1.1")) ||
           (l->offers_h2 && str_eq(name, STR("h2")));
}

enum tls_result tls_shake(struct tls_link *l, const char **ret_why)
{
    ERR_clear_error();
    enum tls_result r = result_of(l, SSL_do_handshake(l->ssl));
    if (r == TLS_OK && !chose_well(l)) {
        l->has_failed = true;
        *ret_why = "the server chose a protocol that was not offered";
        return TLS_FAILED;
    }
    l->is_shaken = r == TLS_OK;
    if (r == TLS_CUT || r == TLS_ENDED)
        *ret_why = "closed within the handshake";
    if (r == TLS_FAILED) {
        l->has_no_protocol = is_no_protocol(ERR_peek_error());
        *ret_why = why_failed(l);
    }
    return r;
}

enum tls_result tls_read(struct tls_link *l, char *to, size_t room, size_t *ret_n)
{
    ERR_clear_error();
    *ret_n = 0;
    return result_of(l, SSL_read_ex(l->ssl, to, room, ret_n));
}

enum tls_result tls_write(struct tls_link *l, struct str bytes, size_t *ret_n)
{
    ERR_clear_error();
    *ret_n = 0;
    return result_of(l, SSL_write_ex(l->ssl, bytes.p, bytes.n, ret_n));
}

bool tls_is_unverified(const struct tls_link *l)
{
    return SSL_get_verify_result(l->ssl) != X509_V_OK;
}

bool tls_is_h2(const struct tls_link *l)
{
    return str_eq(chosen(l), STR("h2"));
}

bool tls_has_no_protocol(const struct tls_link *l)
{
    return l->has_no_protocol;
}

bool tls_is_resumed(const struct tls_link *l)
{
    return SSL_session_reused(l->ssl) == 1;
}
