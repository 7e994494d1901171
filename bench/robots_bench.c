/* SPDX-License-Identifier: Apache-2.0 */
#include "bench.h"

#include "robots/robots.h"

enum { CHECKS = 20000 };

static void put_rules(struct buf *body, const char *format, unsigned count)
{
    buf_add(body, STR("User-agent: *\n"));
    for (unsigned i = 0; i < count; i++) {
        buf_add(body, i % 4 ? STR("Disallow: ") : STR("Allow: "));
        buf_printf(body, format, i);
        buf_byte(body, '\n');
    }
}

static void run(const char *name, const char *format, unsigned count, struct str path,
                const char *goal)
{
    struct buf body;
    struct robots *r = NULL;
    double ns;
    char label[96];
    buf_init(&body, 1 << 24);
    put_rules(&body, format, count);
    if (robots_parse(buf_str(&body), STR("bench"), &r) != RC_OK)
        return;
    unsigned checks = count > 1000 && format[1] == '*' ? CHECKS / 100 : CHECKS;
    BENCH_BEST(
        ns, checks, for (unsigned i = 0; i < checks; i++) {
            struct robots_verdict v = robots_check(r, path);
            BENCH_USE(v.line);
        });
    snprintf(label, sizeof label, "robots check, %u %s", count, name);
    bench_row(label, ns, "ns", goal);
    robots_free(r);
    BENCH_BEST(ns, body.n, {
        if (robots_parse(buf_str(&body), STR("bench"), &r) == RC_OK) {
            BENCH_USE(r);
            robots_free(r);
        }
    });
    snprintf(label, sizeof label, "robots parse, %u %s", count, name);
    bench_row(label, ns, "ns/byte", "-");
    buf_done(&body);
}

int main(void)
{
    struct str path = STR("/catalogue/items/12345/details.html?colour=red&size=xl");
    run("plain rules", "/folder%u/", 20, path, "< 200");
    run("plain rules", "/folder%u/", 10000, path, "< 1000");
    run("plain rules of one folder", "/catalogue/items/%u/", 10000, path, "< 1000");
    run("rules with a star", "/*param%u=", 20, path, "< 500");
    run("rules with a star", "/*param%u=", 10000, path, "-");
    run("rules with a star that come close", "/*items/%u", 10000, path, "-");
    run("encoded path", "/folder%u/", 20, STR("/caf%C3%A9/%62ar/\xe3\x83\x84?x=%2f"), "< 500");
    return 0;
}
