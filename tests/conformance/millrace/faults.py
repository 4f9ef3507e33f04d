"""Each fault of the model's control socket, under traffic, and what our driver
makes of it: it recovers and forwards losslessly again, or says that the port is
out of service."""

import time
from dataclasses import dataclass, field

RSTAT = "0xB8188"


def flap(a):
    """Makes the driver ask firmware for the link."""
    for word in ("down", "up"):
        a.model.ask("link 0 " + word)
        time.sleep(0.2)


@dataclass
class Case:
    """`inject` it, `trigger` what brings it to light, read each of `says` in
    the log, `lift` it; then both ports forward again."""

    inject: list
    says: list = field(default_factory=list)
    trigger: object = None
    lift: list = field(default_factory=list)
    recovers: bool = False     # the port goes through a recovery
    out_of_service: bool = False  # until `port start`
    counts: tuple = ()         # an extended statistic that rises


RECOVERED = r"the port has recovered after \d+ ms"

CASES = {
    "fail": Case(
        ["fail 0x0607 12 2"], trigger=flap,
        says=[r"get link status \(0x0607\): firmware answers 12"]),
    "fail on the way back": Case(
        ["fail 0x0107 14 1", "reset core"], recovers=True,
        says=[r"MAC address read \(0x0107\): firmware answers 14",
              r"try 2 of 8 follows in 250 ms", RECOVERED]),
    "late": Case(
        ["late 0x0607 400000 1"], trigger=flap,
        says=[r"get link status \(0x0607\): no answer from firmware within "
              r"250 ms"]),
    "late on the way back": Case(
        ["late 0x0254 400000 1", "reset core"], recovers=True,
        says=[r"try 2 of 8 follows in 250 ms", RECOVERED]),
    "lost": Case(
        ["lost 0x0607 1"], trigger=flap,
        says=[r"get link status \(0x0607\): no answer from firmware within "
              r"250 ms"]),
    "lost again and again": Case(
        ["lost 0x0607 3"], trigger=flap, recovers=True,
        says=[r"firmware does not answer; the port recovers", RECOVERED]),
    "lost on the way back": Case(
        ["lost 0x000A 1", "reset global"], recovers=True,
        says=[r"try 2 of 8 follows in 250 ms", RECOVERED]),
    "recovery": Case(
        ["recovery"], lift=["clear"], out_of_service=True,
        says=[r"recovery mode, the NVM image is damaged; the port is out of "
              r"service"]),
    "mdd tx": Case(
        ["mdd tx 0"], counts=("millrace_malicious_driver_events",),
        says=[r"malicious driver: transmit event 1 on queue 0 of the chip",
              r"transmit queue 0 restarted, \d+ buffers went back"]),
    "stall-rx": Case(
        ["stall-rx 0 on"], lift=["stall-rx 0 off"],
        counts=("millrace_rx_q0_restarts",),
        says=[r"receive queue 0 stands still: the chip counted \d+ frames",
              r"receive queue 0 restarted, \d+ buffers went back"]),
    "stall-tx": Case(
        ["stall-tx 0 on"], lift=["stall-tx 0 off"],
        counts=("millrace_tx_q0_restarts",),
        says=[r"transmit queue 0 hangs: no descriptor done for 1000 ms",
              r"transmit queue 0 restarted, \d+ buffers went back"]),
    "bad-len 0": Case(
        ["bad-len 0 1"], counts=("millrace_rx_q0_bad_length",)),
    "bad-len beyond the buffer": Case(
        ["bad-len 2049 3"], counts=("millrace_rx_q0_bad_length",)),
    "rx-error": Case(["rx-error 5"], counts=("millrace_rx_q0_damaged",)),
    "reset core": Case(
        ["reset core"], recovers=True,
        says=[r"; the port recovers", r"queues are off, \d+ buffers are back",
              RECOVERED]),
    "reset global": Case(
        ["reset global"], recovers=True,
        says=[r"; the port recovers", r"queues are off, \d+ buffers are back",
              RECOVERED]),
    "reset emp": Case(
        ["reset emp"], recovers=True,
        says=[r"; the port recovers", r"queues are off, \d+ buffers are back",
              RECOVERED]),
    "force-reg all ones": Case(
        ["force-reg %s 0xFFFFFFFF" % RSTAT], lift=["clear"], recovers=True,
        says=[r"the device does not answer; the port recovers"]),
    "force-reg a reset that goes on": Case(
        ["force-reg %s 1" % RSTAT], lift=["clear"], recovers=True,
        says=[r"the chip resets itself; the port recovers"]),
    "clear": Case(["lost 0x0607 100", "clear"], trigger=flap),
}
