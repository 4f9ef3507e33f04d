"""The appliance's serial console as a program sees it."""

import re

import pexpect.fdpexpect

PROMPT = "millrace> "


class Console:
    """Commands in, text out, over the connected socket of a serial line."""

    def __init__(self, sock, echo=None, timeout=30):
        self.sock = sock
        self.timeout = timeout
        self.spawn = pexpect.fdpexpect.fdspawn(sock.fileno(), timeout=timeout,
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
        self.spawn.send(command + "\r")
        self.spawn.expect(re.escape(command) + "\r?\n",
                          timeout=timeout or self.timeout)
        return self.wait_prompt(timeout)

    def send(self, text):
        self.spawn.send(text)
