/* SPDX-License-Identifier: Apache-2.0 */
/* sort: the parameters of a query in the order of their bytes. Internal to url. */
#ifndef URL_SORT_H
#define URL_SORT_H

#include <stddef.h>

/* Sorts "b=2&a=1" in place. Left as it is when it has more than URL_SORT_MAX_PARAMETERS or more
 * than URL_MAX_BYTES. */
void url_sort_query(char *p, size_t n);

/* The same, however many parameters it has; left as it is only past URL_MAX_BYTES. */
void url_sort_whole_query(char *p, size_t n);

#endif
