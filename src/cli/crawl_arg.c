/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/crawl_arg.h"

#include <errno.h>
#include <unistd.h>

int crawl_arg_fail(const struct invocation *in, enum rc rc, const struct buf *why)
{
    const char *text = rc == RC_LOCKED ? "another export or report is at work there" : rc_text(rc);
    bool is_disk = rc == RC_DISK_FULL || rc == RC_SYNC || rc == RC_CORRUPT;
    enum exit_code code = is_disk ? EXIT_DISK : rc == RC_VERSION ? EXIT_USAGE : EXIT_OTHER;
    if (why && why->n)
        return cli_fail(code, "%s: %s (" STR_FMT ")", in->words[0], text, STR_ARG(buf_str(why)));
    return cli_fail(code, "%s: %s", in->words[0], text);
}

/* Where it goes ------------------------------------------------------------------------------- */

int crawl_output_open(struct crawl_output *o, struct str path)
{
    bool is_file = path.n && !str_eq(path, STR("-"));
    *o = (struct crawl_output){.file = stdout, .path = is_file ? path : STR_NONE};
    if (!is_file)
        return EXIT_DONE;
    struct buf part = buf_on(o->part, sizeof o->part);
    buf_printf(&part, STR_FMT ".new", STR_ARG(path));
    o->file = buf_c(&part) ? fopen(o->part, "wbe") : NULL;
    if (!o->file)
        return cli_fail(EXIT_OTHER, STR_FMT ": %s", STR_ARG(path),
                        part.rc ? rc_text(part.rc) : strerror(errno));
    return EXIT_DONE;
}

enum rc crawl_output_write(struct crawl_output *o, struct str bytes)
{
    bool is_written = o->file == stdout
                          ? cli_write(stdout, bytes)
                          : fwrite(bytes.n ? bytes.p : "", 1, bytes.n, o->file) == bytes.n;
    if (is_written)
        return RC_OK;
    return rc_of_errno(errno);
}

int crawl_output_close(struct crawl_output *o, int code)
{
    if (!o->file || !o->path.p)
        return code; /* main says so if standard output cannot be written */
    bool is_written = fflush(o->file) == 0 && fsync(fileno(o->file)) == 0;
    int error = errno;
    if (fclose(o->file) != 0 && is_written) {
        is_written = false;
        error = errno;
    }
    o->file = NULL;
    char path[sizeof o->part];
    struct buf name = buf_on(path, sizeof path);
    buf_add(&name, o->path);
    if (code == EXIT_DONE && is_written && buf_c(&name) && rename(o->part, path) == 0)
        return EXIT_DONE;
    if (code == EXIT_DONE)
        code = cli_fail(error == ENOSPC ? EXIT_DISK : EXIT_OTHER, STR_FMT ": %s", STR_ARG(o->path),
                        strerror(is_written ? errno : error));
    (void)unlink(o->part);
    return code;
}
