/* SPDX-License-Identifier: Apache-2.0 */
#include "archive/line_sort.h"

#include "archive/line_source.h"
#include "base/bytes.h"
#include "base/mem.h"

#include <stdio.h>
#include <stdlib.h>

enum { STEP_BYTES = 64 << 10, RUN_PATH_BYTES = DISK_MAX_PATH_BYTES + 16 };

struct line {
    uint64_t head; /* its first eight bytes, as a number: mostly they decide */
    struct str text;
};

struct sorter {
    struct disk *disk;
    const char *result;
    size_t memory_bytes;
    bool is_loose;   /* the result need not last */
    struct buf text; /* has all its room from the start, so lines do not move */
    struct line *lines;
    size_t count, room;
    uint32_t first, end; /* the runs there are */
    uint64_t written;    /* lines of the last run */
};

/* Comparing and writing ----------------------------------------------------------------------- */

/* Without the LF, as sort(1) does: a line comes before those it is the beginning of. */
static int line_cmp(struct str a, struct str b)
{
    return str_cmp(str_first(a, a.n - 1), str_first(b, b.n - 1));
}

/* Zeros stand for what a short line has not: where such heads are the same, the lines decide. */
static uint64_t head_of(struct str line)
{
    char head[8] = {0};
    memcpy(head, line.p, line.n - 1 < sizeof head ? line.n - 1 : sizeof head);
    return get_be64(head);
}

static int by_line(const void *a, const void *b)
{
    const struct line *x = a, *y = b;
    if (x->head != y->head)
        return x->head < y->head ? -1 : 1;
    return line_cmp(x->text, y->text);
}

static const char *run_path(const struct sorter *s, uint32_t run, char room[RUN_PATH_BYTES])
{
    (void)snprintf(room, RUN_PATH_BYTES, "%s.run-%u", s->result, run);
    return room;
}

static enum rc run_open(struct sorter *s, struct line_sink *sink)
{
    char path[RUN_PATH_BYTES];
    s->written = 0;
    *sink = (struct line_sink){0};
    if (s->end == LINE_SORT_MAX_RUNS)
        return RC_LIMIT;
    return line_sink_open(sink, s->disk, run_path(s, s->end++, path), STEP_BYTES);
}

static enum rc run_add(struct sorter *s, struct line_sink *sink, struct str line)
{
    s->written++;
    return line_sink_add(sink, line);
}

/* Runs ---------------------------------------------------------------------------------------- */

static enum rc spill(struct sorter *s)
{
    struct line_sink sink;
    if (s->count)
        qsort(s->lines, s->count, sizeof *s->lines, by_line);
    enum rc rc = run_open(s, &sink);
    for (size_t i = 0; i < s->count && rc == RC_OK; i++)
        if (i == 0 || by_line(&s->lines[i - 1], &s->lines[i]) != 0)
            rc = run_add(s, &sink, s->lines[i].text);
    rc = rc ? rc : line_sink_end(&sink, false);
    line_sink_done(&sink);
    s->count = 0;
    buf_clear(&s->text);
    return rc;
}

static enum rc grow_lines(struct sorter *s)
{
    struct line *more = mem_grow(s->lines, s->count, &s->room, sizeof *more);
    if (!more)
        return RC_NOMEM;
    s->lines = more;
    return RC_OK;
}

static enum rc add_line(struct sorter *s, struct str line)
{
    enum rc rc = RC_OK;
    size_t bytes = s->text.n + (s->count + 1) * sizeof *s->lines;
    if (line.n > LINE_SORT_MAX_LINE)
        return RC_LIMIT;
    if (s->count && bytes + line.n > s->memory_bytes)
        rc = spill(s);
    rc = rc ? rc : grow_lines(s);
    if (rc)
        return rc;
    s->lines[s->count++] = (struct line){head_of(line), str_make(s->text.p + s->text.n, line.n)};
    buf_add(&s->text, line);
    return buf_rc(&s->text);
}

static enum rc add_input(struct sorter *s, const struct line_sort_input *input)
{
    struct line_source source;
    enum rc rc = line_source_open(&source, s->disk, input->path, input->bytes, STEP_BYTES,
                                  LINE_SORT_MAX_LINE);
    rc = rc ? rc : line_source_next(&source);
    while (rc == RC_OK && source.line.p) {
        rc = add_line(s, source.line);
        rc = rc ? rc : line_source_next(&source);
    }
    line_source_done(&source);
    return rc;
}

/* Merging ------------------------------------------------------------------------------------- */

struct merge {
    struct line_source sources[LINE_SORT_FAN];
    struct line_source *heap[LINE_SORT_FAN]; /* the least line first */
    size_t count;
    struct buf last; /* the line written last, to leave out its equals */
};

static void sift_down(struct merge *m, size_t at)
{
    for (;;) {
        size_t child = 2 * at + 1;
        if (child >= m->count)
            return;
        if (child + 1 < m->count && line_cmp(m->heap[child + 1]->line, m->heap[child]->line) < 0)
            child++;
        if (line_cmp(m->heap[at]->line, m->heap[child]->line) <= 0)
            return;
        struct line_source *swap = m->heap[at];
        m->heap[at] = m->heap[child];
        m->heap[child] = swap;
        at = child;
    }
}

static enum rc merge_open(struct merge *m, struct sorter *s, uint32_t runs)
{
    char path[RUN_PATH_BYTES];
    enum rc rc = RC_OK;
    for (uint32_t i = 0; i < runs && rc == RC_OK; i++) {
        rc = line_source_open(&m->sources[i], s->disk, run_path(s, s->first + i, path), UINT64_MAX,
                              STEP_BYTES, LINE_SORT_MAX_LINE);
        rc = rc ? rc : line_source_next(&m->sources[i]);
        if (rc == RC_OK && m->sources[i].line.p)
            m->heap[m->count++] = &m->sources[i];
    }
    for (size_t i = m->count; i-- > 0 && rc == RC_OK;)
        sift_down(m, i);
    return rc;
}

