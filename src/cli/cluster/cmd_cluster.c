/* SPDX-License-Identifier: Apache-2.0 */
/* cluster init, streams, add, remove: the NATS servers through which agents on several machines
 * reach each other. Everything is made in one folder, the operator's; the folder of each machine is
 * copied there. */
#include "cli/commands.h"
#include "provision/found.h"
#include "provision/nats_folder.h"
#include "provision/nats_streams.h"
#include "provision/timings.h"

#include <inttypes.h>
#include <stdio.h>

enum { WHY_BYTES = 64 << 10 };

struct settings {
    struct str hosts, agents, crawl, dir, host, server;
    uint64_t stores, stream_bytes, wait_ms;
    struct founding_timings timings;
};

/* What all of them work on. */
struct work {
    const struct settings *s;
    struct nats_folder folder;
    struct nats_plan *plan; /* in the arena */
    struct buf why;         /* of the folder */
};

/* An exit code for what the folder answered. */
static int said(struct work *w, enum rc rc)
{
    return cli_say(rc, &w->why);
}

static struct work work_of(struct invocation *in)
{
    return (struct work){.s = in->settings, .folder.fd = -1, .why = {.max = WHY_BYTES}};
}

static int work_open(struct work *w, struct invocation *in)
{
    w->plan = arena_zero(in->arena, sizeof *w->plan);
    if (!w->plan)
        return cli_fail(EXIT_OTHER, "%s", rc_text(RC_NOMEM));
    enum rc rc = nats_folder_open(&w->folder, w->s->dir.p, false, &w->why);
    return said(w, rc ? rc : nats_folder_plan(&w->folder, w->plan));
}

static void work_close(struct work *w)
{
    nats_folder_close(&w->folder);
    buf_done(&w->why);
}

/* Logins --------------------------------------------------------------------------------------- */

static enum rc new_secret(struct secret *secret, struct secret_hash *hash)
{
    enum rc rc = secret_make(secret);
    return rc ? rc : secret_hash_make(secret, hash);
}

static int no_password(enum rc rc)
{
    return cli_fail(EXIT_OTHER, "cannot make a password: %s", rc_text(rc));
}

/* Makes new passwords for an agent or the operator: the plan gets their hashes, a file the
 * passwords. */
static int give_login(struct work *w, struct nats_user *user, const struct nats_machine *folder)
{
    const struct nats_machine *at = &w->plan->machines[user->machine];
    struct nats_login l = {0};
    (void)snprintf(l.crawl, sizeof l.crawl, "%s", w->plan->crawl);
    (void)snprintf(l.name, sizeof l.name, "%s", user->name);
    (void)snprintf(l.url, sizeof l.url, "nats://127.0.0.1:%u", at->client_port);
    (void)snprintf(l.say_user, sizeof l.say_user, "say.%s", user->name);
    (void)snprintf(l.hear_user, sizeof l.hear_user, "hear.%s", user->name);
    l.copies = nats_plan_copies(w->plan);
    enum rc rc = new_secret(&l.say, &user->say);
    rc = rc ? rc : new_secret(&l.hear, &user->hear);
    int code = rc ? no_password(rc) : said(w, nats_folder_login(&w->folder, folder, &l));
    explicit_bzero(&l, sizeof l);
    return code;
}

static int give_admin_login(struct work *w)
{
    struct nats_login l = {.name = "admin", .say_user = "admin"};
    (void)snprintf(l.crawl, sizeof l.crawl, "%s", w->plan->crawl);
    (void)snprintf(l.url, sizeof l.url, "nats://127.0.0.1:%u", w->plan->machines[0].client_port);
    enum rc rc = new_secret(&l.say, &w->plan->admin);
    int code = rc ? no_password(rc) : said(w, nats_folder_login(&w->folder, NULL, &l));
    explicit_bzero(&l, sizeof l);
    return code;
}

/* init ----------------------------------------------------------------------------------------- */

static int bad_name(struct str name)
{
    return cli_fail(EXIT_USAGE,
                    "\"" STR_FMT "\" cannot be an agent's name: expected a-z, 0-9, '-' and '_', at "
                    "most %d, and not \"" NATS_OPERATOR "\"",
                    STR_ARG(name), NATS_MAX_NAME_BYTES);
}

