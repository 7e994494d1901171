/* SPDX-License-Identifier: Apache-2.0 */
/* sink/send: archive files go to an archive machine; without a login for one they stay. */
#include "roles/ledger.h"
#include "roles/sink.h"

#include "base/mem.h"
#include "flow/part.h"

enum { NEED_LEDGER };

struct sink_settings {
    struct str sink, output;
    bool removes;
};

#define ROW(kind, field, ...) OPTION_##kind##_ROW(struct sink_settings, field, __VA_ARGS__)
static const struct option sink_options[] = {
    ROW(TEXT, sink, "sink", NULL, "send archive files to the machine of this login", .arg = "FILE"),
    ROW(BOOL, removes, "sink-remove", "no", "remove them here once they are durable there"),
    ROW(TEXT, output, "output", "crawl", "the crawl's directory", .arg = "DIR"),
    {0},
};

static void sink_send_close(struct instance *self)
{
    struct sink_service *s = self->state;
    struct ledger_service *ledger = part_provider(self, NEED_LEDGER);
    ledger->outbox = NULL;
    sink_outbox_close(s->outbox);
    mem_free(s);
}

static enum rc sink_send_open(struct instance *self, struct buf *why)
{
    const struct sink_settings *set = self->settings;
    struct ledger_service *ledger = part_provider(self, NEED_LEDGER);
    struct sink_service *s = mem_zero(1, sizeof *s);
    if (!s)
        return RC_NOMEM;
    self->state = s;
    struct sink_outbox_settings o = {.dir = set->output.p,
                                     .login_file = set->sink.p,
                                     .removes = set->removes,
                                     .log = part_log(self)};
    enum rc rc = set->sink.n ? sink_outbox_open(&o, &s->outbox, why) : RC_OK;
    ledger->outbox = s->outbox;
    if (rc)
        sink_send_close(self);
    return rc;
}

static void *sink_send_provide(struct instance *self)
{
    return self->state;
}

const struct part part_sink_send = {
    .abi = PART_ABI,
    .kind = PART_PROVIDER,
    .name = "send",
    .help = "archive files go to an archive machine; without one they stay",
    .where = PART_ON_ONE_SHARD,
    .provides = SINK_INTERFACE,
    .needs =
        (const struct part_need[]){[NEED_LEDGER] = {"ledger", LEDGER_INTERFACE, "makes the files"},
                                   {0}},
    .options = sink_options,
    .settings_bytes = sizeof(struct sink_settings),
    .open = sink_send_open,
    .close = sink_send_close,
    .provide = sink_send_provide,
};
