"""Stop and start, link flaps, a dry pool: every buffer is accounted for."""

import re
import time


from test_boot import buffers_out, in_use
from test_forward import wait_until

GEN = ("wire=gen,size=64-1518", "wire=gen,size=64-1518")


def received(bench):
    return [p["wire"]["received"] for p in bench.model.ask("status")["ports"]]


def moves_both_ways(bench):
    """Both ports send more than they had."""
    before = received(bench)
    wait_until(lambda: all(b > a for a, b in zip(before, received(bench))))


def test_a_hundred_stop_start_cycles_under_traffic(bench):
    console = bench.boot(GEN)
    moves_both_ways(bench)
    for n in range(100):
        console.run("stop")
        if n % 2:
            console.run("port stop all")
            assert in_use(console) == 0, "cycle %d" % n
            console.run("port start all")
        console.run("start")
    moves_both_ways(bench)
    bench.model.ask("wire 0 stop")
    bench.model.ask("wire 1 stop")
    assert buffers_out(console) == 0


def test_link_down_at_start_comes_up_later(bench):
    console = bench.boot(tuple(w + ",link=down" for w in GEN))
    assert "Link status: down" in console.run("show port info 0")
    bench.model.ask("link 0 up")
    bench.model.ask("link 1 up")
    moves_both_ways(bench)
    assert "Link status: up" in console.run("show port info 0")


def test_fifty_flaps_under_traffic(bench):
    console = bench.boot(GEN)
    moves_both_ways(bench)
    for _ in range(50):
        bench.model.ask("link 0 down")
        wait_until(lambda: "down" in link_status(console))
        bench.model.ask("link 0 up")
        wait_until(lambda: "up" in link_status(console))
    moves_both_ways(bench)
    changes = re.search(r"Link changes: (\d+)",
                        console.run("show port info 0")).group(1)
    assert int(changes) == 100
    bench.model.ask("wire 0 stop")
    bench.model.ask("wire 1 stop")
    assert buffers_out(console) == 0


def link_status(console):
    return re.search(r"Link status: (\w+)",
                     console.run("show port info 0")).group(1)


def test_a_dry_pool_recovers(bench):
    console = bench.boot(GEN)
    moves_both_ways(bench)
    held = console.run("debug mempool hold")
    assert re.search(r"holds \d+", held)
    wait_until(lambda: nombuf(console) > 0)
    time.sleep(0.5)  # let every ring run empty
    console.run("debug mempool release")
    moves_both_ways(bench)
    bench.model.ask("wire 0 stop")
    bench.model.ask("wire 1 stop")
    assert buffers_out(console) == 0


def nombuf(console):
    return int(re.search(r"RX-nombuf:\s+(\d+)",
                         console.run("show port stats 0")).group(1))
