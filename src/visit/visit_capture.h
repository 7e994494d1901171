/* SPDX-License-Identifier: Apache-2.0 */
/* visit_capture: a visit with an answer, as archive/capture.h takes it. */
#ifndef VISIT_VISIT_CAPTURE_H
#define VISIT_VISIT_CAPTURE_H

#include "visit/visit.h"

/* What is written of the answer. Texts are borrowed from the visit or are in its arena. `facts` is
 * the caller's room for the metadata record; NULL: there will be none. */
struct capture visit_capture(const struct visit *v, struct warc_fetch_facts *facts);

/* The capture of the URL that the history names; false: it names none. */
bool visit_earlier_capture(const struct visit *v, struct digest_ref *ret);

#endif
