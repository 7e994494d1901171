/* SPDX-License-Identifier: Apache-2.0 */
/* sprinkle: --fault and --sprinkle as a person wrote them.
 *
 *   --fault f35,zip          --fault all
 *   --sprinkle f35=0.1       a tenth of all hosts has F35
 *   --sprinkle zip=0.1       a tenth of all hosts has one of the faults of that group
 *   --sprinkle all=0.2       a fifth of all hosts has one of those that can be sprinkled
 *
 * Both take several, separated by commas or by the flag coming again. */
#ifndef FAULTS_SPRINKLE_H
#define FAULTS_SPRINKLE_H

#include "faults/fault.h"

/* Whether the name means the fault: its id, its group or "all". */
bool fault_is_named(const struct fault *f, struct str name);

/* Whether an ordinary host can have it. */
bool fault_can_sprinkle(const struct fault *f);

#endif
