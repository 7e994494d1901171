/* SPDX-License-Identifier: Apache-2.0 */
#include "linkindex/link_index.h"

#include "archive/line_file.h"
#include "archive/line_source.h"
#include "base/mem.h"
#include "linkindex/pair_run.h"
#include "outputs/arcs.h"

enum {
    STEP_BYTES = 256 << 10,
    LEAST_LINK_BYTES = 2 + HEX16_BYTES,
    LEAST_NAME_BYTES = HEX16_BYTES + 3,
    LEFTOVERS_MAX_BYTES = 64 << 20,
    LOOK_EVERY = 4096, /* pairs, between two looks whether to stop */
};

static bool must_stop(const struct link_index *x)
{
    return x->settings.stops && atomic_load(x->settings.stops);
}

/* Opening --------------------------------------------------------------------------------------- */

struct leftovers {
    const struct link_index *index;
    struct buf names; /* a line each: a folder that is listed must not change meanwhile */
};

static bool is_listed(const struct link_index *x, struct str path)
{
    char room[INDEX_PATH_BYTES];
    for (unsigned k = 0; k < PAIR_KINDS; k++)
        for (size_t i = 0; i < x->list.of[k].count; i++)
            if (str_eq(path, str_c(index_run_path(room, (enum pair_kind)k,
                                                  x->list.of[k].list[i].number))))
                return true;
    return false;
}

static enum rc note_leftover(void *ctx, struct str name, bool is_folder)
{
    struct leftovers *l = ctx;
    char room[DISK_MAX_NAME_BYTES + INDEX_PATH_BYTES];
    struct buf path = buf_on(room, sizeof room);
    bool is_run = str_starts(name, STR("links-")) || str_starts(name, STR("names-"));
    buf_printf(&path, INDEX_FOLDER "/" STR_FMT, STR_ARG(name));
    if (is_folder || !is_run || is_listed(l->index, buf_str(&path)))
        return RC_OK;
    buf_add(&l->names, buf_str(&path));
    buf_byte(&l->names, '\0');
    return buf_rc(&l->names);
}

static enum rc remove_leftovers(const struct link_index *x)
{
    struct leftovers l = {.index = x, .names = {.max = LEFTOVERS_MAX_BYTES}};
    enum rc rc = disk_list(x->disk, INDEX_FOLDER, note_leftover, &l);
    struct str rest = buf_str(&l.names);
    while (rest.n && rc == RC_OK)
        rc = disk_unlink(x->disk, str_take_until(&rest, '\0').p);
    buf_done(&l.names);
    return rc;
}

static enum rc make_folder(struct disk *d)
{
    enum rc rc = disk_mkdir(d, INDEX_FOLDER);
    rc = rc == RC_EXISTS ? RC_OK : rc;
    return rc ? rc : disk_dirsync(d, "links");
}

/* Its head, table and foot, and that it is the one that LIST means. */
static enum rc look_at_run(struct disk *d, enum pair_kind kind, const struct index_run *named,
                           bool all, struct buf *why)
{
    char path[INDEX_PATH_BYTES];
    struct run r;
    enum rc rc = run_open(&r, d, index_run_path(path, kind, named->number));
    if (rc == RC_OK) {
        bool is_it =
            r.kind == kind && r.bytes == named->bytes && r.from == named->from && r.to == named->to;
        rc = is_it ? RC_OK : RC_CORRUPT;
        rc = rc || !all ? rc : run_check(&r);
        run_close(&r);
    }
    if (rc)
        buf_printf(why, "%s: %s", path, rc == RC_CORRUPT ? "it is damaged" : rc_text(rc));
    return rc == RC_NOT_FOUND ? RC_CORRUPT : rc;
}

static enum rc look_at_tail(struct disk *d, enum pair_kind kind, const struct index_runs *r,
                            struct buf *why)
{
    uint64_t hash = 0;
    enum rc rc = index_tail_hash(d, kind, r->covered, &hash);
    if (rc == RC_OK && r->covered && hash != r->tail_hash)
        rc = RC_CORRUPT;
    if (rc == RC_CORRUPT)
        buf_printf(why, INDEX_FOLDER ": it was made of another %s", index_text_path(kind));
    else if (rc)
        buf_printf(why, "%s: %s", index_text_path(kind), rc_text(rc));
    return rc;
}