static int read_hosts(struct work *w)
{
    struct str rest = w->s->hosts;
    while (rest.p) {
        struct str host = str_trim(str_take_until(&rest, ','));
        uint32_t at, before = w->plan->machine_count;
        enum rc rc = nats_plan_machine(w->plan, host, &at);
        if (rc == RC_INVALID)
            return cli_fail(EXIT_USAGE,
                            "--hosts: \"" STR_FMT "\": expected HOST[:ROUTEPORT[:CLIENTPORT]], a "
                            "name or an IPv4 address",
                            STR_ARG(host));
        if (rc || w->plan->machine_count == before)
            return cli_fail(EXIT_USAGE, "--hosts: " STR_FMT ": %s", STR_ARG(host),
                            rc == RC_LIMIT ? "too many" : "its ports are taken already");
    }
    if (nats_plan_stores(w->plan, w->s->stores))
        return cli_fail(EXIT_USAGE,
                        "%u machines%s: streams need one machine alone, or 3 or 5 of at least as "
                        "many (--stores); two cannot keep a majority",
                        w->plan->machine_count, w->s->stores ? " and --stores" : "");
    return EXIT_DONE;
}

static int add_agent(struct work *w, struct str name, uint32_t machine)
{
    struct nats_user *a;
    enum rc rc = nats_plan_add(w->plan, name, machine, &a);
    if (rc == RC_INVALID)
        return bad_name(name);
    if (rc)
        return cli_fail(EXIT_USAGE, "agent " STR_FMT ": %s", STR_ARG(name), rc_text(rc));
    return EXIT_DONE;
}

/* "NAME" goes to the next machine in turn, "NAME@HOST" to that host. */
static int read_agent(struct work *w, struct str text, uint32_t turn)
{
    struct str name = str_take_until(&text, '@');
    uint32_t at = turn % w->plan->machine_count, before = w->plan->machine_count;
    if (text.p && (nats_plan_machine(w->plan, text, &at) || w->plan->machine_count != before))
        return cli_fail(EXIT_USAGE, "--agents: " STR_FMT "@" STR_FMT ": --hosts does not name it",
                        STR_ARG(name), STR_ARG(text));
    return add_agent(w, name, at);
}

/* Without --agents there is one on each machine, with the name of its host if that is a good
 * name. */
static int usual_agents(struct work *w)
{
    int code = EXIT_DONE;
    for (uint32_t i = 0; code == EXIT_DONE && i < w->plan->machine_count; i++) {
        struct str host = str_c(w->plan->machines[i].host);
        struct str first = str_first(host, str_find(host, '.'));
        char number[16];
        (void)snprintf(number, sizeof number, "agent%u", i + 1);
        bool takes_host = first.n > 0 && ascii_is_alpha(first.p[0]) && nats_name_is_good(first) &&
                          !nats_plan_agent(w->plan, first);
        code = add_agent(w, takes_host ? first : str_c(number), i);
    }
    return code;
}

static int read_agents(struct work *w)
{
    struct str rest = w->s->agents;
    int code = EXIT_DONE;
    if (!rest.n)
        return usual_agents(w);
    for (uint32_t turn = 0; code == EXIT_DONE && rest.p; turn++)
        code = read_agent(w, str_trim(str_take_until(&rest, ',')), turn);
    return code;
}

static int write_everything(struct work *w)
{
    struct nats_plan *p = w->plan;
    if (secret_make(&p->route))
        return no_password(RC_IO);
    (void)snprintf(p->operator.name, sizeof p->operator.name, "%s", NATS_OPERATOR);
    enum rc rc = nats_folder_authority(&w->folder, p);
    for (uint32_t i = 0; rc == RC_OK && i < p->machine_count; i++)
        rc = nats_folder_machine(&w->folder, &p->machines[i]);
    int code = said(w, rc);
    if (code == EXIT_DONE)
        code = give_admin_login(w);
    if (code == EXIT_DONE)
        code = give_login(w, &p->operator, NULL);
    for (uint32_t i = 0; code == EXIT_DONE && i < p->agent_count; i++)
        code = give_login(w, &p->agents[i], &p->machines[p->agents[i].machine]);
    if (code == EXIT_DONE)
        code = said(w, nats_folder_configs(&w->folder, p));
    return code == EXIT_DONE ? said(w, nats_folder_write_plan(&w->folder, p)) : code;
}

static void say_machine(struct buf *out, struct work *w, uint32_t at)
{
    const struct nats_machine *machine = &w->plan->machines[at];
    const char *comma = " agents ";
    buf_printf(out, "  %s/", w->folder.dir);
    nats_machine_folder(machine, out);
    buf_printf(out, "  to %s:%s", machine->host, machine->keeps ? " keeps the streams;" : "");
    for (uint32_t i = 0; i < w->plan->agent_count; i++)
        if (w->plan->agents[i].machine == at) {
            buf_printf(out, "%s%s", comma, w->plan->agents[i].name);
            comma = ", ";
        }
    buf_byte(out, '\n');
}

