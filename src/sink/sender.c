/* SPDX-License-Identifier: Apache-2.0 */
#include "sink/sender.h"

#include "base/mem.h"
#include "sink/link.h"

struct sink_sender {
    struct tls *tls;
    struct sink_link *link;
    const _Atomic bool *stop;
    char *piece; /* SINK_MAX_PIECE_BYTES */
};

/* The file that is being sent. */
struct file {
    struct disk_file *file;
    uint64_t bytes;
    struct digest digest;
};

static enum rc rc_of(enum sink_code code)
{
    switch (code) {
    case SINK_FULL:
        return RC_DISK_FULL;
    case SINK_CONFLICT:
        return RC_EXISTS;
    case SINK_TOO_LARGE:
        return RC_UNSUPPORTED;
    case SINK_BUSY:
    case SINK_MISMATCH:
        return RC_AGAIN;
    case SINK_LOGIN:
        return RC_LOCKED;
    default:
        return RC_CLOSED;
    }
}

/* Sends a frame and waits for its answer: RC_OK, or the code that a refusal stands for. */
static enum rc ask(struct sink_sender *s, const struct sink_frame *f, struct sink_frame *ret,
                   struct buf *why)
{
    enum rc rc = sink_link_say(s->link, f, SINK_SENDER_WAIT_MS);
    do
        rc = rc ? rc : sink_link_hear(s->link, SINK_MAX_SMALL_BYTES, SINK_SENDER_WAIT_MS, ret);
    while (rc == RC_OK && ret->kind == SINK_WORKING);
    if (rc == RC_OK && ret->kind != SINK_REFUSED)
        return RC_OK;
    if (rc == RC_OK)
        buf_printf(why, "the archive machine says: %s", sink_code_text(ret->code));
    else if (rc == RC_CLOSED)
        buf_printf(why, "%s", sink_link_why(s->link));
    else if (rc == RC_INVALID)
        buf_printf(why, "cannot read the archive machine's answer");
    return rc == RC_OK ? rc_of(ret->code) : rc == RC_INVALID ? RC_CLOSED : rc;
}

static enum rc greet(struct sink_sender *s, const struct sink_login *login, struct buf *why)
{
    struct sink_frame hello = {.kind = SINK_HELLO,
                               .version = SINK_VERSION,
                               .name = str_c(login->name),
                               .secret = str_c(login->secret.text)};
    struct sink_frame answer;
    enum rc rc = ask(s, &hello, &answer, why);
    if (rc == RC_OK && answer.kind != SINK_WELCOME) {
        buf_printf(why, "the other end is no archive machine");
        rc = RC_CLOSED;
    }
    return rc;
}

enum rc sink_sender_open(const struct sink_login *login, const char *login_file,
                         const _Atomic bool *stop, struct sink_sender **ret, struct buf *why)
{
    struct sink_sender *s = mem_zero(1, sizeof *s);
    if (!s)
        return RC_NOMEM;
    s->stop = stop;
    s->piece = mem_alloc(SINK_MAX_PIECE_BYTES);
    enum rc rc = s->piece ? RC_OK : RC_NOMEM;
    rc = rc ? rc : tls_open(str_c(login_file), false, &s->tls, why);
    rc = rc ? rc : sink_link_dial(s->tls, login->host, login->port, stop, &s->link, why);
    rc = rc ? rc : greet(s, login, why);
    if (rc)
        sink_sender_close(s);
    else
        *ret = s;
    return rc;
}

void sink_sender_close(struct sink_sender *s)
{
    if (!s)
        return;
    sink_link_close(s->link);
    tls_close(s->tls);
    mem_free(s->piece);
    mem_free(s);
}

/* Reads the next piece of the file, as much as fits. */
static enum rc read_piece(struct sink_sender *s, const struct file *f, uint64_t at, size_t *ret)
{
    uint64_t left = f->bytes - at;
    size_t want = left < SINK_MAX_PIECE_BYTES ? (size_t)left : SINK_MAX_PIECE_BYTES;
    enum rc rc = disk_read(f->file, at, s->piece, want, ret);
    return rc == RC_OK && *ret != want ? RC_IO : rc;
}

static enum rc measure(struct sink_sender *s, struct file *f)
{
    struct digester *d = digester_open(DIGEST_SHA256);
    enum rc rc = d ? disk_size(f->file, &f->bytes) : RC_NOMEM;
    for (uint64_t at = 0; rc == RC_OK && at < f->bytes;) {
        size_t n = 0;
        rc = atomic_load(s->stop) ? RC_AGAIN : read_piece(s, f, at, &n);
        if (rc == RC_OK)
            digester_add(d, str_make(s->piece, n));
        at += n;
    }
    rc = rc ? rc : digester_finish(d, &f->digest);
    digester_close(d);
    return rc;
}

/* Sends from the offset that the machine gives until it has the whole file. A wrong offset may only
 * lead forward. */
static enum rc pour(struct sink_sender *s, const struct file *f, struct sink_frame answer,
                    _Atomic uint64_t *sent, struct buf *why)
{
    enum rc rc = RC_OK;
    uint64_t expected = answer.offset;
    while (rc == RC_OK && answer.kind == SINK_MORE) {
        size_t n = 0;
        if (answer.offset != expected || answer.offset >= f->bytes) {
            buf_printf(why, "the archive machine asks for bytes behind the end of the file");
            return RC_CLOSED;
        }
        rc = read_piece(s, f, expected, &n);
        struct sink_frame data = {.kind = SINK_DATA, .data = str_make(s->piece, n)};
        rc = rc ? rc : ask(s, &data, &answer, why);
        expected += n;
        if (rc == RC_OK)
            atomic_fetch_add(sent, n);
    }
    if (rc == RC_OK && answer.kind != SINK_STORED) {
        buf_printf(why, "cannot read the archive machine's answer");
        rc = RC_CLOSED;
    }
    return rc;
}

enum rc sink_sender_put(struct sink_sender *s, struct disk *d, const char *path,
                        enum sink_what what, struct str name, _Atomic uint64_t *sent,
                        struct buf *why)
{
    struct file f = {0};
    struct sink_frame answer = {0};
    enum rc rc = disk_open(d, path, DISK_READ, &f.file);
    rc = rc ? rc : measure(s, &f);
    struct sink_frame offer = {.kind = SINK_PUT, .what = what, .name = name, .bytes = f.bytes};
    memcpy(offer.sha256, f.digest.bytes, sizeof offer.sha256);
    rc = rc ? rc : ask(s, &offer, &answer, why);
    rc = rc ? rc : pour(s, &f, answer, sent, why);
    disk_file_close(f.file);
    return rc;
}
