/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/settings.h"

#include "cli/config_file.h"
#include "cli/config_write.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define BOOL(field, ...) OPTION_BOOL_ROW(struct settings, field, __VA_ARGS__)
#define COUNT(field, ...) OPTION_COUNT_ROW(struct settings, field, __VA_ARGS__)
#define SIZE(field, ...) OPTION_SIZE_ROW(struct settings, field, __VA_ARGS__)
#define TIME(field, ...) OPTION_DURATION_ROW(struct settings, field, __VA_ARGS__)
#define REAL(field, ...) OPTION_REAL_ROW(struct settings, field, __VA_ARGS__)
#define TEXT(field, ...) OPTION_TEXT_ROW(struct settings, field, __VA_ARGS__)
#define LIST(field, ...) OPTION_LIST_ROW(struct settings, field, __VA_ARGS__)
#define CHOICE(field, ...) OPTION_CHOICE_ROW(struct settings, field, __VA_ARGS__)

/* clang-format off */
const struct option settings_table[] = {
    LIST(seeds, "seeds", NULL, "where the crawl begins", .arg = "URL"),
    LIST(input, "input", NULL, "a file with a seed a line; - is standard input",
         .letter = 'i', .arg = "FILE"),
    TEXT(output, "output", "crawl", "the crawl's directory; a crawl that is there is resumed",
         .letter = 'o', .arg = "DIR"),
    TEXT(config, "config", NULL, "a configuration file", .letter = 'c', .arg = "FILE"),
    TEXT(wiring, "wiring", "ring", "how the parts are joined: a built-in name or a file",
         .arg = "NAME|FILE"),
    TEXT(place, "place", NULL, "run only the parts that the wiring puts at this place",
         .arg = "NAME"),
    TEXT(place_secret, "place-secret", NULL, "a file with the secret that all places know",
         .arg = "FILE"),
    TEXT(member, "member", NULL, "the name of this member of a pool (orbweaver member add)",
         .arg = "NAME"),
    TEXT(member_secret, "member-secret", NULL,
         "its secret; write it into a configuration file, where other users cannot see it",
         .arg = "SECRET"),
    BOOL(member_trusted, "member-trusted", "no",
         "in the manager's copy of a member's key: what the member packs is not looked into"),
    TEXT(manager, "manager", NULL, "where the manager of a pool listens, and its members dial",
         .arg = "ADDRESS:PORT"),
    LIST(set, "set", NULL, "any option of a part: http.idle-timeout=5s (orbweaver check --parts)",
         .arg = "PART.KEY=VALUE"),

    CHOICE(scope, "scope", "host", "what belongs to the crawl",
           .choices = "host|domain|prefix|page|any"),
    COUNT(depth, "depth", "100", "links followed from a seed", .letter = 'l', .live = true),
    LIST(include, "include", NULL, "take only URLs that match", .arg = "REGEX", .live = true),
    LIST(exclude, "exclude", NULL, "leave out URLs that match", .arg = "REGEX", .live = true),
    BOOL(pages_only, "pages-only", "no", "leave out images, styles and scripts"),
    TEXT(normalise, "normalise", "default",
         "the rules that make equal URLs equal (orbweaver try url --help)", .arg = "RULES"),
    COUNT(pages, "pages", "0", "stop after this number of pages; 0 is no limit",
          .letter = 'n', .live = true),
    TIME(time_ms, "time", "0", "stop after this time; 0 is no limit", .letter = 't', .live = true),
    TIME(grace_ms, "grace", "5s", "time that open requests have to end, at a limit or a stop"),
    SIZE(size_bytes, "size", "0", "stop after this number of bytes; 0 is no limit",
         .letter = 'Q', .live = true),

    COUNT(host_pages, "host-pages", "0", "most pages of a host; 0 is no limit", .live = true),
    COUNT(domain_pages, "domain-pages", "0",
          "most pages of a registrable domain; 0 is no limit", .live = true),
    SIZE(body_bytes, "body-size", "100M", "most bytes of a body; the rest is cut off", .min = 1),
    LIST(types, "types", NULL,
         "take only these: text/html, image/*; -video/* leaves out", .arg = "TYPE,..."),

    LIST(keywords, "keywords", NULL, "a topic: only pages that fit it are kept and followed",
         .arg = "WORD,..."),
    REAL(keep_score, "keep-score", "0.1", "with keywords: pages that fit less are not archived"),
    REAL(follow_score, "follow-score", "0.1",
         "with keywords: links of pages that fit less are not followed"),
    CHOICE(order, "order", "breadth",
           "which URL comes first: as found, by links, or by keywords",
           .choices = "breadth|priority|topic"),
    REAL(link_score, "link-score", "0", "with keywords: links that promise less are not followed"),
    SIZE(peek_bytes, "peek", "0",
         "with keywords: give a page up if its first bytes (8K) do not fit; 0 is off", .max = 1 << 20),

    TEXT(user_agent, "user-agent", "orbweaver", "the crawler's name, in requests and robots.txt"),
    TEXT(contact, "contact", NULL, "where a site's operator can write to", .arg = "URL|MAIL"),
    TIME(delay_ms, "delay", "1s", "least time between two requests to a host",
         .letter = 'w', .live = true),
    COUNT(ip_conns, "ip-conns", "4", "most open requests to an address",
          .min = 1, .max = 1000, .live = true),
    TIME(ip_delay_ms, "ip-delay", "100ms", "least time between two requests to an address",
         .live = true),
    BOOL(ignore_robots, "ignore-robots", "no", "do not obey robots.txt (only on your own sites)"),

    COUNT(tries, "tries", "4", "how often a URL is asked for, at most",
          .min = 1, .live = true),
    BOOL(drop_dead, "drop-dead", "no",
         "ask once, and not again, for what does not answer or is gone", .live = true),
    TIME(timeout_ms, "timeout", "10m", "longest time for a fetch; the part that came is kept",
         .min = 1),

    LIST(allow_private, "allow-private", NULL, "fetch from private addresses, all or some",
         .arg = "CIDR", .bare = "all"),
    TEXT(resolver, "resolver", NULL, "a DNS server to ask instead of the system's",
         .arg = "ADDR:PORT"),
    CHOICE(http, "http", "auto", "auto: HTTP/2 only where HTTP/1.1 is refused; 2: offer it everywhere",
           .choices = "auto|1.1|2", .former = "http2", .no = "auto", .yes = "2"),
    BOOL(insecure, "insecure", "no", "accept certificates that do not verify, and record it"),

    TEXT(ca_file, "ca-file", NULL, "certificates of trusted authorities, instead of the system's",
         .arg = "FILE"),

    SIZE(frontier_bytes, "frontier-memory", "2G",
         "memory for known and queued URLs; past it they are swapped to disk; 0 is no limit"),
    BOOL(archive_only, "archive-only", "no", "archive without comparing or listing links"),
    BOOL(link_index, "link-index", "no",
         "keep an index of links: which pages link to a URL (orbweaver url)"),
    BOOL(recrawl, "recrawl", "no", "ask again for known pages, if they changed"),
    BOOL(compare, "compare", "no",
         "store page fingerprints, so that a later recrawl can say what changed"),
    TEXT(cluster, "cluster", NULL, "be one of several agents; the server that joins them",
         .arg = "URL"),
    TEXT(agent, "agent", NULL, "with --cluster: this agent's name", .arg = "NAME"),
    TEXT(cluster_credentials, "cluster-credentials", ".",
         "with --cluster: the folder with NAME.login", .arg = "DIR"),
    COUNT(agent_weight, "agent-weight", "64",
          "with --cluster: this agent's capacity; an ordinary agent has 64",
          .min = 1, .max = 4096, .live = true),
    SIZE(disk_quota, "disk-quota", "0", "with --cluster: room for this agent; 0: the whole disk",
         .live = true),
    BOOL(refetch_lost, "refetch-lost", "no",
         "continue though archive files are missing, and fetch their captures again", .live = true),

    TEXT(sink, "sink", NULL, "send archive files to the machine of this login (orbweaver sink)",
         .arg = "FILE"),
    BOOL(sink_remove, "sink-remove", "no",
         "with --sink: remove them here once they are durable there"),
    TIME(sink_wait_ms, "sink-wait", "10m",
         "with --sink: longest wait for unsent files at the end of a crawl"),

    TEXT(ui, "ui", "127.0.0.1:8090", "for the workbench, which is not there yet: no effect", .arg = "ADDR:PORT|off"),
    BOOL(json, "json", "no", "log and report in JSON lines", .letter = 'j'),
    BOOL(quiet, "quiet", "no", "no progress line", .letter = 'q'),
    BOOL(verbose, "verbose", "no", "say more", .letter = 'v'),
    {0},
};
/* clang-format on */