static enum rc look(struct disk *d, bool all, struct index_list *ret, struct buf *why)
{
    enum rc rc = index_list_read(d, ret);
    if (rc && rc != RC_NOT_FOUND)
        buf_printf(why, INDEX_FOLDER "/LIST: %s", rc == RC_CORRUPT ? "it is damaged" : rc_text(rc));
    for (unsigned k = 0; k < PAIR_KINDS && rc == RC_OK; k++) {
        rc = look_at_tail(d, (enum pair_kind)k, &ret->of[k], why);
        for (size_t i = 0; i < ret->of[k].count && rc == RC_OK; i++)
            rc = look_at_run(d, (enum pair_kind)k, &ret->of[k].list[i], all, why);
    }
    return rc;
}

enum rc link_index_open(struct link_index *x, struct disk *d, const struct link_index_settings *s,
                        struct buf *why)
{
    *x = (struct link_index){.disk = d, .settings = *s};
    if (!x->settings.chunk_bytes)
        x->settings.chunk_bytes = LINK_INDEX_CHUNK;
    if (!x->settings.fan_in)
        x->settings.fan_in = LINK_INDEX_FAN_IN;
    enum rc rc = look(d, false, &x->list, why);
    if (rc == RC_NOT_FOUND) {
        rc = make_folder(d);
        rc = rc ? rc : index_list_write(d, &x->list);
    }
    rc = rc ? rc : remove_leftovers(x);
    if (rc && !why->n)
        buf_printf(why, INDEX_FOLDER ": %s", rc_text(rc));
    if (rc)
        link_index_close(x);
    return rc;
}

void link_index_close(struct link_index *x)
{
    index_list_done(&x->list);
}

/* Naming a new run ------------------------------------------------------------------------------ */

static void unlink_run(struct link_index *x, enum pair_kind kind, uint64_t number)
{
    char path[INDEX_PATH_BYTES];
    enum rc ignored = disk_unlink(x->disk, index_run_path(path, kind, number));
    (void)ignored; /* the next opening removes it */
}

/* The list in which `run` has the place of `count` runs at `at`. */
static enum rc plan_list(const struct link_index *x, enum pair_kind kind, size_t at, size_t count,
                         struct index_run run, struct index_list *ret)
{
    enum rc rc = index_list_copy(&x->list, ret);
    rc = rc ? rc : index_list_put(ret, kind, at, count, run);
    if (rc == RC_OK && at + 1 == ret->of[kind].count) {
        ret->of[kind].covered = run.to;
        rc = index_tail_hash(x->disk, kind, run.to, &ret->of[kind].tail_hash);
    }
    if (rc)
        index_list_done(ret);
    return rc;
}

/* From here on LIST may name the new run, also if this fails: then only a new opening can tell. */
static enum rc name_run(struct link_index *x, enum pair_kind kind, size_t at, size_t count,
                        struct index_list *next)
{
    x->broken = index_list_write(x->disk, next);
    if (x->broken) {
        index_list_done(next);
        return x->broken;
    }
    for (size_t i = at; i < at + count; i++)
        unlink_run(x, kind, x->list.of[kind].list[i].number);
    index_list_done(&x->list);
    x->list = *next;
    return RC_OK;
}

/* Ends the file and puts the run in the place of `count` runs at `at`. If it does not come to
 * that, the file goes. */
static enum rc finish_run(struct link_index *x, struct run_writer *w, enum pair_kind kind,
                          size_t at, size_t count, struct index_run *run, enum rc rc)
{
    struct index_list next = {0};
    bool is_ours = w->file != NULL;
    rc = rc ? rc : run_writer_end(w, &run->bytes);
    run_writer_done(w);
    rc = rc ? rc : disk_dirsync(x->disk, INDEX_FOLDER);
    rc = rc ? rc : plan_list(x, kind, at, count, *run, &next);
    if (rc == RC_OK)
        return name_run(x, kind, at, count, &next);
    if (is_ours)
        unlink_run(x, kind, run->number);
    return rc;
}

/* A run of the text ----------------------------------------------------------------------------- */

struct chunk {
    struct pair *list;
    size_t count, room;
};

static bool chunk_add(struct chunk *c, struct pair p)
{
    if (c->count == c->room)
        return false;
    c->list[c->count++] = p;
    return true;
}

/* A line that cannot be read is passed over, as the exports do. */
static bool add_arcs(struct chunk *c, struct str line)
{
    struct arc_line arcs;
    char hop;
    uint64_t to;
    if (arc_line_parse(line, &arcs) != RC_OK)
        return true;
    while (arc_line_next(&arcs, &hop, &to))
        if (!chunk_add(c, (struct pair){to, arcs.page, pair_letter(hop)}))
            return false;
    return true;
}

static bool add_node(struct chunk *c, struct str line, uint64_t at)
{
    struct node_line node;
    if (node_line_parse(line, &node) != RC_OK)
        return true;
    return chunk_add(c, (struct pair){node.fingerprint, at, pair_letter('L')});
}

