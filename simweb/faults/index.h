/* SPDX-License-Identifier: Apache-2.0 */
/* index: the healthy page in front of a fault, with a link to each of its cases. */
#ifndef FAULTS_INDEX_H
#define FAULTS_INDEX_H

#include "faults/fault.h"

void index_answer(const struct fault_query *q, struct reply *r);

#endif
