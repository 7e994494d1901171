/* SPDX-License-Identifier: Apache-2.0 */
#include "report/index_key.h"

#include "base/mem.h"
#include "url/surt.h"
#include "warc/cdxj.h"

enum rc index_key_init(struct index_key *k)
{
    *k = (struct index_key){.texts = {.max = CDXJ_MAX_LINE},
                            .key = {.max = (size_t)2 * URL_ROOM_BYTES},
                            .room = mem_alloc(URL_ROOM_BYTES)};
    return k->room ? RC_OK : RC_NOMEM;
}

void index_key_done(struct index_key *k)
{
    buf_done(&k->texts);
    buf_done(&k->key);
    mem_free(k->room);
    *k = (struct index_key){0};
}

/* False: the line's own key is all there is. */
static bool make_key(struct index_key *k, struct str line)
{
    struct cdxj_entry e;
    struct url_parser parser = {0};
    struct url u;
    if (cdxj_parse(line, &k->texts, &e) != RC_OK ||
        url_parse(&parser, e.url, NULL, (struct url_room){k->room, URL_ROOM_BYTES}, &u) != RC_OK)
        return false;
    buf_clear(&k->key);
    url_cdx_key(&u, &k->key);
    return buf_rc(&k->key) == RC_OK;
}

void index_key_put(struct index_key *k, struct str line, struct buf *out)
{
    if (make_key(k, line)) {
        buf_add(out, buf_str(&k->key));
        line = str_from(line, str_find(line, ' '));
    }
    buf_add(out, line);
}
