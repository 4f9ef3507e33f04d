"""Mistakes in measurements: figures that should not have counted."""
from mutant import Mutant

CORES = "bench/cores.c"

MUTANTS = [
    Mutant("bench: a run counts although one side ran dry", CORES,
           "r[i].ran_dry || r[i].done < r[i].asked)",
           "r[i].done < r[i].asked && !r[i].ran_dry)",
           "bench_cores_test", "RQ_25_a_core_that_ran_dry"),
    Mutant("bench: a run counts although one side ended early", CORES,
           "r[i].ran_dry || r[i].done < r[i].asked)",
           "r[i].ran_dry)",
           "bench_cores_test", "RQ_25_a_side_that_ended_early"),
    Mutant("bench: a run counts although the sides did not start together",
           CORES,
           "        fault = VOID_SKEW;\n", "        fault = VOID_NONE;\n",
           "bench_cores_test", "RQ_25_starts"),
]
