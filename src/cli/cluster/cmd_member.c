/* SPDX-License-Identifier: Apache-2.0 */
/* member add, member remove: the keys of a pool's members, at the manager (cli/member_file.h). */
#include "cli/commands.h"
#include "cli/crawl_files.h"
#include "cli/member_file.h"

#include "disk/disk.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>

enum { PATH_BYTES = LINK_MAX_NAME_BYTES + 32 };

struct settings {
    struct str wiring, place, manager;
    bool trusted;
};

static const struct option add_options[] = {
    OPTION_TEXT_ROW(struct settings, wiring, "wiring", NULL,
                    "the crawl's wiring; unset: as the crawl in DIR, or else managed",
                    .arg = "NAME|FILE"),
    OPTION_TEXT_ROW(struct settings, place, "place", "crawlers", "the pool in that wiring",
                    .arg = "NAME"),
    OPTION_TEXT_ROW(
        struct settings, manager, "manager", NULL,
        "where members dial the manager; unset: as the crawl in DIR, or else the wiring",
        .arg = "ADDRESS:PORT"),
    OPTION_BOOL_ROW(struct settings, trusted, "trusted", "no",
                    "do not look into what it packs for the archive: the manager then does less"),
    {0},
};

/* The manager's directory and the member that the command names. */
struct target {
    struct disk *disk;
    const char *dir;
    struct str name;
    char path[PATH_BYTES];
};

static int target_open(struct target *t, struct invocation *in)
{
    *t = (struct target){0};
    if (in->word_count != 2)
        return cli_fail(EXIT_USAGE, "expected the manager's directory and a member's name");
    t->dir = in->words[0];
    t->name = str_c(in->words[1]);
    if (!member_name_is_good(t->name))
        return cli_fail(EXIT_USAGE,
                        "\"" STR_FMT
                        "\" cannot be a member's name: expected a-z, 0-9, '-' and '_', "
                        "at most %d",
                        STR_ARG(t->name), LINK_MAX_NAME_BYTES);
    (void)snprintf(t->path, sizeof t->path, "members/" STR_FMT ".yaml", STR_ARG(t->name));
    (void)umask(077);
    enum rc rc = disk_real_open(t->dir, &t->disk);
    return rc ? cli_fail(EXIT_DISK, "cannot use the directory %s: %s", t->dir, strerror(errno))
              : EXIT_DONE;
}

static int failed(const struct target *t, enum rc rc)
{
    return cli_fail(rc == RC_NOMEM ? EXIT_OTHER : EXIT_DISK, "%s/%s: %s", t->dir, t->path,
                    rc_text(rc));
}

