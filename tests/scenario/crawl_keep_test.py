# SPDX-License-Identifier: Apache-2.0
"""Connections, as the servers saw them: a handshake for each host, not for each page; none is missed when
a server closes it; and few descriptors are no reason to fail.

What the servers see beside that does not change: one request at a time to a host, with its delay between."""
from crawl import Crawl, agree, same_set
from scenario import case, main
from simweb import Simweb

WEB = ["--keep-urls", "--page-bytes", "2k", "--images", "0", "--links", "10", "--crawl-delays", "0", "--redirects", "0",
       "--coded", "0"]


def crawl_of(web, tmp, delay, *options, sets=None):
    return Crawl(web, tmp, "--scope", "any", "-w", delay, "--ip-delay", "0", "--ip-conns", "100", "-q", "--pages-only",
                 *options, quick=False, shards=2, sets=sets)


def seen_by(web, delay_ms):
    """How many connections a host has had, and how many handshakes resumed a session; politeness holds."""
    p = web.report()["politeness"]
    assert p["most_open"] == 1 and p["overlaps"] == 0 and p["least_end_gap_ms"] >= delay_ms, p
    each = p["connections"] / p["hosts"]
    print(f"# {p['hosts']} hosts, {p['requests']} requests: {each:.2f} connections a host, {p['resumed']} resumed")
    return each, p["resumed"], p


for _kind, _share in (("https", "1"), ("http", "0")):
    @case(f"{_kind}: a connection waits for its host's next turn, though that comes after the keep-alive time")
    def _(tmp, share=_share):
        with Simweb(*WEB, "--hosts", "24", "--pages", "2", "--https", share) as web:
            crawl = crawl_of(web, tmp, "2s", sets={"http.keep-alive": "1500ms", "http.keep-alive-unused": "1m"})
            assert crawl.run().code == 0
            each, _, p = seen_by(web, 2000)
            assert each <= 1.3 and p["requests"] > 4 * p["hosts"], p
            same_set(web, web.oracle(web.run["home"], "any", "--pages-only"))


@case("a server that closes its idle connections is asked on a new one, which resumes its session")
def _(tmp):
    with Simweb(*WEB, "--hosts", "16", "--pages", "3", "--https", "1", "--idle-timeout", "100ms") as web:
        crawl = crawl_of(web, tmp, "400ms")
        assert crawl.run().code == 0
        each, resumed, p = seen_by(web, 400)
        assert each > 2 and resumed >= p["connections"] / 2, p
        same_set(web, web.oracle(web.run["home"], "any", "--pages-only"))
        assert all(row.code > 0 or row.code == -9998 for row in crawl.log()), "a closed connection cost a visit"
        agree(crawl)


@case("one address has few idle connections, however many hosts stand there")
def _(tmp):
    with Simweb(*WEB, "--hosts", "24", "--pages", "2", "--https", "1", "--hosts-per-address", "24") as web:
        crawl = crawl_of(web, tmp, "300ms", sets={"http.idle-per-address": "2"})
        assert crawl.run().code == 0
        each, _, p = seen_by(web, 300)
        assert each > 1.3, p  # 2 of 12 that a shard has; the others shake hands again
        same_set(web, web.oracle(web.run["home"], "any", "--pages-only"))


@case("with 64 descriptors connections are closed, and every page is fetched")
def _(tmp):
    with Simweb(*WEB, "--hosts", "120", "--pages", "2", "--https", "1") as web:
        crawl = crawl_of(web, tmp, "0")
        done = crawl.run(before=["sh", "-c", 'ulimit -n 64 && exec "$0" "$@"'])
        assert done.code == 0, done.err
        p = web.report()["politeness"]
        assert p["overlaps"] == 0, p
        same_set(web, web.oracle(web.run["home"], "any", "--pages-only"))
        agree(crawl)


main()
