/* SPDX-License-Identifier: Apache-2.0 */
#include "net/dns_hosts.h"

#include "base/mem.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

enum { READ_BYTES = 1 << 14 };

struct row {
    struct str name; /* in `text` */
    struct address address;
};

struct dns_hosts {
    struct buf text;  /* the whole file, in lower case */
    struct row *rows; /* by name, then by order in the file */
    size_t count, cap;
};

static enum rc file_read(const char *path, struct buf *to)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    ssize_t n = fd < 0 ? 0 : 1;
    while (n > 0 && to->n + READ_BYTES <= DNS_HOSTS_MAX_BYTES) {
        char *room = buf_reserve(to, READ_BYTES);
        n = room ? read(fd, room, READ_BYTES) : -1;
        to->n += n > 0 ? (size_t)n : 0;
    }
    if (fd >= 0)
        close(fd);
    for (size_t i = 0; i < to->n; i++)
        to->p[i] = ascii_lower(to->p[i]);
    return buf_rc(to);
}

static enum rc row_add(struct dns_hosts *h, struct row row)
{
    struct row *rows = mem_grow(h->rows, h->count, &h->cap, sizeof *rows);
    if (!rows)
        return RC_NOMEM;
    h->rows = rows;
    h->rows[h->count++] = row;
    return RC_OK;
}

static struct str word_take(struct str *line)
{
    *line = str_trim(*line);
    size_t n = 0;
    while (n < line->n && !ascii_is_space(line->p[n]))
        n++;
    struct str word = str_first(*line, n);
    *line = str_from(*line, n);
    return word;
}

static enum rc line_read(struct dns_hosts *h, struct str line)
{
    struct row row;
    struct dns_name name;
    line = str_first(line, str_find(line, '#'));
    if (address_read(word_take(&line), &row.address))
        return RC_OK;
    while ((row.name = word_take(&line)).n) {
        if (dns_name_read(row.name, &name))
            continue;
        row.name.n = name.n; /* without a dot at its end */
        if (row_add(h, row))
            return RC_NOMEM;
    }
    return RC_OK;
}

static int row_order(const void *a, const void *b)
{
    const struct row *x = a, *y = b;
    int by_name = str_cmp(x->name, y->name);
    return by_name ? by_name : (x->name.p > y->name.p) - (x->name.p < y->name.p);
}

static enum rc lines_read(struct dns_hosts *h)
{
    struct str rest = buf_str(&h->text);
    while (rest.p) {
        if (line_read(h, str_take_until(&rest, '\n')))
            return RC_NOMEM;
    }
    if (h->count)
        qsort(h->rows, h->count, sizeof *h->rows, row_order);
    return RC_OK;
}

enum rc dns_hosts_open(const char *path, struct dns_hosts **ret)
{
    struct dns_hosts *h = mem_zero(1, sizeof *h);
    if (!h)
        return RC_NOMEM;
    buf_init(&h->text, DNS_HOSTS_MAX_BYTES);
    if (file_read(path, &h->text) || lines_read(h)) {
        dns_hosts_close(h);
        return RC_NOMEM;
    }
    *ret = h;
    return RC_OK;
}

void dns_hosts_close(struct dns_hosts *h)
{
    if (!h)
        return;
    buf_done(&h->text);
    mem_free(h->rows);
    mem_free(h);
}

static size_t first_not_before(const struct dns_hosts *h, struct str name)
{
    size_t low = 0, high = h->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (str_cmp(h->rows[middle].name, name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

bool dns_hosts_find(const struct dns_hosts *h, const struct dns_name *name, struct dns_result *to)
{
    size_t at = first_not_before(h, dns_name_str(name));
    bool is_there = false;
    for (; at < h->count && str_eq(h->rows[at].name, dns_name_str(name)); at++) {
        is_there = true;
        if (to->count < DNS_MAX_ADDRESSES)
            to->addresses[to->count++] = h->rows[at].address;
    }
    return is_there;
}
