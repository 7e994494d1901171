/* SPDX-License-Identifier: Apache-2.0 */
/* sink listen: an archive machine receives. sink send: sends the unsent files of a crawl that does
 * not run. */
#include "cli/commands.h"

#include "base/log.h"
#include "disk/disk.h"
#include "net/address.h"
#include "outputs/crawl_dir.h"
#include "sink/login.h"
#include "sink/outbox.h"
#include "sink/server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

static _Atomic bool is_told; /* a signal handler gets no argument */
static atomic_int told_by;

static void on_signal(int number)
{
    atomic_store(&told_by, number);
    atomic_store(&is_told, true);
}

static void catch_signals(void)
{
    struct sigaction action = {.sa_handler = on_signal};
    (void)sigaction(SIGINT, &action, NULL);
    (void)sigaction(SIGTERM, &action, NULL);
    (void)signal(SIGPIPE, SIG_IGN);
}

/* listen --------------------------------------------------------------------------------------- */

struct listen_settings {
    struct str listen;
    uint64_t file_bytes, reserve_bytes;
    bool json, verbose;
};

/* "ADDR:PORT", "[V6]:PORT". */
static bool read_listen(struct str text, struct sink_server_settings *ret)
{
    char host[64];
    size_t colon = text.n;
    uint64_t port;
    while (colon > 0 && text.p[colon - 1] != ':')
        colon--;
    if (colon == 0 || str_to_u64(str_from(text, colon), &port) || port > UINT16_MAX)
        return false;
    struct str address = str_first(text, colon - 1);
    bool is_six = address.n > 2 && address.p[0] == '[' && address.p[address.n - 1] == ']';
    if (is_six)
        address = str_make(address.p + 1, address.n - 2);
    (void)snprintf(host, sizeof host, STR_FMT, STR_ARG(address));
    struct sockaddr_in *four = (struct sockaddr_in *)&ret->address;
    struct sockaddr_in6 *six = (struct sockaddr_in6 *)&ret->address;
    if (is_six) {
        *six = (struct sockaddr_in6){.sin6_family = AF_INET6, .sin6_port = htons((uint16_t)port)};
        ret->address_bytes = sizeof *six;
        return inet_pton(AF_INET6, host, &six->sin6_addr) == 1;
    }
    *four = (struct sockaddr_in){.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    ret->address_bytes = sizeof *four;
    return inet_pton(AF_INET, host, &four->sin_addr) == 1;
}

/* Reads the file each time, so that `sink add` and `sink remove` count at once. Any thread. */
static bool may(void *ctx, struct str name, struct str secret)
{
    struct disk *d = ctx;
    struct buf text = {.max = SINK_AGENTS_MAX_BYTES};
    bool knows = disk_read_whole(d, "sink/agents", &text) == RC_OK &&
                 sink_agents_know(buf_str(&text), name, secret);
    buf_done(&text);
    return knows;
}

static bool is_made(struct disk *d)
{
    struct disk_file *f = NULL;
    enum rc rc = disk_open(d, "sink/server", DISK_READ, &f);
    disk_file_close(f);
    return rc == RC_OK;
}

static int serve(const struct listen_settings *s, const char *dir, struct disk *d,
                 struct sink_server_settings *set, struct invocation *in)
{
    struct sink_store_settings limits = {s->file_bytes, s->reserve_bytes};
    struct sink_store *store = NULL;
    struct sink_server *server = NULL;
    struct buf why = {.max = 4096};
    struct str cert = arena_printf(in->arena, "%s/sink/server.crt", dir);
    struct str key = arena_printf(in->arena, "%s/sink/server.key", dir);
    enum rc rc = cert.p && key.p ? sink_store_open(d, &limits, &store) : RC_NOMEM;
    int code = rc == RC_LOCKED ? cli_fail(EXIT_DISK, "%s: another process receives there", dir)
               : rc            ? cli_fail(EXIT_DISK, "%s: %s", dir, rc_text(rc))
                               : EXIT_DONE;
    set->store = store;
    set->cert_file = cert.p;
    set->key_file = key.p;
    set->may = may;
    set->may_ctx = d;
    if (code == EXIT_DONE && sink_server_open(set, &server, &why))
        code =
            cli_fail(EXIT_OTHER, STR_FMT ": " STR_FMT, STR_ARG(s->listen), STR_ARG(buf_str(&why)));
    if (code == EXIT_DONE) {
        catch_signals();
        (void)fprintf(stderr, "listening on port %u, receiving in %s\n", sink_server_port(server),
                      dir);
        if (sink_server_run(server, &is_told))
            code = cli_fail(EXIT_DISK, "%s: a sync failed: what was written is unknown", dir);
        else
            code = 128 + atomic_load(&told_by);
    }
    sink_server_close(server);
    sink_store_close(store);
    buf_done(&why);
    return code;
}

static int run_listen(struct invocation *in)
{
    const struct listen_settings *s = in->settings;
    struct sink_server_settings set = {0};
    struct disk *d = NULL;
    if (in->word_count != 1)
        return cli_fail(EXIT_USAGE, "expected the archive machine's directory (sink init)");
    if (!read_listen(s->listen, &set))
        return cli_fail(EXIT_USAGE, "--listen: \"" STR_FMT "\": expected ADDR:PORT",
                        STR_ARG(s->listen));
    const char *dir = in->words[0];
    if (access(dir, F_OK) || disk_real_open(dir, &d))
        return cli_fail(EXIT_DISK, "cannot use the directory %s: %s", dir, strerror(errno));
    set.log = log_open(s->verbose ? LOG_LEVEL_INFO : LOG_LEVEL_WARN, s->json, clock_real(),
                       log_to_stderr());
    int code =
        is_made(d)
            ? serve(s, dir, d, &set, in)
            : cli_fail(EXIT_USAGE, "%s: no archive machine's directory (orbweaver sink init)", dir);
    log_close(set.log);
    disk_close(d);
    return code;
}

static const struct option listen_options[] = {
    OPTION_TEXT_ROW(struct listen_settings, listen, "listen", "127.0.0.1:7447",
                    "where to listen; 0.0.0.0:7447 is every address of this machine",
                    .arg = "ADDR:PORT"),
    OPTION_SIZE_ROW(struct listen_settings, file_bytes, "file-size", "16G",
                    "larger files are refused"),
    OPTION_SIZE_ROW(struct listen_settings, reserve_bytes, "disk-reserve", "256M",
                    "nothing is taken that would leave the disk less"),
    OPTION_BOOL_ROW(struct listen_settings, json, "json", "no", "log in JSON lines", .letter = 'j'),
    OPTION_BOOL_ROW(struct listen_settings, verbose, "verbose", "no", "say what arrives",
                    .letter = 'v'),
    {0},
};

const struct command cmd_sink_listen = {
    .name = "sink listen",
    .args = "DIR",
    .summary = "receive archive files from agents, as an archive machine",
    .details =
        "Takes whole archive files and their lines of the index, over TLS, from agents with\n"
        "a login of sink init or sink add, and acknowledges each when it is durable on\n"
        "this disk. export cdxj DIR sorts what is there into one index. SIGTERM and ^C end it;\n"
        "it may be killed at any moment.",
    .options = listen_options,
    .settings_bytes = sizeof(struct listen_settings),
    .run = run_listen,
};

/* send ----------------------------------------------------------------------------------------- */

struct send_settings {
    struct str sink;
    bool removes, verbose;
    uint64_t wait_ms;
};

static bool gives_up(void *ctx)
{
    (void)ctx;
    return atomic_load(&is_told);
}

static int send_left(struct sink_outbox *o, const struct send_settings *s)
{
    const struct sink_numbers *n = sink_outbox_numbers(o);
    char room[500];
    struct buf why = buf_on(room, sizeof room);
    catch_signals();
    bool is_done = sink_outbox_finish(o, s->wait_ms, gives_up, NULL);
    sink_outbox_trouble(o, &why);
    (void)fprintf(stderr,
                  "%" PRIu64 " files (%" PRIu64 " bytes) are acknowledged, %" PRIu64 " (%" PRIu64
                  " bytes) are not\n",
                  atomic_load(&n->sent_files), atomic_load(&n->sent_bytes),
                  atomic_load(&n->left_files), atomic_load(&n->left_bytes));
    if (atomic_load(&n->open_files))
        (void)fprintf(stderr,
                      "%" PRIu64 " files are not ended: the crawl has to be resumed first\n",
                      atomic_load(&n->open_files));
    if (is_done)
        return EXIT_DONE;
    return atomic_load(&told_by) ? 128 + atomic_load(&told_by)
                                 : cli_fail(EXIT_OTHER, STR_FMT, STR_ARG(buf_str(&why)));
}

static int run_send(struct invocation *in)
{
    const struct send_settings *s = in->settings;
    struct buf why = {.max = 4096};
    struct disk *d = NULL;
    struct sink_outbox *o = NULL;
    if (in->word_count != 1 || !s->sink.n)
        return cli_fail(EXIT_USAGE, "expected a crawl's directory, and --sink with a login");
    struct log *log = log_open(s->verbose ? LOG_LEVEL_INFO : LOG_LEVEL_WARN, false, clock_real(),
                               log_to_stderr());
    struct sink_outbox_settings set = {
        .dir = in->words[0], .login_file = s->sink.p, .removes = s->removes, .log = log};
    enum rc rc = crawl_dir_open(in->words[0], &d, &why);
    disk_close(rc ? NULL : d);
    rc = rc ? rc : sink_outbox_open(&set, &o, &why);
    int code = rc ? cli_fail(rc == RC_LOCKED || rc_is_unwritable(rc) ? EXIT_DISK : EXIT_USAGE,
                             STR_FMT, STR_ARG(why.n ? buf_str(&why) : str_c(rc_text(rc))))
                  : send_left(o, s);
    sink_outbox_close(o);
    log_close(log);
    buf_done(&why);
    return code;
}

static const struct option send_options[] = {
    OPTION_TEXT_ROW(struct send_settings, sink, "sink", NULL, "the login of the archive machine",
                    .arg = "FILE"),
    OPTION_BOOL_ROW(struct send_settings, removes, "sink-remove", "no",
                    "remove files here once they are durable there"),
    OPTION_DURATION_ROW(struct send_settings, wait_ms, "sink-wait", "1h",
                        "how long to try until all are there"),
    OPTION_BOOL_ROW(struct send_settings, verbose, "verbose", "no", "say what is sent",
                    .letter = 'v'),
    {0},
};

const struct command cmd_sink_send = {
    .name = "sink send",
    .args = "DIR",
    .summary = "send what a crawl has not sent to its archive machine",
    .details = "As crawl --sink does, for a crawl that does not run: archive files that are not\n"
               "acknowledged go to the machine of the login. Ends when all are there.",
    .options = send_options,
    .settings_bytes = sizeof(struct send_settings),
    .run = run_send,
};
