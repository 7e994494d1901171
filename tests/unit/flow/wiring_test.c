/* SPDX-License-Identifier: Apache-2.0 */
/* What is wrong with a wiring is told with line and column, what was expected, and what was meant.
 */
#include "flow/wiring.h"

#include "lib/test.h"
#include "unit/flow/parts.h"

#include "base/mem.h"

#define TAIL "components: {numbers: , collect: }\nconnections: [numbers -> collect]\n"

/* Each row: the YAML, and the whole first problem. */
static const struct row {
    const char *name;
    const char *yaml;
    const char *problem;
} rows[] = {
    {"an empty file", "", "1:1: the file is empty; expected components and connections"},
    {"only a comment", "# nothing\n",
     "1:1: the file is empty; expected components and connections"},
    {"a list instead of a mapping", "- a\n",
     "1:1: wiring: expected name, shards, components and connections, found a list"},
    {"a tab where YAML forbids it", "components:\n\tnumbers:\n",
     "2:1: this is not YAML: found character that cannot start any token while scanning for the "
     "next token"},
    {"a bracket that is not closed", "components: {numbers: \n",
     "2:1: this is not YAML: did not find expected node content while parsing a flow node"},
    {"bytes that are not UTF-8", "name: a\ncomponents: \xff\xfe\n",
     "2:13: this is not YAML: invalid leading UTF-8 octet"},
    {"a second document", TAIL "---\nname: again\n",
     "4:1: a second document begins here; expected one"},
    {"an alias to nothing", "components: *x\n", "1:13: this is not YAML: found undefined alias"},
    {"a key twice", "name: a\nname: b\n" TAIL, "2:1: key \"name\" stands twice in this mapping"},
    {"a key that is a list", "? [a, b]\n: c\n", "1:3: a key must be a single word or text"},
    {"nested too deep", "a: [[[[[[[[[[[[[[[[x]]]]]]]]]]]]]]]]\n",
     "1:16: values are nested more than 12 deep"},
    {"an alias inside its own anchor", "a: &x [*x]\n", "1:4: values are nested more than 12 deep"},
    {"a few aliases that unfold to millions",
     "a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\n"
     "c: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c]\n"
     "e: &e [*d,*d,*d,*d,*d,*d,*d,*d,*d]\nf: &f [*e,*e,*e,*e,*e,*e,*e,*e,*e]\n",
     "1:16: more than 20000 values (aliases count each time they are used)"},
    {"a byte order mark, which takes up no column", "\xef\xbb\xbfshard: 2\n" TAIL,
     "1:1: wiring: unknown key \"shard\"; did you mean \"shards\"?"},
    {"lines that end with CR LF", "name: a\r\nshard: 2\r\n" TAIL,
     "2:1: wiring: unknown key \"shard\"; did you mean \"shards\"?"},
    {"an error behind letters of two bytes",
     "name: \"\xc3\xa4\xc3\xa4\"\ncomponents: {\"\xc3\xa4\": x}\n",
     "2:14: components.\xc3\xa4: expected a name of letters, digits, - and _, at most 64"},
    {"a NUL inside a text", "name: \"a\\0b\"\n" TAIL, "1:7: a value holds a NUL character"},

    {"a place without a port", "places: {a: 127.0.0.1}\n" TAIL,
     "1:13: places.a: \"127.0.0.1\": expected address:port, as 10.0.0.2:7001"},
    {"a place with a name for an address", "places: {a: example.org:80}\n" TAIL,
     "1:13: places.a: \"example.org:80\": expected address:port, as 10.0.0.2:7001"},
    {"a part at a place where there are none",
     "components: {numbers: , collect: {at: b}}\nconnections: [numbers -> collect]\n",
     "1:39: components.collect.at: the wiring has no places; expected \"places\" with their "
     "addresses"},
    {"a part at a place that is not named",
     "places: {left: '127.0.0.1:1'}\ncomponents: {numbers: , collect: {at: lefd}}\n"
     "connections: [numbers -> collect]\n",
     "2:39: components.collect.at: unknown place \"lefd\"; did you mean \"left\"?"},
    {"C4: a message that cannot leave its process",
     "places: {a: '127.0.0.1:1', b: '127.0.0.1:2'}\ncomponents: {numbers: , collect: {at: b}}\n"
     "connections: [numbers -> collect]\n",
     "3:15: connections: messages of type number cannot go to another place, and numbers stands "
     "at \"a\", collect at \"b\"; expected both at one"},
    {"a place without components", "places:\n  a: 127.0.0.1:1\n  b: 127.0.0.1:2\n" TAIL,
     "3:3: places.b: no component stands there"},
    {"a pool with a key that does not exist",
     "places: {a: '127.0.0.1:1', b: {pool: yes, windw: 3}}\n" TAIL,
     "1:43: places.b: unknown key \"windw\"; did you mean \"window\"?"},
    {"a place that is a mapping and no pool", "places: {a: '127.0.0.1:1', b: {window: 3}}\n" TAIL,
     "1:31: places.b: expected address:port, or {pool: yes}"},
    {"two places with one address", "places:\n  a: 127.0.0.1:1\n  b: 127.0.0.1:1\n" TAIL,
     "3:3: places.b: has the same address as a"},

    {"an unknown key at the top", "shard: 2\n" TAIL,
     "1:1: wiring: unknown key \"shard\"; did you mean \"shards\"?"},
    {"an unknown key like no other", "colour: red\n" TAIL, "1:1: wiring: unknown key \"colour\""},
    {"no components", "name: x\n", "1:1: wiring: key \"components\" is missing"},
    {"components as a list", "components: [numbers]\n",
     "1:13: components: expected a mapping of names to parts, found a list"},
    {"shards that are no number", "shards: many\n" TAIL,
     "1:9: shards: \"many\": expected a whole number such as 100, 20k or 1M"},
    {"too many shards", "shards: 257\n" TAIL,
     "1:9: shards: \"257\": expected a whole number such as 100, 20k or 1M, at least 1 and at most "
     "256"},

    {"a misspelt part", "components: {numbers: , colect: }\n",
     "1:25: components.colect: unknown part \"colect\"; did you mean \"collect\"?"},
    {"a misspelt part behind another name", "components:\n  end: {part: colect}\n",
     "2:15: components.end: unknown part \"colect\"; did you mean \"collect\"?"},
    {"a provider among the components", "components: {simulated: }\n",
     "1:14: components.simulated: unknown part \"simulated\""},
    {"a part given as a list", "components: {numbers: [1]}\n",
     "1:23: components.numbers: expected a part's name, or a mapping with \"part\" and options"},
    {"a component's name with a dot", "components: {a.b: numbers}\n",
     "1:14: components.a.b: expected a name of letters, digits, - and _, at most 64"},
    {"a misspelt option", "components:\n  numbers: {cuont: 1}\n  collect:\n",
     "2:13: components.numbers: unknown option \"cuont\"; did you mean \"count\"?"},
    {"an option's value that cannot be read", "components:\n  numbers:\n    count: lots\n",
     "3:12: components.numbers.count: \"lots\": expected a whole number such as 100, 20k or 1M"},
    {"an option given a mapping", "components: {numbers: {count: {a: b}}}\n",
     "1:31: components.numbers.count: expected a value, found a mapping"},
    {"an option given nothing", "components: {numbers: {count: }}\n",
     "1:31: components.numbers.count: expected a value, found nothing"},
    {"a shard that does not exist", "shards: 2\ncomponents:\n  numbers: {shard: 2}\n",
     "3:20: components.numbers.shard: there is no shard 2: shards are numbered 0 to 1"},
    {"credits for something that is no source", "components: {pass: {credits: 5}}\n",
     "1:30: components.pass.credits: part \"pass\" is no source: only sources have credits"},
    {"credits below the worst case", "components: {costly: {credits: 3}}\n",
     "1:32: components.costly.credits: \"3\": expected a whole number such as 100, 20k or 1M, at "
     "least 4 and at most 100000000"},
    {"a shared object that is not there", "components: {x: ./absent.so}\n",
     "1:17: components.x: ./absent.so: cannot open shared object file: No such file or directory"},

    {"a shared object without a path", "components: {x: absent.so}\n",
     "1:17: components.x: unknown part \"absent.so\"; a shared object is named by its path: "
     "./absent.so"},

    {"a provider without a part", "providers: {clock: }\n" TAIL,
     "1:13: providers.clock: expected a part's name, or a mapping with \"part\" and options"},
    {"a misspelt provider", "providers: {clock: simulatd}\n" TAIL,
     "1:20: providers.clock: unknown part \"simulatd\"; did you mean \"simulated\"?"},
    {"a provider that is missing",
     "components: {numbers: , asks: , collect: }\nconnections: [numbers -> asks -> collect]\n",
     "1:25: asks: part \"asks\" needs a provider \"greeting\""},
    {"a provider of another interface",
     "providers: {greeting: clock/simulated}\ncomponents: {numbers: , asks: , collect: }\n"
     "connections: [numbers -> asks -> collect]\n",
     "2:25: asks: needs a provider of \"greeting\", and providers.greeting provides \"clock\""},
    {"a provider that needs one below it",
     "providers: {greeting: fancy, voice: greeting/plain}\n" TAIL,
     "1:13: providers.greeting: needs \"voice\", which must stand above it"},

    {"a connection to no component",
     "components: {numbers: , collect: }\nconnections:\n  - numbers -> colect\n",
     "3:16: connections: unknown component \"colect\"; did you mean \"collect\"?"},
    {"a misspelt outlet",
     "components: {numbers: , hop: , collect: }\nconnections:\n  - hop.agian -> collect\n",
     "3:9: components.hop: unknown outlet \"agian\"; did you mean \"again\"?"},
    {"a misspelt inlet",
     "components: {numbers: , collect: }\nconnections:\n  - numbers -> collect.inn\n",
     "3:24: components.collect: unknown inlet \"inn\"; did you mean \"in\"?"},
    {"from a part without outlets",
     "components: {numbers: , collect: }\nconnections:\n  - collect -> numbers\n",
     "3:5: connections: part \"collect\" of collect has no outlets"},
    {"to a part without inlets",
     "components: {numbers: , pass: }\nconnections:\n  - pass -> numbers\n",
     "3:5: connections: part \"numbers\" of numbers has no inlets"},
    {"a connection with one end", "components: {numbers: }\nconnections: [numbers]\n",
     "2:15: connections: expected \"component.outlet -> component.inlet\""},
    {"a connection with nothing behind the arrow",
     "components: {numbers: }\nconnections: [\"numbers ->\"]\n",
     "2:26: connections: expected \"component.outlet -> component.inlet\""},
    {"a connection that is a list", "components: {numbers: }\nconnections:\n  - [a, b]\n",
     "3:5: connections: expected \"a.out -> b.in\" or \"a.out -> b.in: {queue: 1000}\", found a "
     "list"},
    {"connections as a mapping", "components: {numbers: }\nconnections: {a: b}\n",
     "2:14: connections: expected a list, found a mapping"},
    {"a misspelt word of a connection",
     "components: {numbers: , collect: }\nconnections:\n  - numbers -> collect: {queu: 5}\n",
     "3:26: connections: unknown key \"queu\"; did you mean \"queue\"?"},
    {"a queue of nothing",
     "components: {numbers: , collect: }\nconnections:\n  - numbers -> collect: {queue: 0}\n",
     "3:33: queue: \"0\": expected a whole number such as 100, 20k or 1M, at least 1 and at most "
     "1048576"},
    {"a route that is none",
     "components: {numbers: , collect: }\nconnections:\n"
     "  - numbers -> collect: {queue: 1, route: north}\n",
     "3:43: route: \"north\": expected hash or same"},
    {"spill without a queue",
     "components: {numbers: , collect: }\nconnections:\n  - numbers -> collect: {spill: yes}\n",
     "3:25: connections: route and spill belong to a queue; expected \"queue: length\""},

    {"messages of different types",
     "components: {numbers: , words: }\nconnections:\n  - numbers -> words\n",
     "3:5: connections: numbers.out gives messages of type number, words.in takes word"},
    {"messages of another type, which one other inlet takes",
     "components: {numbers: , mixed: }\nconnections:\n  - numbers -> mixed\n",
     "3:5: connections: numbers.out gives messages of type number, mixed.in takes word; write "
     "\"numbers -> mixed.lists\""},
    {"the same from an outlet that is not the first",
     "components: {numbers: , hop: , a: mixed, b: collect}\nconnections:\n  - numbers -> hop\n"
     "  - hop.again -> b\n  - hop.out -> a.in\n",
     "5:5: connections: hop.out gives messages of type number, a.in takes word; write \"hop.out -> "
     "a.lists\""},
    {"messages of another type, which two other inlets take",
     "components: {numbers: , twofold: }\nconnections:\n  - numbers -> twofold\n",
     "3:5: connections: numbers.out gives messages of type number, twofold.in takes word"},
    {"an outlet connected twice",
     "components: {numbers: , a: collect, b: collect}\nconnections:\n  - numbers -> a\n"
     "  - numbers -> b\n",
     "4:5: connections: outlet numbers.out is connected already, in line 3: a message has one "
     "owner"},
    {"an outlet left open", "components:\n  numbers:\n",
     "2:3: components.numbers: outlet \"out\" is not connected"},
    {"an outlet left open, and the one inlet that fits", "components:\n  numbers:\n  collect:\n",
     "2:3: components.numbers: outlet \"out\" is not connected; write \"numbers.out -> "
     "collect.in\""},
    {"an inlet left open",
     "components:\n  numbers:\n  other: collect\n  collect:\n"
     "connections: [numbers -> collect]\n",
     "3:3: components.other: inlet \"in\" is not connected"},
    {"no source",
     "components: {hop: , collect: }\nconnections:\n"
     "  - hop.again -> hop: {queue: 5, spill: yes}\n  - hop.out -> collect\n",
     "1:1: components: none is a source, so nothing would ever happen"},
    {"a call to a component on one shard",
     "shards: 2\ncomponents: {numbers: , collect: {shard: 1}}\nconnections:\n"
     "  - numbers -> collect\n",
     "4:5: connections: a call cannot leave the shard, and collect lives on shard 1 only; expected "
     "{queue: length}"},
    {"from one shard to all without saying how",
     "shards: 2\ncomponents: {onenumbers: , collect: }\nconnections:\n"
     "  - onenumbers -> collect: {queue: 5}\n",
     "4:5: connections: onenumbers lives on one shard and collect on each; expected route: hash to "
     "spread the messages, or route: same"},
    {"a route to a component on one shard",
     "shards: 2\ncomponents: {numbers: , collect: {shard: 0}}\nconnections:\n"
     "  - numbers -> collect: {queue: 5, route: hash}\n",
     "4:5: connections: route has no meaning: collect lives on shard 0 only"},

    {"a way for lost messages where no pool is",
     "components: {numbers: , collect: }\nconnections:\n  - numbers -> collect: {lost: collect}\n",
     "3:5: connections: numbers -> collect does not lead to a pool; leave \"lost\" out"},

    {"a cycle of calls",
     "components: {numbers: , hop: , pass: , collect: }\nconnections:\n  - numbers -> hop\n"
     "  - hop.again -> pass -> hop\n  - hop.out -> collect\n",
     "4:5: connections: the cycle hop -> pass -> hop calls itself without end; expected {queue: "
     "length, spill: yes} on one of its connections"},
    {"a cycle of queues that do not spill",
     "components: {numbers: , hop: , pass: , collect: }\nconnections:\n  - numbers -> hop\n"
     "  - hop.again -> pass: {queue: 9}\n  - pass -> hop: {queue: 9}\n  - hop.out -> collect\n",
     "5:5: connections: the cycle hop -> pass -> hop can fill its queues and stand still; expected "
     "{queue: length, spill: yes} on one of its connections"},
    {"a part connected to itself",
     "components: {numbers: , hop: , collect: }\nconnections:\n  - numbers -> hop\n"
     "  - hop.again -> hop\n  - hop.out -> collect\n",
     "4:5: connections: the cycle hop -> hop calls itself without end; expected {queue: length, "
     "spill: yes} on one of its connections"},
};

