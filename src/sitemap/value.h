/* SPDX-License-Identifier: Apache-2.0 */
/* value: the small readings of a field's text. */
#ifndef SITEMAP_VALUE_H
#define SITEMAP_VALUE_H

#include "sitemap/sitemap.h"

/* Without white space at both ends, Unicode's included: people paste. */
struct str value_trim(struct str s);

/* "0.8" as 800; SITEMAP_NO_PRIORITY for what is no number from 0 to 1. */
int value_priority(struct str s);

enum sitemap_changefreq value_changefreq(struct str s);

#endif
