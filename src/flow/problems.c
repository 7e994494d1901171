/* SPDX-License-Identifier: Apache-2.0 */
#include "flow/problems.h"

#include "base/options.h"

enum { PROBLEMS_MAX_BYTES = 64 << 10, PROBLEM_MAX_BYTES = 1000 };

void problems_init(struct problems *p, const char *file)
{
    *p = (struct problems){.file = file};
    buf_init(&p->lines, PROBLEMS_MAX_BYTES);
}

void problems_done(struct problems *p)
{
    buf_done(&p->lines);
}

/* A message quotes names from the file, which may hold anything: no control reaches the terminal,
 * and an endless name is cut. */
static void add_clean(struct buf *to, struct str text)
{
    struct str shown = str_first(text, PROBLEM_MAX_BYTES);
    for (size_t i = 0; i < shown.n; i++) {
        char c = shown.p[i];
        if ((unsigned char)c < 32 || c == 127)
            c = '?';
        buf_byte(to, c);
    }
    if (shown.n < text.n)
        buf_add(to, STR("..."));
}

void problems_add(struct problems *p, unsigned line, unsigned column, const char *format, ...)
{
    if (++p->count > PROBLEMS_SHOWN)
        return;
    struct buf text = {.max = PROBLEMS_MAX_BYTES};
    va_list args;
    va_start(args, format);
    buf_vprintf(&text, format, args);
    va_end(args);
    buf_printf(&p->lines, "%s:%u:%u: ", p->file, line, column);
    add_clean(&p->lines, buf_str(&text));
    buf_byte(&p->lines, '\n');
    if (text.rc == RC_NOMEM)
        p->lines.rc = RC_NOMEM;
    buf_done(&text);
}

enum rc problems_rc(const struct problems *p)
{
    if (buf_rc(&p->lines) == RC_NOMEM)
        return RC_NOMEM;
    return p->count ? RC_INVALID : RC_OK;
}

void problems_print(const struct problems *p, struct buf *out)
{
    buf_add(out, buf_str(&p->lines));
    if (p->count > PROBLEMS_SHOWN)
        buf_printf(out, "... and %zu more\n", p->count - PROBLEMS_SHOWN);
}

void nearest_try(struct nearest *n, struct str name)
{
    size_t limit = n->wanted.n < 4 ? 1 : 2; /* one error in a short name, two in a long one */
    size_t d = name_distance(n->wanted, name, limit);
    if (d <= limit && (!n->name.p || d < n->distance)) {
        n->name = name;
        n->distance = d;
    }
}

void nearest_print(const struct nearest *n, struct buf *out)
{
    if (n->name.p)
        buf_printf(out, "; did you mean \"" STR_FMT "\"?", STR_ARG(n->name));
}
