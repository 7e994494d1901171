/* SPDX-License-Identifier: Apache-2.0 */
/* demo: the small web that --demo shows to a person with a browser.
 *
 * All its names end in ".localhost", which browsers resolve to 127.0.0.1 without asking anybody. A
 * dozen hosts, each with a theme and a look of its own; no faults, no https. What the pages say is
 * in content/looks.h. */
#ifndef CONTENT_DEMO_H
#define CONTENT_DEMO_H

#include "world/world.h"

/* Makes the settings those of the demo, except for the seed and the ports. Given after the
 * defaults and before what a person asked for beside --demo. */
void demo_settings(struct world_settings *s);

#endif