const char *const settings_source_names[SETTINGS_SOURCES] = {"default", "file", "directory",
                                                             "environment", "flag"};

struct gathering {
    struct settings *settings;
    enum settings_source *sources;
    struct arena *arena;
};

static size_t row_count(void)
{
    size_t rows = 0;
    while (settings_table[rows].key)
        rows++;
    return rows;
}

/* ip-delay -> ORBWEAVER_IP_DELAY */
static const char *variable_name(struct arena *arena, const char *key)
{
    struct str name = arena_printf(arena, "ORBWEAVER_%s", key);
    if (!name.p)
        return NULL;
    char *letters = (char *)name.p;
    for (size_t i = 0; i < name.n; i++)
        letters[i] = ascii_upper((char)(letters[i] == '-' ? '_' : letters[i]));
    return letters;
}

/* The value of the variable of the key, or of the key before it was renamed; NULL: neither is set.
 */
static const char *variable_of(struct arena *arena, const struct option *o, const char **ret_name)
{
    *ret_name = variable_name(arena, o->key);
    const char *text = *ret_name ? getenv(*ret_name) : NULL;
    if (text || !o->former)
        return text;
    *ret_name = variable_name(arena, o->former);
    return *ret_name ? getenv(*ret_name) : NULL;
}

static enum rc set_from_variable(struct gathering *g, const struct option *o, const char *name,
                                 const char *text)
{
    struct buf why = {.max = 1024};
    option_list_clear(o, g->settings);
    enum rc rc = RC_OK;
    struct str rest = str_c(text);
    while (o->type == OPTION_LIST && rest.p && rc == RC_OK) {
        struct str item = str_trim(str_take_until(&rest, ','));
        rc = item.n ? option_set(o, g->settings, g->arena, item, &why) : RC_OK;
    }
    if (o->type != OPTION_LIST)
        rc = option_set(o, g->settings, g->arena, rest, &why);
    if (rc)
        cli_fail(EXIT_USAGE, "environment %s=%s: " STR_FMT, name, text, STR_ARG(buf_str(&why)));
    buf_done(&why);
    return rc;
}

