# SPDX-License-Identifier: Apache-2.0
"""What a crawl of several agents keeps to as a crawl of one machine does: its depth. One real
nats-server, all on loopback.

argv: simweb, orbweaver."""
import scenario
from agents import TIMINGS, agents_of, stop_all
from crawl import ORBWEAVER, agree, few, same_set, wanted, witnessed
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

DEEP = ["--hosts", "9", "--pages", "30", "--keep-urls", "--crawl-delays", "0", "--page-bytes", "2k", "--links", "8",
        "--latency-least", "1ms", "--latency-most", "60ms"]

for _depth, _seed in (("2", "1"), ("3", "2"), ("3", "3"), ("4", "4")):
    @case(f"depth {_depth} is exact, whoever found a page first: web {_seed}, three agents")
    def _(tmp, depth=_depth, seed=_seed):
        with Simweb(*DEEP, "--seed", seed) as web, Post(tmp, agents="a,b,c", timings=TIMINGS) as post:
            agents = agents_of(web, post, tmp, "abc", "-l", depth)
            together(agents)
            truth, seen = web.oracle(web.run["home"], "any", "--depth", depth), witnessed(web)
            must = wanted(truth)
            assert set(seen) == must, (few(must - set(seen)), few(set(seen) - must))
            same_set(web, truth, seen)
            for a in agents:
                agree(a)
            lost = sum(len(a.events("deepen.lost")) for a in agents)
            print(f"# depth {depth}, web {seed}: {len(must)} URLs; {lost} shorter ways lost")


main()
