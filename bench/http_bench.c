/* SPDX-License-Identifier: Apache-2.0 */
/* What the HTTP engine costs a page of 28 KB on loopback: CPU of this thread (the kernel's work for
 * its system calls included; the server is another process), over kept connections and over new
 * ones, plain, over TLS and with HTTP/2; and the part of it that is reading head and body. Over
 * kept connections libcurl asks the same server for the same pages, in turns with the engine. */
#include "bench.h"
#include "http_curl.h"

#include "net/http.h"
#include "net/reply.h"

#include <malloc.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { BODY_BYTES = 28 << 10, PAGES = 20000, TLS_PAGES = 1000, MOST = 256, HEAD_BYTES = 512 };
enum { FRAME_HEAD = 9, FRAME_BYTES = 16 << 10, PREFACE_BYTES = 24 };

enum mode { KEPT, NEW, TLS_NEW, TLS_RESUMED, TLS_KEPT, H2_KEPT };

static char page[HEAD_BYTES + BODY_BYTES];
static size_t page_bytes;

static void must(bool holds, const char *what)
{
    if (!holds) {
        (void)fprintf(stderr, "http_bench: %s\n", what);
        exit(1);
    }
}

static void make_page(bool closes)
{
    int n = snprintf(page, HEAD_BYTES,
                     "HTTP/1.1 200 OK\r\nServer: bench\r\nDate: Mon, 16 Nov 2026 05:00:00 GMT\r\n"
                     "Content-Type: text/html; charset=utf-8\r\nContent-Length: %d\r\n"
                     "Last-Modified: Sun, 15 Nov 2026 05:00:00 GMT\r\nConnection: %s\r\n"
                     "ETag: \"5f0c-62716\"\r\nAccept-Ranges: bytes\r\n\r\n",
                     BODY_BYTES, closes ? "close" : "keep-alive");
    must(n > 0 && n < HEAD_BYTES, "head");
    memset(page + n, 'x', BODY_BYTES);
    page_bytes = (size_t)n + BODY_BYTES;
}

static size_t put_frame(char *to, unsigned type, unsigned flags, size_t payload)
{
    const char head[FRAME_HEAD] = {(char)(payload >> 16),
                                   (char)(payload >> 8),
                                   (char)payload,
                                   (char)type,
                                   (char)flags,
                                   0,
                                   0,
                                   0,
                                   1};
    memcpy(to, head, sizeof head);
    return sizeof head;
}

static size_t put_field(char *to, const char *name, const char *value)
{
    int n = snprintf(to, HEAD_BYTES, "%c%c%s%c%s", 0x10, (int)strlen(name), name,
                     (int)strlen(value), value);
    must(n > 0 && n < HEAD_BYTES, "field");
    return (size_t)n;
}

/* The same page in frames, for stream 1. */
static void make_h2_page(void)
{
    size_t head = FRAME_HEAD;
    page[head++] = (char)0x88; /* :status 200 */
    head += put_field(page + head, "server", "bench");
    head += put_field(page + head, "date", "Mon, 16 Nov 2026 05:00:00 GMT");
    head += put_field(page + head, "content-type", "text/html; charset=utf-8");
    head += put_field(page + head, "content-length", "28672");
    head += put_field(page + head, "last-modified", "Sun, 15 Nov 2026 05:00:00 GMT");
    head += put_field(page + head, "etag", "\"5f0c-62716\"");
    (void)put_frame(page, 1, 4, head - FRAME_HEAD);
    page_bytes = head;
    for (size_t left = BODY_BYTES; left;) {
        size_t n = left < FRAME_BYTES ? left : FRAME_BYTES;
        left -= n;
        page_bytes += put_frame(page + page_bytes, 0, left == 0, n);
        memset(page + page_bytes, 'x', n);
        page_bytes += n;
    }
}

static void answer(int fd, bool closes)
{
    char request[4096];
    ssize_t n = recv(fd, request, sizeof request, 0);
    for (size_t at = 0; n > 0 && at < page_bytes;) {
        ssize_t sent = send(fd, page + at, page_bytes - at, MSG_NOSIGNAL);
        if (sent <= 0)
            break;
        at += (size_t)sent;
    }
    if (n <= 0 || closes)
        close(fd);
}