/* Reads lines from run->from on until there are enough; run->to is behind the last. */
static enum rc read_chunk(struct link_index *x, enum pair_kind kind, uint64_t end,
                          struct index_run *run, struct chunk *c)
{
    struct line_source s;
    bool fits = true;
    enum rc rc =
        line_source_open(&s, x->disk, index_text_path(kind), end, STEP_BYTES, LINE_FILE_MAX_LINE);
    s.at = run->from;
    run->to = run->from;
    while (rc == RC_OK && fits && run->to - run->from < x->settings.chunk_bytes) {
        rc = line_source_next(&s);
        if (rc || !s.line.p)
            break;
        struct str line = str_first(s.line, s.line.n - 1);
        fits = kind == PAIRS_LINKS ? add_arcs(c, line) : add_node(c, line, run->to);
        run->to += s.line.n;
    }
    line_source_done(&s);
    return rc ? rc : fits ? RC_OK : RC_LIMIT;
}

static enum rc write_chunk(struct link_index *x, struct chunk *c, struct pair *spare,
                           enum pair_kind kind, struct index_run *run)
{
    char path[INDEX_PATH_BYTES];
    struct run_writer w;
    size_t count = pairs_sort(c->list, spare, c->count);
    enum rc rc = run_writer_open(&w, x->disk, index_run_path(path, kind, run->number), kind,
                                 run->from, run->to);
    for (size_t i = 0; i < count && rc == RC_OK; i++) {
        rc = run_writer_add(&w, c->list[i]);
        if (i % LOOK_EVERY == 0 && must_stop(x))
            rc = rc ? rc : RC_AGAIN;
    }
    return finish_run(x, &w, kind, x->list.of[kind].count, 0, run, rc);
}

static enum rc make_run(struct link_index *x, enum pair_kind kind, uint64_t end)
{
    const struct index_runs *r = &x->list.of[kind];
    struct index_run run = {.number = index_list_next(&x->list), .from = r->covered};
    uint64_t left = end - r->covered;
    size_t most = x->settings.chunk_bytes + LINE_FILE_MAX_LINE;
    most = left < most ? (size_t)left : most;
    size_t least = kind == PAIRS_LINKS ? LEAST_LINK_BYTES : LEAST_NAME_BYTES;
    struct chunk c = {.room = most / least + 1};
    c.list = mem_alloc(c.room * sizeof *c.list);
    struct pair *spare = mem_alloc(c.room * sizeof *spare);
    enum rc rc = c.list && spare ? read_chunk(x, kind, end, &run, &c) : RC_NOMEM;
    rc = rc ? rc : write_chunk(x, &c, spare, kind, &run);
    mem_free(c.list);
    mem_free(spare);
    return rc;
}

/* Merging --------------------------------------------------------------------------------------- */

struct merge {
    struct run *runs;
    struct run_cursor *cursors;
    size_t opened, sought;
    struct run_cursor **heap; /* the first one has the least pair */
    size_t count;
};

static bool is_less(const struct run_cursor *a, const struct run_cursor *b)
{
    return a->key < b->key || (a->key == b->key && a->value < b->value);
}

static void sift_down(struct merge *m, size_t at)
{
    struct run_cursor *c = m->heap[at];
    for (size_t child; (child = 2 * at + 1) < m->count; at = child) {
        if (child + 1 < m->count && is_less(m->heap[child + 1], m->heap[child]))
            child++;
        if (!is_less(m->heap[child], c))
            break;
        m->heap[at] = m->heap[child];
    }
    m->heap[at] = c;
}

static enum rc merge_open(struct link_index *x, enum pair_kind kind, const struct index_run *list,
                          size_t count, struct merge *m)
{
    char path[INDEX_PATH_BYTES];
    enum rc rc = RC_OK;
    *m = (struct merge){.runs = mem_zero(count, sizeof *m->runs),
                        .cursors = mem_zero(count, sizeof *m->cursors),
                        .heap = mem_zero(count, sizeof *m->heap)};
    if (!m->runs || !m->cursors || !m->heap)
        return RC_NOMEM;
    for (; m->opened < count && rc == RC_OK; m->opened += rc == RC_OK)
        rc = run_open(&m->runs[m->opened], x->disk,
                      index_run_path(path, kind, list[m->opened].number));
    while (m->sought < m->opened && rc == RC_OK) {
        struct run_cursor *c = &m->cursors[m->sought];
        rc = run_seek(c, &m->runs[m->sought++], 0);
        if (rc == RC_OK && !c->is_behind)
            m->heap[m->count++] = c;
    }
    for (size_t i = m->count / 2; i-- > 0;)
        sift_down(m, i);
    return rc == RC_NOT_FOUND ? RC_CORRUPT : rc;
}