static void every_error_has_its_place_and_says_what_was_expected(void **state)
{
    (void)state;
    size_t failed = 0;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct problems problems;
        problems_init(&problems, "f");
        struct wiring *w = NULL;
        size_t n = strlen(rows[i].yaml);
        enum rc rc = wiring_read(str_make(rows[i].yaml, n), "f", &test_catalog, &w, &problems);
        struct str rest = buf_str(&problems.lines);
        struct str first = str_from(str_take_until(&rest, '\n'), 2);
        if (rc != RC_INVALID || !str_eq(first, str_c(rows[i].problem))) {
            print_error("%s: %s\n  expected %s\n  got      %.*s\n", rows[i].name, rc_text(rc),
                        rows[i].problem, STR_ARG(first));
            failed++;
        }
        wiring_close(w);
        problems_done(&problems);
    }
    print_message("# set wiring errors %zu/%zu\n", sizeof rows / sizeof rows[0] - failed,
                  sizeof rows / sizeof rows[0]);
    assert_int_equal(failed, 0);
}

static void several_errors_are_told_at_once_and_too_many_are_counted(void **state)
{
    (void)state;
    struct problems problems;
    problems_init(&problems, "f");
    struct wiring *w = NULL;
    struct buf yaml = {.max = 10000}, out = {.max = 100000};
    buf_add(&yaml, STR("components:\n"));
    for (int i = 0; i < 30; i++)
        buf_printf(&yaml, "  c%d: nothing\n", i);
    assert_rc(wiring_read(buf_str(&yaml), "f", &test_catalog, &w, &problems), RC_INVALID);
    assert_int_equal(problems.count, 30);
    problems_print(&problems, &out);
    assert_true(str_ends(buf_str(&out), STR("f:21:8: components.c19: unknown part \"nothing\"\n"
                                            "... and 10 more\n")));
    problems_done(&problems);
    buf_done(&yaml);
    buf_done(&out);
}

