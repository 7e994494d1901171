/* SPDX-License-Identifier: Apache-2.0 */
/* style_sheet: the addresses that a style sheet names. A browser needs them to show a page. */
#ifndef READING_STYLE_SHEET_H
#define READING_STYLE_SHEET_H

#include "visit/visit.h"

/* Appends the addresses in `css` to the references of `parsed`, copied to `arena`. `scratch` is for
 * addresses with escapes; one that is longer than its maximum ends the reading, as does a lack of
 * memory. */
void style_sheet_refer(struct str css, struct buf *scratch, struct arena *arena,
                       struct visit_parsed *parsed);

#endif