static enum rc gather_environment(struct gathering *g)
{
    for (const struct option *o = settings_table; o->key; o++) {
        const char *name = NULL, *text = variable_of(g->arena, o, &name);
        if (!text)
            continue;
        enum rc rc = set_from_variable(g, o, name, text);
        if (rc)
            return rc;
        g->sources[o - settings_table] = FROM_ENVIRONMENT;
    }
    return RC_OK;
}

static void gather_flags(struct gathering *g, const struct invocation *in)
{
    for (const struct option *o = settings_table; o->key; o++) {
        if (!in->named[o - settings_table])
            continue;
        option_copy(o, g->settings, in->settings);
        g->sources[o - settings_table] = FROM_FLAG;
    }
}

/* The file with the settings of the crawl in that directory; NULL if there is none. */
static const char *file_of_crawl(struct arena *arena, struct str output)
{
    struct str path = arena_printf(arena, STR_FMT "/" CONFIG_OF_CRAWL, STR_ARG(output));
    return path.p && access(path.p, R_OK) == 0 ? path.p : NULL;
}

/* The file is named by a flag or the environment, never by itself; else it is the crawl's own. */
static enum rc gather_file(struct gathering *g, const struct invocation *in)
{
    const struct settings *flags = in->settings;
    const char *path = flags->config.p ? flags->config.p : getenv("ORBWEAVER_CONFIG");
    bool is_own = !path;
    if (is_own)
        path = file_of_crawl(in->arena, flags->output);
    if (!path)
        return RC_OK;
    struct problems problems;
    struct buf lines = {.max = 1 << 16};
    problems_init(&problems, path);
    enum rc rc = config_file_read(path, g->settings, g->sources, g->arena, &problems);
    problems_print(&problems, &lines);
    if (lines.n)
        (void)fprintf(stderr, STR_FMT, STR_ARG(buf_str(&lines)));
    buf_done(&lines);
    problems_done(&problems);
    for (size_t i = 0; is_own && i < row_count(); i++)
        g->sources[i] = g->sources[i] == FROM_FILE ? FROM_CRAWL : g->sources[i];
    return rc;
}

enum rc settings_gather(struct invocation *in, struct settings **ret_settings,
                        enum settings_source **ret_sources)
{
    struct gathering g = {.arena = in->arena};
    g.settings = arena_zero(in->arena, sizeof *g.settings);
    g.sources = arena_zero(in->arena, row_count() * sizeof *g.sources);
    enum rc rc = RC_NOMEM;
    if (g.settings && g.sources)
        rc = options_default(settings_table, g.settings, in->arena);
    if (rc == RC_OK)
        rc = gather_file(&g, in);
    if (rc == RC_OK)
        rc = gather_environment(&g);
    if (rc)
        return rc;
    gather_flags(&g, in);
    *ret_settings = g.settings;
    *ret_sources = g.sources;
    return RC_OK;
}
