/* SPDX-License-Identifier: Apache-2.0 */
#include "report/wacz.h"

#include "archive/line_source.h"
#include "base/arena.h"
#include "base/digest.h"
#include "base/jsonw.h"
#include "base/mem.h"
#include "outputs/crawl_dir.h"
#include "outputs/kept_seed.h"
#include "outputs/page_line.h"
#include "report/index_blocks.h"
#include "report/index_merge.h"
#include "report/zip_out.h"
#include "warc/cdxj.h"
#include "warc/date.h"

enum { MAX_OPEN_FILES = 4096, STEP_BYTES = 1 << 20, PACKAGE_MAX = 256 << 20 };

/* An archive that is being written, or was when the crawl ended. */
struct open_file {
    struct str name; /* as the index has it: with its label, without ".open" */
    uint64_t end;    /* behind the last capture in the index */
};

struct wacz {
    struct disk *crawl; /* of the part at hand */
    const struct wacz_part *part;
    struct wacz_part scratch; /* where its folder "scratch" is */
    const struct wacz_options *o;
    struct zip_out *zip;
    struct arena *arena;
    struct buf *why;
    struct wacz_counts *counts;
    struct open_file *open;
    size_t open_count;
    struct str main_page;
    char *step;
    struct buf room; /* of an index line */
    struct buf package;
    struct jsonw json; /* into package */
};

/* Resources ----------------------------------------------------------------------------------- */

static enum rc digest_file(struct wacz *w, struct disk *in, const char *path, uint64_t bytes,
                           struct digest *ret)
{
    struct disk_file *f = NULL;
    struct digester *d = digester_open(DIGEST_SHA256);
    enum rc rc = d ? disk_open(in, path, DISK_READ, &f) : RC_NOMEM;
    for (uint64_t at = 0; at < bytes && rc == RC_OK;) {
        size_t got = 0, want = bytes - at < STEP_BYTES ? (size_t)(bytes - at) : STEP_BYTES;
        rc = disk_read(f, at, w->step, want, &got);
        digester_add(d, str_make(w->step, got));
        at += got;
        if (rc == RC_OK && got == 0)
            rc = RC_CORRUPT;
    }
    if (rc == RC_OK)
        rc = digester_finish(d, ret);
    disk_file_close(f);
    digester_close(d);
    return rc;
}

static void list_resource(struct wacz *w, const char *name, uint64_t bytes, const struct digest *d)
{
    char hex[80];
    struct buf hash = buf_on(hex, sizeof hex);
    buf_add(&hash, STR("sha256:"));
    buf_hex(&hash, d->bytes, DIGEST_SHA256_BYTES);
    jsonw_object(&w->json);
    jsonw_text_field(&w->json, "name", str_c(disk_path_name(name)));
    jsonw_text_field(&w->json, "path", str_c(name));
    jsonw_text_field(&w->json, "hash", buf_str(&hash));
    jsonw_u64_field(&w->json, "bytes", bytes);
    jsonw_end(&w->json);
    w->counts->bytes += bytes;
}

/* The first `bytes` of the file `path` in that directory, as `name`. */
static enum rc add_file(struct wacz *w, const char *name, const struct wacz_part *in,
                        const char *path, uint64_t bytes, enum zip_out_how how)
{
    struct digest d;
    struct str full = arena_printf(w->arena, "%s/%s", in->root, path);
    enum rc rc = full.p ? digest_file(w, in->crawl, path, bytes, &d) : RC_NOMEM;
    rc = rc ? rc : zip_out_file(w->zip, name, full.p, bytes, how, w->why);
    if (rc == RC_OK)
        list_resource(w, name, bytes, &d);
    return rc;
}

static enum rc add_bytes(struct wacz *w, const char *name, struct str bytes)
{
    struct digest d;
    enum rc rc = digest_of(DIGEST_SHA256, bytes, &d);
    rc = rc ? rc : zip_out_bytes(w->zip, name, bytes, w->why);
    if (rc == RC_OK)
        list_resource(w, name, bytes.n, &d);
    return rc;
}

