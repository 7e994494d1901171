/* SPDX-License-Identifier: Apache-2.0 */
#include "tls_peer.h"

#include "h2_frames.h"

#include <assert.h>
#include <netinet/in.h>
#include <openssl/x509.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { PREFACE_BYTES = 24, HEADERS = 1, WAIT_MS = 5000, PING_MS = 10 };

/* What has come on one connection, and how far it was read. */
struct heard {
    struct buf bytes;
    size_t at;
};

static bool is_in(const unsigned char *list, unsigned n, struct str name)
{
    for (unsigned at = 0; at < n; at += list[at] + 1u)
        if (str_eq(str_make((const char *)list + at + 1, list[at]), name))
            return true;
    return false;
}

static int on_alpn(SSL *ssl, const unsigned char **ret, unsigned char *ret_n,
                   const unsigned char *offered, unsigned n, void *ctx)
{
    struct tls_peer *p = ctx;
    (void)ssl;
    if (p->accepted <= TLS_PEER_VISITS)
        p->offered_h2[p->accepted - 1] = is_in(offered, n, STR("h2"));
    if (!p->visit->chooses)
        return SSL_TLSEXT_ERR_NOACK;
    if (strcmp(p->visit->chooses, "!") == 0)
        return SSL_TLSEXT_ERR_ALERT_FATAL;
    *ret = (const unsigned char *)p->visit->chooses;
    *ret_n = (unsigned char)strlen(p->visit->chooses);
    return SSL_TLSEXT_ERR_OK;
}

/* A certificate that signed itself. */
static SSL_CTX *context_make(struct tls_peer *p)
{
    SSL_CTX *c = SSL_CTX_new(TLS_server_method());
    EVP_PKEY *key = EVP_EC_gen("P-256");
    X509 *x = X509_new();
    int ok = c && key && x && X509_gmtime_adj(X509_getm_notBefore(x), 0) &&
             X509_gmtime_adj(X509_getm_notAfter(x), 86400) && X509_set_pubkey(x, key) &&
             X509_sign(x, key, EVP_sha256()) > 0 && SSL_CTX_use_certificate(c, x) == 1 &&
             SSL_CTX_use_PrivateKey(c, key) == 1;
    assert(ok);
    SSL_CTX_set_alpn_select_cb(c, on_alpn, p);
    X509_free(x);
    EVP_PKEY_free(key);
    return c;
}

static bool hear(SSL *ssl, struct heard *h)
{
    char bytes[4096];
    int n = SSL_read(ssl, bytes, sizeof bytes);
    if (n > 0)
        buf_add(&h->bytes, str_make(bytes, (size_t)n));
    return n > 0;
}

/* Steps over frames up to the next HEADERS. */
static bool skip_to_headers(struct heard *h)
{
    if (h->at == 0)
        h->at = PREFACE_BYTES;
    while (h->at + 9 <= h->bytes.n) {
        const unsigned char *head = (const unsigned char *)h->bytes.p + h->at;
        size_t n = 9 + ((size_t)head[0] << 16 | (size_t)head[1] << 8 | head[2]);
        if (h->at + n > h->bytes.n)
            return false;
        h->at += n;
        if (head[3] == HEADERS)
            return true;
    }
    return false;
}

static bool skip_request(struct heard *h, bool is_h2)
{
    if (is_h2)
        return skip_to_headers(h);
    struct str left = str_from(buf_str(&h->bytes), h->at);
    size_t end = str_find_str(left, STR("\r\n\r\n"));
    h->at += end < left.n ? end + 4 : 0;
    return end < left.n;
}

static void say(SSL *ssl, struct str bytes)
{
    if (bytes.n)
        (void)SSL_write(ssl, bytes.p, (int)bytes.n);
}

/* One answer. Returns the script's last sign, or 0. */
static char answer(SSL *ssl, const char *script, uint32_t stream, bool is_h2)
{
    struct buf text, bytes;
    buf_init(&text, 10000);
    buf_init(&bytes, 1 << 20);
    buf_add(&text, str_c(script));
    char sign = text.n ? text.p[text.n - 1] : 0;
    sign = sign == '!' || sign == '~' ? sign : 0;
    text.n -= sign != 0;
    const char *c = buf_c(&text);
    if (is_h2 && text.n)
        h2_frames_add(&bytes, c, stream);
    say(ssl, is_h2 ? buf_str(&bytes) : buf_str(&text));
    buf_done(&text);
    buf_done(&bytes);
    return sign;
}

static bool waits(int fd, int ms)
{
    struct pollfd f = {.fd = fd, .events = POLLIN};
    return poll(&f, 1, ms) > 0;
}

static void ping(const struct tls_peer *p, SSL *ssl)
{
    struct buf bytes;
    buf_init(&bytes, 100);
    h2_frames_add(&bytes, "p", 0);
    for (int i = 0; i < WAIT_MS / PING_MS && !p->stopping; i++) {
        char none[100];
        say(ssl, buf_str(&bytes));
        (void)poll(NULL, 0, PING_MS);
        if (waits(SSL_get_fd(ssl), 0) && SSL_read(ssl, none, sizeof none) <= 0)
            break;
    }
    buf_done(&bytes);
}

static void converse(struct tls_peer *p, SSL *ssl)
{
    const struct tls_visit *v = p->visit;
    bool is_h2 = v->chooses && strcmp(v->chooses, "h2") == 0;
    struct heard heard = {0};
    char sign = 0;
    buf_init(&heard.bytes, 1 << 20);
    for (uint32_t i = 0; i < TLS_PEER_ANSWERS && v->answers[i] && !sign; i++) {
        while (!skip_request(&heard, is_h2))
            if (!hear(ssl, &heard))
                goto over;
        sign = answer(ssl, v->answers[i], i * 2 + 1, is_h2);
    }
    if (sign == '~')
        ping(p, ssl);
    while (!sign && hear(ssl, &heard))
        ;
over:
    buf_done(&heard.bytes);
}

static void serve(struct tls_peer *p)
{
    static const struct timeval wait = {.tv_sec = WAIT_MS / 1000};
    int fd = accept(p->listener, NULL, NULL);
    SSL *ssl = SSL_new(p->context);
    p->accepted++;
    if (setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof wait) == 0 && SSL_set_fd(ssl, fd) &&
        SSL_accept(ssl) == 1) {
        converse(p, ssl);
        (void)SSL_shutdown(ssl);
    }
    SSL_free(ssl);
    close(fd);
}

static void *run(void *ctx)
{
    struct tls_peer *p = ctx;
    for (p->visit = p->visits; p->visit->answers[0] && !p->stopping;) {
        if (!waits(p->listener, 10))
            continue;
        serve(p);
        p->visit += !p->repeats;
    }
    return NULL;
}

void tls_peer_start(struct tls_peer *p, const struct tls_visit *visits, bool repeats)
{
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t n = sizeof a;
    *p = (struct tls_peer){.visits = visits, .repeats = repeats};
    p->context = context_make(p);
    p->listener = socket(AF_INET, SOCK_STREAM, 0);
    int failed = bind(p->listener, (struct sockaddr *)&a, n) || listen(p->listener, 16) ||
                 getsockname(p->listener, (struct sockaddr *)&a, &n) ||
                 pthread_create(&p->thread, NULL, run, p);
    assert(!failed);
    p->port = ntohs(a.sin_port);
}

void tls_peer_stop(struct tls_peer *p)
{
    p->stopping = true;
    pthread_join(p->thread, NULL);
    close(p->listener);
    SSL_CTX_free(p->context);
}
