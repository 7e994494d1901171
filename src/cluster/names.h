/* SPDX-License-Identifier: Apache-2.0 */
/* names: what an agent, a crawl, a writer may be called: letters, digits, '-' and '_'. Every name
 * is a token of a subject and part of a stream's name, where '.', '*', '>' and blanks mean
 * something else. */
#ifndef CLUSTER_NAMES_H
#define CLUSTER_NAMES_H

#include "base/str.h"

enum { CLUSTER_MAX_NAME_BYTES = 32 };

bool cluster_name_ok(struct str name);

#endif