static void a_file_too_large_is_refused(void **state)
{
    (void)state;
    struct problems problems;
    problems_init(&problems, "f");
    struct wiring *w = NULL;
    char *text = mem_alloc(WIRING_MAX_BYTES + 1);
    memset(text, '#', WIRING_MAX_BYTES + 1);
    assert_rc(wiring_read(str_make(text, WIRING_MAX_BYTES + 1), "f", &test_catalog, &w, &problems),
              RC_INVALID);
    assert_str(buf_str(&problems.lines), STR("f:1:1: the file is larger than 256 KiB\n"));
    mem_free(text);
    problems_done(&problems);
}

/* libyaml alone would need minutes for either. */
static void nesting_and_anchors_without_end_are_refused_at_once(void **state)
{
    (void)state;
    static const struct {
        const char *piece, *told;
    } endless[] = {
        {"[", "f:1:14: values are nested more than 12 deep\n"},
        {"{a: ", "f:1:53: values are nested more than 12 deep\n"},
        {"- &a\n", "f:20000:3: more than 20000 values (aliases count each time they are used)\n"},
    };
    for (size_t i = 0; i < sizeof endless / sizeof endless[0]; i++) {
        struct problems problems;
        problems_init(&problems, "f");
        struct buf yaml = {.max = WIRING_MAX_BYTES};
        struct wiring *w = NULL;
        while (yaml.n + strlen(endless[i].piece) <= WIRING_MAX_BYTES)
            buf_add(&yaml, str_c(endless[i].piece));
        assert_rc(wiring_read(buf_str(&yaml), "f", &test_catalog, &w, &problems), RC_INVALID);
        assert_str(buf_str(&problems.lines), str_c(endless[i].told));
        buf_done(&yaml);
        problems_done(&problems);
    }
}

