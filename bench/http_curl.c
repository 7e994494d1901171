/* SPDX-License-Identifier: Apache-2.0 */
#include "http_curl.h"

#ifdef HAVE_CURL
#include "base/buf.h"
#include "base/mem.h"

#include <curl/curl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <unistd.h>

enum { ANSWER_MAX_BYTES = 1 << 20, READ_BYTES = 64 << 10, EVENTS = 64 };

struct curl_ask {
    CURL *easy;
    struct curl_slist *address;
    struct buf head, body;
};

struct curl_run {
    CURLM *multi;
    struct curl_slist *fields;
    int epoll;
    long timeout_ms; /* as libcurl asks; below 0: none */
    unsigned left, open;
    uint64_t body_bytes;
    unsigned count;
    struct curl_ask asks[];
};

static void must(bool holds, const char *what)
{
    if (holds)
        return;
    (void)fprintf(stderr, "http_bench: libcurl: %s\n", what);
    exit(1);
}

static size_t take(char *bytes, size_t size, size_t n, void *ctx)
{
    struct buf *to = ctx;
    buf_add(to, str_make(bytes, size * n));
    return buf_rc(to) == RC_OK ? size * n : 0;
}

/* `known` says whether the socket is watched. */
static int on_socket(CURL *easy, curl_socket_t fd, int what, void *ctx, void *known)
{
    (void)easy;
    struct curl_run *r = ctx;
    unsigned events = (what & CURL_POLL_IN ? EPOLLIN : 0u) | (what & CURL_POLL_OUT ? EPOLLOUT : 0u);
    struct epoll_event e = {.events = events, .data.fd = fd};
    if (what == CURL_POLL_REMOVE) {
        (void)epoll_ctl(r->epoll, EPOLL_CTL_DEL, fd, NULL);
        return 0;
    }
    must(epoll_ctl(r->epoll, known ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, fd, &e) == 0, "epoll");
    if (!known)
        must(curl_multi_assign(r->multi, fd, r) == CURLM_OK, "assign");
    return 0;
}

static int on_timer(CURLM *multi, long timeout_ms, void *ctx)
{
    (void)multi;
    ((struct curl_run *)ctx)->timeout_ms = timeout_ms;
    return 0;
}

static void set_up(struct curl_run *r, unsigned i, uint16_t port)
{
    struct curl_ask *a = &r->asks[i];
    char url[64], address[64];
    (void)snprintf(url, sizeof url, "http://h%u.test:%u/some/page.html", i, port);
    (void)snprintf(address, sizeof address, "h%u.test:%u:127.0.0.1", i, port);
    a->easy = curl_easy_init();
    a->address = curl_slist_append(NULL, address);
    must(a->easy && a->address, "no memory");
    buf_init(&a->head, ANSWER_MAX_BYTES);
    buf_init(&a->body, ANSWER_MAX_BYTES);
    CURL *e = a->easy;
    bool ok = !curl_easy_setopt(e, CURLOPT_URL, url) &&
              !curl_easy_setopt(e, CURLOPT_RESOLVE, a->address) &&
              !curl_easy_setopt(e, CURLOPT_HTTPHEADER, r->fields) &&
              !curl_easy_setopt(e, CURLOPT_USERAGENT, "bench/1.0 (+http://h.test/bot)") &&
              !curl_easy_setopt(e, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1) &&
              !curl_easy_setopt(e, CURLOPT_HTTP_TRANSFER_DECODING, 0L) &&
              !curl_easy_setopt(e, CURLOPT_BUFFERSIZE, (long)READ_BYTES) &&
              !curl_easy_setopt(e, CURLOPT_NOSIGNAL, 1L) &&
              !curl_easy_setopt(e, CURLOPT_HEADERFUNCTION, take) &&
              !curl_easy_setopt(e, CURLOPT_HEADERDATA, &a->head) &&
              !curl_easy_setopt(e, CURLOPT_WRITEFUNCTION, take) &&
              !curl_easy_setopt(e, CURLOPT_WRITEDATA, &a->body) &&
              !curl_easy_setopt(e, CURLOPT_PRIVATE, a);
    must(ok, "options");
}

