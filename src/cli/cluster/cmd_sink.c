/* SPDX-License-Identifier: Apache-2.0 */
/* sink init, add, remove: the directory of an archive machine, and the agents that may send to it.
 *
 *   DIR/sink/authority.crt, authority.key   signs the machine's certificate; agents trust no other
 *   DIR/sink/server.crt, server.key         the machine's
 *   DIR/sink/server                         how agents reach it: HOST:PORT
 *   DIR/sink/agents                         a line an agent: name, hash of its secret
 *   DIR/sink/NAME.login                     goes to the agent's machine (sink/login.h)
 *
 * All of it is 0600. sink/store.h has the files that arrive. */
#include "cli/commands.h"

#include "bus/certificate.h"
#include "disk/disk.h"
#include "sink/login.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>

struct settings {
    struct str host, agents;
};

/* DIR, and how agents reach it. */
struct archive_dir {
    struct disk *disk;
    const char *dir;
    struct sink_login at; /* host and port */
};

static int failed(const struct archive_dir *p, const char *what, enum rc rc)
{
    return cli_fail(rc == RC_NOMEM ? EXIT_OTHER : EXIT_DISK, "%s: %s: %s", p->dir, what,
                    rc_text(rc));
}

static int archive_dir_open(struct archive_dir *p, struct invocation *in, int words)
{
    *p = (struct archive_dir){0};
    if (in->word_count != words)
        return cli_fail(EXIT_USAGE, words == 1 ? "expected the archive machine's directory"
                                               : "expected a directory and an agent's name");
    (void)umask(077); /* secrets and keys */
    p->dir = in->words[0];
    enum rc rc = disk_real_open(p->dir, &p->disk);
    return rc ? cli_fail(EXIT_DISK, "cannot use the directory %s: %s", p->dir, strerror(errno))
              : EXIT_DONE;
}

/* Agents --------------------------------------------------------------------------------------- */

static int bad_name(struct str name)
{
    return cli_fail(EXIT_USAGE,
                    "\"" STR_FMT "\" cannot be an agent's name: expected a-z, 0-9, '-' and '_', at "
                    "most %d",
                    STR_ARG(name), SINK_MAX_NAME_BYTES);
}

static enum rc read_agents(struct archive_dir *p, struct buf *ret)
{
    buf_init(ret, SINK_AGENTS_MAX_BYTES);
    enum rc rc = disk_read_whole(p->disk, "sink/agents", ret);
    return rc == RC_NOT_FOUND ? RC_OK : rc;
}

/* With `hash` NULL the agent is removed. */
static enum rc write_agent(struct archive_dir *p, struct str name, const struct secret_hash *hash)
{
    struct buf before, after = {.max = SINK_AGENTS_MAX_BYTES};
    enum rc rc = read_agents(p, &before);
    if (rc == RC_OK && !hash && !sink_agents_has(buf_str(&before), name))
        rc = RC_NOT_FOUND;
    sink_agents_write(buf_str(&before), name, hash, &after);
    rc = rc ? rc : buf_rc(&after);
    rc = rc ? rc : disk_replace(p->disk, "sink/agents", buf_str(&after));
    buf_done(&before);
    buf_done(&after);
    return rc;
}

static enum rc write_login(struct archive_dir *p, const struct sink_login *l)
{
    char path[SINK_MAX_NAME_BYTES + 16];
    struct buf authority = {.max = CERTIFICATE_MAX_BYTES}, text = {.max = SINK_LOGIN_MAX_BYTES};
    (void)snprintf(path, sizeof path, "sink/%s.login", l->name);
    enum rc rc = disk_read_whole(p->disk, "sink/authority.crt", &authority);
    sink_login_write(l, buf_str(&authority), &text);
    rc = rc ? rc : buf_rc(&text);
    rc = rc ? rc : disk_replace(p->disk, path, buf_str(&text));
    if (text.p)
        explicit_bzero(text.p, text.cap);
    buf_done(&authority);
    buf_done(&text);
    return rc;
}

/* Makes a new secret, which replaces an old one. */
static int add_agent(struct archive_dir *p, struct str name)
{
    struct sink_login l = p->at;
    struct secret_hash hash;
    if (!sink_agent_is_good(name))
        return bad_name(name);
    (void)snprintf(l.name, sizeof l.name, STR_FMT, STR_ARG(name));
    enum rc rc = secret_make(&l.secret);
    rc = rc ? rc : secret_hash_make(&l.secret, &hash);
    rc = rc ? rc : write_agent(p, name, &hash);
    rc = rc ? rc : write_login(p, &l);
    if (rc == RC_OK)
        printf("%s/sink/%s.login: copy it to the agent's machine, for crawl --sink\n", p->dir,
               l.name);
    explicit_bzero(&l, sizeof l);
    return rc ? failed(p, "sink/agents", rc) : EXIT_DONE;
}

/* init ----------------------------------------------------------------------------------------- */

static enum rc write_certificate(struct archive_dir *p, const struct certificate *c,
                                 const char *cert, const char *key)
{
    enum rc rc = disk_replace(p->disk, key, buf_str(&c->key));
    return rc ? rc : disk_replace(p->disk, cert, buf_str(&c->cert));
}

