/* SPDX-License-Identifier: Apache-2.0 */
#include "report/index_merge.h"

#include "archive/line_sort.h"
#include "base/jsonw.h"
#include "report/index_sort.h"

#define ALL "scratch/all.cdxj"
#define SORTED "scratch/sorted.cdxj"
#define NAME "\"filename\":\""
enum { FLUSH_BYTES = 256 << 10, ROOM_BYTES = FLUSH_BYTES + 2 * LINE_SORT_MAX_LINE };

struct gathering {
    struct disk_file *to;
    struct buf room;
    const char *place;
    uint64_t bytes;
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

/* The place of the archive goes before the name of the file. */
static enum rc add_line(void *ctx, struct str line)
{
    struct gathering *g = ctx;
    size_t at = str_find_str(line, STR(NAME));
    size_t end = at < line.n ? at + sizeof NAME - 1 : line.n;
    if (line.n + strlen(g->place) > LINE_SORT_MAX_LINE / 2)
        return RC_OK; /* no line that a crawl has written */
    buf_add(&g->room, str_first(line, end));
    if (at < line.n)
        buf_json_escaped(&g->room, str_c(g->place));
    buf_add(&g->room, str_from(line, end));
    buf_byte(&g->room, '\n');
    return g->room.n > FLUSH_BYTES ? flush(g) : RC_OK;
}

/* What the crawl wrote; or the index that was made of it, where that is all there is. */
static enum rc gather(struct gathering *g, struct disk *crawl)
{
    static const char parts[] = "indexes/parts/index.cdxj";
    uint64_t bytes = 0;
    enum rc rc = crawl_dir_bytes(crawl, parts, &bytes);
    return rc ? rc : crawl_dir_each(crawl, bytes ? parts : index_sorted_path, add_line, g);
}

static enum rc gather_all(struct disk *to, const struct index_merge_part *parts, size_t count,
                          uint64_t *ret_bytes)
{
    struct gathering g = {0};
    enum rc rc = disk_open(to, ALL, DISK_CREATE, &g.to);
    buf_init(&g.room, ROOM_BYTES);
    for (size_t i = 0; i < count && rc == RC_OK; i++) {
        g.place = parts[i].place;
        rc = gather(&g, parts[i].crawl);
    }
    rc = rc ? rc : flush(&g);
    disk_file_close(g.to);
    buf_done(&g.room);
    *ret_bytes = g.bytes;
    return rc;
}

enum rc index_merge_into(const struct index_merge_part *parts, size_t count, const char *result,
                         uint64_t *ret_lines)
{
    struct line_sort_input input = {.path = ALL};
    struct disk *to = parts[0].crawl;
    enum rc rc = gather_all(to, parts, count, &input.bytes);
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
    rc = index_merge_into(parts, count, SORTED, ret_lines);
    rc = rc ? rc : crawl_dir_each(scratch.disk, SORTED, each, ctx);
    crawl_scratch_close(&scratch);
    return rc;
}
