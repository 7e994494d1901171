# SPDX-License-Identifier: Apache-2.0
"""Managed and prioritised crawls whose processes are killed, frozen, cut off, joining and leaving as a seed says: three
runs of each wiring, side by side (tests/lib/pool_chaos.py says what must hold). Many more: tools/soak --only pool-chaos.

argv: simweb, orbweaver. ORBWEAVER_TEST_SEED: the first of the six seeds."""
import collections
import concurrent.futures
import os

import scenario
from crawl import ORBWEAVER
from pool_chaos import never, one
from scenario import case, main

scenario.PROGRAM = ORBWEAVER
SEED = int(os.environ.get("ORBWEAVER_TEST_SEED", "1"))
RUNS = 6


@case("whatever happens to members and manager, the crawl is the oracle's and comes to its end (M, P)")
def _(_):
    with concurrent.futures.ThreadPoolExecutor(3) as pool:
        runs = list(pool.map(one, range(SEED, SEED + RUNS)))
    happened = sum(runs, collections.Counter())
    assert not never(happened), f"seeds {SEED} to {SEED + RUNS - 1}: never happened: {never(happened)}"


main()
