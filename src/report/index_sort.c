/* SPDX-License-Identifier: Apache-2.0 */
#include "report/index_sort.h"

#include "archive/line_sort.h"
#include "base/arena.h"
#include "base/mem.h"
#include "report/crawl_dir.h"

#define PARTS "indexes/parts"

enum { PATHS_BYTES = 512 << 20 }; /* of DISK_MAX_ENTRIES names; nobody has so many */

const char index_sorted_path[] = "indexes/index.cdxj";

struct parts {
    struct disk *disk;
    struct arena *paths;
    struct line_sort_input *list;
    size_t count, room;
};

static enum rc add_part(struct parts *p, struct line_sort_input input)
{
    if (p->count == p->room) {
        size_t room = p->room ? p->room * 2 : 16;
        struct line_sort_input *larger = mem_resize(p->list, room * sizeof *larger);
        if (!larger)
            return RC_NOMEM;
        p->list = larger;
        p->room = room;
    }
    p->list[p->count++] = input;
    return RC_OK;
}

static enum rc see(void *ctx, struct str name, bool is_folder)
{
    struct parts *p = ctx;
    struct line_sort_input input = {0};
    if (is_folder || !str_ends(name, STR(".cdxj")))
        return RC_OK;
    input.path = arena_printf(p->paths, PARTS "/" STR_FMT, STR_ARG(name)).p;
    enum rc rc = input.path ? crawl_dir_bytes(p->disk, input.path, &input.bytes) : RC_NOMEM;
    return rc || !input.bytes ? rc : add_part(p, input);
}

enum rc index_sort(struct disk *crawl, uint64_t *ret_lines)
{
    struct parts parts = {.disk = crawl, .paths = arena_open(4096, PATHS_BYTES)};
    struct crawl_scratch scratch = {0};
    if (!parts.paths)
        return RC_NOMEM;
    enum rc rc = crawl_scratch_open(crawl, &scratch); /* nobody else sorts the same */
    rc = rc ? rc : crawl_dir_folder(crawl, "indexes");
    rc = rc ? rc : disk_list(crawl, PARTS, see, &parts);
    rc = rc == RC_NOT_FOUND ? RC_OK : rc;
    rc = rc ? rc
            : line_sort(crawl, parts.list, parts.count, index_sorted_path, CRAWL_DIR_SORT_BYTES,
                        ret_lines);
    crawl_scratch_close(&scratch);
    mem_free(parts.list);
    arena_close(parts.paths);
    return rc;
}