/* Archives ------------------------------------------------------------------------------------ */

static const struct str open_ending = STR(".warc.gz.open"), ending = STR(".warc.gz");

/* Several directories may have files of one name. */
static struct str entry_name(struct wacz *w, struct str name)
{
    return arena_printf(w->arena, "%s" STR_FMT, w->part->label, STR_ARG(name));
}

static enum rc note_open(void *ctx, struct str name, bool is_folder)
{
    struct wacz *w = ctx;
    if (is_folder || !str_ends(name, open_ending))
        return RC_OK;
    if (w->open_count == MAX_OPEN_FILES)
        return RC_LIMIT;
    struct str copy = entry_name(w, str_first(name, name.n - STR(".open").n));
    w->open[w->open_count++] = (struct open_file){.name = copy};
    return copy.p ? RC_OK : RC_NOMEM;
}

static struct open_file *find_open(struct wacz *w, struct str name)
{
    for (size_t i = 0; i < w->open_count; i++)
        if (str_eq(w->open[i].name, name))
            return &w->open[i];
    return NULL;
}

/* Every line of the index: how far it goes in files that are open. */
static enum rc note_capture(void *ctx, struct str line)
{
    struct wacz *w = ctx;
    struct cdxj_entry e;
    w->counts->captures++;
    if (w->open_count == 0 || cdxj_parse(line, &w->room, &e) != RC_OK)
        return RC_OK;
    struct open_file *f = find_open(w, e.filename);
    if (f && e.offset <= UINT64_MAX - e.length && e.offset + e.length > f->end)
        f->end = e.offset + e.length;
    return RC_OK;
}

/* A file that got its last name since the index was read is whole and goes in whole; one that was
 * begun since has nothing that the index knows, and stays out. */
static enum rc add_archive(void *ctx, struct str name, bool is_folder)
{
    struct wacz *w = ctx;
    bool is_open = str_ends(name, open_ending);
    if (is_folder || (!is_open && !str_ends(name, ending)))
        return RC_OK;
    struct str last = entry_name(w, is_open ? str_first(name, name.n - STR(".open").n) : name);
    struct str path = arena_printf(w->arena, "archive/" STR_FMT, STR_ARG(name));
    struct str entry = arena_printf(w->arena, "archive/" STR_FMT, STR_ARG(last));
    const struct open_file *f = find_open(w, last);
    uint64_t bytes = 0;
    if (!path.p || !last.p || !entry.p)
        return RC_NOMEM;
    enum rc rc = disk_size_of(w->crawl, path.p, &bytes);
    if (is_open && bytes > (f ? f->end : 0))
        bytes = f ? f->end : 0;
    if (rc || bytes == 0)
        return rc;
    w->counts->archives++;
    return add_file(w, entry.p, w->part, path.p, bytes,
                    is_open ? ZIP_OUT_STORED_MOVING : ZIP_OUT_STORED);
}

/* The rest ------------------------------------------------------------------------------------ */

static void begin_part(struct wacz *w, size_t i)
{
    w->part = &w->o->parts[i];
    w->crawl = w->part->crawl;
}

/* The lines of several directories one behind the other; a first line that says what the file is
 * stands once. */
struct joining {
    struct line_sink sink;
    struct buf line;
    bool has_first;
};

static enum rc join_line(void *ctx, struct str line)
{
    struct joining *j = ctx;
    bool is_first = str_starts(line, STR("{\"format\":"));
    if (is_first && j->has_first)
        return RC_OK;
    j->has_first = j->has_first || is_first;
    buf_clear(&j->line);
    buf_add(&j->line, line);
    buf_byte(&j->line, '\n');
    enum rc rc = buf_rc(&j->line);
    return rc ? rc : line_sink_add(&j->sink, buf_str(&j->line));
}

/* Where lines of all parts stand. */
struct joined {
    const struct wacz_part *in;
    const char *path;
    uint64_t bytes;
};