/* The server, in a process of its own, until its parent ends it. */
static void serve(int listener, bool closes)
{
    int epoll = epoll_create1(0);
    struct epoll_event e = {.events = EPOLLIN, .data.fd = listener}, ready[64];
    must(epoll_ctl(epoll, EPOLL_CTL_ADD, listener, &e) == 0, "epoll");
    for (;;) {
        int n = epoll_wait(epoll, ready, 64, -1);
        for (int i = 0; i < n; i++) {
            if (ready[i].data.fd != listener) {
                answer(ready[i].data.fd, closes);
                continue;
            }
            e.data.fd = accept(listener, NULL, NULL);
            if (e.data.fd >= 0 && epoll_ctl(epoll, EPOLL_CTL_ADD, e.data.fd, &e))
                close(e.data.fd);
        }
    }
}

/* A certificate that signed itself, for this run alone. */
static SSL_CTX *tls_context(bool resumes)
{
    SSL_CTX *c = SSL_CTX_new(TLS_server_method());
    EVP_PKEY *key = EVP_EC_gen("P-256");
    X509 *x = X509_new();
    must(c && key && x, "TLS");
    must(X509_gmtime_adj(X509_getm_notBefore(x), 0) &&
             X509_gmtime_adj(X509_getm_notAfter(x), 86400) && X509_set_pubkey(x, key) &&
             X509_sign(x, key, EVP_sha256()) > 0 && SSL_CTX_use_certificate(c, x) == 1 &&
             SSL_CTX_use_PrivateKey(c, key) == 1,
         "certificate");
    if (!resumes)
        SSL_CTX_set_options(c, SSL_OP_NO_TICKET);
    (void)SSL_CTX_set_num_tickets(c, resumes);
    X509_free(x);
    EVP_PKEY_free(key);
    return c;
}

/* One connection after another, an answer each. */
static void serve_tls(int listener, bool resumes)
{
    SSL_CTX *context = tls_context(resumes);
    for (;;) {
        char request[4096];
        int fd = accept(listener, NULL, NULL);
        SSL *ssl = SSL_new(context);
        if (fd >= 0 && ssl && SSL_set_fd(ssl, fd) && SSL_accept(ssl) == 1 &&
            SSL_read(ssl, request, sizeof request) > 0 && SSL_write(ssl, page, (int)page_bytes) > 0)
            (void)SSL_shutdown(ssl);
        SSL_free(ssl);
        close(fd);
    }
}

/* How many requests stand in the bytes, from *at on; HTTP/2's other frames are stepped over. */
static unsigned requests_in(const char *bytes, size_t n, size_t *at, bool is_h2)
{
    unsigned count = 0;
    if (!is_h2) {
        *at = n;
        return 1;
    }
    while (*at + FRAME_HEAD <= n) {
        const unsigned char *head = (const unsigned char *)bytes + *at;
        *at += FRAME_HEAD + ((size_t)head[0] << 16 | (size_t)head[1] << 8 | head[2]);
        count += head[3] == 1;
    }
    return count;
}

/* Frames have their stream's number behind type and flags. */
static void set_stream(uint32_t stream)
{
    for (size_t at = 0; at < page_bytes;) {
        unsigned char *head = (unsigned char *)page + at;
        for (int i = 0; i < 4; i++)
            head[5 + i] = (unsigned char)(stream >> (24 - 8 * i));
        at += FRAME_HEAD + ((size_t)head[0] << 16 | (size_t)head[1] << 8 | head[2]);
    }
}

/* One connection, until it is closed. A client says all it has to say in one record. */
static void serve_kept(SSL *ssl, bool is_h2)
{
    static const char settings[FRAME_HEAD] = {0, 0, 0, 4};
    char bytes[4096];
    int n;
    uint32_t stream = 1;
    size_t at = is_h2 ? PREFACE_BYTES : 0;
    if (is_h2)
        (void)SSL_write(ssl, settings, sizeof settings);
    for (; (n = SSL_read(ssl, bytes, sizeof bytes)) > 0; at = 0)
        for (unsigned i = requests_in(bytes, (size_t)n, &at, is_h2); i; i--) {
            if (is_h2)
                set_stream(stream);
            stream += 2;
            (void)SSL_write(ssl, page, (int)page_bytes);
        }
}

