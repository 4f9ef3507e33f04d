"""A chip that is reset under traffic, with the control core forwarding and with
cores that do nothing else: each port comes back, and no buffer is lost."""

import re

import pytest

from test_boot import buffers_out
from test_forward import wait_until
from test_restart import GEN, moves_both_ways


def recoveries(console, port):
    return int(re.search(r"Recoveries: (\d+)",
                         console.run("show port info %d" % port)).group(1))


@pytest.mark.parametrize("cores", [1, 3])
def test_resets_under_traffic(bench, cores):
    console = bench.boot(GEN, cores=cores)
    moves_both_ways(bench)
    for n, kind in enumerate(("core", "emp"), 1):
        bench.model.ask("fault reset " + kind)
        wait_until(lambda: all(recoveries(console, p) == n for p in (0, 1)))
        moves_both_ways(bench)
    bench.model.ask("wire 0 stop")
    bench.model.ask("wire 1 stop")
    assert buffers_out(console) == 0