/* What the crawl was told, as it stands in DIR/orbweaver.yaml, without what is the manager's own. */
static bool is_for_members(struct str key)
{
    static const char *const others[] = {"seeds",
                                         "input",
                                         "output",
                                         "config",
                                         "wiring",
                                         "place",
                                         "place-secret",
                                         "manager",
                                         "member",
                                         "member-secret",
                                         "cluster",
                                         "agent",
                                         "cluster-credentials",
                                         "sink",
                                         "sink-remove",
                                         "sink-wait",
                                         "ui",
                                         "json",
                                         "quiet",
                                         "verbose"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (str_eq(key, str_c(others[i])))
            return false;
    return key.n && key.p[0] != '#' && key.p[0] != ' ' && key.p[0] != '-';
}

static struct str value_of(struct str text, struct str wanted)
{
    while (text.n) {
        struct str value = str_take_until(&text, '\n');
        struct str key = str_take_until(&value, ':');
        if (value.p && str_eq(key, wanted))
            return str_trim(value);
    }
    return STR_NONE;
}

static void add_line(struct buf *out, const char *key, struct str value)
{
    if (value.n)
        buf_printf(out, "%s: " STR_FMT "\n", key, STR_ARG(value));
}

static struct str first_of(struct str a, struct str b, struct str c)
{
    return a.n ? a : b.n ? b : c;
}

static void write_text(const struct target *t, const struct settings *s, struct str crawl,
                       const struct secret *secret, struct buf *out)
{
    buf_printf(out,
               "# orbweaver member: keep it secret, with mode 600. On the member's machine:\n"
               "#     orbweaver crawl -c " STR_FMT ".yaml\n",
               STR_ARG(t->name));
    add_line(out, "wiring", first_of(s->wiring, value_of(crawl, STR("wiring")), STR("managed")));
    add_line(out, "place", s->place);
    add_line(out, "manager", first_of(s->manager, value_of(crawl, STR("manager")), STR_NONE));
    add_line(out, "member", t->name);
    add_line(out, "member-secret", str_c(secret->text));
    if (s->trusted)
        add_line(out, "member-trusted", STR("yes"));
    while (crawl.n) {
        struct str line = str_take_until(&crawl, '\n');
        struct str rest = line;
        if (is_for_members(str_take_until(&rest, ':')) && rest.p)
            buf_printf(out, STR_FMT "\n", STR_ARG(line));
    }
}

static enum rc add(const struct target *t, const struct settings *s)
{
    struct buf crawl = {.max = 1 << 20}, text = {.max = MEMBER_FILE_MAX_BYTES};
    struct secret secret;
    enum rc rc = disk_read_whole(t->disk, CONFIG_OF_CRAWL, &crawl);
    rc = rc == RC_NOT_FOUND ? RC_OK : rc;
    rc = rc ? rc : secret_make(&secret);
    if (rc == RC_OK) {
        write_text(t, s, buf_str(&crawl), &secret, &text);
        rc = buf_rc(&text);
    }
    rc = rc ? rc : disk_mkdir_private(t->disk, "members");
    rc = rc ? rc : disk_replace(t->disk, t->path, buf_str(&text));
    explicit_bzero(&secret, sizeof secret);
    if (text.p)
        explicit_bzero(text.p, text.cap);
    buf_done(&crawl);
    buf_done(&text);
    return rc;
}

static int run_add(struct invocation *in)
{
    struct target t;
    int code = target_open(&t, in);
    enum rc rc = code == EXIT_DONE ? add(&t, in->settings) : RC_OK;
    if (rc)
        code = failed(&t, rc);
    else if (code == EXIT_DONE)
        printf("%s/%s: copy it to the member's machine (it is secret), and start there:\n"
               "    orbweaver crawl -c " STR_FMT ".yaml\n",
               t.dir, t.path, STR_ARG(t.name));
    disk_close(t.disk);
    return code;
}

static int run_remove(struct invocation *in)
{
    struct target t;
    int code = target_open(&t, in);
    enum rc rc = code == EXIT_DONE ? disk_unlink(t.disk, t.path) : RC_OK;
    if (rc == RC_NOT_FOUND)
        code = cli_fail(EXIT_USAGE, "%s has no member " STR_FMT, t.dir, STR_ARG(t.name));
    else if (rc)
        code = failed(&t, rc);
    else if (code == EXIT_DONE)
        printf("the key of " STR_FMT " is revoked\n", STR_ARG(t.name));
    disk_close(t.disk);
    return code;
}

const struct command cmd_member_add = {
    .name = "member add",
    .args = "DIR NAME",
    .summary = "make the key of a member of a pool, or replace it",
    .details =
        "DIR is the directory of the manager's crawl, which may run. The key is "
        "DIR/members/NAME.yaml,\n"
        "a configuration file with which the member starts. It has the crawl's settings that a\n"
        "member needs, so add members after the crawl was started, or give them there too.\n"
        "A member that has a key gets a new one; the old one is refused from then on.\n"
        "A member packs what it fetched, and the manager unpacks that to see whether it is what "
        "the\n"
        "member says. Give --trusted to machines of your own alone.",
    .options = add_options,
    .settings_bytes = sizeof(struct settings),
    .run = run_add,
};

const struct command cmd_member_remove = {
    .name = "member remove",
    .args = "DIR NAME",
    .summary = "revoke the key of a member of a pool",
    .details =
        "The manager need not be started again: within a few seconds it ends the member's links.\n"
        "What the member has under way comes back and is given to others.",
    .settings_bytes = sizeof(struct settings),
    .run = run_remove,
};
