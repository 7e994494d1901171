/* SPDX-License-Identifier: Apache-2.0 */
/* step_internal: what the files of step share. */
#ifndef TESTS_LIB_STEP_INTERNAL_H
#define TESTS_LIB_STEP_INTERNAL_H

#include "lib/step.h"

enum rc step_open_instance(struct step *s, struct step_instance *n, const struct part *part);
/* Closes the ledger and what only the world has. */
void step_world_done(struct step *s);

#endif
