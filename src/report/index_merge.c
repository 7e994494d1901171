/* SPDX-License-Identifier: Apache-2.0 */
#include "report/index_merge.h"

#include "archive/line_sort.h"
#include "base/jsonw.h"
#include "report/index_key.h"
#include "report/index_sort.h"

#define ALL "scratch/all.cdxj"
#define SORTED "scratch/sorted.cdxj"
#define PARTS "indexes/parts"
#define NAME "\"filename\":\""
enum {
    FLUSH_BYTES = 256 << 10,
    LINE_MAX = 2 * LINE_SORT_MAX_LINE,
    ROOM_BYTES = FLUSH_BYTES + LINE_MAX
};

struct gathering {
    struct disk *crawl; /* of the part at hand */
    const char *prefix;
    struct disk_file *to;
    struct index_key key;
    struct buf line, room;
    uint64_t bytes;
    bool has_lines; /* of the part at hand: in indexes/parts */
};

static enum rc flush(struct gathering *g)
{
    struct str all = buf_str(&g->room);
    enum rc rc = buf_rc(&g->room);
    if (rc == RC_OK && all.n)
        rc = disk_append(g->to, &all, 1);
    g->bytes += all.n;
    buf_clear(&g->room);
    return rc;
}

/* The prefix of the archive goes before the name of the file. */
static enum rc add_line(void *ctx, struct str text)
{
    struct gathering *g = ctx;
    buf_clear(&g->line);
    index_key_put(&g->key, text, &g->line);
    struct str line = buf_str(&g->line);
    size_t at = *g->prefix ? str_find_str(line, STR(NAME)) : line.n;
    size_t end = at < line.n ? at + sizeof NAME - 1 : line.n;
    if (buf_rc(&g->line) != RC_OK)
        return buf_rc(&g->line);
    if (line.n + strlen(g->prefix) > LINE_SORT_MAX_LINE / 2)
        return RC_OK; /* no line that a crawl has written */
    buf_add(&g->room, str_first(line, end));
    if (at < line.n)
        buf_json_escaped(&g->room, str_c(g->prefix));
    buf_add(&g->room, str_from(line, end));
    buf_byte(&g->room, '\n');
    return g->room.n > FLUSH_BYTES ? flush(g) : RC_OK;
}

static enum rc gather_file(void *ctx, struct str name, bool is_folder)
{
    struct gathering *g = ctx;
    char path[DISK_MAX_PATH_BYTES];
    struct buf b = buf_on(path, sizeof path);
    uint64_t bytes = 0;
    buf_printf(&b, PARTS "/" STR_FMT, STR_ARG(name));
    if (is_folder || !str_ends(name, STR(".cdxj")) || !buf_c(&b))
        return RC_OK;
    enum rc rc = crawl_dir_bytes(g->crawl, path, &bytes);
    g->has_lines = g->has_lines || bytes;
    return rc || !bytes ? rc : crawl_dir_each(g->crawl, path, add_line, g);
}

/* What the crawl wrote, on an archive machine a file for each archive that arrived; or the index
 * that was made of it, where that is all there is. */
static enum rc gather(struct gathering *g, const struct index_merge_part *part)
{
    g->crawl = part->crawl;
    g->prefix = part->prefix;
    g->has_lines = false;
    enum rc rc = disk_list(g->crawl, PARTS, gather_file, g);
    rc = rc == RC_NOT_FOUND ? RC_OK : rc;
    return rc || g->has_lines ? rc : crawl_dir_each(g->crawl, index_sorted_path, add_line, g);
}

enum rc index_gather(const struct index_merge_part *parts, size_t count, struct disk *to,
                     const char *path, uint64_t *ret_bytes)
{
    struct gathering g = {.line = {.max = LINE_MAX}, .room = {.max = ROOM_BYTES}};
    enum rc rc = index_key_init(&g.key);
    rc = rc ? rc : disk_open(to, path, DISK_CREATE, &g.to);
    for (size_t i = 0; i < count && rc == RC_OK; i++)
        rc = gather(&g, &parts[i]);
    rc = rc ? rc : flush(&g);
    disk_file_close(g.to);
    index_key_done(&g.key);
    buf_done(&g.line);
    buf_done(&g.room);
    *ret_bytes = g.bytes;
    return rc;
}

enum rc index_merge_into(const struct index_merge_part *parts, size_t count, struct disk *to,
                         const char *result, uint64_t *ret_lines)
{
    struct line_sort_input input = {.path = ALL};
    enum rc rc = index_gather(parts, count, to, ALL, &input.bytes);
    rc = rc ? rc
            : line_sort_loose(to, &input, input.bytes ? 1 : 0, result, CRAWL_DIR_SORT_BYTES,
                              ret_lines);
    return rc ? rc : disk_unlink(to, ALL);
}

enum rc index_merge(const struct index_merge_part *parts, size_t count, crawl_dir_line *each,
                    void *ctx, uint64_t *ret_lines)
{
    struct crawl_scratch scratch = {0};
    if (!count)
        return RC_INVALID;
    enum rc rc = crawl_scratch_open(parts[0].crawl, &scratch);
    if (rc)
        return rc;
    rc = index_merge_into(parts, count, scratch.disk, SORTED, ret_lines);
    rc = rc ? rc : crawl_dir_each(scratch.disk, SORTED, each, ctx);
    crawl_scratch_close(&scratch);
    return rc;
}
