/* SPDX-License-Identifier: Apache-2.0 */
/* floor: the least a crawler of this machine can cost. One thread receives, finds links, asks a
 * seen set, takes a SHA-1 and compresses each page as a gzip member of its own, and does nothing
 * else: no robots, no politeness, no durable state, no real HTML. What orbweaver costs more than
 * this is what all of that costs.
 *
 *   floor [--encoded] URL [FILE.gz]     crawls every page reachable from URL; without FILE nothing
 *                                       is kept and nothing compressed
 *
 * With --encoded it accepts gzip: a page that comes so is undone by ISA-L, and kept in a gzip
 * member of stored blocks, as it is packed already.
 *
 * It knows only what the synthetic web needs: http on loopback addresses, HTTP/1.1 with
 * Content-Length, one keep-alive connection a host, one request at a time on each. */
#include "base/buf.h"
#include "base/digest.h"
#include "base/hash.h"
#include "base/mem.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <isa-l/crc.h>
#include <isa-l/igzip_lib.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum {
    HOSTS_MAX = 1 << 16, /* slots of the table */
    HOSTS_FULL = HOSTS_MAX / 4 * 3,
    LINKS_MAX = 1 << 13, /* of a page; more are not followed */
    EVENTS_MAX = 256,
    SILENCE_MS = 20000,
    PATH_MAX_BYTES = 4096,
    JOIN_BYTES = 4 * PATH_MAX_BYTES,
    RECEIVE_BYTES = 512 << 10, /* small enough to stay in the cache */
    PAGE_MAX_BYTES = 64 << 20,
    TEXT_BYTES = 256 << 10, /* taken at once: links borrow from it, so it must not move */
    OUT_BYTES = 1 << 20,
    OUT_MAX_BYTES = 2 * PAGE_MAX_BYTES,
    STORED_BYTES = 0xffff /* of a stored block, at most */
};

/* The waiting paths lie one after another, each ended by a NUL, from `next` to the end. The one
 * before `next` is being asked for while `asked`. */
struct host {
    char authority[32];
    struct sockaddr_in address;
    int fd;
    bool asked;
    bool fresh; /* no answer yet on this connection */
    struct buf paths;
    size_t next;
    size_t current;
    struct buf part; /* what came of an answer that did not come whole */
    size_t part_need;
};

struct link {
    struct host *host;
    struct str path;
    uint64_t key;
};

struct floor {
    int epoll;
    size_t busy;
    struct host **hosts; /* by the hash of the authority */
    size_t hosts_n;
    uint64_t *seen; /* open addressing, 0 is empty; at most half full */
    size_t seen_cap;
    size_t seen_n;
    struct link *links;
    size_t links_n;
    struct buf text; /* spellings of this page's links that had to be put together */
    char *receive;
    struct digester *sha1;
    uint8_t digests[DIGEST_SHA1_BYTES]; /* all pages', by exclusive or: the same in any order */
    int out_fd;
    struct buf out;
    struct isal_zstream stream;
    bool is_encoded;
    struct inflate_state *inflate;
    struct buf plain; /* the page that was undone last */
    uint8_t *level;
    uint64_t pages;
    uint64_t refused;
    uint64_t page_bytes;
    uint64_t out_bytes;
};

static void fail(const char *what, const char *detail)
{
    (void)fprintf(stderr, "floor: %s: %s\n", what, detail);
    exit(1);
}

static void *must(void *p)
{
    if (!p)
        fail("memory", "none left");
    return p;
}

/* ---- the seen set ---- */

static bool seen_put(uint64_t *table, size_t cap, uint64_t key)
{
    size_t at = key & (cap - 1);
    while (table[at]) {
        if (table[at] == key)
            return false;
        at = (at + 1) & (cap - 1);
    }
    table[at] = key;
    return true;
}

static void seen_grow(struct floor *f)
{
    size_t cap = f->seen_cap ? f->seen_cap * 2 : 1 << 16;
    uint64_t *table = must(mem_zero(cap, sizeof *table));
    for (size_t i = 0; i < f->seen_cap; i++)
        if (f->seen[i])
            seen_put(table, cap, f->seen[i]);
    mem_free(f->seen);
    f->seen = table;
    f->seen_cap = cap;
}

