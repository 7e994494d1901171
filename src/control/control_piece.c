/* SPDX-License-Identifier: Apache-2.0 */
#include "control/control_piece.h"

#include "control/control_server.h"

#include "base/base64.h"
#include "base/hash.h"
#include "base/jsonw.h"
#include "base/mem.h"
#include "cluster/wire/elsewhere.h"
#include "cluster/wire/names.h"
#include "outputs/crawl_dir.h"

#include <stdio.h>

enum { ASK_MS = 8000 };

const char *const piece_paths[PIECE_FILES] = {
    [PIECE_AGENT] = ELSEWHERE_AGENT_PATH,
    [PIECE_SEEDS] = "state/seeds",
    [PIECE_ARCS] = "links/links.arcs",
    [PIECE_NODES] = "links/links.nodes",
    [PIECE_LOG] = "logs/crawl.log",
    [PIECE_ELSEWHERE] = ELSEWHERE_PATH,
    [PIECE_INDEX] = "indexes/parts/index.cdxj",
    [PIECE_PAGES] = "pages/pages.jsonl",
    [PIECE_EXTRA_PAGES] = "pages/extraPages.jsonl",
};

static const char *path_of(struct str file)
{
    for (size_t i = 0; i < PIECE_FILES; i++)
        if (str_eq(str_c(piece_paths[i]), file))
            return piece_paths[i];
    return NULL;
}

static enum rc read_piece(struct disk *d, const char *path, uint64_t from, uint64_t size,
                          struct buf *ret)
{
    struct disk_file *f = NULL;
    uint64_t want = from < size ? size - from : 0;
    size_t got = 0;
    want = want < PIECE_BYTES ? want : PIECE_BYTES;
    if (!want)
        return RC_OK;
    char *to = buf_reserve(ret, (size_t)want);
    enum rc rc = to ? disk_open(d, path, DISK_READ, &f) : RC_NOMEM;
    rc = rc ? rc : disk_read(f, from, to, (size_t)want, &got);
    disk_file_close(f);
    ret->n += got;
    return rc;
}

static void say_piece(const char *path, uint64_t from, uint64_t size, const struct buf *piece,
                      struct buf *out)
{
    char check[20];
    struct buf text = {.max = 2 * PIECE_BYTES};
    struct jsonw j = jsonw_to(out);
    (void)snprintf(check, sizeof check, "%016llx", (unsigned long long)hash64(buf_str(piece)));
    buf_base64(&text, buf_str(piece));
    jsonw_object(&j);
    jsonw_bool_field(&j, "ok", true);
    jsonw_text_field(&j, "file", str_c(path));
    jsonw_u64_field(&j, "from", from);
    jsonw_u64_field(&j, "size", size);
    jsonw_text_field(&j, "check", str_c(check));
    jsonw_text_field(&j, "data", buf_str(&text));
    jsonw_end(&j);
    if (buf_rc(&text) && !out->rc)
        out->rc = buf_rc(&text);
    buf_done(&text);
}

enum rc control_piece(const struct control_setup *s, struct str file, uint64_t from,
                      struct buf *out, struct buf *why)
{
    const char *path = path_of(file);
    struct disk *d = NULL;
    struct buf piece = {.max = PIECE_BYTES};
    uint64_t size = 0;
    if (!path) {
        buf_add(why, STR("this file cannot be read over the control socket"));
        return RC_NOT_FOUND;
    }
    enum rc rc = disk_real_open(s->dir, &d);
    rc = rc ? rc : crawl_dir_bytes(d, path, &size);
    rc = rc ? rc : read_piece(d, path, from, size, &piece);
    if (rc == RC_OK)
        say_piece(path, from, size, &piece, out);
    disk_close(d);
    buf_done(&piece);
    return rc ? rc : buf_rc(out);
}

enum rc control_piece_of(const struct control_setup *s, struct str agent, struct str file,
                         uint64_t from, struct buf *out, struct buf *why)
{
    struct peer_ask ask = {.rc = RC_AGAIN};
    struct buf question = {.max = PEER_QUESTION_BYTES};
    struct jsonw j = jsonw_to(&question);
    if (!control_is_clustered(s) || !cluster_name_ok(agent) || agent.n > PEER_NAME_BYTES) {
        buf_add(why, STR("this agent cannot ask an agent of that name"));
        return RC_INVALID;
    }
    memcpy(ask.to, agent.p, agent.n);
    jsonw_object(&j);
    jsonw_text_field(&j, "do", STR("piece"));
    jsonw_text_field(&j, "file", file);
    jsonw_u64_field(&j, "from", from);
    jsonw_end(&j);
    if (buf_rc(&question) == RC_OK)
        peer_requests_ask(s->cluster->peers, buf_str(&question), &ask, 1, ASK_MS);
    if (ask.rc)
        buf_printf(why, "agent %s does not answer", ask.to);
    else
        buf_add(out, str_trim(buf_str(&ask.answer)));
    buf_done(&ask.answer);
    buf_done(&question);
    return ask.rc;
}
