/* SPDX-License-Identifier: Apache-2.0 */
/* drop: a step of the crawl that does not come with orbweaver. It drops pages with certain words:
 * they are neither archived nor followed, and crawl.log says which word it was. Build it as the
 * Makefile here does and insert it into the crawl's wiring behind `read`, as drop.yaml does. */
#include "flow/part.h"
#include "visit/view.h"

#include <stdio.h>

struct drop_settings {
    struct option_list words;
};

static const struct option drop_options[] = {
    OPTION_LIST_ROW(struct drop_settings, words, "words", NULL,
                    "pages with one of these are dropped"),
    {0},
};

static bool has_word(struct str text, struct str word)
{
    for (size_t i = 0; word.n && i + word.n <= text.n; i++)
        if (str_eq_nocase(str_make(text.p + i, word.n), word))
            return true;
    return false;
}

static void drop_handle(struct instance *self, unsigned inlet, struct message *m)
{
    (void)inlet;
    const struct drop_settings *s = self->settings;
    struct visit *v = visit_view(m);
    for (size_t i = 0; i < s->words.count && visit_is_page(v); i++) {
        struct str word = s->words.items[i];
        if (has_word(visit_title(v), word) || has_word(visit_text(v), word)) {
            char why[100];
            int n = snprintf(why, sizeof why, "has the word %.*s", (int)word.n, word.p);
            visit_drop(v, str_make(why, n < (int)sizeof why ? (size_t)n : sizeof why - 1));
            break;
        }
    }
    part_emit(self, 0, m);
}

const struct part orbweaver_part = {
    .abi = PART_ABI,
    .kind = PART_COMPONENT,
    .name = "drop",
    .help = "drops pages with certain words",
    .inlets = (const struct part_port[]){{"in", VISIT_TYPE, "pages that were read", false}, {0}},
    .outlets = (const struct part_port[]){{"out", VISIT_TYPE, "the same", false}, {0}},
    .options = drop_options,
    .settings_bytes = sizeof(struct drop_settings),
    .handle = drop_handle,
};
