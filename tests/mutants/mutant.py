"""The record that lists of mutants are made of."""
from typing import NamedTuple


class Mutant(NamedTuple):
    mistake: str  # in words, and what it would do
    file: str
    old: str      # occurs once
    new: str
    program: str  # tests/unit/<program>.c
    test: str     # name, or part of it, of the tests that must fail
    flavour: str = "gcc"  # or tsan
