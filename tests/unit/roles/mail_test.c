/* SPDX-License-Identifier: Apache-2.0 */
/* Mail to a shard whose post is not there yet, or not any more; and a walk that nobody answers. */
#include "agent/mail_walk.h"
#include "roles/mail.h"

#include "lib/test.h"

static bool put(struct mailbox *b, const char *text)
{
    struct mail *m = mail_new(MAIL_RECORDS, 1, str_c(text));
    assert_non_null(m);
    bool is_put = mailbox_put(b, &m);
    assert_null(m);
    return is_put;
}

static void is_next(struct mailbox *b, const char *text)
{
    struct mail *m = mailbox_take(b);
    assert_non_null(m);
    assert_true(str_eq(buf_str(&m->bytes), str_c(text)));
    mail_free(m);
}

static void mail_waits_in_order_until_somebody_takes_it(void **state)
{
    (void)state;
    struct mailbox b;
    mailbox_init(&b);
    assert_null(mailbox_take(&b));
    assert_true(put(&b, "one"));
    assert_true(put(&b, "two"));
    is_next(&b, "one");
    assert_true(put(&b, "three"));
    is_next(&b, "two");
    is_next(&b, "three");
    assert_null(mailbox_take(&b));
    mailbox_done(&b);
}

static void a_closed_box_takes_nothing_and_keeps_what_it_has(void **state)
{
    (void)state;
    struct mailbox b;
    mailbox_init(&b);
    assert_true(put(&b, "one"));
    mailbox_close(&b);
    assert_false(put(&b, "two"));
    is_next(&b, "one");
    assert_null(mailbox_take(&b));
    mailbox_done(&b);
}

static void a_walk_that_nobody_answers_any_more_ends(void **state)
{
    (void)state;
    struct mailbox b;
    struct mail_walk w;
    mailbox_init(&b);
    mail_walk_init(&w);
    mailbox_close(&b);
    assert_rc(mail_walk_ask(&w, &b), RC_CLOSED);
    mail_walk_close(&w);
    assert_rc(mail_walk_ask(&w, &b), RC_CLOSED);
    mail_walk_done(&w);
    mailbox_done(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mail_waits_in_order_until_somebody_takes_it),
        cmocka_unit_test(a_closed_box_takes_nothing_and_keeps_what_it_has),
        cmocka_unit_test(a_walk_that_nobody_answers_any_more_ends),
    };
    return cmocka_run_group_tests_name("mail", tests, NULL, NULL);
}
