/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/place.h"

#include "cli/command.h"
#include "cli/flow_run.h"
#include "cli/member_file.h"
#include "net/link.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

/* Refuses a secret that other users of the machine can read. */
static enum rc secret_read(struct str file, struct buf *secret, struct buf *why)
{
    struct stat st;
    char room[LINK_MAX_SECRET_BYTES + 2];
    int fd = open(file.p, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd >= 0 && fstat(fd, &st) == 0 ? read(fd, room, sizeof room) : -1;
    if (n < 0)
        buf_printf(why, "--place-secret: cannot read %s: %s", file.p, strerror(errno));
    else if (st.st_mode & (S_IRWXG | S_IRWXO))
        buf_printf(why, "--place-secret: other users may read %s; expected mode 600", file.p);
    if (fd >= 0)
        close(fd);
    if (why->n)
        return RC_INVALID;
    while (n > 0 && (room[n - 1] == '\n' || room[n - 1] == '\r'))
        n--;
    buf_add(secret, str_make(room, (size_t)n));
    explicit_bzero(room, sizeof room);
    if (secret->n < LINK_MIN_SECRET_BYTES || secret->n > LINK_MAX_SECRET_BYTES) {
        buf_printf(why, "--place-secret: %s has %zu bytes; expected %d to %d", file.p, secret->n,
                   LINK_MIN_SECRET_BYTES, LINK_MAX_SECRET_BYTES);
        return RC_INVALID;
    }
    return buf_rc(secret);
}

static enum rc read_manager(struct wiring *w, unsigned manager, const struct place_choice *c,
                            struct link_address *ret, struct buf *why)
{
    if (!c->manager.n)
        return RC_OK;
    if (link_address_read(c->manager, ret) != RC_OK) {
        buf_printf(why, "--manager: \"" STR_FMT "\": expected address:port, as 10.0.0.2:7701",
                   STR_ARG(c->manager));
        return RC_INVALID;
    }
    w->places[manager].address = c->manager;
    return RC_OK;
}

/* --set may have changed them. After a restart the ledger's hosts wait as long as members of the process
 * before may ask. */
static enum rc check_timings(struct wiring *w, unsigned pool, struct buf *why)
{
    const struct pool_timings *t = &w->places[pool].pool->timings;
    char room[80];
    struct buf wait = buf_on(room, sizeof room);
    buf_printf(why, "--set %s: ", w->places[pool].name.p);
    enum rc rc = pool_timings_check(t, why);
    if (rc)
        return rc;
    buf_clear(why);
    buf_printf(&wait, "ledger.restart-wait=%llums", (unsigned long long)t->dead_ms);
    rc = wiring_set(w, buf_str(&wait), why);
    if (rc == RC_NOT_FOUND) /* a pool of lines has no ledger */
        buf_clear(why);
    return rc == RC_NOT_FOUND ? RC_OK : rc;
}

/* The manager knows its members by the files in its directory. */
static enum rc cut_pool(struct wiring *w, unsigned pool, const struct place_choice *c,
                        struct buf *why)
{
    struct place_login login = {.pool = {.name = c->member, .secret = c->member_secret}};
    enum rc rc = read_manager(w, 1 - pool, c, &login.pool.manager, why);
    rc = rc ? rc : check_timings(w, pool, why);
    bool is_member = str_eq(c->place, w->places[pool].name);
    if (rc == RC_OK && is_member && (!c->member.n || !c->member_secret.n)) {
        buf_printf(
            why,
            "--place: \"%s\" is a pool, whose members have keys; the manager's machine makes "
            "one: orbweaver member add DIR NAME; then: orbweaver crawl -c NAME.yaml",
            w->places[pool].name.p);
        return RC_INVALID;
    }
    struct str dir = arena_printf(w->arena, STR_FMT, STR_ARG(c->dir));
    if (!dir.p)
        return RC_NOMEM;
    login.pool.keys = (struct link_keys){member_key_find, (void *)(uintptr_t)dir.p};
    login.pool.trusts = member_is_trusted;
    return rc ? rc : wiring_cut(w, c->place, &login, why);
}

static enum rc cut_places(struct wiring *w, const struct place_choice *c, struct buf *why)
{
    struct buf secret = {.max = LINK_MAX_SECRET_BYTES + 2};
    if (!c->secret_file.n) {
        buf_add(why,
                STR("--place: expected --place-secret FILE too: the secret that all places know, "
                    "32 bytes or more"));
        return RC_INVALID;
    }
    enum rc rc = secret_read(c->secret_file, &secret, why);
    struct place_login login = {.secret = buf_str(&secret)};
    if (rc == RC_OK)
        rc = wiring_cut(w, c->place, &login, why);
    if (secret.p)
        explicit_bzero(secret.p, secret.cap);
    buf_done(&secret);
    return rc;
}

enum rc place_cut(struct wiring *w, const struct place_choice *c, struct buf *why)
{
    unsigned pool;
    if (!w->place_count) {
        buf_add(
            why,
            STR("--place: the wiring has no places; managed and priority have: --wiring managed"));
        return RC_INVALID;
    }
    return wiring_has_pool(w, &pool) ? cut_pool(w, pool, c, why) : cut_places(w, c, why);
}

/* Running -------------------------------------------------------------------------------------- */

bool place_has_ledger(const struct wiring *w)
{
    for (unsigned i = 0; i < w->provider_count; i++)
        if (str_eq(w->providers[i].name, STR("ledger")))
            return true;
    return false;
}

int place_run(const struct wiring *w, struct log *log)
{
    struct buf why = {.max = 1 << 16};
    struct flow *f = NULL;
    enum rc rc = flow_open(w, (struct flow_setup){.log = log}, &f, &why);
    if (rc == RC_OK)
        rc = flow_run(f, &why);
    flow_close(f); /* tells the places behind it */
    int code = rc ? cli_fail(rc == RC_INVALID ? EXIT_USAGE : EXIT_OTHER, STR_FMT,
                             STR_ARG(why.n ? buf_str(&why) : str_c(rc_text(rc))))
                  : EXIT_DONE;
    buf_done(&why);
    return code;
}