/* ---- hosts and their connections ---- */

/* Only loopback: this program has no manners and must never meet a stranger. */
static bool address_read(const char *authority, struct sockaddr_in *ret)
{
    char name[32];
    const char *colon = strchr(authority, ':');
    size_t n = colon ? (size_t)(colon - authority) : strlen(authority);
    memcpy(name, authority, n);
    name[n] = '\0';
    long port = colon ? strtol(colon + 1, NULL, 10) : 80;
    *ret = (struct sockaddr_in){.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    return inet_pton(AF_INET, name, &ret->sin_addr) == 1 && port > 0 && port < 65536 &&
           ntohl(ret->sin_addr.s_addr) >> 24 == 127;
}

static struct host *host_make(struct str authority)
{
    struct host *h = must(mem_zero(1, sizeof *h));
    memcpy(h->authority, authority.p, authority.n);
    h->fd = -1;
    buf_init(&h->paths, SIZE_MAX);
    buf_init(&h->part, PAGE_MAX_BYTES);
    if (address_read(h->authority, &h->address))
        return h;
    mem_free(h);
    return NULL;
}

static struct host *host_find(struct floor *f, struct str authority)
{
    if (authority.n == 0 || authority.n >= sizeof((struct host *)NULL)->authority)
        return NULL;
    size_t at = hash64(authority) & (HOSTS_MAX - 1);
    for (struct host *h; (h = f->hosts[at]); at = (at + 1) & (HOSTS_MAX - 1))
        if (memcmp(h->authority, authority.p, authority.n) == 0 && !h->authority[authority.n])
            return h;
    if (f->hosts_n >= HOSTS_FULL)
        return NULL;
    struct host *h = host_make(authority);
    if (h) {
        f->hosts[at] = h;
        f->hosts_n++;
    }
    return h;
}

static void host_connect(struct floor *f, struct host *h)
{
    int one = 1;
    h->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    /* Blocking, for on loopback it is done at once. */
    if (h->fd < 0 || connect(h->fd, (struct sockaddr *)&h->address, sizeof h->address) != 0)
        fail(h->authority, strerror(errno));
    (void)setsockopt(h->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    struct epoll_event e = {.events = EPOLLIN, .data.ptr = h};
    if (epoll_ctl(f->epoll, EPOLL_CTL_ADD, h->fd, &e) != 0)
        fail("epoll", strerror(errno));
    h->fresh = true;
}

static const char *host_path(const struct host *h)
{
    return h->paths.p + h->current;
}

static void host_ask(struct floor *f, struct host *h)
{
    char request[PATH_MAX_BYTES + 128];
    if (h->fd < 0)
        host_connect(f, h);
    int n = snprintf(request, sizeof request, "GET %s HTTP/1.1\r\nHost: %s\r\n%s\r\n", host_path(h),
                     h->authority, f->is_encoded ? "Accept-Encoding: gzip\r\n" : "");
    if (send(h->fd, request, (size_t)n, MSG_NOSIGNAL) != n)
        fail(h->authority, strerror(errno));
}

/* Asks for the next waiting path, unless one is being asked for or none waits. */
static void host_go_on(struct floor *f, struct host *h)
{
    if (h->asked || h->next == h->paths.n)
        return;
    h->current = h->next;
    h->next += strlen(host_path(h)) + 1;
    h->asked = true;
    f->busy++;
    host_ask(f, h);
}

static void host_add(struct host *h, struct str path)
{
    buf_add(&h->paths, path);
    buf_byte(&h->paths, '\0');
    if (buf_rc(&h->paths) != RC_OK)
        fail("memory", "none left for URLs");
}

/* ---- links ---- */

/* The folder of the page, then `value` without its leading dots. */
static struct str join_relative(struct floor *f, struct str base, struct str value)
{
    struct str path = str_first(base, strcspn(base.p, "?"));
    while (path.n > 1 && path.p[path.n - 1] != '/')
        path.n--;
    while (str_starts(value, STR("../")) || str_starts(value, STR("./"))) {
        bool up = value.p[1] == '.';
        value = str_from(value, up ? 3 : 2);
        if (up && path.n > 1)
            for (path.n--; path.n > 1 && path.p[path.n - 1] != '/';)
                path.n--;
    }
    size_t at = f->text.n;
    buf_add(&f->text, path);
    buf_add(&f->text, value);
    return str_make(f->text.p + at, f->text.n - at);
}

static struct str join_decoded(struct floor *f, struct str value, const char *amp)
{
    size_t at = f->text.n;
    for (; amp; amp = memchr(value.p, '&', value.n)) {
        size_t before = (size_t)(amp - value.p) + 1;
        buf_add(&f->text, str_first(value, before));
        value = str_from(value, before);
        if (str_starts(value, STR("amp;")))
            value = str_from(value, 4);
    }
    buf_add(&f->text, value);
    return str_make(f->text.p + at, f->text.n - at);
}

/* Splits "//authority/path"; an absent path is "/". */
static struct host *split_authority(struct floor *f, struct str *value)
{
    struct str rest = str_from(*value, 2);
    const char *slash = memchr(rest.p, '/', rest.n);
    size_t n = slash ? (size_t)(slash - rest.p) : rest.n;
    *value = slash ? str_from(rest, n) : STR("/");
    return host_find(f, str_first(rest, n));
}

static void add_link(struct floor *f, struct host *from, struct str value)
{
    const char *hash = memchr(value.p, '#', value.n);
    if (hash)
        value.n = (size_t)(hash - value.p);
    if (value.n == 0 || value.n >= PATH_MAX_BYTES || f->links_n == LINKS_MAX ||
        f->text.cap - f->text.n < JOIN_BYTES)
        return;
    const char *amp = memchr(value.p, '&', value.n);
    if (amp)
        value = join_decoded(f, value, amp);
    struct host *host = from;
    if (str_starts(value, STR("http://")))
        value = str_from(value, 5);
    if (str_starts(value, STR("//")))
        host = split_authority(f, &value);
    else if (value.p[0] != '/')
        value = join_relative(f, str_c(host_path(from)), value);
    if (!host || value.n >= PATH_MAX_BYTES)
        return;
    uint64_t key = hash64_seeded(value, (uint64_t)(uintptr_t)host) | 1;
    __builtin_prefetch(&f->seen[key & (f->seen_cap - 1)]);
    f->links[f->links_n++] = (struct link){host, value, key};
}

static bool is_space(char c)
{
    return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

/* The value at `*at`, in either quotes or none; *at is moved behind it. */
static struct str read_value(const char **at, const char *end)
{
    const char *p = *at;
    if (p < end && (*p == '"' || *p == '\'')) {
        const char *close = memchr(p + 1, *p, (size_t)(end - p - 1));
        *at = close ? close + 1 : end;
        return close ? str_make(p + 1, (size_t)(close - p - 1)) : STR_NONE;
    }
    while (p < end && !is_space(*p) && *p != '>')
        p++;
    struct str value = str_make(*at, (size_t)(p - *at));
    *at = p;
    return value;
}

/* Reads the attributes of the anchor whose name has ended at `p`; its href becomes a link. */
static const char *read_anchor(struct floor *f, struct host *from, const char *p, const char *end)
{
    while (p < end && *p != '>') {
        while (p < end && is_space(*p))
            p++;
        const char *name = p;
        while (p < end && *p != '=' && *p != '>' && !is_space(*p))
            p++;
        bool href = p - name == 4 && strncasecmp(name, "href", 4) == 0;
        if (p == end || *p != '=')
            continue;
        p++;
        struct str value = read_value(&p, end);
        if (href) {
            if (value.n)
                add_link(f, from, value);
            return p;
        }
    }
    return p;
}

static void find_links(struct floor *f, struct host *from, struct str body)
{
    const char *p = body.p, *end = body.p + body.n;
    f->links_n = 0;
    buf_clear(&f->text);
    while ((p = memchr(p, '<', (size_t)(end - p))) && end - p > 3) {
        p++;
        if ((*p | 0x20) == 'a' && is_space(p[1]))
            p = read_anchor(f, from, p + 1, end);
    }
}

static void follow_links(struct floor *f)
{
    if (f->seen_cap < (f->seen_n + f->links_n) * 2)
        seen_grow(f);
    for (size_t i = 0; i < f->links_n; i++) {
        struct link *l = &f->links[i];
        if (!seen_put(f->seen, f->seen_cap, l->key))
            continue;
        f->seen_n++;
        host_add(l->host, l->path);
        host_go_on(f, l->host);
    }
}

/* ---- pages ---- */

static void out_flush(struct floor *f)
{
    for (size_t done = 0; done < f->out.n;) {
        ssize_t n = write(f->out_fd, f->out.p + done, f->out.n - done);
        if (n <= 0)
            fail("writing", strerror(errno));
        done += (size_t)n;
    }
    f->out_bytes += f->out.n;
    buf_clear(&f->out);
}

static void compress_page(struct floor *f, struct str whole)
{
    size_t room = whole.n + whole.n / 8 + 4096;
    if (f->out.n + room > OUT_BYTES)
        out_flush(f);
    struct isal_zstream *s = &f->stream;
    isal_deflate_stateless_init(s);
    s->gzip_flag = IGZIP_GZIP;
    s->level = 1;
    s->level_buf = f->level;
    s->level_buf_size = ISAL_DEF_LVL1_DEFAULT;
    s->end_of_stream = 1;
    s->next_in = (uint8_t *)(uintptr_t)whole.p;
    s->avail_in = (uint32_t)whole.n;
    s->next_out = must(buf_reserve(&f->out, room));
    s->avail_out = (uint32_t)room;
    if (isal_deflate_stateless(s) != COMP_OK)
        fail("igzip", "no room");
    f->out.n += s->total_out;
}

/* A member of stored blocks. */
static void store_page(struct floor *f, struct str whole)
{
    static const char head[10] = {0x1f, (char)0x8b, 8, 0, 0, 0, 0, 0, 0, (char)0xff};
    size_t blocks = whole.n ? (whole.n - 1) / STORED_BYTES + 1 : 1;
    size_t room = whole.n + blocks * 5 + sizeof head + 8;
    if (f->out.n + room > OUT_BYTES)
        out_flush(f);
    char *to = must(buf_reserve(&f->out, room));
    uint32_t crc = crc32_gzip_refl(0, (const unsigned char *)whole.p, whole.n);
    uint32_t bytes = (uint32_t)whole.n;
    memcpy(to, head, sizeof head);
    to += sizeof head;
    do {
        struct str block = str_first(whole, STORED_BYTES);
        whole = str_from(whole, block.n);
        to[0] = whole.n == 0;
        put_le16(to + 1, (uint16_t)block.n);
        put_le16(to + 3, (uint16_t)~block.n);
        memcpy(to + 5, block.p, block.n);
        to += 5 + block.n;
    } while (whole.n);
    put_le32(to, crc);
    put_le32(to + 4, bytes);
    f->out.n += room;
}

/* The body as the author wrote it; its last four bytes say how long that is. */
static struct str undo_page(struct floor *f, struct str body)
{
    size_t room = body.n < 18 ? 0 : get_le32(body.p + body.n - 4);
    struct inflate_state *s = f->inflate;
    if (room == 0 || room > PAGE_MAX_BYTES)
        fail("a page", "without a usable length");
    buf_clear(&f->plain);
    isal_inflate_reset(s);
    s->crc_flag = ISAL_GZIP;
    s->next_in = (uint8_t *)(uintptr_t)body.p;
    s->avail_in = (uint32_t)body.n;
    s->next_out = must(buf_reserve(&f->plain, room));
    s->avail_out = (uint32_t)room;
    if (isal_inflate_stateless(s) != ISAL_DECOMP_OK || s->total_out != room)
        fail("a page", "is broken gzip");
    f->plain.n = room;
    return buf_str(&f->plain);
}

static void take_digest(struct floor *f, struct str body)
{
    struct digest d;
    digester_add(f->sha1, body);
    if (digester_finish(f->sha1, &d) != RC_OK)
        fail("SHA-1", "failed");
    for (size_t i = 0; i < DIGEST_SHA1_BYTES; i++)
        f->digests[i] ^= d.bytes[i];
}

static void take_page(struct floor *f, struct host *h, struct str whole, size_t head)
{
    h->asked = false;
    h->fresh = false;
    f->busy--;
    if (strncmp(whole.p + 8, " 200", 4) != 0) {
        f->refused++;
        host_go_on(f, h);
        return;
    }
    struct str body = str_from(whole, head);
    f->pages++;
    f->page_bytes += body.n;
    bool is_packed = f->is_encoded && str_starts(body, STR("\x1f\x8b"));
    find_links(f, h, is_packed ? undo_page(f, body) : body);
    /* The next requests go out before the rest is done, so that nobody waits for it. */
    follow_links(f);
    host_go_on(f, h);
    take_digest(f, body);
    if (f->out_fd >= 0 && is_packed)
        store_page(f, whole);
    else if (f->out_fd >= 0)
        compress_page(f, whole);
}

/* How long the head is, 0 when it is not all there; *ret_need is head and body. */
static size_t read_head(struct str got, size_t *ret_need)
{
    static const char field[] = "\r\ncontent-length:";
    const char *end = memmem(got.p, got.n, "\r\n\r\n", 4);
    if (!end)
        return 0;
    size_t head = (size_t)(end - got.p) + 4;
    for (const char *p = got.p; (p = memchr(p, '\r', (size_t)(end - p))); p++) {
        if (strncasecmp(p, field, sizeof field - 1) != 0)
            continue;
        *ret_need = head + strtoul(p + sizeof field - 1, NULL, 10);
        if (*ret_need < PAGE_MAX_BYTES)
            return head;
    }
    fail("an answer", "without a usable Content-Length");
    return 0;
}

static void host_closed(struct floor *f, struct host *h)
{
    close(h->fd);
    h->fd = -1;
    if (h->part.n || (h->asked && h->fresh))
        fail(h->authority, "closed in mid-answer");
    if (h->asked)
        host_ask(f, h);
}

/* A page that comes whole, as most do, is worked on where it was received; the pieces of others
 * are put together in the host's own buffer. */
static void host_read(struct floor *f, struct host *h)
{
    bool whole = h->part.n == 0;
    size_t room = whole || h->part_need == 0 ? RECEIVE_BYTES : h->part_need - h->part.n;
    char *to = whole ? f->receive : must(buf_reserve(&h->part, room + 1));
    ssize_t n = recv(h->fd, to, room, MSG_DONTWAIT);
    if (n < 0 && errno == EAGAIN)
        return;
    if (n <= 0) {
        host_closed(f, h);
        return;
    }
    h->part.n += whole ? 0 : (size_t)n;
    struct str got = whole ? str_make(to, (size_t)n) : str_make(h->part.p, h->part.n);
    size_t need = 0, head = read_head(got, &need);
    if (head && got.n == need) {
        take_page(f, h, got, head);
        buf_clear(&h->part);
        h->part_need = 0;
        return;
    }
    if (head && got.n > need)
        fail(h->authority, "more than it said");
    h->part_need = need;
    if (whole) {
        (void)must(buf_reserve(&h->part, need > got.n ? need + 1 : got.n));
        buf_add(&h->part, got);
    }
}

static void crawl(struct floor *f)
{
    struct epoll_event events[EVENTS_MAX];
    while (f->busy) {
        int n = epoll_wait(f->epoll, events, EVENTS_MAX, SILENCE_MS);
        if (n <= 0)
            fail("waiting", n == 0 ? "nothing comes" : strerror(errno));
        for (int i = 0; i < n; i++)
            host_read(f, events[i].data.ptr);
    }
}

/* ---- beginning and end ---- */

static void floor_init(struct floor *f, const char *file, bool is_encoded)
{
    *f = (struct floor){
        .epoll = epoll_create1(EPOLL_CLOEXEC), .out_fd = -1, .is_encoded = is_encoded};
    f->hosts = must(mem_zero(HOSTS_MAX, sizeof(struct host *)));
    f->links = must(mem_alloc(LINKS_MAX * sizeof *f->links));
    f->receive = must(mem_aligned(4096, RECEIVE_BYTES));
    f->sha1 = must(digester_open(DIGEST_SHA1));
    buf_init(&f->text, TEXT_BYTES);
    (void)must(buf_reserve(&f->text, TEXT_BYTES));
    buf_init(&f->out, OUT_MAX_BYTES);
    buf_init(&f->plain, PAGE_MAX_BYTES);
    f->inflate = must(mem_alloc(sizeof *f->inflate));
    isal_inflate_init(f->inflate);
    seen_grow(f);
    if (!file)
        return;
    f->level = must(mem_alloc(ISAL_DEF_LVL1_DEFAULT));
    f->out_fd = open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (f->out_fd < 0)
        fail(file, strerror(errno));
}

static void floor_done(struct floor *f)
{
    for (size_t i = 0; i < HOSTS_MAX; i++) {
        struct host *h = f->hosts[i];
        if (!h)
            continue;
        if (h->fd >= 0)
            close(h->fd);
        buf_done(&h->paths);
        buf_done(&h->part);
        mem_free(h);
    }
    mem_free(f->hosts);
    mem_free(f->links);
    mem_free(f->receive);
    mem_free(f->level);
    mem_free(f->seen);
    digester_close(f->sha1);
    buf_done(&f->text);
    buf_done(&f->out);
    buf_done(&f->plain);
    mem_free(f->inflate);
    close(f->epoll);
    if (f->out_fd >= 0 && close(f->out_fd) != 0)
        fail("closing", strerror(errno));
}

static double seconds_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void report(const struct floor *f, double seconds)
{
    struct rusage r;
    getrusage(RUSAGE_SELF, &r);
    double user = (double)r.ru_utime.tv_sec * 1e6 + (double)r.ru_utime.tv_usec;
    double system = (double)r.ru_stime.tv_sec * 1e6 + (double)r.ru_stime.tv_usec;
    double pages = f->pages ? (double)f->pages : 1;
    printf("pages %llu  other answers %llu  hosts %zu  bytes a page %.0f  kept a page %.0f\n",
           (unsigned long long)f->pages, (unsigned long long)f->refused, f->hosts_n,
           (double)f->page_bytes / pages, (double)f->out_bytes / pages);
    printf("CPU-us a page %.1f (user %.1f, system %.1f)  pages/s %.0f  peak MB %.1f\n",
           (user + system) / pages, user / pages, system / pages, pages / seconds,
           (double)r.ru_maxrss / 1024);
    printf("digests ");
    for (size_t i = 0; i < DIGEST_SHA1_BYTES; i++)
        printf("%02x", f->digests[i]);
    printf("\n");
}

int main(int argc, char **argv)
{
    struct floor f;
    bool is_encoded = argc > 1 && strcmp(argv[1], "--encoded") == 0;
    argc -= is_encoded;
    argv += is_encoded;
    struct str seed = argc > 1 ? str_c(argv[1]) : STR_NONE;
    if (argc < 2 || argc > 3 || !str_starts(seed, STR("http://127."))) {
        (void)fprintf(stderr, "usage: floor [--encoded] http://127.X.Y.Z:PORT/ [FILE.gz]\n");
        return 2;
    }
    floor_init(&f, argc > 2 ? argv[2] : NULL, is_encoded);
    double start = seconds_now();
    add_link(&f, NULL, seed);
    follow_links(&f);
    crawl(&f);
    if (f.out_fd >= 0)
        out_flush(&f);
    report(&f, seconds_now() - start);
    floor_done(&f);
    return 0;
}
