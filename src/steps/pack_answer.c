/* SPDX-License-Identifier: Apache-2.0 */
/* pack-answer: digests and packs an answer for the archive (archive/packed_body.h), at a place that has
 * none. The body as it came and the texts that were read from it stay at this place, so the step is the
 * last that sees them. In one process write-warc does both, and this step is left out. */
#include "visit/visit.h"

#include "base/mem.h"

/* The rest of the message that takes it to the archive needs room, too. */
enum { MOST_BYTES = 192 << 20 };

struct pack_answer_settings {
    bool none;
};

static const struct option pack_answer_options[] = {
    OPTION_BOOL_ROW(struct pack_answer_settings, none, "no-archive", "no", "pack nothing"),
    {0},
};

static enum rc pack_answer_open(struct instance *self, struct buf *why)
{
    (void)why;
    self->state = packed_body_tools_open();
    return self->state ? RC_OK : RC_NOMEM;
}

static void pack_answer_close(struct instance *self)
{
    packed_body_tools_close(self->state);
}

/* Without memory, or when it packs badly, the answer goes as it came. */
static void pack(struct packed_body_tools *tools, bool is_archived, struct visit *v)
{
    const struct http_answer *a = v->answer.http;
    struct visit_packed *p = &v->packed;
    if (is_archived && packed_body_make(tools, a->head, a->body, MOST_BYTES, &p->body) != RC_OK)
        return;
    p->has_body = is_archived;
    p->body_bytes = a->body.n;
    p->is_set = true;
}

static void pack_answer_handle(struct instance *self, unsigned inlet, struct message *m)
{
    (void)inlet;
    const struct pack_answer_settings *s = self->settings;
    struct visit *v = visit_of(m);
    bool is_archived = visit_has_result(v) && !visit_is_unkept(v) && !s->none;
    if (v->answer.http && !v->packed.is_set)
        pack(self->state, is_archived, v);
    part_emit(self, 0, m);
}

const struct part part_pack_answer = {
    .abi = PART_ABI,
    .kind = PART_COMPONENT,
    .name = "pack-answer",
    .help = "packs answers, for an archive at another place",
    .inlets = (const struct part_port[]){{"in", VISIT_TYPE, "answers", false}, {0}},
    .outlets = (const struct part_port[]){{"out", VISIT_TYPE, "packed", false}, {0}},
    .options = pack_answer_options,
    .settings_bytes = sizeof(struct pack_answer_settings),
    .open = pack_answer_open,
    .close = pack_answer_close,
    .handle = pack_answer_handle,
};