static void say_what_to_do(struct work *w)
{
    struct buf out = {.max = 1 << 20};
    buf_printf(&out, "The cluster of crawl %s: %u machines, %u agents, %s.\n\n", w->plan->crawl,
               w->plan->machine_count, w->plan->agent_count,
               nats_plan_copies(w->plan) == 3 ? "three copies of every stream"
                                              : "one copy of every stream: it dies with its disk");
    buf_add(&out, STR("1. Copy each folder to its machine, for its user alone, for example to "
                      "/var/lib/orbweaver/post:\n"));
    for (uint32_t i = 0; i < w->plan->machine_count; i++)
        say_machine(&out, w, i);
    buf_printf(&out,
               "2. On each machine that keeps streams, once, in that folder, against power cuts:\n"
               "     mkdir -m 700 store && chattr +S store\n"
               "3. On each machine, in that folder: nats-server -c nats-server.conf\n"
               "4. Where one of them runs: orbweaver cluster streams --dir %s\n\n"
               "What stays here, and on no other machine: authority.key, admin.login, "
               "operator.login, plan.json.\nMore: docs/cluster.md\n",
               w->folder.dir);
    cli_print(&out);
    buf_done(&out);
}

static int run_init(struct invocation *in)
{
    struct work w = work_of(in);
    const struct settings *s = in->settings;
    if (in->word_count)
        return cli_fail(EXIT_USAGE, "cluster init: expected no words, got \"%s\"", in->words[0]);
    if (!s->hosts.n)
        return cli_fail(EXIT_USAGE,
                        "--hosts: expected the machines, HOST,HOST,HOST as they reach each other, "
                        "or one");
    if (!nats_crawl_is_good(s->crawl))
        return cli_fail(EXIT_USAGE, "--crawl: expected a-z, 0-9 and '-', at most %d",
                        NATS_MAX_NAME_BYTES);
    struct nats_plan *plan = w.plan = arena_zero(in->arena, sizeof *plan);
    if (!plan)
        return cli_fail(EXIT_OTHER, "%s", rc_text(RC_NOMEM));
    memcpy(plan->crawl, s->crawl.p, s->crawl.n);
    plan->stream_bytes = s->stream_bytes;
    int code = read_hosts(&w);
    if (code == EXIT_DONE)
        code = read_agents(&w);
    if (code == EXIT_DONE)
        code = said(&w, nats_folder_open(&w.folder, s->dir.p, true, &w.why));
    if (code == EXIT_DONE)
        code = write_everything(&w);
    if (code == EXIT_DONE)
        say_what_to_do(&w);
    work_close(&w);
    return code;
}

/* streams -------------------------------------------------------------------------------------- */

static int make_streams(struct work *w)
{
    struct nats_login admin;
    int code = said(w, nats_folder_read_login(&w->folder, NULL, "admin", &admin));
    if (code == EXIT_DONE && w->s->server.n >= sizeof admin.url)
        code = cli_fail(EXIT_USAGE, "--server: too long");
    if (code == EXIT_DONE && w->s->server.n)
        (void)snprintf(admin.url, sizeof admin.url, "%s", w->s->server.p);
    if (code == EXIT_DONE)
        code = cli_say_as(EXIT_OTHER, nats_streams_make(w->plan, &admin, w->s->wait_ms, &w->why),
                          &w->why);
    explicit_bzero(&admin, sizeof admin);
    return code;
}

/* Writes the roster's first entry, which fixes the timings for all agents. Once: when servers have
 * lost the roster, agents restore it as it was. With the login of the first agent, because only
 * agents may write there. */
static int found_roster(struct work *w)
{
    const struct settings *s = w->s;
    const struct founding_timings *p = &s->timings;
    struct roster_timings t = {(uint32_t)p->heartbeat_ms, (uint32_t)p->renew_ms,
                               (uint32_t)p->suspect_ms,   (uint32_t)p->fence_ms,
                               (uint32_t)p->abort_ms,     (uint32_t)p->dead_ms};
    const struct nats_user *a = &w->plan->agents[0];
    struct nats_login l;
    if (nats_folder_is_founded(&w->folder) || !w->plan->agent_count)
        return EXIT_DONE;
    int code =
        said(w, nats_folder_read_login(&w->folder, &w->plan->machines[a->machine], a->name, &l));
    if (code == EXIT_DONE && s->server.n >= sizeof l.url)
        code = cli_fail(EXIT_USAGE, "--server: too long");
    if (code == EXIT_DONE && s->server.n)
        (void)snprintf(l.url, sizeof l.url, "%s", s->server.p);
    enum rc rc = code == EXIT_DONE ? found_crawl(&l, &t, s->wait_ms, &w->why) : RC_OK;
    if (code == EXIT_DONE)
        code = cli_say_as(rc == RC_INVALID ? EXIT_USAGE : EXIT_OTHER, rc, &w->why);
    explicit_bzero(&l, sizeof l);
    return code == EXIT_DONE ? cli_say_as(EXIT_DISK, nats_folder_founded(&w->folder), &w->why)
                             : code;
}

