/* SPDX-License-Identifier: Apache-2.0 */
#include "outputs/crawl_dir.h"

#include "archive/line_file.h"
#include "archive/line_sort.h"
#include "archive/line_source.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { STEP_BYTES = 256 << 10 };

static const char scratch[] = "scratch", scratch_lock[] = "scratch/LOCK";

/* Opening ------------------------------------------------------------------------------------- */

/* Any of them makes it a crawl: a copy may have left the others behind. state/ comes last, for
 * only its owner may look into it. */
static enum rc is_crawl(struct disk *d, bool *ret)
{
    static const char *const files[] = {"logs/crawl.log", "indexes/parts/index.cdxj",
                                        "pages/pages.jsonl", "state/seeds"};
    *ret = false;
    for (size_t i = 0; i < sizeof files / sizeof *files && !*ret; i++) {
        struct disk_file *f = NULL;
        enum rc rc = disk_open(d, files[i], DISK_READ, &f);
        disk_file_close(f);
        if (rc != RC_OK && rc != RC_NOT_FOUND && rc != RC_INVALID)
            return rc;
        *ret = rc == RC_OK;
    }
    return RC_OK;
}

enum rc crawl_dir_open(const char *path, struct disk **ret, struct buf *why)
{
    struct stat s;
    struct disk *d;
    bool is = false;
    bool is_there = stat(path, &s) == 0;
    if (!is_there || !S_ISDIR(s.st_mode)) {
        buf_printf(why, "%s: %s", path,
                   is_there          ? "not a folder"
                   : errno == ENOENT ? "no such folder"
                                     : strerror(errno));
        return RC_NOT_FOUND;
    }
    enum rc rc = disk_real_open(path, &d);
    if (rc) {
        buf_printf(why, "%s: %s", path, rc_text(rc));
        return rc;
    }
    rc = is_crawl(d, &is);
    if (rc == RC_OK && is) {
        *ret = d;
        return RC_OK;
    }
    disk_close(d);
    if (rc == RC_OK)
        buf_printf(why, "%s: not a crawl's directory (no state/seeds, no logs/crawl.log)", path);
    else
        buf_printf(why, "%s: %s", path, rc_text(rc));
    return rc ? rc : RC_INVALID;
}

/* Lines --------------------------------------------------------------------------------------- */

enum rc crawl_dir_bytes(struct disk *d, const char *path, uint64_t *ret)
{
    return line_file_whole(d, path, ret);
}

enum rc crawl_dir_each(struct disk *d, const char *path, crawl_dir_line *each, void *ctx)
{
    struct line_source s;
    uint64_t bytes;
    enum rc rc = crawl_dir_bytes(d, path, &bytes);
    if (rc || bytes == 0)
        return rc;
    rc = line_source_open(&s, d, path, bytes, STEP_BYTES, LINE_FILE_MAX_LINE);
    rc = rc ? rc : line_source_next(&s);
    while (rc == RC_OK && s.line.p) {
        rc = each(ctx, str_first(s.line, s.line.n - 1));
        rc = rc ? rc : line_source_next(&s);
    }
    line_source_done(&s);
    return rc;
}

enum rc crawl_set_each(struct crawl_set s, const char *path, crawl_dir_line *each, void *ctx)
{
    enum rc rc = RC_OK;
    for (size_t i = 0; i < s.count && rc == RC_OK; i++)
        rc = crawl_dir_each(s.list[i], path, each, ctx);
    return rc;
}

enum rc crawl_dir_folder(struct disk *d, const char *path)
{
    enum rc rc = disk_mkdir(d, path);
    return rc == RC_EXISTS ? RC_OK : rc;
}

/* Scratch ------------------------------------------------------------------------------------- */

static enum rc remove_entry(void *ctx, struct str name, bool is_folder)
{
    struct disk *d = ctx;
    char path[DISK_MAX_PATH_BYTES];
    struct buf b = buf_on(path, sizeof path);
    buf_printf(&b, "%s/" STR_FMT, scratch, STR_ARG(name));
    const char *c = buf_c(&b);
    return is_folder || !c || str_eq(name, STR("LOCK")) ? RC_OK : disk_unlink(d, c);
}

static enum rc open_in(struct disk *d, struct crawl_scratch *s)
{
    s->disk = d;
    enum rc rc = disk_mkdir_private(d, scratch);
    rc = rc ? rc : disk_lock(d, scratch_lock, &s->lock);
    return rc ? rc : disk_list(d, scratch, remove_entry, d);
}

/* A folder that no other process has. */
static enum rc open_elsewhere(struct crawl_scratch *s)
{
    const char *folder = getenv("TMPDIR");
    struct buf path = buf_on(s->folder, sizeof s->folder);
    buf_printf(&path, "%s/orbweaver-XXXXXX", folder && *folder ? folder : "/tmp");
    if (!buf_c(&path) || !mkdtemp(s->folder)) {
        s->folder[0] = '\0';
        return path.rc ? path.rc : rc_of_errno(errno);
    }
    enum rc rc = disk_real_open(s->folder, &s->own);
    return rc ? rc : open_in(s->own, s);
}

enum rc crawl_scratch_open(struct disk *d, struct crawl_scratch *ret)
{
    *ret = (struct crawl_scratch){0};
    enum rc rc = open_in(d, ret);
    if (rc_is_unwritable(rc) && !ret->lock)
        rc = open_elsewhere(ret);
    if (rc)
        crawl_scratch_close(ret);
    return rc;
}

static void remove_own(struct crawl_scratch *s)
{
    char path[CRAWL_SCRATCH_PATH_BYTES + sizeof scratch_lock];
    (void)snprintf(path, sizeof path, "%s/%s", s->folder, scratch_lock);
    (void)unlink(path);
    (void)snprintf(path, sizeof path, "%s/%s", s->folder, scratch);
    (void)rmdir(path);
    (void)rmdir(s->folder);
    s->folder[0] = '\0';
}

void crawl_scratch_close(struct crawl_scratch *s)
{
    if (s->lock) {
        /* The next process that opens the folder removes what is left. */
        enum rc ignored = disk_list(s->disk, scratch, remove_entry, s->disk);
        (void)ignored;
        disk_unlock(s->lock);
    }
    disk_close(s->own);
    if (s->folder[0])
        remove_own(s);
    s->lock = NULL;
    s->own = s->disk = NULL;
}

enum rc crawl_scratch_sort(struct disk *d, const char *from, const char *to)
{
    struct line_sort_input input = {.path = from};
    enum rc rc = crawl_dir_bytes(d, from, &input.bytes);
    rc = rc ? rc : line_sort_loose(d, &input, 1, to, CRAWL_DIR_SORT_BYTES, NULL);
    return rc ? rc : disk_unlink(d, from);
}
