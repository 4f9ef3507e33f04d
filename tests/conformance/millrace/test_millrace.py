"""Our driver: link, traffic and resets as the foreign ones are put through;
then each fault that the model has."""

import re
import subprocess
import time

import pytest

from appliance import PORTS, wait_until
from faults import CASES, RECOVERED
from lab import paths

ARQLEN = "0x80280"


def test_links_are_up(appliance):
    appliance.wait_well()
    for p in PORTS:
        assert appliance.info(p, "Link speed") == "40"


def test_traffic_both_ways_is_lossless(appliance):
    appliance.check_forwards(20000)


def test_cable(appliance):
    """Pulled and plugged under traffic, ten times; each side is told."""
    appliance.traffic_start()
    for n in range(10):
        p = n % 2
        appliance.model.ask("link %d down" % p)
        wait_until(lambda: appliance.info(p, "Link status") == "down",
                   "link %d down" % p)
        appliance.model.ask("link %d up" % p)
        wait_until(lambda: appliance.info(p, "Link status") == "up",
                   "link %d up" % p)
    appliance.check_forwards()


@pytest.mark.short
def test_stop_and_start(appliance):
    """Queues off and on under traffic, as an interface is taken down and up."""
    appliance.traffic_start()
    for _ in range(10):
        appliance.console.run("stop")
        appliance.console.run("port stop all")
        appliance.console.run("port start all")
        appliance.console.run("start")
    appliance.check_forwards()


def test_resets_in_a_row(appliance):
    """Core, global and firmware resets, one into the other."""
    appliance.traffic_start()
    before = [int(appliance.info(p, "Recoveries")) for p in PORTS]
    for kind in ("core", "global", "emp"):
        appliance.model.ask("fault reset " + kind)
        time.sleep(0.1)
    wait_until(lambda: all(int(appliance.info(p, "Recoveries")) > n
                           for p, n in zip(PORTS, before)), "recovered")
    appliance.wait_well()
    appliance.check_forwards()


def test_one_port_recovers_while_the_other_receives(appliance):
    """Port 0 sees its function reset by somebody; port 1 takes frames in all
    the while, whatever port 0's chip is waited for."""
    before = [int(appliance.info(p, "Recoveries")) for p in PORTS]
    appliance.traffic_start()
    appliance.model.ask("fault lost 0x0107 1")
    appliance.model.ask("fault force-reg %s 0" % ARQLEN)
    appliance.wait_said("the function was reset by somebody else; the port "
                        "recovers")
    appliance.model.ask("fault clear")
    received = appliance.xstat(1, "rx_good_packets")
    wait_until(lambda: int(appliance.info(0, "Recoveries")) > before[0],
               "port 0 recovered")
    assert appliance.xstat(1, "rx_good_packets") > received
    assert int(appliance.info(1, "Recoveries")) == before[1]
    appliance.wait_well()
    appliance.check_forwards()


# ---- faults ----

def listed_faults():
    """What xl710-model --help lists, by the first word."""
    text = subprocess.run([paths.MODEL, "--help"], check=True,
                          capture_output=True, text=True).stdout
    return set(re.findall(r"^ +fault (?!\[)([a-z-]+)", text, re.MULTILINE))


def test_every_fault_has_a_check():
    names = listed_faults()
    assert len(names) >= 12
    assert names == {name.split()[0] for name in CASES}


@pytest.mark.parametrize("name", list(CASES))
def test_fault(appliance, name):
    a, case = appliance, CASES[name]
    a.wait_well()
    a.traffic_start()
    before = int(a.info(0, "Recoveries"))
    counted = {c: a.xstat(0, c) for c in case.counts}
    for words in case.inject:
        a.model.ask("fault " + words)
    if case.trigger is not None:
        case.trigger(a)
    for pattern in case.says:
        if pattern != RECOVERED or not case.lift:
            a.wait_said(pattern)
    if case.out_of_service:
        wait_until(lambda: all(a.info(p, "Port state") == "failed"
                               for p in PORTS), "both out of service")
        assert a.lost_buffers() == 0
    for words in case.lift:
        a.model.ask("fault " + words)
    if case.out_of_service:
        a.console.run("port start all")
    if case.recovers or case.out_of_service:
        wait_until(lambda: int(a.info(0, "Recoveries")) > before, "recovered")
    else:
        assert int(a.info(0, "Recoveries")) == before
    a.wait_well()
    for c, n in counted.items():
        wait_until(lambda: a.xstat(0, c) > n, c + " rises")
    a.check_forwards()
