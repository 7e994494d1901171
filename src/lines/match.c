/* SPDX-License-Identifier: Apache-2.0 */
/* match: lets lines through that hold a text, and gives the others to `rest`. */
#include "lines/line.h"

#include "flow/part.h"

enum { OUT, REST };

struct match_settings {
    struct str contains;
    bool invert;
};

static const struct option match_options[] = {
    OPTION_TEXT_ROW(struct match_settings, contains, "contains", "", "text that a line must hold",
                    .live = true),
    OPTION_BOOL_ROW(struct match_settings, invert, "invert", "no",
                    "let through those that do not hold it", .live = true),
    {0},
};

static void match_handle(struct instance *self, unsigned inlet, struct message *m)
{
    (void)inlet;
    const struct match_settings *s = self->settings;
    struct str text = line_of(m)->text;
    bool holds = s->contains.n == 0 || str_find_str(text, s->contains) < text.n;
    part_emit(self, holds != s->invert ? OUT : REST, m);
}

const struct part part_match = {
    .abi = PART_ABI,
    .kind = PART_COMPONENT,
    .name = "match",
    .help = "lets lines through that hold a text",
    .inlets = (const struct part_port[]){{"in", LINE_TYPE, "lines", false}, {0}},
    .outlets = (const struct part_port[]){{"out", LINE_TYPE, "those that hold it", false},
                                          {"rest", LINE_TYPE, "the others", true},
                                          {0}},
    .options = match_options,
    .settings_bytes = sizeof(struct match_settings),
    .handle = match_handle,
};
