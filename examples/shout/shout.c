/* SPDX-License-Identifier: Apache-2.0 */
/* shout: a part that does not come with orbweaver. It gives lines on in capitals, with as many
 * exclamation marks as its option says. Build it as the Makefile here does and name the shared
 * object in a wiring: `part: ./shout.so`. */
#include "flow/part.h"
#include "lines/line.h"

struct shout_settings {
    uint64_t marks;
};

static const struct option shout_options[] = {
    OPTION_COUNT_ROW(struct shout_settings, marks, "marks", "1", "exclamation marks behind a line",
                     .max = 10, .live = true),
    {0},
};

static void shout_handle(struct instance *self, unsigned inlet, struct message *m)
{
    (void)inlet;
    const struct shout_settings *settings = self->settings;
    struct line *line = (struct line *)(void *)m;
    struct buf loud;
    buf_init(&loud, LINE_MAX_BYTES + 16);
    for (size_t i = 0; i < line->text.n; i++)
        buf_byte(&loud, ascii_upper(line->text.p[i]));
    buf_fill(&loud, '!', settings->marks);
    enum rc rc = buf_rc(&loud);
    if (rc == RC_OK)
        rc = line_replace(line, buf_str(&loud));
    buf_done(&loud);
    if (rc) {
        part_fail(self, rc, "cannot shout: %s", rc_text(rc));
        part_end(self, m);
        return;
    }
    part_emit(self, 0, m);
}

#ifndef SHOUT_ABI /* the tests build it once for a version that does not exist */
#define SHOUT_ABI PART_ABI
#endif

const struct part orbweaver_part = {
    .abi = SHOUT_ABI,
    .kind = PART_COMPONENT,
    .name = "shout",
    .help = "gives lines on in capitals",
    .inlets = (const struct part_port[]){{"in", LINE_TYPE, "lines", false}, {0}},
    .outlets = (const struct part_port[]){{"out", LINE_TYPE, "the same, louder", false}, {0}},
    .options = shout_options,
    .settings_bytes = sizeof(struct shout_settings),
    .handle = shout_handle,
};
