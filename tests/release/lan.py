"""Two network namespaces and a cable: nothing of it is seen outside."""

import shutil
import subprocess


def why_not():
    """What is missing for it here; None when it can be had."""
    for program in ("unshare", "nsenter", "ip"):
        if shutil.which(program) is None:
            return "%s is not there" % program
    tried = subprocess.run(["unshare", "-n", "ip", "link", "add", "server",
                            "type", "veth", "peer", "name", "client"],
                           capture_output=True, text=True)
    return tried.stderr.strip() if tried.returncode else None


class Lan:
    """`server` (192.0.2.1/24) and `client` (no address), cabled."""

    def __init__(self):
        self.holders = {}

    def __enter__(self):
        for side in ("server", "client"):
            holder = subprocess.Popen(
                ["unshare", "-n", "sh", "-c", "echo; exec cat"],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE)
            self.holders[side] = holder
            holder.stdout.readline()    # it is there
        self.run("server", "ip", "link", "add", "server", "type", "veth",
                 "peer", "name", "client", "netns",
                 str(self.holders["client"].pid))
        for side in self.holders:
            self.run(side, "ip", "link", "set", side, "up")
        self.run("server", "ip", "address", "add", "192.0.2.1/24", "dev",
                 "server")
        return self

    def __exit__(self, *unused):
        for holder in self.holders.values():
            holder.stdin.close()
            holder.wait(10)

    def words(self, side, *words):
        """The command, in the namespace of that side."""
        return ["nsenter", "-t", str(self.holders[side].pid), "-n", *words]

    def run(self, side, *words):
        return subprocess.run(self.words(side, *words), check=True, text=True,
                              capture_output=True, timeout=300).stdout