static enum rc join_all(struct wacz *w, const char *path, const char *to)
{
    struct joining j = {.line = {.max = CDXJ_MAX_LINE}};
    enum rc rc = line_sink_open(&j.sink, w->scratch.crawl, to, STEP_BYTES);
    for (size_t i = 0; i < w->o->part_count && rc == RC_OK; i++)
        rc = crawl_dir_each(w->o->parts[i].crawl, path, join_line, &j);
    rc = rc ? rc : line_sink_end(&j.sink, false);
    line_sink_done(&j.sink);
    buf_done(&j.line);
    return rc;
}

/* The lines of `path` of all parts: that file itself, or one in scratch. */
static enum rc join_lines(struct wacz *w, const char *path, struct joined *ret)
{
    enum rc rc = RC_OK;
    *ret = (struct joined){w->part, path, 0};
    if (w->o->part_count > 1) {
        ret->in = &w->scratch;
        ret->path = arena_printf(w->arena, "scratch/%s", disk_path_name(path)).p;
        rc = ret->path ? join_all(w, path, ret->path) : RC_NOMEM;
    }
    return rc ? rc : crawl_dir_bytes(ret->in->crawl, ret->path, &ret->bytes);
}

static enum rc add_lines(struct wacz *w, const char *path)
{
    struct joined from;
    enum rc rc = join_lines(w, path, &from);
    return rc || !from.bytes ? rc
                             : add_file(w, path, from.in, from.path, from.bytes, ZIP_OUT_PACKED);
}

/* The list of pages has to be there. */
static enum rc add_pages(struct wacz *w)
{
    static const char path[] = "pages/pages.jsonl";
    struct joined from;
    enum rc rc = join_lines(w, path, &from);
    if (rc == RC_OK && from.bytes == 0) {
        struct buf first = {.max = 4096};
        page_line_print_first(&first, "pages", STR("All Pages"));
        rc = buf_rc(&first);
        rc = rc ? rc : add_bytes(w, path, buf_str(&first));
        buf_done(&first);
    } else {
        rc = rc ? rc : add_file(w, path, from.in, from.path, from.bytes, ZIP_OUT_PACKED);
    }
    return rc ? rc : add_lines(w, "pages/extraPages.jsonl");
}

static enum rc note_seed(void *ctx, struct str line)
{
    struct wacz *w = ctx;
    w->main_page = arena_dup(w->arena, kept_seed_parse(line).url);
    return w->main_page.p ? RC_CLOSED : RC_NOMEM; /* the first is enough */
}

static enum rc begin_package(struct wacz *w)
{
    char text[40];
    struct buf date = buf_on(text, sizeof text);
    enum rc rc = crawl_dir_each(w->crawl, "state/seeds", note_seed, w);
    if (rc != RC_OK && rc != RC_CLOSED)
        return rc;
    warc_date_print(&date, w->o->now_ms);
    w->json = jsonw_to(&w->package);
    jsonw_object(&w->json);
    jsonw_text_field(&w->json, "profile", STR("data-package"));
    jsonw_text_field(&w->json, "wacz_version", STR("1.1.1"));
    jsonw_text_field(&w->json, "software", w->o->software);
    jsonw_text_field(&w->json, "created", buf_str(&date));
    if (w->o->title.p)
        jsonw_text_field(&w->json, "title", w->o->title);
    if (w->main_page.n)
        jsonw_text_field(&w->json, "mainPageUrl", w->main_page);
    jsonw_key(&w->json, "resources");
    jsonw_array(&w->json);
    return buf_rc(&date);
}

static enum rc end_package(struct wacz *w)
{
    struct digest d;
    struct buf text = {.max = 4096};
    jsonw_end(&w->json);
    jsonw_end(&w->json);
    buf_byte(&w->package, '\n');
    enum rc rc = buf_rc(&w->package);
    rc = rc ? rc : digest_of(DIGEST_SHA256, buf_str(&w->package), &d);
    rc = rc ? rc : zip_out_bytes(w->zip, "datapackage.json", buf_str(&w->package), w->why);
    if (rc)
        return rc;
    buf_add(&text, STR("{\"path\":\"datapackage.json\",\"hash\":\"sha256:"));
    buf_hex(&text, d.bytes, DIGEST_SHA256_BYTES);
    buf_add(&text, STR("\"}\n"));
    rc = zip_out_bytes(w->zip, "datapackage-digest.json", buf_str(&text), w->why);
    buf_done(&text);
    return rc;
}