static enum rc merge_step(struct merge *m, struct sorter *s, struct line_sink *sink)
{
    struct line_source *least = m->heap[0];
    enum rc rc = RC_OK;
    if (!str_eq(buf_str(&m->last), least->line)) {
        rc = run_add(s, sink, least->line);
        buf_clear(&m->last);
        buf_add(&m->last, least->line);
    }
    rc = rc ? rc : buf_rc(&m->last);
    rc = rc ? rc : line_source_next(least);
    if (rc == RC_OK && !least->line.p)
        m->heap[0] = m->heap[--m->count];
    if (rc == RC_OK)
        sift_down(m, 0);
    return rc;
}

static enum rc merge_runs(struct merge *m, struct sorter *s, uint32_t runs)
{
    struct line_sink sink;
    enum rc rc = merge_open(m, s, runs);
    if (rc)
        return rc;
    rc = run_open(s, &sink);
    while (rc == RC_OK && m->count)
        rc = merge_step(m, s, &sink);
    rc = rc ? rc : line_sink_end(&sink, false);
    line_sink_done(&sink);
    return rc;
}

/* Makes one run of the first ones. */
static enum rc merge_first(struct sorter *s)
{
    char path[RUN_PATH_BYTES];
    uint32_t runs = s->end - s->first < LINE_SORT_FAN ? s->end - s->first : LINE_SORT_FAN;
    struct merge *m = mem_zero(1, sizeof *m);
    if (!m)
        return RC_NOMEM;
    buf_init(&m->last, LINE_SORT_MAX_LINE + 1);
    enum rc rc = merge_runs(m, s, runs);
    for (uint32_t i = 0; i < LINE_SORT_FAN; i++)
        line_source_done(&m->sources[i]);
    buf_done(&m->last);
    mem_free(m);
    for (uint32_t i = 0; i < runs && rc == RC_OK; i++)
        rc = disk_unlink(s->disk, run_path(s, s->first++, path));
    return rc;
}

/* The whole ----------------------------------------------------------------------------------- */

static enum rc put_in_place(struct sorter *s)
{
    char path[RUN_PATH_BYTES], folder[DISK_MAX_PATH_BYTES + 1];
    struct str in = disk_path_folder(s->result);
    struct disk_file *f = NULL;
    enum rc rc = disk_open(s->disk, run_path(s, s->first, path), DISK_APPEND, &f);
    rc = rc || s->is_loose ? rc : disk_sync(f);
    disk_file_close(f);
    rc = rc ? rc : disk_rename(s->disk, path, s->result);
    if (rc)
        return rc;
    s->first++;
    if (s->is_loose)
        return RC_OK;
    memcpy(folder, in.p, in.n);
    folder[in.n] = 0;
    return disk_dirsync(s->disk, folder);
}

/* Room for a run, or for all there is. */
static size_t run_bytes(const struct sorter *s, const struct line_sort_input *inputs, size_t count)
{
    uint64_t most = s->memory_bytes + LINE_SORT_MAX_LINE, all = 1;
    for (size_t i = 0; i < count && all < most; i++)
        all = inputs[i].bytes < most ? all + inputs[i].bytes : most;
    return (size_t)(all < most ? all : most);
}

static enum rc sort_all(struct sorter *s, const struct line_sort_input *inputs, size_t count)
{
    enum rc rc = RC_OK;
    if (!buf_reserve(&s->text, run_bytes(s, inputs, count)))
        return buf_rc(&s->text);
    for (size_t i = 0; i < count && rc == RC_OK; i++)
        rc = add_input(s, &inputs[i]);
    if (rc == RC_OK && (s->count || s->end == 0))
        rc = spill(s);
    while (rc == RC_OK && s->end - s->first > 1)
        rc = merge_first(s);
    return rc ? rc : put_in_place(s);
}

static enum rc sort_either(struct disk *d, const struct line_sort_input *inputs, size_t count,
                           const char *result, size_t memory_bytes, bool is_loose,
                           uint64_t *ret_lines)
{
    char path[RUN_PATH_BYTES];
    struct sorter s = {
        .disk = d, .result = result, .memory_bytes = memory_bytes, .is_loose = is_loose};
    if (strlen(result) > DISK_MAX_PATH_BYTES)
        return RC_INVALID;
    if (memory_bytes < LINE_SORT_MIN_MEMORY)
        s.memory_bytes = LINE_SORT_MIN_MEMORY;
    buf_init(&s.text, SIZE_MAX / 2);
    enum rc rc = sort_all(&s, inputs, count);
    for (uint32_t i = s.first; rc && i < s.end; i++) {
        enum rc ignored = disk_unlink(d, run_path(&s, i, path)); /* the failure is what counts */
        (void)ignored;
    }
    if (rc == RC_OK && ret_lines)
        *ret_lines = s.written;
    buf_done(&s.text);
    mem_free(s.lines);
    return rc;
}

enum rc line_sort(struct disk *d, const struct line_sort_input *inputs, size_t count,
                  const char *result, size_t memory_bytes, uint64_t *ret_lines)
{
    return sort_either(d, inputs, count, result, memory_bytes, false, ret_lines);
}

enum rc line_sort_loose(struct disk *d, const struct line_sort_input *inputs, size_t count,
                        const char *result, size_t memory_bytes, uint64_t *ret_lines)
{
    return sort_either(d, inputs, count, result, memory_bytes, true, ret_lines);
}
