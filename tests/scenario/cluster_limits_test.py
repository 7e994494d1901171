# SPDX-License-Identifier: Apache-2.0
"""What a crawl of several agents keeps to as a crawl of one machine does: its depth. One real
nats-server, all on loopback.

argv: simweb, orbweaver."""
import scenario
from agents import TIMINGS, agents_of, stop_all
from crawl import ORBWEAVER, agree, few, wanted, witnessed
from post import Post
from scenario import case, main
from simweb import Simweb

scenario.PROGRAM = ORBWEAVER  # what Post runs


def together(agents):
    """All begin at once and come to their end."""
    try:
        for a in agents:
            a.start()
        for a in agents:
            a.wait()
    finally:
        stop_all(agents)


# Depth -------------------------------------------------------------------------------------------

DEEP = ["--hosts", "14", "--pages", "25", "--keep-urls", "--crawl-delays", "0", "--page-bytes", "4k",
        "--latency-least", "1ms", "--latency-most", "60ms"]

for _depth, _seed in (("2", "1"), ("3", "1"), ("3", "2"), ("4", "3")):
    @case(f"depth {_depth} is exact, whoever found a page first: web {_seed}, three agents")
    def _(tmp, depth=_depth, seed=_seed):
        """Without sitemaps: they have the depth at which their host was first met, on one machine too. The
        oracle leaves out feeds with them, which are links to the crawler."""
        with Simweb(*DEEP, "--seed", seed) as web, Post(tmp, agents="a,b,c", timings=TIMINGS) as post:
            agents = agents_of(web, post, tmp, "abc", "-l", depth, "--set", "robots.no-sitemaps=yes")
            together(agents)
            home = web.run["home"]
            must = wanted(web.oracle(home, "any", "--depth", depth, "--no-sitemaps"))
            may, seen = wanted(web.oracle(home, "any", "--depth", depth)), witnessed(web)
            assert not must - set(seen), "missed: " + few(must - set(seen))
            assert not set(seen) - may, "too deep: " + few(set(seen) - may)
            assert set(seen.values()) == {1}, few(u for u, n in seen.items() if n > 1)
            for a in agents:
                agree(a)
            print(f"# depth {depth}, web {seed}: {len(seen)} URLs, {len(must)} by links alone")


main()
