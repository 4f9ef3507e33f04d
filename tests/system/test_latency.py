"""No frame waits for company: few frames, far apart, and then none.

How long they stay is measured by tests/unit/latency_test.c, whose time is not
that of a loaded machine. Here: all of them leave, without any that follow.
"""

from test_forward import wait_until

AUTO = "-- --auto-start"


def counts(bench):
    """Frames sent into port 0, and frames that left by port 1."""
    ports = bench.model.ask("status")["ports"]
    return ports[0]["wire"]["injected"], ports[1]["wire"]["received"]


def trickle(bench, frames):
    """At least so many more frames come in, and each leaves."""
    first = counts(bench)[0]
    bench.model.ask("wire 0 start")
    wait_until(lambda: counts(bench)[0] >= first + frames)
    bench.model.ask("wire 0 stop")
    wait_until(lambda: len(set(counts(bench))) == 1)


def test_frames_without_company_leave(bench):
    console = bench.boot(("wire=gen,size=60,pps=100", "wire=sink"),
                         cmdline=AUTO, cores=2)
    for fused in ("on", "off"):
        console.run("set fused " + fused)
        for engine in ("io", "mac"):
            console.run("set fwd " + engine)
            # Full lines of four descriptors are stored at once: the rest waits.
            for more in (1, 2, 3, 5):
                trickle(bench, more)
    assert "TX-dropped: 0 " in console.run("stop")


def test_few_frames_at_once_leave(bench):
    console = bench.boot(("wire=gen,size=60,pps=60,burst=3", "wire=sink"),
                         cmdline="--force-max-simd-bitwidth=64 " + AUTO)
    for more in (3, 6, 9, 12):
        trickle(bench, more)
    assert "TX-dropped: 0 " in console.run("stop")
