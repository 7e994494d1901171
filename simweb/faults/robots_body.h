/* SPDX-License-Identifier: Apache-2.0 */
/* robots_body: the robots.txt files of F55 to F60, which all come with 200 and differ in what they
 * say: too much of it, no text at all, odd bytes, odd rules, odd delays. */
#ifndef FAULTS_ROBOTS_BODY_H
#define FAULTS_ROBOTS_BODY_H

#include "faults/fault.h"

enum {
    ROBOTS_READ_BYTES = 500 * 1024, /* what every crawler reads (RFC 9309, 2.5) */
    ROBOTS_600K_BYTES = 600 * 1024,
};
#define ROBOTS_50M_BYTES (UINT64_C(50) << 20)

/* Answers with the file of the label; false if there is none. */
bool robots_body_answer(const struct fault_query *q, struct reply *r);

#endif
