"""Set-up without root says what is missing and touches nothing."""

import os
import subprocess
from pathlib import Path

SETUP = Path(__file__).resolve().parents[2] / "tools" / "setup"


def run_setup(tmp_path, goal, installed, uid):
    """Run tools/setup where dpkg-query and id say what the test wants."""
    tools = {"dpkg-query": "echo %s" % ("installed" if installed
                                        else "not-installed"),
             "id": "echo %d" % uid,
             "apt-get": "echo apt-get was called; exit 1"}
    for name, body in tools.items():
        path = tmp_path / name
        path.write_text("#!/bin/sh\n%s\n" % body)
        path.chmod(0o755)
    env = dict(os.environ, PATH="%s:/usr/bin:/bin" % tmp_path)
    return subprocess.run([SETUP, goal], env=env, capture_output=True,
                          text=True, timeout=60)


def test_without_root_the_packages_are_named(tmp_path):
    result = run_setup(tmp_path, "image", installed=False, uid=1000)
    assert result.returncode == 1
    assert "apt-get install" in result.stderr
    assert "gnu-efi" in result.stderr and "newlib-source" in result.stderr
    assert "apt-get was called" not in result.stdout + result.stderr


def test_when_all_is_there_nothing_is_said_or_done(tmp_path):
    result = run_setup(tmp_path, "image", installed=True, uid=1000)
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")


def test_an_unknown_goal_is_refused_with_the_known_ones(tmp_path):
    result = run_setup(tmp_path, "sideways", installed=True, uid=0)
    assert result.returncode == 2
    assert "tools/setup image" in result.stderr
