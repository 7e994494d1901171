/* SPDX-License-Identifier: Apache-2.0 */
#include "warc/fields.h"

#include "base/mem.h"

enum { FIRST_ROOM = 32 };

void fields_init(struct fields *f, size_t max_bytes, size_t max_count)
{
    *f = (struct fields){.max_count = max_count};
    buf_init(&f->text, max_bytes);
}

void fields_done(struct fields *f)
{
    buf_done(&f->text);
    mem_free(f->spans);
    mem_free(f->resolved);
    *f = (struct fields){0};
}

void fields_clear(struct fields *f)
{
    buf_clear(&f->text);
    f->count = 0;
}

static bool grow_spans(struct fields *f)
{
    size_t room = f->room ? f->room * 2 : FIRST_ROOM;
    struct field_span *spans = mem_resize(f->spans, room * sizeof *spans);
    if (!spans)
        return false;
    f->spans = spans;
    struct warc_field *resolved = mem_resize(f->resolved, room * sizeof *resolved);
    if (!resolved)
        return false;
    f->resolved = resolved;
    f->room = room;
    return true;
}

/* RFC 822's token, as the standard's grammar takes it. */
static bool is_name_char(char c)
{
    return c > ' ' && c <= '~' && !strchr("()<>@,;:\\\"/[]?={}", c);
}

/* Position of the first byte that no line may hold, a control character but the tab, or line.n. */
static size_t find_control(struct str line)
{
    size_t n = 0;
    while (n < line.n && ((unsigned char)line.p[n] >= ' ' || line.p[n] == '\t') && line.p[n] != 127)
        n++;
    return n;
}

static enum rc refuse(size_t at, const char *expected, size_t *ret_at, const char **ret_expected)
{
    *ret_at = at;
    *ret_expected = expected;
    return RC_INVALID;
}

/* The last field's value is the last of the text, so a folded line is appended to it. */
static enum rc fold(struct fields *f, struct str line)
{
    struct field_span *last = &f->spans[f->count - 1];
    struct str more = str_trim(line);
    if (more.n && last->value_n) {
        buf_byte(&f->text, ' ');
        last->value_n++;
    }
    buf_add(&f->text, more);
    last->value_n += more.n;
    return buf_rc(&f->text);
}

static enum rc add_field(struct fields *f, struct str name, struct str value,
                         struct warc_position at)
{
    if (f->count == f->room && !grow_spans(f))
        return RC_NOMEM;
    f->spans[f->count++] = (struct field_span){
        .name = f->text.n,
        .name_n = name.n,
        .value = f->text.n + name.n,
        .value_n = value.n,
        .at = at,
    };
    buf_add(&f->text, name);
    buf_add(&f->text, value);
    return buf_rc(&f->text);
}

enum rc fields_line(struct fields *f, struct str line, struct warc_position at,
                    size_t *ret_problem_at, const char **ret_expected)
{
    size_t control = find_control(line);
    if (control < line.n)
        return refuse(control, "expected no control character within a header line", ret_problem_at,
                      ret_expected);
    if (line.p[0] == ' ' || line.p[0] == '\t')
        return f->count ? fold(f, line)
                        : refuse(0, "expected a field name, found a blank", ret_problem_at,
                                 ret_expected);
    size_t n = 0;
    while (n < line.n && is_name_char(line.p[n]))
        n++;
    if (n == 0 || n == line.n || line.p[n] != ':')
        return refuse(n, n ? "expected \":\" behind a field name" : "expected a field name",
                      ret_problem_at, ret_expected);
    if (f->count == f->max_count) {
        (void)refuse(0, "expected fewer fields in a record's header", ret_problem_at, ret_expected);
        return RC_LIMIT;
    }
    return add_field(f, str_first(line, n), str_trim(str_from(line, n + 1)), at);
}

const struct warc_field *fields_resolve(struct fields *f)
{
    const char *text = buf_str(&f->text).p;
    for (size_t i = 0; i < f->count; i++) {
        const struct field_span *s = &f->spans[i];
        f->resolved[i] = (struct warc_field){
            .name = {text + s->name, s->name_n},
            .value = {text + s->value, s->value_n},
        };
    }
    return f->resolved;
}
