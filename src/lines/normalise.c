/* SPDX-License-Identifier: Apache-2.0 */
/* normalise: lines that are URLs, brought into the crawler's one form (docs/url.md). Those that are
 * none, or are not of the web, go to `rest`, counted as errors. */
#include "lines/line.h"

#include "base/mem.h"
#include "flow/part.h"
#include "url/idn.h"
#include "url/normalise.h"

enum { OUT, REST };

struct normalise_settings {
    struct str rules, base;
};

struct normalise {
    struct url_idn *idn;
    struct url_parser parser;
    uint32_t rules;
    bool has_base;
    struct url base;
    char base_room[URL_ROOM_BYTES], room[URL_ROOM_BYTES];
};

static const struct option normalise_options[] = {
    OPTION_TEXT_ROW(struct normalise_settings, rules, "rules", "default",
                    "which rules, as default,-tracking,sort-query"),
    OPTION_TEXT_ROW(struct normalise_settings, base, "base", NULL, "what relative URLs refer to"),
    {0},
};

static enum rc read_settings(struct normalise *n, const struct normalise_settings *s,
                             struct buf *why)
{
    struct str bad;
    if (url_rules_parse(s->rules, &n->rules, &bad) != RC_OK) {
        buf_printf(why, "rules: \"" STR_FMT "\" is no rule that can be switched", STR_ARG(bad));
        return RC_INVALID;
    }
    if (!s->base.p)
        return RC_OK;
    n->has_base = true;
    struct url_room room = {n->base_room, sizeof n->base_room};
    enum rc rc = url_parse(&n->parser, s->base, NULL, room, &n->base);
    if (rc)
        buf_printf(why, "base: %s", url_reason_text(n->parser.reason));
    return rc;
}

static enum rc normalise_open(struct instance *self, struct buf *why)
{
    struct normalise *n = mem_zero(1, sizeof *n);
    enum rc rc = n ? url_idn_open(&n->idn) : RC_NOMEM;
    if (rc == RC_OK) {
        n->parser.idn = n->idn;
        rc = read_settings(n, self->settings, why);
    }
    if (rc) {
        if (n)
            url_idn_close(n->idn);
        mem_free(n);
        return rc;
    }
    self->state = n;
    return RC_OK;
}

static void normalise_close(struct instance *self)
{
    struct normalise *n = self->state;
    url_idn_close(n->idn);
    mem_free(n);
}

static void normalise_handle(struct instance *self, unsigned inlet, struct message *m)
{
    (void)inlet;
    struct normalise *n = self->state;
    struct url url;
    struct url_room room = {n->room, sizeof n->room};
    enum rc rc = url_parse(&n->parser, line_of(m)->text, n->has_base ? &n->base : NULL, room, &url);
    if (rc == RC_OK && !url_is_http(&url))
        rc = RC_UNSUPPORTED;
    if (rc == RC_OK) {
        url_normalise(&url, n->rules);
        rc = line_replace(line_of(m), url_href(&url));
    }
    if (rc)
        part_count_error(self);
    part_emit(self, rc ? REST : OUT, m);
}

const struct part part_normalise = {
    .abi = PART_ABI,
    .kind = PART_COMPONENT,
    .name = "normalise",
    .help = "brings URLs, one on each line, into the form the crawler knows them by",
    .inlets = (const struct part_port[]){{"in", LINE_TYPE, "URLs", false}, {0}},
    .outlets = (const struct part_port[]){{"out", LINE_TYPE, "http and https URLs", false},
                                          {"rest", LINE_TYPE, "lines that are none", true},
                                          {0}},
    .options = normalise_options,
    .settings_bytes = sizeof(struct normalise_settings),
    .open = normalise_open,
    .close = normalise_close,
    .handle = normalise_handle,
};
