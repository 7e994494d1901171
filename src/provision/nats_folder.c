/* SPDX-License-Identifier: Apache-2.0 */
#include "provision/nats_folder.h"

#include "base/fd.h"
#include "bus/certificate.h"
#include "provision/nats_config.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    PATH_BYTES = NATS_MAX_FOLDER_BYTES + NATS_MAX_NAME_BYTES + 32,
    RELOAD_SECONDS = 2,
};

#define PLAN_FILE "plan.json"
#define AUTHORITY_KEY "authority.key"

static enum rc failed(const struct nats_folder *f, const char *path, const char *what)
{
    buf_printf(f->why, "%s/%s: %s: %s", f->dir, path, what, strerror(errno));
    return RC_IO;
}

/* Files ---------------------------------------------------------------------------------------- */

static enum rc write_file(struct nats_folder *f, const char *path, struct str bytes)
{
    char part[PATH_BYTES + 8];
    (void)snprintf(part, sizeof part, "%s.part", path);
    (void)unlinkat(f->fd, part, 0);
    int fd = openat(f->fd, part, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0)
        return failed(f, path, "cannot write it");
    bool good = fd_write_all(fd, bytes) && fsync(fd) == 0;
    good = close(fd) == 0 && good && renameat(f->fd, part, f->fd, path) == 0;
    return good ? RC_OK : failed(f, path, "cannot write it");
}