static void merge_close(struct merge *m)
{
    for (size_t i = 0; i < m->sought; i++)
        run_cursor_done(&m->cursors[i]);
    for (size_t i = 0; i < m->opened; i++)
        run_close(&m->runs[i]);
    mem_free(m->runs);
    mem_free(m->cursors);
    mem_free(m->heap);
}

static enum rc merge_next(struct merge *m, struct pair *ret)
{
    enum rc rc = run_next(m->heap[0], ret);
    if (m->heap[0]->is_behind)
        m->heap[0] = m->heap[--m->count];
    if (m->count)
        sift_down(m, 0);
    return rc;
}

static enum rc merge_all(const struct link_index *x, struct merge *m, struct run_writer *w)
{
    struct pair p;
    enum rc rc = RC_OK;
    for (uint64_t i = 0; m->count && rc == RC_OK; i++) {
        rc = merge_next(m, &p);
        rc = rc ? rc : run_writer_add(w, p);
        if (i % LOOK_EVERY == 0 && must_stop(x))
            rc = rc ? rc : RC_AGAIN;
    }
    return rc;
}

static enum rc merge_runs(struct link_index *x, enum pair_kind kind, size_t at, size_t count)
{
    char path[INDEX_PATH_BYTES];
    const struct index_run *list = x->list.of[kind].list + at;
    struct index_run run = {.number = index_list_next(&x->list),
                            .level = list[0].level + 1,
                            .from = list[0].from,
                            .to = list[count - 1].to};
    struct merge m;
    struct run_writer w = {0};
    enum rc rc = merge_open(x, kind, list, count, &m);
    if (rc == RC_OK) {
        rc = run_writer_open(&w, x->disk, index_run_path(path, kind, run.number), kind, run.from,
                             run.to);
        rc = rc ? rc : merge_all(x, &m, &w);
        rc = finish_run(x, &w, kind, at, count, &run, rc);
    }
    merge_close(&m);
    return rc;
}

/* Levels fall from the first run to the last; the last `fan_in` of one level are merged. */
static bool find_merge(const struct link_index *x, enum pair_kind kind, size_t *ret_at)
{
    const struct index_runs *r = &x->list.of[kind];
    size_t same = 1;
    if (r->count < x->settings.fan_in)
        return false;
    while (same < r->count && r->list[r->count - 1 - same].level == r->list[r->count - 1].level)
        same++;
    *ret_at = r->count - x->settings.fan_in;
    return same >= x->settings.fan_in;
}

enum rc link_index_grow(struct link_index *x, const uint64_t durable[PAIR_KINDS], bool *ret_did)
{
    size_t at;
    *ret_did = true;
    if (x->broken)
        return x->broken;
    for (unsigned k = 0; k < PAIR_KINDS; k++) {
        enum pair_kind kind = (enum pair_kind)k;
        if (find_merge(x, kind, &at))
            return merge_runs(x, kind, at, x->settings.fan_in);
        if (durable[k] >= x->list.of[k].covered + x->settings.chunk_bytes)
            return make_run(x, kind, durable[k]);
    }
    *ret_did = false;
    return RC_OK;
}

/* Repairing ------------------------------------------------------------------------------------- */

enum rc link_index_check(struct disk *d, struct buf *why)
{
    struct index_list list;
    enum rc rc = look(d, true, &list, why);
    index_list_done(&list);
    return rc;
}

static enum rc forget_all(struct disk *d)
{
    struct link_index none = {.disk = d};
    enum rc rc = make_folder(d);
    rc = rc ? rc : index_list_write(d, &none.list);
    return rc ? rc : remove_leftovers(&none);
}

enum rc link_index_rebuild(struct disk *d, const struct link_index_settings *s)
{
    struct link_index x;
    struct buf why = {.max = 1000};
    uint64_t whole[PAIR_KINDS] = {0};
    bool did = true;
    enum rc rc = forget_all(d);
    for (unsigned k = 0; k < PAIR_KINDS && rc == RC_OK; k++)
        rc = line_file_whole(d, index_text_path((enum pair_kind)k), &whole[k]);
    rc = rc ? rc : link_index_open(&x, d, s, &why);
    if (rc == RC_OK) {
        while (did && rc == RC_OK)
            rc = link_index_grow(&x, whole, &did);
        link_index_close(&x);
    }
    buf_done(&why);
    return rc;
}