static int run_streams(struct invocation *in)
{
    struct work w = work_of(in);
    if (in->word_count)
        return cli_fail(EXIT_USAGE, "cluster streams: expected no words, got \"%s\"", in->words[0]);
    int code = work_open(&w, in);
    if (code == EXIT_DONE)
        code = make_streams(&w);
    if (code == EXIT_DONE)
        code = found_roster(&w);
    if (code == EXIT_DONE)
        (void)printf("%u streams are there\n", 2 + w.plan->agent_count);
    work_close(&w);
    return code;
}

/* add, remove ---------------------------------------------------------------------------------- */

static int machine_for(struct work *w, uint32_t *ret)
{
    enum rc rc = RC_OK;
    *ret = 0;
    if (w->s->host.n)
        rc = nats_plan_machine(w->plan, w->s->host, ret);
    else if (w->plan->machine_count > 1)
        return cli_fail(EXIT_USAGE, "expected --host=HOST, a machine of the cluster or a new one");
    if (rc)
        return cli_fail(EXIT_USAGE, "--host: " STR_FMT ": %s", STR_ARG(w->s->host), rc_text(rc));
    if (w->plan->machine_count == 2)
        return cli_fail(EXIT_USAGE,
                        "a cluster of one machine stays one: for more, `cluster init` with three");
    return EXIT_DONE;
}

static void say_reload(struct work *w)
{
    uint32_t reloaded = nats_folder_reload(&w->folder, w->plan);
    (void)printf("%u of %u servers run here out of %s and read it again.\n"
                 "On every other machine, one after the other: copy its folder again, then "
                 "`systemctl reload\norbweaver-post` (or send its nats-server SIGHUP twice, some "
                 "seconds apart).\n",
                 reloaded, w->plan->machine_count, w->folder.dir);
}

/* The plan first: it alone says what a configuration must have. */
static int write_plan(struct work *w)
{
    enum rc rc = nats_folder_write_plan(&w->folder, w->plan);
    return said(w, rc ? rc : nats_folder_configs(&w->folder, w->plan));
}

static int add(struct work *w, struct str name)
{
    uint32_t at;
    int code = machine_for(w, &at);
    if (code == EXIT_DONE)
        code = add_agent(w, name, at);
    if (code == EXIT_DONE)
        code = said(w, nats_folder_machine(&w->folder, &w->plan->machines[at]));
    if (code == EXIT_DONE)
        code = give_login(w, &w->plan->agents[w->plan->agent_count - 1], &w->plan->machines[at]);
    return code == EXIT_DONE ? write_plan(w) : code;
}

static int one_name(struct invocation *in, const char *command, struct str *ret)
{
    if (in->word_count != 1)
        return cli_fail(EXIT_USAGE, "%s: expected one name of an agent, got %d words", command,
                        in->word_count);
    *ret = str_c(in->words[0]);
    return nats_name_is_good(*ret) ? EXIT_DONE : bad_name(*ret);
}

static int run_add(struct invocation *in)
{
    struct work w = work_of(in);
    struct str name = STR_NONE;
    int code = one_name(in, "cluster add", &name);
    if (code == EXIT_DONE)
        code = work_open(&w, in);
    if (code == EXIT_DONE)
        code = add(&w, name);
    if (code == EXIT_DONE) {
        say_reload(&w);
        (void)fflush(stdout);
        code = make_streams(&w);
        if (code == EXIT_DONE)
            (void)printf("its stream is there\n");
        else
            (void)fprintf(stderr, "orbweaver: everything else is done; `cluster streams` makes "
                                  "the stream later\n");
    }
    work_close(&w);
    return code;
}

static int drop(struct work *w, struct str name)
{
    const struct nats_user *a = nats_plan_agent(w->plan, name);
    if (!a)
        return cli_fail(EXIT_USAGE, "there is no agent " STR_FMT " in the plan", STR_ARG(name));
    nats_folder_drop_login(&w->folder, &w->plan->machines[a->machine], a->name);
    (void)nats_plan_remove(w->plan, name);
    return write_plan(w);
}