static int choose_h2(SSL *ssl, const unsigned char **ret, unsigned char *ret_n,
                     const unsigned char *offered, unsigned n, void *ctx)
{
    (void)ssl, (void)offered, (void)n, (void)ctx;
    *ret = (const unsigned char *)"h2";
    *ret_n = 2;
    return SSL_TLSEXT_ERR_OK;
}

/* A process for each connection. */
static void serve_tls_kept(int listener, bool is_h2)
{
    SSL_CTX *context = tls_context(true);
    if (is_h2)
        SSL_CTX_set_alpn_select_cb(context, choose_h2, NULL);
    (void)signal(SIGCHLD, SIG_IGN);
    for (;;) {
        int fd = accept(listener, NULL, NULL);
        pid_t parent = getpid();
        if (fork() == 0) {
            SSL *ssl = SSL_new(context);
            if (prctl(PR_SET_PDEATHSIG, SIGKILL) || getppid() != parent)
                _exit(1);
            int on = 1; /* an answer is several records */
            if (ssl && !setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on) &&
                SSL_set_fd(ssl, fd) && SSL_accept(ssl) == 1)
                serve_kept(ssl, is_h2);
            _exit(0);
        }
        close(fd);
    }
}

static pid_t server_start(enum mode mode, uint16_t *ret_port)
{
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t n = sizeof a;
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    must(fd >= 0 && !bind(fd, (struct sockaddr *)&a, n) && !listen(fd, 1024) &&
             !getsockname(fd, (struct sockaddr *)&a, &n),
         "listen");
    *ret_port = ntohs(a.sin_port);
    make_page(mode != KEPT && mode < TLS_KEPT);
    if (mode == H2_KEPT)
        make_h2_page();
    pid_t parent = getpid(), pid = fork();
    if (pid == 0) {
        (void)signal(SIGPIPE, SIG_IGN);
        if (prctl(PR_SET_PDEATHSIG, SIGKILL) || getppid() != parent)
            _exit(1);
        if (mode >= TLS_KEPT)
            serve_tls_kept(fd, mode == H2_KEPT);
        if (mode >= TLS_NEW)
            serve_tls(fd, mode == TLS_RESUMED);
        serve(fd, mode == NEW);
    }
    close(fd);
    return pid;
}

struct run {
    struct http *http;
    bool is_h2;
    unsigned left, open;
    struct http_ask asks[MOST];
    char hosts[MOST][16];
};

static struct run run;

static void ask_next(struct http_ask *ask)
{
    if (run.left == 0)
        return;
    run.left--;
    run.open++;
    must(http_start(run.http, ask) == RC_OK, "start");
}

static void on_done(struct http_ask *ask, const struct http_answer *a)
{
    must(a->outcome == HTTP_WHOLE && a->body.n == BODY_BYTES, a->why ? a->why : "short");
    must(a->is_h2 == run.is_h2, "the wrong protocol");
    run.open--;
    ask_next(ask);
}

static double one_run(struct loop *loop, unsigned connections, unsigned pages)
{
    run.left = pages;
    double start = bench_cpu_ns();
    for (unsigned i = 0; i < connections; i++)
        ask_next(&run.asks[i]);
    while (run.open) {
        loop_doze(loop);
        if (!loop_run(loop))
            loop_wait(loop);
    }
    return (bench_cpu_ns() - start) / pages / 1000;
}

static double curl_us(struct curl_run *curl, unsigned pages)
{
    double start = bench_cpu_ns();
    curl_run_pages(curl, pages, BODY_BYTES);
    return (bench_cpu_ns() - start) / pages / 1000;
}

static void show_curl(double ours, double curls)
{
    char name[64];
    (void)snprintf(name, sizeof name, "      the same by libcurl %s", curl_run_version());
    bench_row(name, curls, "us/page", "-");
    bench_row("      libcurl's cost over the engine's", curls / ours, "times", "-");
}

/* What an idle connection holds, its session included; not what the kernel has for the socket. */
static void show_idle(size_t bytes_before)
{
    unsigned idle = http_counts(run.http).idle;
    must(idle > 0, "none was kept");
    size_t bytes = mallinfo2().uordblks - bytes_before;
    bench_row("      memory of an idle one", (double)bytes / idle / 1024, "KB", "25");
}

