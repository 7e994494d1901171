/* SPDX-License-Identifier: Apache-2.0 */
/* wirings: the files of wirings/, built into the program. */
#ifndef CLI_WIRINGS_H
#define CLI_WIRINGS_H

#include "base/str.h"

/* The text of the built-in wiring of that name ("ring"), or absent. */
struct str wiring_built_in(struct str name);

#endif
