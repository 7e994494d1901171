/* SPDX-License-Identifier: Apache-2.0 */
/* scope/seeds: the seeds draw the scope of the crawl. */
#include "roles/scope.h"

#include "base/log.h"
#include "base/mem.h"
#include "flow/part.h"

struct seeds_scope {
    struct scope_service service;
    struct url_idn *idn;
};

static void scope_seeds_close(struct instance *self)
{
    struct seeds_scope *s = self->state;
    scope_close(s->service.scope);
    url_idn_close(s->idn);
    mem_free(s);
}

static enum rc scope_seeds_open(struct instance *self, struct buf *why)
{
    struct seeds_scope *s = mem_zero(1, sizeof *s);
    if (!s)
        return RC_NOMEM;
    self->state = s;
    enum rc rc = scope_open(self->settings, &s->service.scope, why);
    if (rc == RC_OK)
        rc = url_idn_open(&s->idn);
    s->service.idn = s->idn;
    if (rc)
        scope_seeds_close(self);
    return rc;
}

static void *scope_seeds_provide(struct instance *self)
{
    struct seeds_scope *s = self->state;
    return &s->service;
}

/* A regular expression was tried before it came here; without memory the old ones hold. */
static void scope_seeds_changed(struct instance *self, const void *old)
{
    (void)old;
    struct seeds_scope *s = self->state;
    struct buf why = {.max = 4096};
    enum rc rc = scope_change(s->service.scope, self->settings, &why);
    if (rc)
        log_warn(part_log(self), "scope.unchanged", LOG_STR("why", buf_str(&why)));
    buf_done(&why);
}

const struct part part_scope_seeds = {
    .abi = PART_ABI,
    .kind = PART_PROVIDER,
    .name = "seeds",
    .help = "takes what the seeds draw: their hosts, domains, folders, pages, or everything",
    .where = PART_ON_ONE_SHARD,
    .provides = SCOPE_INTERFACE,
    .is_of_one_place = true,
    .options = scope_options,
    .settings_bytes = sizeof(struct scope_settings),
    .open = scope_seeds_open,
    .close = scope_seeds_close,
    .provide = scope_seeds_provide,
    .changed = scope_seeds_changed,
};