static void bench(const char *name, unsigned connections, enum mode mode, const char *goal)
{
    static const struct address here = {.bytes = {127, 0, 0, 1}};
    static const struct str all[] = {{"all", 3}};
    struct option_list allow = {all, 1};
    struct arena *arena = arena_open(4096, 1 << 20);
    struct http_settings s = {0};
    struct guard *guard;
    struct loop loop;
    struct buf why;
    uint16_t port;
    pid_t server = server_start(mode, &port);
    buf_init(&why, 1000);
    must(arena && options_default(http_options, &s, arena) == RC_OK, "settings");
    s.insecure = true;
    run.is_h2 = mode == H2_KEPT;
    s.http = run.is_h2 ? HTTP_VERSION_2 : HTTP_VERSION_1;
    s.idle_at_address = 0; /* all of them are at one */
    must(guard_open(&allow, &guard, &why) == RC_OK && loop_init(&loop, clock_real()) == RC_OK &&
             http_open(&loop, &s, &run.http, &why) == RC_OK,
         "open");
    for (unsigned i = 0; i < connections; i++) {
        int n = snprintf(run.hosts[i], sizeof run.hosts[i], "h%u.test", i);
        run.asks[i] = (struct http_ask){
            .is_https = mode >= TLS_NEW,
            .host = {run.hosts[i], (size_t)n},
            .port = port,
            .addresses = &here,
            .address_count = 1,
            .guard = guard,
            .request = STR(
                "GET /some/page.html HTTP/1.1\r\nHost: h.test\r\nUser-Agent: bench/1.0 "
                "(+http://h.test/bot)\r\nAccept: */*\r\nAccept-Encoding: gzip, br, zstd\r\n\r\n"),
            .body_bytes = 1 << 20,
            .done = on_done};
    }
    size_t bytes_before = mallinfo2().uordblks;
    double best = 1e300, best_curl = 1e300;
    struct curl_run *curl = mode == KEPT ? curl_run_open(port, connections) : NULL;
    for (int round = 0; round < 3; round++) {
        bool is_short = mode == TLS_NEW || mode == TLS_RESUMED;
        double us = one_run(&loop, connections, is_short ? TLS_PAGES : PAGES);
        best = us < best ? us : best;
        double other = curl ? curl_us(curl, PAGES) : best_curl;
        best_curl = other < best_curl ? other : best_curl;
    }
    bench_row(name, best, "us/page", goal);
    if (curl) {
        show_curl(best, best_curl);
        curl_run_close(curl);
    } else if (mode == KEPT) {
        puts("      skipped: libcurl was not there at build time");
    }
    if (connections > 100 && mode >= TLS_KEPT) /* with few, what OpenSSL itself holds counts */
        show_idle(bytes_before);
    http_close(run.http);
    guard_close(guard);
    loop_done(&loop);
    buf_done(&why);
    arena_close(arena);
    kill(server, SIGKILL);
    waitpid(server, NULL, 0);
}

/* Head and body alone, the bytes being there. */
static void bench_reading(void)
{
    static const struct reply_limits limits = {300 << 10, 100 << 10, 5000, 20, 1 << 20};
    double ns;
    make_page(false);
    BENCH_BEST(
        ns, 100000, for (int i = 0; i < 100000; i++) {
            struct reply r;
            reply_init(&r, &limits, false);
            must(reply_read(&r, str_make(page, page_bytes)) == REPLY_WHOLE, "read");
            BENCH_USE(r.body_n);
        });
    bench_row("http: reading head and body", ns / 1000, "us/page", "1");
}

int main(void)
{
    bench_reading();
    bench("http: 16 kept connections", 16, KEPT, "20-30");
    bench("http: 64 kept connections", 64, KEPT, "20-30");
    bench("http: 256 kept connections", 256, KEPT, "20-30");
    bench("http: new connections, 64 at once", 64, NEW, "80");
    bench("http: new connections over TLS, 16 at once", 16, TLS_NEW, "-");
    bench("http: the same with sessions resumed", 16, TLS_RESUMED, "-");
    bench("http: 16 kept connections over TLS", 16, TLS_KEPT, "-");
    bench("http: the same with HTTP/2", 16, H2_KEPT, "-");
    bench("http: 128 kept connections over TLS", 128, TLS_KEPT, "-");
    return 0;
}
