/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/place.h"

#include "cli/command.h"
#include "cli/flow_run.h"
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

enum rc place_cut(struct wiring *w, struct str place, struct str secret_file, struct buf *why)
{
    struct buf secret = {.max = LINK_MAX_SECRET_BYTES + 2};
    if (!w->place_count) {
        buf_add(why, STR("--place: the wiring has no places"));
        return RC_INVALID;
    }
    if (!secret_file.n) {
        buf_add(why,
                STR("--place: expected --place-secret FILE too: the secret that all places know, "
                    "32 bytes or more"));
        return RC_INVALID;
    }
    enum rc rc = secret_read(secret_file, &secret, why);
    if (rc == RC_OK)
        rc = wiring_cut(w, place, buf_str(&secret), why);
    if (secret.p)
        explicit_bzero(secret.p, secret.cap);
    buf_done(&secret);
    return rc;
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