struct curl_run *curl_run_open(uint16_t port, unsigned hosts)
{
    must(curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK, "start");
    struct curl_run *r = mem_zero(1, sizeof *r + hosts * sizeof *r->asks);
    must(r, "no memory");
    r->count = hosts;
    r->timeout_ms = -1;
    r->epoll = epoll_create1(EPOLL_CLOEXEC);
    r->multi = curl_multi_init();
    r->fields = curl_slist_append(NULL, "Accept-Encoding: gzip, br, zstd");
    must(r->epoll >= 0 && r->multi && r->fields, "no memory");
    bool ok = !curl_multi_setopt(r->multi, CURLMOPT_SOCKETFUNCTION, on_socket) &&
              !curl_multi_setopt(r->multi, CURLMOPT_SOCKETDATA, r) &&
              !curl_multi_setopt(r->multi, CURLMOPT_TIMERFUNCTION, on_timer) &&
              !curl_multi_setopt(r->multi, CURLMOPT_TIMERDATA, r) &&
              !curl_multi_setopt(r->multi, CURLMOPT_MAXCONNECTS, (long)hosts * 2);
    must(ok, "options");
    for (unsigned i = 0; i < hosts; i++)
        set_up(r, i, port);
    return r;
}

void curl_run_close(struct curl_run *r)
{
    for (unsigned i = 0; i < r->count; i++) {
        curl_easy_cleanup(r->asks[i].easy);
        curl_slist_free_all(r->asks[i].address);
        buf_done(&r->asks[i].head);
        buf_done(&r->asks[i].body);
    }
    curl_multi_cleanup(r->multi);
    curl_slist_free_all(r->fields);
    close(r->epoll);
    mem_free(r);
}

static void ask_next(struct curl_run *r, struct curl_ask *a)
{
    if (r->left == 0)
        return;
    r->left--;
    r->open++;
    buf_clear(&a->head);
    buf_clear(&a->body);
    must(curl_multi_add_handle(r->multi, a->easy) == CURLM_OK, "add");
}

static void take_done(struct curl_run *r)
{
    CURLMsg *m;
    int left;
    while ((m = curl_multi_info_read(r->multi, &left))) {
        struct curl_ask *a;
        CURL *easy = m->easy_handle;
        must(m->msg == CURLMSG_DONE && m->data.result == CURLE_OK, "a request failed");
        must(!curl_easy_getinfo(easy, CURLINFO_PRIVATE, (char **)&a), "private");
        must(a->body.n == r->body_bytes && str_starts(buf_str(&a->head), STR("HTTP/1.1 200")),
             "not the page");
        must(curl_multi_remove_handle(r->multi, easy) == CURLM_OK, "remove");
        r->open--;
        ask_next(r, a);
    }
}

void curl_run_pages(struct curl_run *r, unsigned pages, uint64_t bytes)
{
    struct epoll_event ready[EVENTS];
    int running;
    r->left = pages;
    r->body_bytes = bytes;
    for (unsigned i = 0; i < r->count; i++)
        ask_next(r, &r->asks[i]);
    while (r->open) {
        int n = epoll_wait(r->epoll, ready, EVENTS, (int)r->timeout_ms);
        if (n == 0) {
            r->timeout_ms = -1;
            (void)curl_multi_socket_action(r->multi, CURL_SOCKET_TIMEOUT, 0, &running);
        }
        for (int i = 0; i < n; i++) {
            int what = (ready[i].events & (EPOLLIN | EPOLLHUP) ? CURL_CSELECT_IN : 0) |
                       (ready[i].events & EPOLLOUT ? CURL_CSELECT_OUT : 0) |
                       (ready[i].events & EPOLLERR ? CURL_CSELECT_ERR : 0);
            (void)curl_multi_socket_action(r->multi, ready[i].data.fd, what, &running);
        }
        take_done(r);
    }
}

const char *curl_run_version(void)
{
    return curl_version_info(CURLVERSION_NOW)->version;
}
#else
#include <stddef.h>

struct curl_run *curl_run_open(uint16_t port, unsigned hosts)
{
    (void)port, (void)hosts;
    return NULL;
}

void curl_run_close(struct curl_run *r)
{
    (void)r;
}

void curl_run_pages(struct curl_run *r, unsigned pages, uint64_t bytes)
{
    (void)r, (void)pages, (void)bytes;
}

const char *curl_run_version(void)
{
    return "absent";
}
#endif
