/* SPDX-License-Identifier: Apache-2.0 */
/* catalog: the parts that come with the program. */
#ifndef CATALOG_CATALOG_H
#define CATALOG_CATALOG_H

#include "flow/catalog.h"

extern const struct catalog catalog_built_in;

#endif
