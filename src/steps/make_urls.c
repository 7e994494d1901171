/* SPDX-License-Identifier: Apache-2.0 */
/* make-urls: makes URLs of the references of a page (scope/link_urls.h), at a place that does not know
 * the scope. judge-links then judges them and need not make them. In one process judge-links does
 * both, and this step is left out. */
#include "scope/link_urls.h"
#include "visit/visit.h"

#include "base/mem.h"
#include "url/normalise.h"

struct make_urls_settings {
    struct str normalise;
    bool archive_only;
};

static const struct option make_urls_options[] = {
    OPTION_TEXT_ROW(struct make_urls_settings, normalise, "normalise", "default",
                    "the rules that make equal URLs equal (orbweaver try url --help)",
                    .arg = "RULES"),
    OPTION_BOOL_ROW(struct make_urls_settings, archive_only, "archive-only", "no",
                    "leave out where on its page a link stands"),
    {0},
};

struct make_urls {
    struct url_idn *idn;
    struct link_urls *urls;
};

static void make_urls_close(struct instance *self)
{
    struct make_urls *u = self->state;
    link_urls_close(u->urls);
    url_idn_close(u->idn);
    mem_free(u);
}

static enum rc read_rules(struct str list, uint32_t *ret, struct buf *why)
{
    struct str bad;
    enum rc rc = url_rules_parse(list, ret, &bad);
    if (rc)
        buf_printf(why, "normalise: \"" STR_FMT "\" is no rule", STR_ARG(bad));
    return rc;
}

static enum rc make_urls_open(struct instance *self, struct buf *why)
{
    const struct make_urls_settings *s = self->settings;
    struct make_urls *u = mem_zero(1, sizeof *u);
    if (!u)
        return RC_NOMEM;
    self->state = u;
    uint32_t rules = 0;
    enum rc rc = read_rules(s->normalise, &rules, why);
    if (rc == RC_OK)
        rc = url_idn_open(&u->idn);
    if (rc == RC_OK) {
        u->urls = link_urls_open(&(struct link_urls_settings){
            .idn = u->idn,
            .rules = rules,
            .host_bytes = FRONTIER_MAX_HOST_BYTES,
            .path_bytes = FRONTIER_MAX_PATH_BYTES,
            .link_bytes = VISIT_MAX_LINK_BYTES,
        });
        rc = u->urls ? RC_OK : RC_NOMEM;
    }
    if (rc)
        make_urls_close(self);
    return rc;
}

/* Appends the URLs of the references that are wanted, or of those that are not. False: no memory. */
static bool make(struct make_urls *u, const struct visit_parsed *from, bool is_unwanted,
                 bool has_contexts, struct visit_parsed *to, struct arena *arena)
{
    struct url url;
    uint64_t fingerprint;
    for (size_t i = 0; i < from->reference_count; i++) {
        const struct link_reference *r = &from->references[i];
        if (r->is_unwanted != is_unwanted || !link_urls_next(u->urls, r, &url, &fingerprint))
            continue;
        struct str href = arena_dup(arena, url_href(&url));
        if (!href.p || !parsed_refer(to, arena, href, r->hop, has_contexts ? r->context : STR_NONE))
            return false;
        struct link_reference *made = &to->references[to->reference_count - 1];
        made->anchor = r->anchor;
        made->is_unwanted = is_unwanted;
        made->worth = r->worth;
    }
    return true;
}

/* Those that are wanted come first: a URL that one of two references wants is wanted. Without memory
 * the references stay as they are, and judge-links makes the URLs. */
static void make_all(struct make_urls *u, const struct make_urls_settings *s, struct visit *v)
{
    struct visit_parsed made = {0};
    const struct link_urls_source source = {
        .page = &v->turn.url, .base = v->parsed.base, .charset = v->parsed.charset};
    if (link_urls_begin(u->urls, &source, v->parsed.reference_count) != RC_OK)
        return;
    bool is_made = make(u, &v->parsed, false, !s->archive_only, &made, v->arena);
    size_t wanted = made.reference_count;
    if (is_made && v->judged.unwanted_count)
        is_made = make(u, &v->parsed, true, !s->archive_only, &made, v->arena);
    bool is_cut = link_urls_end(u->urls);
    if (!is_made)
        return;
    v->parsed.is_cut |= is_cut;
    v->parsed.references = made.references;
    v->parsed.reference_count = made.reference_count;
    v->parsed.reference_room = made.reference_room;
    v->parsed.has_urls = true;
    v->parsed.base = STR_NONE;
    v->judged.unwanted_count = made.reference_count - wanted;
}

static void make_urls_handle(struct instance *self, unsigned inlet, struct message *m)
{
    (void)inlet;
    struct visit *v = visit_of(m);
    if (v->parsed.reference_count && !v->parsed.has_urls)
        make_all(self->state, self->settings, v);
    part_emit(self, 0, m);
}

const struct part part_make_urls = {
    .abi = PART_ABI,
    .kind = PART_COMPONENT,
    .name = "make-urls",
    .help = "makes references URLs, for judge-links at another place",
    .inlets = (const struct part_port[]){{"in", VISIT_TYPE, "with references", false}, {0}},
    .outlets = (const struct part_port[]){{"out", VISIT_TYPE, "with URLs", false}, {0}},
    .options = make_urls_options,
    .settings_bytes = sizeof(struct make_urls_settings),
    .open = make_urls_open,
    .close = make_urls_close,
    .handle = make_urls_handle,
};
