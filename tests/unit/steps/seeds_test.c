/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/step.h"
#include "roles/seed_request.h"

#include "base/mem.h"
#include "url/normalise.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

extern const struct part part_seeds;

static struct step s;

static void open_seeds(const char *settings)
{
    step_world(&s, settings, 0);
    assert_rc(step_open(&s, &part_seeds), RC_OK);
}

static void assert_list(size_t outlet_index, const char *const *urls, size_t count)
{
    const struct message *m = s.out[0][outlet_index];
    assert_int_equal(step_list_count(m), count);
    for (size_t i = 0; i < count; i++)
        assert_str(step_list_url(m, i), str_c(urls[i]));
}

static void given_seeds_come_as_one_list(void **state)
{
    (void)state;
    static const char *const urls[] = {"http://a.test/", "https://b.test/x"};
    open_seeds("seeds=a.test seeds=https://b.test/x");
    assert_int_equal(s.cluster.begun, 1); /* the crawl must not look done before the first */
    assert_int_equal(step_produce(&s), PRODUCED_IDLE);
    assert_list(0, urls, 2);
    assert_int_equal(s.cluster.begun, 1); /* the list: disposition ends it */
    assert_int_equal(step_produce(&s), PRODUCED_IDLE);
    assert_int_equal(s.out_count[0], 1);
    step_close(&s);
}

static void a_seed_of_an_earlier_run_is_left_out(void **state)
{
    (void)state;
    open_seeds("seeds=http://a.test/");
    s.known_seed = step_candidate("http://a.test/", "").fingerprint;
    assert_int_equal(step_produce(&s), PRODUCED_IDLE);
    assert_int_equal(s.out_count[0], 0);
    assert_int_equal(s.cluster.begun, 0);
    step_close(&s);
}

static void a_seed_that_is_no_url_is_named_with_its_reason(void **state)
{
    (void)state;
    static const char *const urls[] = {"http://a.test/"};
    open_seeds("seeds=ftp://a.test/ seeds=http://a.test/");
    assert_int_equal(step_produce(&s), PRODUCED_IDLE);
    assert_list(0, urls, 1);
    assert_int_equal(s.errors, 1);
    assert_true(step_has_logged(&s, "seed.refused"));
    assert_true(step_has_logged(&s, "ftp://a.test/"));
    step_close(&s);
}

/* Files ---------------------------------------------------------------------------------------- */

static char file[40];

static const char *with_file(const char *text)
{
    static char settings[80];
    (void)snprintf(file, sizeof file, "/tmp/orbweaver-seeds-XXXXXX");
    int fd = mkstemp(file);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    (void)close(fd);
    (void)snprintf(settings, sizeof settings, "input=%s", file);
    return settings;
}

static void lines_of_files_are_seeds_and_comments_are_not(void **state)
{
    (void)state;
    static const char *const urls[] = {"http://a.test/", "http://b.test/"};
    open_seeds(with_file("# mine\nhttp://a.test/\n\nnot a url at all\nb.test\n"));
    assert_int_equal(step_produce(&s), PRODUCED_IDLE);
    assert_list(0, urls, 2);
    assert_true(step_has_logged(&s, "line=4"));
    assert_int_equal(s.cluster.begun, 1);
    step_close(&s);
    (void)unlink(file);
}

static void many_seeds_come_in_lists_of_200(void **state)
{
    (void)state;
    struct buf text = {.max = 100000};
    for (unsigned i = 0; i < 450; i++)
        buf_printf(&text, "http://a.test/%u\n", i);
    open_seeds(with_file(buf_c(&text)));
    assert_int_equal(step_produce(&s), PRODUCED_MORE);
    assert_int_equal(step_produce(&s), PRODUCED_MORE);
    assert_int_equal(step_produce(&s), PRODUCED_IDLE);
    assert_int_equal(step_list_count(s.out[0][0]), 200);
    assert_int_equal(step_list_count(s.out[0][2]), 50);
    assert_int_equal(s.cluster.begun, 3);
    buf_done(&text);
    step_close(&s);
    (void)unlink(file);
}

static void a_line_that_is_too_long_is_passed_over(void **state)
{
    (void)state;
    static const char *const urls[] = {"http://a.test/"};
    char *text = mem_zero(1, 70000);
    memset(text, 'x', 66000);
    memcpy(text + 66000, "\nhttp://a.test/\n", 17);
    open_seeds(with_file(text));
    mem_free(text);
    while (step_produce(&s) == PRODUCED_MORE)
        ;
    assert_list(0, urls, 1);
    assert_true(step_has_logged(&s, "longer than 64 kB"));
    step_close(&s);
    (void)unlink(file);
}