static enum rc list_archives(struct wacz *w, disk_each_entry *each)
{
    enum rc rc = RC_OK;
    for (size_t i = 0; i < w->o->part_count && rc == RC_OK; i++) {
        begin_part(w, i);
        rc = disk_list(w->crawl, "archive", each, w);
        rc = rc == RC_NOT_FOUND ? RC_OK : rc;
    }
    begin_part(w, 0);
    return rc;
}

/* One index of all, in scratch. */
static enum rc merge_indexes(struct wacz *w, const char *result)
{
    struct index_merge_part *parts = arena_zero(w->arena, w->o->part_count * sizeof *parts);
    uint64_t lines;
    for (size_t i = 0; parts && i < w->o->part_count; i++)
        parts[i] = (struct index_merge_part){w->o->parts[i].crawl, w->o->parts[i].label};
    return parts ? index_merge_into(parts, w->o->part_count, w->scratch.crawl, result, &lines)
                 : RC_NOMEM;
}

static enum rc add_scratch(struct wacz *w, const char *name, const char *path, enum zip_out_how how)
{
    uint64_t bytes = 0;
    enum rc rc = disk_size_of(w->scratch.crawl, path, &bytes);
    return rc ? rc : add_file(w, name, &w->scratch, path, bytes, how);
}

static enum rc fill_package(struct wacz *w)
{
    static const char blocks[] = "scratch/index.cdx.gz", heads[] = "scratch/index.idx";
    static const char index[] = "scratch/index.cdxj";
    enum rc rc = begin_package(w);
    rc = rc ? rc : list_archives(w, note_open);
    rc = rc ? rc : merge_indexes(w, index);
    rc = rc ? rc : index_blocks_make(w->scratch.crawl, index, blocks, heads, note_capture, w);
    rc = rc ? rc : add_pages(w);
    rc = rc ? rc : add_scratch(w, "indexes/index.cdx.gz", blocks, ZIP_OUT_STORED);
    rc = rc ? rc : add_scratch(w, "indexes/index.idx", heads, ZIP_OUT_PACKED);
    rc = rc ? rc : list_archives(w, add_archive);
    rc = rc ? rc : add_lines(w, "logs/crawl.log");
    rc = rc ? rc : end_package(w);
    return rc ? rc : zip_out_finish(w->zip, w->why);
}

static enum rc wacz_open(struct wacz *w)
{
    w->arena = arena_open(64 << 10, 256 << 20);
    w->step = mem_alloc(STEP_BYTES);
    w->open = mem_zero(MAX_OPEN_FILES, sizeof *w->open);
    buf_init(&w->room, CDXJ_MAX_LINE);
    buf_init(&w->package, PACKAGE_MAX);
    if (!w->arena || !w->step || !w->open)
        return RC_NOMEM;
    return zip_out_open(w->o->result, &w->zip, w->why);
}

static void wacz_close(struct wacz *w)
{
    zip_out_close(w->zip);
    arena_close(w->arena);
    mem_free(w->step);
    mem_free(w->open);
    buf_done(&w->room);
    buf_done(&w->package);
}

enum rc wacz_export(const struct wacz_options *o, struct wacz_counts *ret, struct buf *why)
{
    struct wacz w = {.o = o, .why = why, .counts = ret};
    struct crawl_scratch scratch = {0};
    *ret = (struct wacz_counts){0};
    begin_part(&w, 0);
    enum rc rc = crawl_scratch_open(w.crawl, &scratch);
    w.scratch = (struct wacz_part){scratch.disk, scratch.own ? scratch.folder : w.part->root, ""};
    rc = rc ? rc : wacz_open(&w);
    rc = rc ? rc : fill_package(&w);
    wacz_close(&w);
    crawl_scratch_close(&scratch);
    return rc;
}
