/* SPDX-License-Identifier: Apache-2.0 */
/* crawl_trouble: names an option in an error as the person wrote it.
 *
 * A part's error names the option as PART.KEY. Where the value is the crawl's setting of that key,
 * the person typed --KEY. */
#ifndef CLI_CRAWL_CRAWL_TROUBLE_H
#define CLI_CRAWL_CRAWL_TROUBLE_H

#include "cli/settings.h"
#include "flow/wiring.h"

/* "fetch.types: ..." becomes "--types: ...", unless --set or the wiring gave that part another
 * value. Any other text stays as it is. */
void crawl_trouble_print(const struct settings *s, const struct wiring *w, struct str why,
                         struct buf *out);

#endif
