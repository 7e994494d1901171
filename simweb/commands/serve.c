/* SPDX-License-Identifier: Apache-2.0 */
#include "commands/command.h"

#include "world/place.h"

#include <signal.h>
#include <stdio.h>

/* The one thing a signal handler can reach. */
static struct server *volatile serving;

static void stop(int signal_number)
{
    (void)signal_number;
    if (serving)
        server_stop(serving);
}

static void stop_on_signals(void)
{
    struct sigaction on = {.sa_handler = stop};
    (void)sigaction(SIGINT, &on, NULL);
    (void)sigaction(SIGTERM, &on, NULL);
    on.sa_handler = SIG_IGN;
    (void)sigaction(SIGPIPE, &on, NULL);
}

/* What was made, and what to do with it now. */
static void greet(const struct server *server, const struct settings *s)
{
    const struct world *w = server_world(server);
    uint16_t http, https, dns, control;
    server_ports(server, &http, &https, &dns, &control);
    struct buf out = {.max = 1 << 16};
    struct buf url = {.max = 4096};
    place_url(w, (struct place){.kind = PLACE_PAGE}, &url);
    buf_printf(&out, "the web    %llu hosts, about %llu pages each, %u addresses, seed %llu\n",
               (unsigned long long)s->web.hosts, (unsigned long long)s->web.pages,
               world_addresses(w), (unsigned long long)s->web.seed);
    buf_printf(&out, "begin at   " STR_FMT "\n", STR_ARG(buf_str(&url)));
    if (s->web.faults.count)
        buf_printf(&out, "the zoo    http://zoo." STR_FMT ":%u/\n", STR_ARG(s->web.suffix), http);
    buf_printf(&out, "ports      http %u, https %u, DNS 127.0.0.1:%u, control 127.0.0.1:%u\n", http,
               https, dns, control);
    if (s->web.demo)
        buf_add(&out, STR("look       any browser on this machine finds *.localhost by itself\n"));
    else
        buf_printf(&out, "try        curl --connect-to ::%u.%u.%u.%u: " STR_FMT "\n",
                   host_address(w, 0) >> 24, (host_address(w, 0) >> 16) & 255,
                   (host_address(w, 0) >> 8) & 255, host_address(w, 0) & 255,
                   STR_ARG(buf_str(&url)));
    buf_printf(&out, "truth      simweb oracle --dir " STR_FMT " --seed-url " STR_FMT "\n",
               STR_ARG(s->server.dir), STR_ARG(buf_str(&url)));
    buf_printf(&out, "witness    simweb report --dir " STR_FMT "\n", STR_ARG(s->server.dir));
    buf_add(&out, STR("Ctrl-C ends it.\n"));
    (void)simweb_print(&out);
    buf_done(&out);
    buf_done(&url);
}

static int serve(struct settings *s, struct invocation *in)
{
    if (in->word_count)
        return simweb_fail(EXIT_USAGE, "serve: \"%s\" has no meaning here", in->words[0]);
    struct world *checked = simweb_world(s);
    if (!checked)
        return EXIT_USAGE;
    world_close(checked);
    struct buf why = {.max = 4096};
    struct server *server = NULL;
    enum rc rc = server_open(&s->web, &s->server, &server, &why);
    if (rc == RC_OK) {
        serving = server;
        stop_on_signals();
        greet(server, s);
        rc = server_run(server);
        serving = NULL;
    }
    server_close(server);
    int code = EXIT_DONE;
    if (rc)
        code = simweb_fail(rc == RC_INVALID ? EXIT_USAGE : EXIT_OTHER, STR_FMT,
                           STR_ARG(why.n ? buf_str(&why) : str_c(rc_text(rc))));
    buf_done(&why);
    return code;
}

const struct command command_serve = {
    .name = "serve",
    .args = "",
    .summary = "serve the web until interrupted (the command when none is named)",
    .details =
        "Everything listens on loopback addresses alone. DIR gets run.json, which the other\n"
        "commands read, and ca.pem, the authority behind the web's certificates.",
    .takes_web = true,
    .takes_server = true,
    .run = serve,
};