static void a_byte_order_mark_is_no_error(void **state)
{
    (void)state;
    wiring_close(must_read("\xef\xbb\xbf" TAIL));
}

/* Messages quote what a person wrote; what could move a terminal's cursor is not passed on. */
static void control_characters_do_not_reach_the_terminal(void **state)
{
    (void)state;
    struct problems problems;
    problems_init(&problems, "f");
    struct wiring *w = NULL;
    assert_rc(wiring_read(STR("\"a\\e[2Jb\": 1\n" TAIL), "f", &test_catalog, &w, &problems),
              RC_INVALID);
    assert_str(buf_str(&problems.lines), STR("f:1:1: wiring: unknown key \"a?[2Jb\"\n"));
    problems_done(&problems);
    w = must_read(
        "name: \"a\\e[2Jb\"\ncomponents: {numbers: , pass: {label: \"\\e]c\"}, collect: }\n"
        "connections: [numbers -> pass -> collect]\n");
    struct buf out = {.max = 4096};
    wiring_print(w, &out);
    assert_true(str_starts(buf_str(&out), STR("a?[2Jb: 1 shard")));
    assert_true(str_find_str(buf_str(&out), STR("label: ?]c\n")) < out.n);
    assert_int_equal(str_find(buf_str(&out), 27), out.n);
    buf_done(&out);
    wiring_close(w);
}

