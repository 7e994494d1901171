/* SPDX-License-Identifier: Apache-2.0 */
/* balance chart: a study of the balance drawn as SVG, two panels side by side: the standard
 * deviation and the largest one, over the number of agents. */
#ifndef CLI_SIMULATE_BALANCE_CHART_H
#define CLI_SIMULATE_BALANCE_CHART_H

#include "cli/simulate/balance_study.h"

#include "base/buf.h"

void balance_chart(const struct balance_study *s, struct buf *out);

#endif