/* *ret is the caller's, ended with buf_done also after a failure. */
static enum rc read_file(struct nats_folder *f, const char *path, size_t max_bytes, struct buf *ret)
{
    buf_init(ret, max_bytes);
    int fd = openat(f->fd, path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return failed(f, path, "cannot read it");
    ssize_t n = -1;
    char *to = buf_reserve(ret, max_bytes);
    while (to && ret->n < max_bytes && (n = read(fd, to + ret->n, max_bytes - ret->n)) > 0)
        ret->n += (size_t)n;
    (void)close(fd);
    return n == 0 ? RC_OK : failed(f, path, "cannot read it, or it is too long");
}

static void path_in(char *ret, const struct nats_machine *machine, const char *name,
                    const char *end)
{
    struct buf out = buf_on(ret, PATH_BYTES - 1);
    if (machine) {
        nats_machine_folder(machine, &out);
        buf_byte(&out, '/');
    }
    buf_printf(&out, "%s%s", name, end);
    ret[out.n] = '\0';
}

/* Opening -------------------------------------------------------------------------------------- */

static enum rc check_plan(const struct nats_folder *f, bool makes)
{
    bool has_plan = faccessat(f->fd, PLAN_FILE, F_OK, 0) == 0;
    if (makes && has_plan) {
        buf_printf(f->why,
                   "%s holds a cluster already: `cluster add` adds an agent, `cluster streams` "
                   "makes missing streams; for another cluster give another --dir",
                   f->dir);
        return RC_EXISTS;
    }
    if (!makes && !has_plan) {
        buf_printf(f->why, "%s has no " PLAN_FILE ": `orbweaver cluster init` makes it", f->dir);
        return RC_NOT_FOUND;
    }
    return RC_OK;
}

enum rc nats_folder_open(struct nats_folder *f, const char *dir, bool makes, struct buf *why)
{
    *f = (struct nats_folder){.dir = dir, .fd = -1, .why = why};
    if (makes && mkdir(dir, 0700) && errno != EEXIST) {
        buf_printf(why, "%s: cannot create it: %s", dir, strerror(errno));
        return RC_IO;
    }
    f->fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (f->fd < 0) {
        buf_printf(why, "%s: %s; `orbweaver cluster init` makes it", dir, strerror(errno));
        return RC_NOT_FOUND;
    }
    enum rc rc = check_plan(f, makes);
    if (rc == RC_OK && makes && fchmod(f->fd, 0700)) {
        buf_printf(why, "%s: cannot close it to other users: %s", dir, strerror(errno));
        rc = RC_IO;
    }
    return rc;
}

void nats_folder_close(struct nats_folder *f)
{
    if (f->fd >= 0)
        (void)close(f->fd);
}

enum rc nats_folder_plan(struct nats_folder *f, struct nats_plan *ret)
{
    struct buf text;
    const char *why = "";
    enum rc rc = read_file(f, PLAN_FILE, NATS_PLAN_MAX_BYTES, &text);
    if (rc == RC_OK && nats_plan_read(buf_str(&text), ret, &why)) {
        buf_printf(f->why, "%s/" PLAN_FILE ": %s", f->dir, why);
        rc = RC_CORRUPT;
    }
    buf_done(&text);
    return rc;
}

/* A text that was made, unless its buf has failed. */
static enum rc write_text(struct nats_folder *f, const char *path, const struct buf *text)
{
    enum rc rc = buf_rc(text);
    if (rc == RC_OK)
        return write_file(f, path, buf_str(text));
    buf_printf(f->why, "%s/%s: %s", f->dir, path, rc_text(rc));
    return rc;
}

enum rc nats_folder_write_plan(struct nats_folder *f, const struct nats_plan *p)
{
    struct buf text = {.max = NATS_PLAN_MAX_BYTES};
    nats_plan_write(p, &text);
    enum rc rc = write_text(f, PLAN_FILE, &text);
    buf_done(&text);
    return rc;
}

/* Certificates --------------------------------------------------------------------------------- */

static enum rc no_certificate(const struct nats_folder *f, const char *name, enum rc rc)
{
    buf_printf(f->why, "%s: cannot make a certificate: %s", name, rc_text(rc));
    return RC_IO;
}

enum rc nats_folder_authority(struct nats_folder *f, const struct nats_plan *p)
{
    struct certificate c;
    char name[NATS_MAX_NAME_BYTES + 32];
    (void)snprintf(name, sizeof name, "cluster %s", p->crawl);
    certificate_init(&c);
    enum rc rc = certificate_authority(str_c(name), &c);
    rc = rc ? no_certificate(f, name, rc) : write_file(f, AUTHORITY_KEY, buf_str(&c.key));
    if (rc == RC_OK)
        rc = write_file(f, NATS_FILE_AUTHORITY, buf_str(&c.cert));
    certificate_done(&c);
    return rc;
}

static enum rc sign(struct nats_folder *f, const struct nats_machine *machine,
                    const struct certificate *authority)
{
    struct certificate c;
    char path[PATH_BYTES];
    certificate_init(&c);
    enum rc rc = certificate_for(authority, str_c(machine->host), &c);
    path_in(path, machine, NATS_FILE_KEY, "");
    rc = rc ? no_certificate(f, machine->host, rc) : write_file(f, path, buf_str(&c.key));
    path_in(path, machine, NATS_FILE_AUTHORITY, "");
    if (rc == RC_OK)
        rc = write_file(f, path, buf_str(&authority->cert));
    path_in(path, machine, NATS_FILE_CERT, ""); /* last: while it is absent, all are made anew */
    if (rc == RC_OK)
        rc = write_file(f, path, buf_str(&c.cert));
    certificate_done(&c);
    return rc;
}

enum rc nats_folder_machine(struct nats_folder *f, const struct nats_machine *machine)
{
    struct certificate authority = {0};
    char path[PATH_BYTES];
    path_in(path, machine, "", "");
    if (mkdirat(f->fd, path, 0700) && errno != EEXIST)
        return failed(f, path, "cannot create it");
    path_in(path, machine, NATS_FILE_CERT, "");
    if (faccessat(f->fd, path, F_OK, 0) == 0)
        return RC_OK;
    enum rc rc = read_file(f, AUTHORITY_KEY, CERTIFICATE_MAX_BYTES, &authority.key);
    if (rc == RC_OK)
        rc = read_file(f, NATS_FILE_AUTHORITY, CERTIFICATE_MAX_BYTES, &authority.cert);
    if (rc == RC_OK)
        rc = sign(f, machine, &authority);
    certificate_done(&authority);
    return rc;
}

/* Configurations and logins -------------------------------------------------------------------- */

enum rc nats_folder_configs(struct nats_folder *f, const struct nats_plan *p)
{
    struct buf text = {.max = NATS_CONFIG_MAX_BYTES};
    char path[PATH_BYTES];
    enum rc rc = RC_OK;
    for (uint32_t i = 0; rc == RC_OK && i < p->machine_count; i++) {
        buf_clear(&text);
        nats_config_write(p, i, &text);
        path_in(path, &p->machines[i], NATS_FILE_CONFIG, "");
        rc = write_text(f, path, &text);
    }
    buf_done(&text);
    return rc;
}

enum rc nats_folder_login(struct nats_folder *f, const struct nats_machine *machine,
                          const struct nats_login *l)
{
    char path[PATH_BYTES], room[NATS_LOGIN_MAX_BYTES];
    struct buf text = buf_on(room, sizeof room);
    nats_login_write(l, &text);
    path_in(path, machine, l->name, ".login");
    enum rc rc = write_text(f, path, &text);
    explicit_bzero(room, sizeof room);
    return rc;
}

enum rc nats_folder_read_login(struct nats_folder *f, const struct nats_machine *machine,
                               const char *name, struct nats_login *ret)
{
    struct buf text;
    char path[PATH_BYTES];
    path_in(path, machine, name, ".login");
    enum rc rc = read_file(f, path, NATS_LOGIN_MAX_BYTES, &text);
    if (rc == RC_OK && nats_login_read(buf_str(&text), ret)) {
        buf_printf(f->why, "%s/%s: not what `cluster init` wrote", f->dir, path);
        rc = RC_CORRUPT;
    }
    buf_done(&text);
    return rc;
}

void nats_folder_drop_login(struct nats_folder *f, const struct nats_machine *machine,
                            const char *name)
{
    char path[PATH_BYTES];
    path_in(path, machine, name, ".login");
    (void)unlinkat(f->fd, path, 0);
}

/* Servers that run here ------------------------------------------------------------------------ */

/* Only a nats-server gets the signal: the process of an old number may be another program. */
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

static pid_t pid_in(struct nats_folder *f, const struct nats_machine *machine)
{
    char path[PATH_BYTES], text[32] = "";
    uint64_t pid = 0;
    path_in(path, machine, NATS_FILE_PID, "");
    int fd = openat(f->fd, path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return 0;
    ssize_t n = read(fd, text, sizeof text - 1);
    (void)close(fd);
    bool good =
        n > 0 && str_to_u64(str_trim(str_c(text)), &pid) == RC_OK && pid > 1 && pid < INT32_MAX;
    return good ? (pid_t)pid : 0;
}

static uint32_t reload_once(struct nats_folder *f, const struct nats_plan *p)
{
    uint32_t told = 0;
    for (uint32_t i = 0; i < p->machine_count; i++) {
        pid_t pid = pid_in(f, &p->machines[i]);
        if (!pid || !is_server(pid) || kill(pid, SIGHUP))
            continue;
        told++;
        (void)sleep(RELOAD_SECONDS);
    }
    return told;
}

uint32_t nats_folder_reload(struct nats_folder *f, const struct nats_plan *p)
{
    (void)reload_once(f, p);
    return reload_once(f, p);
}

bool nats_folder_is_founded(const struct nats_folder *f)
{
    return faccessat(f->fd, "founded", F_OK, 0) == 0;
}

enum rc nats_folder_founded(const struct nats_folder *f)
{
    int fd = openat(f->fd, "founded", O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    bool is_safe = fd >= 0 && fsync(fd) == 0 && fsync(f->fd) == 0;
    int error = errno;
    if (fd >= 0)
        (void)close(fd);
    errno = error;
    return is_safe ? RC_OK : failed(f, "founded", "cannot write it");
}
