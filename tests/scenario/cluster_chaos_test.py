# SPDX-License-Identifier: Apache-2.0
"""Agents of one crawl, killed, wiped, frozen, cut off, joining and leaving as a seed says: three runs
beside each other, in which every kind of fault happens (D1, D8; tests/lib/chaos.py says what must hold).
Many more: tools/soak --only chaos.

argv: simweb, orbweaver. ORBWEAVER_TEST_SEED: the first of the three seeds."""
import collections
import concurrent.futures
import os

import scenario
from chaos import never, one
from crawl import ORBWEAVER
from nats_server import SERVER
from scenario import case, main, skip

scenario.PROGRAM = ORBWEAVER  # what Post runs
SEED = int(os.environ.get("ORBWEAVER_TEST_SEED", "1"))
RUNS = 3


@case("whatever happens to agents and servers, the crawl is the oracle's and comes to its end (D1, D8)")
def _(_):
    if not SERVER:
        skip("nats-server (absent)")
    with concurrent.futures.ThreadPoolExecutor(RUNS) as pool:
        runs = list(pool.map(one, range(SEED, SEED + RUNS)))
    happened = sum(runs, collections.Counter())
    assert not never(happened), f"seeds {SEED} to {SEED + RUNS - 1}: never happened: {never(happened)}"


main()
