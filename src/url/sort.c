/* SPDX-License-Identifier: Apache-2.0 */
#include "url/sort.h"

#include "url/normalise.h"

/* Splits into at most URL_SORT_MAX_PARAMETERS; 0 if there are more. */
static size_t split(struct str query, struct str parameters[URL_SORT_MAX_PARAMETERS])
{
    size_t count = 0;
    while (query.p) {
        if (count == URL_SORT_MAX_PARAMETERS)
            return 0;
        parameters[count++] = str_take_until(&query, '&');
    }
    return count;
}

static void sift_down(struct str *heap, size_t at, size_t count)
{
    struct str moving = heap[at];
    for (size_t child; (child = 2 * at + 1) < count; at = child) {
        if (child + 1 < count && str_cmp(heap[child], heap[child + 1]) < 0)
            child++;
        if (str_cmp(moving, heap[child]) >= 0)
            break;
        heap[at] = heap[child];
    }
    heap[at] = moving;
}

/* Heap sort: equal parameters are equal bytes, so their order cannot be seen. */
static void sort(struct str *parameters, size_t count)
{
    for (size_t i = count / 2; i-- > 0;)
        sift_down(parameters, i, count);
    for (size_t last = count; last-- > 1;) {
        struct str largest = parameters[0];
        parameters[0] = parameters[last];
        parameters[last] = largest;
        sift_down(parameters, 0, last);
    }
}

static bool is_sorted(const struct str *parameters, size_t count)
{
    for (size_t i = 1; i < count; i++)
        if (str_cmp(parameters[i - 1], parameters[i]) > 0)
            return false;
    return true;
}

void url_sort_query(char *p, size_t n)
{
    struct str parameters[URL_SORT_MAX_PARAMETERS];
    char copy[URL_MAX_BYTES];
    if (n == 0 || n > sizeof copy)
        return;
    size_t count = split(str_make(p, n), parameters);
    if (is_sorted(parameters, count))
        return;
    memcpy(copy, p, n);
    for (size_t i = 0; i < count; i++)
        parameters[i].p = copy + (parameters[i].p - p);
    sort(parameters, count);
    for (size_t i = 0, at = 0; i < count; i++) {
        if (i)
            p[at++] = '&';
        memcpy(p + at, parameters[i].p, parameters[i].n);
        at += parameters[i].n;
    }
}
