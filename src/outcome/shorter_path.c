/* SPDX-License-Identifier: Apache-2.0 */
#include "outcome/shorter_path.h"

#include "discovery/seed_path.h"

static struct candidate page_of(const struct visit *v, struct str seed_path)
{
    return (struct candidate){.fingerprint = v->turn.fingerprint,
                              .host = v->turn.checkout.host_name,
                              .path = v->turn.checkout.path,
                              .port = v->turn.checkout.port,
                              .is_https = v->turn.checkout.is_https,
                              .seed_path = seed_path};
}

bool shorter_path_found(struct depth_index *depth, const struct visit *v,
                        struct history_entry *history, struct candidate *ret_page)
{
    struct str seed_path;
    if (!depth || v->kind != VISIT_PAGE ||
        !depth_index_done(depth, v->turn.fingerprint, seed_path_depth(v->turn.checkout.seed_path),
                          &seed_path))
        return false;
    if (!v->judged.links.count) {
        history->seed_path = seed_path;
        return false;
    }
    *ret_page = page_of(v, seed_path);
    return true;
}

void shorter_path_keep(struct url_list *l, struct ledger_outcome *o)
{
    if (!l->page.has_history)
        return;
    l->page.history.seed_path = l->page.seed_path;
    o->fingerprint = l->page.fingerprint;
    o->history = &l->page.history;
}
