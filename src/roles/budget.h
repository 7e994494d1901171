/* SPDX-License-Identifier: Apache-2.0 */
/* The role `budget`: how much the crawl may take. The interface is struct budget itself. One for
 * all shards. */
#ifndef ROLES_BUDGET_H
#define ROLES_BUDGET_H

#include "scope/budget.h"

#define BUDGET_INTERFACE "budget"

#endif