static enum rc make_certificates(struct archive_dir *p)
{
    struct certificate authority, machine;
    certificate_init(&authority);
    certificate_init(&machine);
    enum rc rc = certificate_authority(STR("orbweaver archive"), &authority);
    rc = rc ? rc : certificate_for(&authority, str_c(p->at.host), &machine);
    rc = rc ? rc : write_certificate(p, &authority, "sink/authority.crt", "sink/authority.key");
    rc = rc ? rc : write_certificate(p, &machine, "sink/server.crt", "sink/server.key");
    certificate_done(&authority);
    certificate_done(&machine);
    return rc;
}

/* "sink/server" comes last: it marks the directory as an archive machine's. */
static enum rc make_archive_dir(struct archive_dir *p)
{
    char text[SINK_MAX_HOST_BYTES + 16];
    (void)snprintf(text, sizeof text, "%s:%u\n", p->at.host, p->at.port);
    enum rc rc = disk_mkdir_private(p->disk, "sink");
    rc = rc ? rc : disk_dirsync(p->disk, "");
    rc = rc ? rc : make_certificates(p);
    return rc ? rc : disk_replace(p->disk, "sink/server", str_c(text));
}

static enum rc read_address(struct archive_dir *p)
{
    char room[SINK_MAX_HOST_BYTES + 16];
    struct buf text = buf_on(room, sizeof room);
    enum rc rc = disk_read_whole(p->disk, "sink/server", &text);
    return rc ? rc : sink_address_read(str_trim(buf_str(&text)), &p->at);
}

static int init_archive_dir(struct archive_dir *p, const struct settings *s)
{
    if (read_address(p) != RC_NOT_FOUND)
        return cli_fail(EXIT_USAGE, "%s: it is an archive machine's directory already", p->dir);
    if (sink_address_read(s->host, &p->at))
        return cli_fail(EXIT_USAGE,
                        "--host: \"" STR_FMT "\": expected HOST[:PORT], a name or an "
                        "IPv4 address",
                        STR_ARG(s->host));
    enum rc rc = make_archive_dir(p);
    return rc ? failed(p, "sink", rc) : EXIT_DONE;
}

static int run_init(struct invocation *in)
{
    const struct settings *s = in->settings;
    struct archive_dir p;
    int code = archive_dir_open(&p, in, 1);
    if (code == EXIT_DONE)
        code = init_archive_dir(&p, s);
    struct str rest = s->agents;
    while (code == EXIT_DONE && rest.p)
        code = add_agent(&p, str_trim(str_take_until(&rest, ',')));
    disk_close(p.disk);
    return code;
}

/* add, remove ---------------------------------------------------------------------------------- */

static int open_made(struct archive_dir *p, struct invocation *in)
{
    int code = archive_dir_open(p, in, 2);
    if (code == EXIT_DONE && read_address(p))
        code = cli_fail(EXIT_USAGE,
                        "%s: not an archive machine's directory (orbweaver sink init makes one)",
                        p->dir);
    return code;
}

static int run_add(struct invocation *in)
{
    struct archive_dir p;
    int code = open_made(&p, in);
    if (code == EXIT_DONE)
        code = add_agent(&p, str_c(in->words[1]));
    disk_close(p.disk);
    return code;
}

static int run_remove(struct invocation *in)
{
    struct archive_dir p;
    char path[SINK_MAX_NAME_BYTES + 16];
    int code = open_made(&p, in);
    struct str name = code == EXIT_DONE ? str_c(in->words[1]) : STR("");
    if (code == EXIT_DONE && !sink_agent_is_good(name))
        code = bad_name(name);
    enum rc rc = code == EXIT_DONE ? write_agent(&p, name, NULL) : RC_OK;
    if (rc == RC_NOT_FOUND)
        code = cli_fail(EXIT_USAGE, "%s: there is no agent " STR_FMT, p.dir, STR_ARG(name));
    else if (rc)
        code = failed(&p, "sink/agents", rc);
    if (code == EXIT_DONE) {
        (void)snprintf(path, sizeof path, "sink/" STR_FMT ".login", STR_ARG(name));
        (void)!disk_unlink(p.disk, path); /* it may have been moved away */
    }
    disk_close(p.disk);
    return code;
}

static const struct option init_options[] = {
    OPTION_TEXT_ROW(struct settings, host, "host", "127.0.0.1",
                    "how agents reach this machine; 7447 is the usual port", .arg = "HOST[:PORT]"),
    OPTION_TEXT_ROW(struct settings, agents, "agents", NULL,
                    "agents that may send, as with sink add", .arg = "NAME,..."),
    {0},
};

const struct command cmd_sink_init = {
    .name = "sink init",
    .args = "DIR",
    .summary = "make the directory of an archive machine",
    .details = "Makes an authority, a certificate for this machine, and for each agent a login: a\n"
               "file with a secret, to be copied to the agent's machine and given to crawl --sink.",
    .options = init_options,
    .settings_bytes = sizeof(struct settings),
    .run = run_init,
};

const struct command cmd_sink_add = {
    .name = "sink add",
    .args = "DIR AGENT",
    .summary = "make a login for an agent, or replace it",
    .details =
        "sink listen need not be started again. An agent that has a login gets a new secret;\n"
        "the old secret is refused from then on.",
    .settings_bytes = sizeof(struct settings),
    .run = run_add,
};

const struct command cmd_sink_remove = {
    .name = "sink remove",
    .args = "DIR AGENT",
    .summary = "revoke an agent's login for an archive machine",
    .details =
        "Files that the agent has sent stay. A connection that is open may go on until it ends.",
    .settings_bytes = sizeof(struct settings),
    .run = run_remove,
};
