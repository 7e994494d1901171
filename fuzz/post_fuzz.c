/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as what the servers answer, as a stamp, as a subject, as a plan and as a login. What is
 * read keeps the rules of its kind, and a plan that is read is written as one that reads the same.
 */
#include "base/mem.h"
#include "bus/bus.h"
#include "bus/post_reply.h"
#include "cluster/post_config.h"
#include "cluster/post_login.h"

#include <assert.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void check_reply(struct str s)
{
    char why[32];
    uint64_t ms;
    struct post_ack ack = post_ack_read(s);
    assert((ack.rc == RC_OK) == (ack.sequence > 0));
    (void)post_admin_read(s, why, sizeof why);
    assert(strlen(why) < sizeof why);
    (void)!post_stamp_read(s, &ms);
    if (post_subject_is_good(s, false)) {
        assert(post_subject_is_good(s, true) && s.n <= BUS_MAX_SUBJECT_BYTES);
        assert(str_find(s, ' ') == s.n && str_find(s, '\n') == s.n && str_find(s, '*') == s.n);
    }
}

/* Nothing of a plan ends a quoted text of a server's configuration. */
static void check_config(const struct post_plan *p)
{
    struct buf out = {.max = POST_CONFIG_MAX_BYTES};
    size_t quotes = 0;
    post_config_write(p, 0, &out);
    for (size_t i = 0; i < out.n; i++) {
        quotes += out.p[i] == '"';
        assert(out.p[i] != '\n' || quotes % 2 == 0);
        assert(out.p[i] == '\n' || (out.p[i] >= ' ' && out.p[i] <= '~'));
    }
    buf_done(&out);
}

static void check_plan(struct str s)
{
    struct post_plan *p = mem_zero(1, sizeof *p), *q = mem_zero(1, sizeof *q);
    struct buf text = {.max = POST_PLAN_MAX_BYTES};
    const char *why;
    if (p && q && post_plan_read(s, p, &why) == RC_OK) {
        assert(p->place_count >= 1);
        check_config(p);
        post_plan_write(p, &text);
        assert(post_plan_read(buf_str(&text), q, &why) == RC_OK);
        assert(memcmp(p, q, sizeof *p) == 0);
    }
    buf_done(&text);
    mem_free(p);
    mem_free(q);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    struct str s = str_make((const char *)data, n);
    struct post_login l;
    check_reply(s);
    check_plan(s);
    if (post_login_read(s, &l) == RC_OK)
        assert(post_crawl_is_good(str_c(l.crawl)));
    return 0;
}
