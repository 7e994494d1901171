/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/crawl/crawl_seeds.h"

#include "base/log.h"
#include "base/map.h"
#include "base/mem.h"
#include "ledger/seed.h"
#include "url/idn.h"

enum { SEEDS_MOST = 1 << 20 };

struct gathering {
    struct log *log;
    struct url_idn *idn;
    struct map known;
    struct str *good;
    size_t count, refused;
    char room[URL_ROOM_BYTES];
};

static enum rc gather_one(struct gathering *g, struct str text)
{
    struct url u;
    const char *why = "";
    char room[512];
    struct buf shown = buf_on(room, sizeof room);
    enum rc rc = map_put(&g->known, text, NULL);
    if (rc) /* the same command again has the same seeds */
        return rc == RC_EXISTS ? RC_OK : rc;
    rc = seed_read(text, g->idn, (struct url_room){g->room, sizeof g->room}, &u, &why);
    if (rc == RC_OK)
        g->good[g->count++] = text;
    if (rc != RC_INVALID)
        return rc;
    g->refused++;
    seed_print(text, &shown);
    log_warn(g->log, "seed.refused", LOG_STR("seed", buf_str(&shown)), LOG_C("why", why));
    return RC_OK;
}

static enum rc gather_all(struct gathering *g, const struct invocation *in,
                          const struct option_list *named)
{
    enum rc rc = url_idn_open(&g->idn);
    for (size_t i = 0; i < named->count && rc == RC_OK; i++)
        rc = gather_one(g, named->items[i]);
    for (int i = 0; i < in->word_count && rc == RC_OK; i++)
        rc = gather_one(g, str_c(in->words[i]));
    url_idn_close(g->idn);
    return rc;
}

enum rc crawl_seeds_gather(const struct invocation *in, struct settings *s,
                           enum settings_source *sources, size_t *ret_refused)
{
    const struct option *row = option_find(settings_table, STR("seeds"));
    size_t most = s->seeds.count + (size_t)in->word_count;
    struct gathering *g = mem_zero(1, sizeof *g);
    *ret_refused = 0;
    if (!g)
        return RC_NOMEM;
    map_init(&g->known, SEEDS_MOST);
    g->good = arena_alloc(in->arena, (most ? most : 1) * sizeof *g->good);
    g->log = log_open(LOG_LEVEL_WARN, s->json, clock_real(), log_to_stderr());
    enum rc rc = g->good && g->log ? gather_all(g, in, &s->seeds) : RC_NOMEM;
    if (rc == RC_OK) {
        s->seeds = (struct option_list){g->good, g->count};
        *ret_refused = g->refused;
    }
    if (in->word_count)
        sources[row - settings_table] = FROM_FLAG;
    log_close(g->log);
    map_done(&g->known);
    mem_free(g);
    return rc;
}

static enum rc mask(struct str *text, struct arena *arena)
{
    char room[512];
    struct buf shown = buf_on(room, sizeof room);
    seed_print(*text, &shown);
    struct str copy = arena_dup(arena, buf_str(&shown));
    if (!copy.p)
        return RC_NOMEM;
    *text = copy;
    return RC_OK;
}

/* An @ in the path of a good seed stays. */
static bool has_secret(struct str text, const struct url_idn *idn)
{
    static char room[URL_ROOM_BYTES];
    const char *why = "";
    struct url u;
    return str_find(text, '@') < text.n &&
           seed_read(text, idn, (struct url_room){room, sizeof room}, &u, &why);
}

enum rc crawl_seeds_mask(struct settings *s, struct arena *arena)
{
    struct url_idn *idn = NULL;
    struct str *items = arena_alloc(arena, (s->seeds.count + 1) * sizeof *items);
    enum rc rc = items ? url_idn_open(&idn) : RC_NOMEM;
    for (size_t i = 0; i < s->seeds.count && rc == RC_OK; i++) {
        items[i] = s->seeds.items[i];
        rc = has_secret(items[i], idn) ? mask(&items[i], arena) : RC_OK;
    }
    url_idn_close(idn);
    if (rc)
        return rc;
    s->seeds.items = items;
    return str_find(s->cluster, '@') < s->cluster.n ? mask(&s->cluster, arena) : RC_OK;
}
