"""The appliance's serial console as a program sees it."""

import json
import os
import re

import pexpect
import pexpect.fdpexpect

PROMPT = "millrace> "
LOGGED = re.compile(r"^\[ *\d+\.\d+\] ")


def distinct(pairs):
    keys = [key for key, _ in pairs]
    assert len(set(keys)) == len(keys), keys
    return dict(pairs)


class Console:
    """Commands in, text out, over the (read, write) ends of a serial line."""

    def __init__(self, ends, echo=None, timeout=30):
        self.ends = ends
        self.timeout = timeout
        self.spawn = pexpect.fdpexpect.fdspawn(ends[0], timeout=timeout,
                                               encoding="utf-8",
                                               codec_errors="replace")
        self.spawn.logfile_read = echo

    def wait_for(self, pattern, timeout=None):
        """Wait for a regular expression; returns the match."""
        self.spawn.expect(pattern, timeout=timeout or self.timeout)
        return self.spawn.match

    def wait_prompt(self, timeout=None):
        """Wait for the prompt; returns the text before it."""
        self.spawn.expect_exact(PROMPT, timeout=timeout or self.timeout)
        return self.spawn.before.replace("\r\n", "\n")

    def run(self, command, timeout=None):
        """Type a command; returns what it printed."""
        self.send(command + "\r")
        self.spawn.expect(re.escape(command) + "\r?\n",
                          timeout=timeout or self.timeout)
        return self.wait_prompt(timeout)

    def json(self, command, timeout=None):
        """What a `show` answers to programs, as an object."""
        text = self.run(command + " json", timeout).replace("\r", "")
        # The log may say something in between.
        lines = [x for x in text.split("\n") if not LOGGED.match(x)]
        answer = json.loads("\n".join(lines), object_pairs_hook=distinct)
        assert isinstance(answer, dict) and answer, command
        return answer

    def send(self, text):
        os.write(self.ends[1], text.encode())

    def rest(self, timeout=None):
        """All that comes until the machine is gone."""
        self.spawn.expect_exact([pexpect.EOF], timeout=timeout or self.timeout)
        return self.spawn.before.replace("\r\n", "\n")

    def close(self):
        for end in self.ends:
            os.close(end)