static int run_remove(struct invocation *in)
{
    struct work w = work_of(in);
    struct str name = STR_NONE;
    int code = one_name(in, "cluster remove", &name);
    if (code == EXIT_DONE)
        code = work_open(&w, in);
    if (code == EXIT_DONE)
        code = drop(&w, name);
    if (code == EXIT_DONE)
        say_reload(&w);
    work_close(&w);
    return code;
}

#define DIR_ROW                                             \
    OPTION_TEXT_ROW(struct settings, dir, "dir", "cluster", \
                    "the operator's folder of the cluster", .letter = 'd', .arg = "DIR")
#define SERVER_ROWS                                                                                \
    OPTION_TEXT_ROW(struct settings, server, "server", NULL,                                       \
                    "the server to ask; else the first machine's port on this one", .arg = "URL"), \
        OPTION_DURATION_ROW(struct settings, wait_ms, "wait", "30s",                               \
                            "how long to try until the servers answer")

static const struct option init_options[] = {
    OPTION_TEXT_ROW(struct settings, hosts, "hosts", NULL,
                    "the machines, as they reach each other: HOST[:ROUTEPORT[:CLIENTPORT]],...",
                    .arg = "A,B,C", .required = true),
    OPTION_TEXT_ROW(struct settings, agents, "agents", NULL,
                    "the agents, by turns on the machines, or NAME@HOST; else one a machine",
                    .arg = "NAME,..."),
    OPTION_TEXT_ROW(struct settings, crawl, "crawl", "crawl", "the name of the crawl",
                    .arg = "NAME"),
    DIR_ROW,
    OPTION_COUNT_ROW(struct settings, stores, "stores", NULL,
                     "how many of the machines keep streams, 3 or 5; else 3, or 1 of 1", .max = 5),
    OPTION_SIZE_ROW(struct settings, stream_bytes, "stream-size", "4G",
                    "how much an agent's stream may hold: about 100 bytes a URL", .min = 1 << 20),
    {0},
};
static const struct option streams_options[] = {
    DIR_ROW,
    SERVER_ROWS,
    TIMING_ROWS(struct settings),
    {0},
};
static const struct option add_options[] = {
    DIR_ROW,
    OPTION_TEXT_ROW(struct settings, host, "host", NULL,
                    "the machine it runs on, of the cluster or a new one",
                    .arg = "HOST[:ROUTEPORT[:CLIENTPORT]]"),
    SERVER_ROWS,
    {0},
};
static const struct option remove_options[] = {DIR_ROW, {0}};

const struct command cmd_cluster_init = {
    .name = "cluster init",
    .args = "",
    .summary = "makes everything that machines need to crawl together",
    .details =
        "Writes into one folder: what was decided, certificates, passwords, and for each machine\n"
        "a folder with the configuration of its nats-server and the logins of its agents, to be\n"
        "copied there. Then it prints what to copy and what to start. One machine, or three and\n"
        "more: three of them keep three copies of every stream, so that one may be lost.\n"
        "Keep the folder safe: it holds the operator's login. docs/cluster.md tells the whole\n"
        "story.",
    .options = init_options,
    .settings_bytes = sizeof(struct settings),
    .run = run_init,
};

const struct command cmd_cluster_streams = {
    .name = "cluster streams",
    .args = "",
    .summary = "makes the streams of a cluster whose servers run",
    .details =
        "Those that are there stay as they are, so it can be repeated: after `cluster init`,\n"
        "and when servers have lost their disks. The timings count the first time only: they are\n"
        "the roster's first entry, and hold for all agents.",
    .options = streams_options,
    .settings_bytes = sizeof(struct settings),
    .run = run_streams,
};

const struct command cmd_cluster_add = {
    .name = "cluster add",
    .args = "NAME",
    .summary = "add an agent: account, login, stream",
    .details = "Writes the configuration of every machine anew. Servers that run on this machine\n"
               "out of the folder are told to read it again; for the others it prints what to do.\n"
               "On a new machine the server carries messages and keeps no stream.",
    .options = add_options,
    .settings_bytes = sizeof(struct settings),
    .run = run_add,
};

const struct command cmd_cluster_remove = {
    .name = "cluster remove",
    .args = "NAME",
    .summary = "revoke an agent's login",
    .details =
        "When every server has read its configuration again, it drops connections with that\n"
        "login and refuses new ones. The agent's stream keeps its messages.",
    .options = remove_options,
    .settings_bytes = sizeof(struct settings),
    .run = run_remove,
};
