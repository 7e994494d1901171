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

/* The URL of a line as a crawl writes it: the first field, printable, and without escapes. Absent:
 * the line has to be read as JSON. */
static struct str url_in_front(struct str line)
{
    (void)str_take_until(&line, ' '); /* the key */
    (void)str_take_until(&line, ' '); /* the time */
    if (!str_starts(line, STR("{\"url\":\"")) || !str_ends(line, STR("\"}")))
        return STR_NONE;
    struct str url = str_from(line, sizeof "{\"url\":\"" - 1);
    url.n = str_find(url, '"');
    for (size_t i = 0; i < url.n; i++)
        if (url.p[i] <= ' ' || url.p[i] > '~' || url.p[i] == '\\')
            return STR_NONE;
    return url;
}

/* False: the line's own key is all there is. */
static bool make_key(struct index_key *k, struct str line)
{
    struct cdxj_entry e = {.url = url_in_front(line)};
    struct url_parser parser = {0};
    struct url u;
    if ((!e.url.p && cdxj_parse(line, &k->texts, &e) != RC_OK) ||
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
