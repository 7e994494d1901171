/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/command.h"

#include "base/utf8.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

enum { MAX_LINE_BYTES = 1 << 20, CHUNK_BYTES = 1 << 16 };

int cli_fail(enum exit_code code, const char *format, ...)
{
    struct buf text = {.max = MAX_LINE_BYTES};
    va_list args;
    va_start(args, format);
    buf_vprintf(&text, format, args);
    va_end(args);
    (void)fputs("orbweaver: ", stderr);
    (void)cli_write(stderr, buf_str(&text));
    (void)fputc('\n', stderr);
    buf_done(&text);
    return (int)code;
}

int cli_say_as(enum exit_code code, enum rc rc, struct buf *why)
{
    struct str rest = buf_str(why);
    if (rc == RC_OK)
        return EXIT_DONE;
    if (!rest.n)
        (void)cli_fail(code, "%s", rc_text(rc));
    while (rest.n) {
        struct str line = str_take_until(&rest, '\n');
        (void)cli_fail(code, STR_FMT, STR_ARG(line));
    }
    buf_clear(why);
    return (int)code;
}

int cli_say(enum rc rc, struct buf *why)
{
    bool is_usage =
        rc == RC_INVALID || rc == RC_NOT_FOUND || rc == RC_EXISTS || rc == RC_UNSUPPORTED;
    return cli_say_as(is_usage ? EXIT_USAGE : EXIT_OTHER, rc, why);
}

int cli_code_of(enum rc rc)
{
    switch (rc) {
    case RC_OK:
        return EXIT_DONE;
    case RC_DISK_FULL:
    case RC_SYNC:
    case RC_IO:
    case RC_DENIED:
    case RC_READ_ONLY:
    case RC_CORRUPT:
    case RC_LOCKED:
        return EXIT_DISK;
    case RC_INVALID:
    case RC_NOT_FOUND:
    case RC_UNSUPPORTED:
    case RC_VERSION:
        return EXIT_USAGE;
    default:
        return EXIT_OTHER;
    }
}

bool cli_write(FILE *to, struct str bytes)
{
    char room[UTF8_VISIBLE_ROOM];
    bool is_written = true;
    while (bytes.n && is_written) {
        struct str piece = utf8_take_visible(&bytes, true, room);
        is_written = fwrite(piece.p, 1, piece.n, to) == piece.n;
    }
    return is_written;
}

/* Up to the end, or to the first chunk that reaches past `max_bytes`. */
static enum rc read_some(FILE *f, size_t max_bytes, struct buf *ret)
{
    char *to;
    while (ret->n <= max_bytes && (to = buf_reserve(ret, CHUNK_BYTES))) {
        size_t n = fread(to, 1, CHUNK_BYTES, f);
        ret->n += n;
        if (n == 0)
            return ferror(f) ? RC_IO : RC_OK;
    }
    return buf_rc(ret);
}

static enum rc read_path(const char *path, size_t max_bytes, bool cut, struct buf *ret)
{
    bool is_stdin = strcmp(path, "-") == 0;
    buf_init(ret, max_bytes + CHUNK_BYTES);
    FILE *f = is_stdin ? stdin : fopen(path, "rb");
    if (!f) {
        enum rc rc = rc_of_errno(errno);
        cli_fail(EXIT_OTHER, "%s: %s", path, strerror(errno));
        return rc;
    }
    enum rc rc = read_some(f, max_bytes, ret);
    if (!is_stdin)
        (void)fclose(f);
    if (rc == RC_OK && ret->n > max_bytes && cut)
        ret->n = max_bytes;
    if (rc == RC_OK && ret->n > max_bytes)
        rc = RC_LIMIT;
    if (rc)
        cli_fail(EXIT_OTHER, "%s: %s", path, rc_text(rc));
    return rc;
}

enum rc cli_read_file(const char *path, size_t max_bytes, struct buf *ret)
{
    return read_path(path, max_bytes, false, ret);
}

enum rc cli_read_start(const char *path, size_t max_bytes, struct buf *ret)
{
    return read_path(path, max_bytes, true, ret);
}

/* The next line without its end; false when there is none. RC_LIMIT sticks in the buf. */
static bool next_line(struct buf *text)
{
    int c;
    buf_clear(text);
    while ((c = getc_unlocked(stdin)) != EOF && c != '\n')
        buf_byte(text, (char)c);
    if (c == EOF && text->n == 0)
        return false;
    while (text->n && text->p[text->n - 1] == '\r')
        text->n--;
    return true;
}

int cli_each_line_but(int (*line)(void *ctx, struct str line), int (*too_long)(void *ctx),
                      void *ctx)
{
    struct buf text = {.max = MAX_LINE_BYTES};
    int result = 0;
    while (result == 0 && next_line(&text)) {
        if (buf_rc(&text) == RC_OK)
            result = line(ctx, buf_str(&text));
        else if (text.rc == RC_LIMIT && too_long)
            result = too_long(ctx);
        else
            result = cli_fail(EXIT_OTHER, "a line of standard input: %s (1 MiB)", rc_text(text.rc));
    }
    buf_done(&text);
    return result;
}

int cli_each_line(int (*line)(void *ctx, struct str line), void *ctx)
{
    return cli_each_line_but(line, NULL, ctx);
}

void cli_print(struct buf *out)
{
    if (buf_rc(out) != RC_OK || !cli_write(stdout, buf_str(out))) {
        cli_fail(EXIT_OTHER, "cannot write the output: %s",
                 out->rc ? rc_text(out->rc) : strerror(errno));
        exit(EXIT_OTHER);
    }
    buf_clear(out);
}