static void the_drawing_shows_every_connection(void **state)
{
    (void)state;
    struct wiring *w = must_read("name: two\n"
                                 "shards: 2\n"
                                 "components:\n"
                                 "  numbers: {count: 1k, credits: 9}\n"
                                 "  step: {part: hop}\n"
                                 "  collect: {shard: 1}\n"
                                 "connections:\n"
                                 "  - numbers -> step\n"
                                 "  - step.again -> step: {queue: 7, route: hash, spill: yes}\n"
                                 "  - step.out -> collect.in: {queue: 8}\n");
    struct buf out = {.max = 10000};
    wiring_print(w, &out);
    assert_str(buf_str(&out), STR("two: 2 shards, each a thread\n"
                                  "\n"
                                  "components\n"
                                  "  numbers, on each shard, source with 9 credits\n"
                                  "      count: 1000\n"
                                  "      hops: 0\n"
                                  "      foreign: no\n"
                                  "    .out --[call]--> step.in\n"
                                  "  step (hop), on each shard\n"
                                  "    .again ==[queue 7, by hash, spills]==> step.in\n"
                                  "    .out ==[queue 8, to shard 1]==> collect.in\n"
                                  "  collect, on shard 1\n"
                                  "      spin: 0\n"));
    buf_clear(&out);
    wiring_print_dot(w, &out);
    assert_true(str_starts(buf_str(&out), STR("digraph wiring {\n")));
    assert_true(str_find_str(buf_str(&out), STR("\"step\" -> \"step\" [label=\"again\\nqueue 7, by "
                                                "hash, spills\", style=dashed];\n")) < out.n);
    buf_done(&out);
    wiring_close(w);
}

