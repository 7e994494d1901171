/* SPDX-License-Identifier: Apache-2.0 */
#include "url/sort.h"

#include "url/normalise.h"

enum { MAX_PARAMETERS = URL_MAX_BYTES + 1 }; /* all of them empty */

/* A parameter of the text at `p`. */
struct piece {
    uint16_t at, n;
};

static struct str text_of(const char *p, struct piece piece)
{
    return str_make(p + piece.at, piece.n);
}

/* Splits into at most `max`; 0 if there are more. */
static size_t split(const char *p, size_t n, struct piece *pieces, size_t max)
{
    size_t count = 0, from = 0;
    for (size_t i = 0; i <= n; i++) {
        if (i < n && p[i] != '&')
            continue;
        if (count == max)
            return 0;
        pieces[count++] = (struct piece){(uint16_t)from, (uint16_t)(i - from)};
        from = i + 1;
    }
    return count;
}

static void sift_down(const char *p, struct piece *heap, size_t at, size_t count)
{
    struct piece moving = heap[at];
    for (size_t child; (child = 2 * at + 1) < count; at = child) {
        if (child + 1 < count && str_cmp(text_of(p, heap[child]), text_of(p, heap[child + 1])) < 0)
            child++;
        if (str_cmp(text_of(p, moving), text_of(p, heap[child])) >= 0)
            break;
        heap[at] = heap[child];
    }
    heap[at] = moving;
}

/* Heap sort: equal parameters are equal bytes, so their order cannot be seen. */
static void sort(const char *p, struct piece *pieces, size_t count)
{
    for (size_t i = count / 2; i-- > 0;)
        sift_down(p, pieces, i, count);
    for (size_t last = count; last-- > 1;) {
        struct piece largest = pieces[0];
        pieces[0] = pieces[last];
        pieces[last] = largest;
        sift_down(p, pieces, 0, last);
    }
}

static bool is_sorted(const char *p, const struct piece *pieces, size_t count)
{
    for (size_t i = 1; i < count; i++)
        if (str_cmp(text_of(p, pieces[i - 1]), text_of(p, pieces[i])) > 0)
            return false;
    return true;
}

static void sort_pieces(char *p, size_t n, struct piece *pieces, size_t max)
{
    char copy[URL_MAX_BYTES];
    if (n == 0 || n > sizeof copy)
        return;
    size_t count = split(p, n, pieces, max);
    if (is_sorted(p, pieces, count))
        return;
    memcpy(copy, p, n);
    sort(copy, pieces, count);
    for (size_t i = 0, at = 0; i < count; i++) {
        if (i)
            p[at++] = '&';
        memcpy(p + at, copy + pieces[i].at, pieces[i].n);
        at += pieces[i].n;
    }
}

void url_sort_query(char *p, size_t n)
{
    struct piece pieces[URL_SORT_MAX_PARAMETERS];
    sort_pieces(p, n, pieces, URL_SORT_MAX_PARAMETERS);
}

void url_sort_whole_query(char *p, size_t n)
{
    struct piece pieces[MAX_PARAMETERS];
    sort_pieces(p, n, pieces, MAX_PARAMETERS);
}