static void a_file_that_is_not_there_is_refused_before_the_crawl_begins(void **state)
{
    (void)state;
    step_world(&s, "input=/nonexistent/file", 0);
    assert_rc(step_open(&s, &part_seeds), RC_NOT_FOUND);
    assert_true(s.why[0]);
    step_close(&s);
}

/* Requests ------------------------------------------------------------------------------------- */

static struct seed_request *request(struct step *w, const struct str *urls, size_t count)
{
    struct seed_request *r = seed_request_open(&w->ledger->calls);
    assert_non_null(r);
    r->urls = urls;
    r->count = count;
    r->call.holders = 2; /* the test and the queue */
    return r;
}

/* The queue of `seeds` serves it, as on the part's own thread. */
static void serve(struct step *w, struct seed_request *r)
{
    w->ledger->calls.queues[CALLS_SEEDS]->serve(&r->call, &w->part.self);
}

static void a_request_brings_seeds_and_ends_with_its_list(void **state)
{
    (void)state;
    static const struct str urls[] = {STR("http://a.test/"), STR("http://b.test/")};
    open_seeds("");
    s.known_seed = step_candidate("http://b.test/", "").fingerprint;
    struct seed_request *r = request(&s, urls, 2);
    serve(&s, r);
    assert_int_equal(s.ready, 1);
    assert_int_equal(r->known, 1);
    assert_false(r->call.has_ended);
    assert_int_equal(step_list_count(s.out[0][0]), 1);
    message_end(step_take(&s, 0));
    assert_true(r->call.has_ended);
    assert_int_equal(r->call.rc, RC_CLOSED); /* it never reached the journal */
    call_leave(&r->call);
    step_close(&s);
}

static void a_request_for_what_is_known_ends_at_once(void **state)
{
    (void)state;
    static const struct str urls[] = {STR("http://b.test/")};
    open_seeds("");
    s.known_seed = step_candidate("http://b.test/", "").fingerprint;
    struct seed_request *r = request(&s, urls, 1);
    serve(&s, r);
    assert_true(r->call.has_ended);
    assert_int_equal(r->call.rc, RC_OK);
    assert_int_equal(s.out_count[0], 0);
    call_leave(&r->call);
    step_close(&s);
}

/* Memory --------------------------------------------------------------------------------------- */

static void run(struct step *w)
{
    while (step_produce(w) == PRODUCED_MORE)
        ;
    if (!w->failed)
        assert_int_equal(step_list_count(w->out[0][0]), 2);
}

static void whatever_allocation_fails_no_seed_is_lost_silently(void **state)
{
    (void)state;
    step_each_allocation_fails(&(struct step_sweep){
        .part = &part_seeds, .settings = "seeds=http://a.test/ seeds=http://b.test/", .run = run});
}

static struct seed_request *asked;

static void prepare_request(struct step *w)
{
    static const struct str urls[] = {STR("http://a.test/")};
    asked = request(w, urls, 1);
}

static void run_request(struct step *w)
{
    serve(w, asked);
    assert_true(w->out_count[0] || asked->call.has_ended);
    assert_false(asked->call.has_ended && asked->call.rc == RC_OK);
    call_leave(&asked->call);
}

static void whatever_allocation_fails_a_request_hears_of_it(void **state)
{
    (void)state;
    step_each_allocation_fails(&(struct step_sweep){
        .part = &part_seeds, .settings = "", .prepare = prepare_request, .run = run_request});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(given_seeds_come_as_one_list),
        cmocka_unit_test(a_seed_of_an_earlier_run_is_left_out),
        cmocka_unit_test(a_seed_that_is_no_url_is_named_with_its_reason),
        cmocka_unit_test(lines_of_files_are_seeds_and_comments_are_not),
        cmocka_unit_test(many_seeds_come_in_lists_of_200),
        cmocka_unit_test(a_line_that_is_too_long_is_passed_over),
        cmocka_unit_test(a_file_that_is_not_there_is_refused_before_the_crawl_begins),
        cmocka_unit_test(a_request_brings_seeds_and_ends_with_its_list),
        cmocka_unit_test(a_request_for_what_is_known_ends_at_once),
        cmocka_unit_test(whatever_allocation_fails_no_seed_is_lost_silently),
        cmocka_unit_test(whatever_allocation_fails_a_request_hears_of_it),
    };
    return cmocka_run_group_tests_name("seeds", tests, NULL, NULL);
}