static void names_aliases_and_short_forms_mean_the_same(void **state)
{
    (void)state;
    struct wiring *w = must_read("shards: cores\n"
                                 "components:\n"
                                 "  n: &n {part: numbers, count: 5}\n"
                                 "  m: *n\n"
                                 "  a: collect\n"
                                 "  b: {part: collect}\n"
                                 "connections: [n.out -> a.in, m -> b]\n");
    assert_true(w->shards >= 1);
    assert_int_equal(w->component_count, 4);
    assert_ptr_equal(w->components[0].part, w->components[1].part);
    assert_int_equal(w->connection_count, 2);
    assert_int_equal(w->connections[1].from, 1);
    assert_int_equal(w->connections[1].to, 3);
    wiring_close(w);
}

static uint64_t set_add(const char *yaml, const char *assignment)
{
    struct wiring *w = must_read(yaml);
    struct buf why = {.max = 1000};
    struct nearest near = {.wanted = STR("pass")};
    enum rc rc = wiring_set(w, str_c(assignment), &why);
    if (rc)
        print_error("%s: " STR_FMT "\n", assignment, STR_ARG(buf_str(&why)));
    assert_int_equal(rc, RC_OK);
    const struct wiring_part *p = wiring_find(w, near.wanted, &near);
    assert_non_null(p);
    uint64_t add = 0;
    memcpy(&add, (const char *)p->settings + option_find(p->part->options, STR("add"))->offset,
           sizeof add);
    wiring_close(w);
    buf_done(&why);
    return add;
}

