/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/post_folder.h"

#include "base/fd.h"
#include "bus/certificate.h"
#include "cli/command.h"
#include "cluster/post_config.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    PATH_BYTES = POST_MAX_FOLDER_BYTES + POST_MAX_NAME_BYTES + 32,
    RELOAD_SECONDS = 2,
};

#define PLAN_FILE "plan.json"
#define AUTHORITY_KEY "authority.key"

static int failed(const struct post_folder *f, const char *path, const char *what)
{
    return cli_fail(EXIT_OTHER, "%s/%s: %s: %s", f->dir, path, what, strerror(errno));
}

/* Files ---------------------------------------------------------------------------------------- */

static int keep(struct post_folder *f, const char *path, struct str bytes)
{
    char part[PATH_BYTES + 8];
    (void)snprintf(part, sizeof part, "%s.part", path);
    (void)unlinkat(f->fd, part, 0);
    int fd = openat(f->fd, part, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0)
        return failed(f, path, "cannot be written");
    bool good = fd_write_all(fd, bytes) && fsync(fd) == 0;
    good = close(fd) == 0 && good && renameat(f->fd, part, f->fd, path) == 0;
    return good ? EXIT_DONE : failed(f, path, "cannot be written");
}

/* *ret is the caller's, ended with buf_done also after a failure. */
static int fetch(struct post_folder *f, const char *path, size_t max_bytes, struct buf *ret)
{
    buf_init(ret, max_bytes);
    int fd = openat(f->fd, path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return failed(f, path, "cannot be read");
    ssize_t n = -1;
    char *to = buf_reserve(ret, max_bytes);
    while (to && ret->n < max_bytes && (n = read(fd, to + ret->n, max_bytes - ret->n)) > 0)
        ret->n += (size_t)n;
    (void)close(fd);
    return n == 0 ? EXIT_DONE : failed(f, path, "cannot be read, or is too long");
}

static void path_in(char *ret, const struct post_place *place, const char *name, const char *end)
{
    struct buf out = buf_on(ret, PATH_BYTES - 1);
    if (place) {
        post_place_folder(place, &out);
        buf_byte(&out, '/');
    }
    buf_printf(&out, "%s%s", name, end);
    ret[out.n] = '\0';
}

/* Opening -------------------------------------------------------------------------------------- */

int post_folder_open(struct post_folder *f, const char *dir, bool makes)
{
    *f = (struct post_folder){.dir = dir, .fd = -1};
    if (makes && mkdir(dir, 0700) && errno != EEXIST)
        return cli_fail(EXIT_OTHER, "%s: cannot be made: %s", dir, strerror(errno));
    f->fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (f->fd < 0)
        return cli_fail(EXIT_USAGE, "%s: %s; `orbweaver cluster init` makes it", dir,
                        strerror(errno));
    bool has_plan = faccessat(f->fd, PLAN_FILE, F_OK, 0) == 0;
    if (makes && has_plan)
        return cli_fail(
            EXIT_USAGE,
            "%s holds a cluster already: `cluster add` adds an agent, `cluster streams` "
            "makes missing streams; for another cluster give another --dir",
            dir);
    if (!makes && !has_plan)
        return cli_fail(EXIT_USAGE, "%s has no " PLAN_FILE ": `orbweaver cluster init` makes it",
                        dir);
    if (makes && fchmod(f->fd, 0700))
        return cli_fail(EXIT_OTHER, "%s: cannot be closed to others: %s", dir, strerror(errno));
    return EXIT_DONE;
}

void post_folder_close(struct post_folder *f)
{
    if (f->fd >= 0)
        (void)close(f->fd);
}

int post_folder_plan(struct post_folder *f, struct post_plan *ret)
{
    struct buf text;
    const char *why = "";
    int code = fetch(f, PLAN_FILE, POST_PLAN_MAX_BYTES, &text);
    if (code == EXIT_DONE && post_plan_read(buf_str(&text), ret, &why))
        code = cli_fail(EXIT_OTHER, "%s/" PLAN_FILE ": %s", f->dir, why);
    buf_done(&text);
    return code;
}

int post_folder_keep_plan(struct post_folder *f, const struct post_plan *p)
{
    struct buf text = {.max = POST_PLAN_MAX_BYTES};
    post_plan_write(p, &text);
    enum rc rc = buf_rc(&text);
    int code = rc ? cli_fail(EXIT_OTHER, PLAN_FILE ": %s", rc_text(rc))
                  : keep(f, PLAN_FILE, buf_str(&text));
    buf_done(&text);
    return code;
}

/* Certificates --------------------------------------------------------------------------------- */

int post_folder_authority(struct post_folder *f, const struct post_plan *p)
{
    struct certificate c;
    char name[POST_MAX_NAME_BYTES + 32];
    (void)snprintf(name, sizeof name, "cluster %s", p->crawl);
    certificate_init(&c);
    enum rc rc = certificate_authority(str_c(name), &c);
    int code = rc ? cli_fail(EXIT_OTHER, "no certificate could be made: %s", rc_text(rc))
                  : keep(f, AUTHORITY_KEY, buf_str(&c.key));
    if (code == EXIT_DONE)
        code = keep(f, POST_FILE_AUTHORITY, buf_str(&c.cert));
    certificate_done(&c);
    return code;
}

static int sign(struct post_folder *f, const struct post_place *place,
                const struct certificate *authority)
{
    struct certificate c;
    char path[PATH_BYTES];
    certificate_init(&c);
    enum rc rc = certificate_for(authority, str_c(place->host), &c);
    int code =
        rc ? cli_fail(EXIT_OTHER, "%s: no certificate could be made: %s", place->host, rc_text(rc))
           : EXIT_DONE;
    path_in(path, place, POST_FILE_KEY, "");
    if (code == EXIT_DONE)
        code = keep(f, path, buf_str(&c.key));
    path_in(path, place, POST_FILE_AUTHORITY, "");
    if (code == EXIT_DONE)
        code = keep(f, path, buf_str(&authority->cert));
    path_in(path, place, POST_FILE_CERT, ""); /* last: while it is absent, all are made anew */
    if (code == EXIT_DONE)
        code = keep(f, path, buf_str(&c.cert));
    certificate_done(&c);
    return code;
}

int post_folder_machine(struct post_folder *f, const struct post_place *place)
{
    struct certificate authority = {0};
    char path[PATH_BYTES];
    path_in(path, place, "", "");
    if (mkdirat(f->fd, path, 0700) && errno != EEXIST)
        return failed(f, path, "cannot be made");
    path_in(path, place, POST_FILE_CERT, "");
    if (faccessat(f->fd, path, F_OK, 0) == 0)
        return EXIT_DONE;
    int code = fetch(f, AUTHORITY_KEY, CERTIFICATE_MAX_BYTES, &authority.key);
    if (code == EXIT_DONE)
        code = fetch(f, POST_FILE_AUTHORITY, CERTIFICATE_MAX_BYTES, &authority.cert);
    if (code == EXIT_DONE)
        code = sign(f, place, &authority);
    certificate_done(&authority);
    return code;
}

/* Configurations and logins -------------------------------------------------------------------- */

int post_folder_configs(struct post_folder *f, const struct post_plan *p)
{
    struct buf text = {.max = POST_CONFIG_MAX_BYTES};
    char path[PATH_BYTES];
    int code = EXIT_DONE;
    for (uint32_t i = 0; code == EXIT_DONE && i < p->place_count; i++) {
        buf_clear(&text);
        post_config_write(p, i, &text);
        path_in(path, &p->places[i], POST_FILE_CONFIG, "");
        enum rc rc = buf_rc(&text);
        code =
            rc ? cli_fail(EXIT_OTHER, "%s: %s", path, rc_text(rc)) : keep(f, path, buf_str(&text));
    }
    buf_done(&text);
    return code;
}

int post_folder_login(struct post_folder *f, const struct post_place *place,
                      const struct post_login *l)
{
    char path[PATH_BYTES], room[POST_LOGIN_MAX_BYTES];
    struct buf text = buf_on(room, sizeof room);
    post_login_write(l, &text);
    path_in(path, place, l->name, ".login");
    enum rc rc = buf_rc(&text);
    int code =
        rc ? cli_fail(EXIT_OTHER, "%s: %s", path, rc_text(rc)) : keep(f, path, buf_str(&text));
    explicit_bzero(room, sizeof room);
    return code;
}

int post_folder_read_login(struct post_folder *f, const struct post_place *place, const char *name,
                           struct post_login *ret)
{
    struct buf text;
    char path[PATH_BYTES];
    path_in(path, place, name, ".login");
    int code = fetch(f, path, POST_LOGIN_MAX_BYTES, &text);
    if (code == EXIT_DONE && post_login_read(buf_str(&text), ret))
        code = cli_fail(EXIT_OTHER, "%s/%s: not what `cluster init` wrote", f->dir, path);
    buf_done(&text);
    return code;
}

void post_folder_drop_login(struct post_folder *f, const struct post_place *place, const char *name)
{
    char path[PATH_BYTES];
    path_in(path, place, name, ".login");
    (void)unlinkat(f->fd, path, 0);
}

/* Servers that run here ------------------------------------------------------------------------ */

/* Only what is a nats-server is told: a number in a file may have become somebody else's. */
static bool is_server(pid_t pid)
{
    char path[64], name[32] = "";
    (void)snprintf(path, sizeof path, "/proc/%d/comm", (int)pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    ssize_t n = read(fd, name, sizeof name - 1);
    (void)close(fd);
    return n > 0 && strcmp(name, "nats-server\n") == 0;
}

static pid_t pid_in(struct post_folder *f, const struct post_place *place)
{
    char path[PATH_BYTES], text[32] = "";
    uint64_t pid = 0;
    path_in(path, place, POST_FILE_PID, "");
    int fd = openat(f->fd, path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return 0;
    ssize_t n = read(fd, text, sizeof text - 1);
    (void)close(fd);
    bool good =
        n > 0 && str_to_u64(str_trim(str_c(text)), &pid) == RC_OK && pid > 1 && pid < INT32_MAX;
    return good ? (pid_t)pid : 0;
}

static uint32_t reload_once(struct post_folder *f, const struct post_plan *p)
{
    uint32_t told = 0;
    for (uint32_t i = 0; i < p->place_count; i++) {
        pid_t pid = pid_in(f, &p->places[i]);
        if (!pid || !is_server(pid) || kill(pid, SIGHUP))
            continue;
        told++;
        (void)sleep(RELOAD_SECONDS);
    }
    return told;
}

uint32_t post_folder_reload(struct post_folder *f, const struct post_plan *p)
{
    (void)reload_once(f, p);
    return reload_once(f, p);
}

bool post_folder_is_founded(const struct post_folder *f)
{
    return faccessat(f->fd, "founded", F_OK, 0) == 0;
}

int post_folder_founded(const struct post_folder *f)
{
    int fd = openat(f->fd, "founded", O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    bool is_safe = fd >= 0 && fsync(fd) == 0 && fsync(f->fd) == 0;
    int said = errno;
    if (fd >= 0)
        (void)close(fd);
    return is_safe ? EXIT_DONE : cli_fail(EXIT_DISK, "%s/founded: %s", f->dir, strerror(said));
}
