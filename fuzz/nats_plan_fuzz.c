/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as what the servers answer, as a stamp, as a subject, as a plan and as a login. What is
 * read keeps the rules of its kind, and a plan that is read is written as one that reads the same.
 */
#include "base/mem.h"
#include "bus/bus.h"
#include "bus/nats_reply.h"
#include "cluster/wire/nats_login.h"
#include "provision/nats_config.h"

#include <assert.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void check_reply(struct str s)
{
    char why[32];
    uint64_t ms;
    struct nats_reply_ack ack = nats_reply_ack_read(s);
    assert((ack.rc == RC_OK) == (ack.sequence > 0));
    (void)nats_reply_admin_read(s, why, sizeof why);
    assert(strlen(why) < sizeof why);
    (void)!nats_reply_stamp_read(s, &ms);
    if (nats_subject_is_good(s, false)) {
        assert(nats_subject_is_good(s, true) && s.n <= BUS_MAX_SUBJECT_BYTES);
        assert(str_find(s, ' ') == s.n && str_find(s, '\n') == s.n && str_find(s, '*') == s.n);
    }
}

/* Nothing of a plan ends a quoted text of a server's configuration. */
static void check_config(const struct nats_plan *p)
{
    struct buf out = {.max = NATS_CONFIG_MAX_BYTES};
    size_t quotes = 0;
    nats_config_write(p, 0, &out);
    for (size_t i = 0; i < out.n; i++) {
        quotes += out.p[i] == '"';
        assert(out.p[i] != '\n' || quotes % 2 == 0);
        assert(out.p[i] == '\n' || (out.p[i] >= ' ' && out.p[i] <= '~'));
    }
    buf_done(&out);
}

static void check_plan(struct str s)
{
    struct nats_plan *p = mem_zero(1, sizeof *p), *q = mem_zero(1, sizeof *q);
    struct buf text = {.max = NATS_PLAN_MAX_BYTES};
    const char *why;
    if (p && q && nats_plan_read(s, p, &why) == RC_OK) {
        assert(p->machine_count >= 1);
        check_config(p);
        nats_plan_write(p, &text);
        assert(nats_plan_read(buf_str(&text), q, &why) == RC_OK);
        assert(memcmp(p, q, sizeof *p) == 0);
    }
    buf_done(&text);
    mem_free(p);
    mem_free(q);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    struct str s = str_make((const char *)data, n);
    struct nats_login l;
    check_reply(s);
    check_plan(s);
    if (nats_login_read(s, &l) == RC_OK)
        assert(nats_crawl_is_good(str_c(l.crawl)));
    return 0;
}