#define CHAIN(pass) \
    "components: {numbers: , " pass ", collect: }\nconnections: [numbers -> x -> collect]\n"
#define NAMED(pass)                        \
    "components: {numbers: , " pass ": , " \
    "collect: }\nconnections: [numbers -> " pass " -> collect]\n"

/* An option that belongs to another part is named with that part. */
static void an_option_is_looked_for_at_providers(void **state)
{
    (void)state;
    struct wiring *w = must_read("providers: {clock: simulated}\n" TAIL);
    struct buf why = {.max = 1000};
    assert_rc(wiring_set(w, STR("collect.wall=1s"), &why), RC_NOT_FOUND);
    assert_str(buf_str(&why), STR("collect has no option \"wall\"; write clock.wall"));
    buf_done(&why);
    wiring_close(w);
}

/* A renamed part keeps its name in saved wirings and in --set; so does a renamed option. */
static void a_part_is_found_by_its_former_name(void **state)
{
    (void)state;
    static const char *const wirings[] = {NAMED("pass"), NAMED("relay")};
    static const char *const sets[] = {"pass.add=7", "relay.add=7", "pass.plus=7", "relay.plus=7"};
    for (size_t i = 0; i < sizeof wirings / sizeof *wirings; i++)
        for (size_t k = 0; k < sizeof sets / sizeof *sets; k++)
            assert_int_equal(set_add(wirings[i], sets[k]), 7);
    struct wiring *w = must_read(CHAIN("x: {part: relay, plus: 5}"));
    struct buf why = {.max = 1000};
    assert_string_equal(w->components[1].part->name, "pass");
    assert_rc(wiring_set(w, STR("x.add=6"), &why), RC_OK);
    assert_rc(wiring_set(w, STR("relay.add=6"), &why), RC_NOT_FOUND); /* the wiring calls it x */
    buf_done(&why);
    wiring_close(w);
}

static void a_required_option_may_be_given_by_its_former_key(void **state)
{
    (void)state;
    wiring_close(must_read("components: {numbers: , titled: {caption: x}}\n"
                           "connections: [numbers -> titled]\n"));
}

static enum rc read_wrong(void *ctx)
{
    struct problems problems;
    problems_init(&problems, "f");
    struct wiring *w = NULL;
    enum rc rc = wiring_read(str_c(ctx), "f", &test_catalog, &w, &problems);
    wiring_close(w);
    problems_done(&problems);
    return rc == RC_INVALID ? RC_OK : rc;
}

static void every_allocation_may_fail_while_problems_are_told(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        test_each_allocation_fails(read_wrong, (void *)(uintptr_t)rows[i].yaml);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_error_has_its_place_and_says_what_was_expected),
        cmocka_unit_test(several_errors_are_told_at_once_and_too_many_are_counted),
        cmocka_unit_test(a_file_too_large_is_refused),
        cmocka_unit_test(nesting_and_anchors_without_end_are_refused_at_once),
        cmocka_unit_test(a_byte_order_mark_is_no_error),
        cmocka_unit_test(control_characters_do_not_reach_the_terminal),
        cmocka_unit_test(the_drawing_shows_every_connection),
        cmocka_unit_test(names_aliases_and_short_forms_mean_the_same),
        cmocka_unit_test(an_option_is_looked_for_at_providers),
        cmocka_unit_test(a_part_is_found_by_its_former_name),
        cmocka_unit_test(a_required_option_may_be_given_by_its_former_key),
        cmocka_unit_test(every_allocation_may_fail_while_problems_are_told),
    };
    return cmocka_run_group_tests_name("wiring: C2", tests, NULL, NULL);
}
