/* SPDX-License-Identifier: Apache-2.0 */
/* catalog: where the parts that a wiring names are found.
 *
 * Built-in parts stand in one list that the caller brings (src/catalog/catalog.c). Others come
 * from shared objects: one exported symbol, `orbweaver_part`, a const struct part whose first
 * member, the ABI version, is compared before anything else of it is read. */
#ifndef FLOW_CATALOG_H
#define FLOW_CATALOG_H

#include "flow/part.h"
#include "flow/problems.h"

struct catalog {
    const struct part *const *parts; /* ends with NULL */
    /* The crawl's own settings, or NULL: an option of a part that has the key and the type of a row
     * here takes its value from `settings`, unless the wiring says otherwise. So --delay reaches
     * every part that has a "delay". Texts and lists are borrowed as long as wirings live. */
    const struct option *table;
    const void *settings;
    const struct message_type *const *types; /* of messages; ends with NULL */
};

/* By its name, or by the one that it had before it was renamed. */
bool part_is_called(const struct part *part, struct str name);

/* A component by its name. NULL: none; then `near` (may be NULL) has tried every name. */
const struct part *catalog_component(const struct catalog *c, struct str name,
                                     struct nearest *near);

/* A provider by the name and the interface that it provides: many interfaces have a "simulated". */
const struct part *catalog_provider(const struct catalog *c, struct str interface, struct str name,
                                    struct nearest *near);

/* Is the table what part.h asks for: names, functions that go with its ports, options whose
 * defaults can be read and whose keys are free? `why` says what is missing. */
MUST_CHECK enum rc part_validate(const struct part *part, struct buf *why);

/* The keys of a wiring's component that are not options of its part. */
bool part_key_is_taken(struct str key);

/* A list of loaded shared objects; the caller's pointer to the first starts as NULL. */
struct library;

/* Loads a part. The same path again gives the same part. RC_NOT_FOUND (no such file, or no such
 * symbol), RC_VERSION (another ABI) and RC_INVALID come with `why`. */
MUST_CHECK enum rc library_load(struct library **list, const char *path, const struct part **ret,
                                struct buf *why);
void library_close_all(struct library **list);

#endif
