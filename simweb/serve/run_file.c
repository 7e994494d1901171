/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/run_file.h"

#include "base/fd.h"
#include "base/jsonw.h"
#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_BYTES = 4096, RUN_MAX_BYTES = 1 << 20 };

struct run_file {
    char dir[PATH_BYTES];
    int lock;
    bool is_written;
};

/* "DIR/name"; false if that is too long. */
static bool path_of(const struct run_file *f, const char *name, char *room)
{
    int n = snprintf(room, PATH_BYTES, "%s/%s", f->dir, name);
    return n > 0 && n < PATH_BYTES;
}

static enum rc fail(struct buf *why, const char *what, const char *path)
{
    int code = errno;
    buf_printf(why, "cannot %s %s: %s; choose another folder with --dir", what, path,
               strerror(code));
    return code == ENOSPC || code == EDQUOT ? RC_DISK_FULL : RC_IO;
}

static enum rc lock_folder(struct run_file *f, struct buf *why)
{
    char path[PATH_BYTES];
    if (mkdir(f->dir, 0700) && errno != EEXIST)
        return fail(why, "make the folder", f->dir);
    if (!path_of(f, "lock", path))
        return RC_LIMIT;
    f->lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (f->lock < 0)
        return fail(why, "open", path);
    if (flock(f->lock, LOCK_EX | LOCK_NB) == 0)
        return RC_OK;
    if (errno != EWOULDBLOCK)
        return fail(why, "lock", path);
    buf_printf(why,
               "a simulated web is already being served from %s; end it, or choose another --dir",
               f->dir);
    return RC_LOCKED;
}

enum rc run_file_open(struct str dir, struct run_file **ret, struct buf *why)
{
    struct run_file *f = mem_zero(1, sizeof *f);
    if (!f)
        return RC_NOMEM;
    f->lock = -1;
    enum rc rc = RC_INVALID;
    if (dir.n == 0 || dir.n >= sizeof f->dir || str_find(dir, '\0') < dir.n) {
        buf_add(why, STR("--dir names no folder"));
    } else {
        memcpy(f->dir, dir.p, dir.n);
        rc = lock_folder(f, why);
    }
    if (rc == RC_OK)
        *ret = f;
    else
        run_file_close(f);
    return rc;
}

void run_file_close(struct run_file *f)
{
    char path[PATH_BYTES];
    if (!f)
        return;
    if (f->is_written && path_of(f, "run.json", path))
        (void)unlink(path);
    if (f->lock >= 0)
        (void)close(f->lock);
    mem_free(f);
}

const char *run_file_dir(const struct run_file *f)
{
    return f->dir;
}

enum rc run_token_make(char *room)
{
    unsigned char raw[RUN_TOKEN_BYTES / 2];
    if (getrandom(raw, sizeof raw, 0) != (ssize_t)sizeof raw)
        return RC_IO;
    for (size_t i = 0; i < sizeof raw; i++)
        (void)snprintf(room + 2 * i, 3, "%02x", raw[i]);
    return RC_OK;
}

/* What is written --------------------------------------------------------------------------- */

static void print_list(struct jsonw *j, const struct option_list *list)
{
    jsonw_array(j);
    for (size_t i = 0; i < list->count; i++)
        jsonw_text(j, list->items[i]);
    jsonw_end(j);
}

/* Every setting as a person would write it, by its key. */
static void print_settings(struct jsonw *j, const char *key, const struct option *table,
                           const void *settings)
{
    struct buf text = {.max = PATH_BYTES};
    jsonw_key(j, key);
    jsonw_object(j);
    for (const struct option *o = table; o->key; o++) {
        buf_clear(&text);
        jsonw_key(j, o->key);
        if (o->type == OPTION_LIST) {
            print_list(j, (const void *)((const char *)settings + o->offset));
            continue;
        }
        option_print(o, settings, &text);
        jsonw_text(j, buf_str(&text));
    }
    jsonw_end(j);
    buf_done(&text);
}

static void print_address(struct jsonw *j, const char *key, uint16_t port)
{
    char text[32];
    (void)snprintf(text, sizeof text, "127.0.0.1:%u", port);
    jsonw_text_field(j, key, str_c(text));
}

static void print_run(const struct run_file *f, const struct run_facts *facts, struct buf *out)
{
    struct jsonw j = jsonw_to(out);
    char ca[PATH_BYTES];
    char *whole = path_of(f, "ca.pem", ca) ? realpath(ca, NULL) : NULL;
    jsonw_object(&j);
    jsonw_u64_field(&j, "pid", (uint64_t)getpid());
    jsonw_u64_field(&j, "http_port", facts->http_port);
    jsonw_u64_field(&j, "https_port", facts->https_port);
    print_address(&j, "dns", facts->dns_port);
    print_address(&j, "control", facts->control_port);
    jsonw_text_field(&j, "token", str_c(facts->token));
    jsonw_text_field(&j, "ca", str_c(whole ? whole : ca));
    jsonw_text_field(&j, "home", facts->home);
    print_settings(&j, "settings", world_options, facts->web);
    print_settings(&j, "server", server_options, facts->server);
    jsonw_end(&j);
    buf_byte(out, '\n');
    free(whole);
}

/* A file of that name that somebody else put there is not written through. */
static enum rc write_beside(const char *path, struct str bytes, struct buf *why)
{
    (void)unlink(path);
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0)
        return fail(why, "write", path);
    bool written = fd_write_all(fd, bytes);
    enum rc rc = written ? RC_OK : fail(why, "write", path);
    if (close(fd) && rc == RC_OK)
        rc = fail(why, "write", path);
    return rc;
}

enum rc run_file_write(struct run_file *f, const struct run_facts *facts, struct buf *why)
{
    char beside[PATH_BYTES], path[PATH_BYTES];
    struct buf json = {.max = RUN_MAX_BYTES};
    print_run(f, facts, &json);
    enum rc rc = buf_rc(&json);
    if (rc == RC_OK && (!path_of(f, "run.json.new", beside) || !path_of(f, "run.json", path)))
        rc = RC_LIMIT;
    if (rc == RC_OK)
        rc = write_beside(beside, buf_str(&json), why);
    if (rc == RC_OK && rename(beside, path))
        rc = fail(why, "write", path);
    f->is_written = rc == RC_OK;
    buf_done(&json);
    return rc;
}
