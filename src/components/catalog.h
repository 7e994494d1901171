/* SPDX-License-Identifier: Apache-2.0 */
/* catalog: the parts that come with the program. */
#ifndef COMPONENTS_CATALOG_H
#define COMPONENTS_CATALOG_H

#include "flow/catalog.h"

extern const struct catalog components_catalog;

#endif
