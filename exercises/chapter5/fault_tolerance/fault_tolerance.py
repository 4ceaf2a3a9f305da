"""Fault tolerance: how often a run writes checkpoints, and how much of its time is useful work.

Read README.md first. All times are in seconds, integers or floats. Symbols: M mean time between failures (MTBF) of the
whole job, d time of writing a checkpoint, R time of a restart, tau seconds of work between two checkpoints. The work
between two checkpoints, with the writing of the second one, is a *segment*: tau + d seconds.

Results are Python or numpy numbers.
"""


def job_mtbf(gpu_mtbf: float, gpus: int) -> float:
    """Mean time between failures of a job that stops whenever one of its GPUs fails.

    GPUs fail independently of each other, each at a constant rate.

    Args:
        gpu_mtbf: mean time between failures of one GPU, above 0.
        gpus: number of GPUs, from 1 to 10**6.

    Returns:
        seconds, to a relative error of 1e-9.

    Example:
        >>> job_mtbf(36_000, 4)
        9000.0
    """
    raise NotImplementedError


def young_daly(write: float, mtbf: float, method: str) -> float:
    """Seconds of work between two checkpoints, without the writing, for which a run ends soonest.

    Args:
        write: d, above 0.
        mtbf: M of the job, above 0; d / M is from 1e-6 to 10.
        method: "young" (first order), "daly" (higher order), or "exact": the tau at which the wall time of README.md
            has its minimum.

    Returns:
        tau: to a relative error of 1e-9 for "young" and "daly", and of 1e-4 for "exact".

    Raises:
        ValueError: there is no such method.

    Example:
        >>> young_daly(300, 86_400, "young")
        7200.0
    """
    raise NotImplementedError


def goodput(interval: float, write: float, restart: float, mtbf: float) -> float:
    """Share of the wall time that is useful work, on average, by Daly's complete model.

    Failures come at a constant rate, also while a checkpoint is written and during a restart. See README.md.

    Args:
        interval: tau, above 0; (tau + d) / M is from 1e-6 to 50.
        write: d, at least 0.
        restart: R, at least 0; R / M is at most 20.
        mtbf: M, above 0.

    Returns:
        a number from 0 to 1, to a relative error of 1e-6.

    Example:
        >>> round(goodput(2580, 300, 600, 11_100), 4)
        0.7434
    """
    raise NotImplementedError


def simulate_run(failures: list[float], work: float, interval: float, write: float, restart: float) -> dict[str, float]:
    """Play a run against given failures.

    The run works and writes in turns: ``interval`` seconds of work, then a checkpoint. The last piece of work may be
    shorter; it is followed by a checkpoint as well, and with that the run ends. A failure throws away everything since
    the last finished checkpoint (at first: since the start, which counts as one). Then the run restarts, and goes on
    from that checkpoint with a full segment. A failure during a restart begins the restart anew.

    A failure at time t hits what is running at t. What ends at t has ended: a checkpoint that is finished at t counts,
    and if it was the last one the run is over. What would begin at t is hit: the run restarts at t.

    Args:
        failures: seconds on the wall clock at which failures happen, from 0 on, strictly ascending, up to 20,000; may
            be empty. Those after the end of the run do not matter.
        work: seconds of useful work that the run needs, above 0, up to 10**9.
        interval: seconds of work between two checkpoints, above 0. A run has at most 10**5 segments.
        write: seconds that a checkpoint takes, at least 0. With 0 it is finished when the work before it is.
        restart: seconds that a restart takes, at least 0. With 0 the run goes on at once.

    A run of 200 segments and 99 failures in 2 * 10**7 seconds may take at most 12 times as long to play as one of as
    many events in 2 * 10**5 seconds.

    Returns:
        seconds under five keys:

        - "wall": from the start to the end;
        - "useful": work that was not thrown away, so equal to ``work``;
        - "checkpoint": writing of checkpoints that were finished;
        - "lost": work and writing that failures threw away;
        - "restart": restarts, including those that were begun anew.

        The last four add up to "wall". The checks give whole numbers, so that sums are exact.

    Example:
        >>> simulate_run([7, 13], work=10, interval=4, write=1, restart=2)
        {'wall': 23, 'useful': 10, 'checkpoint': 3, 'lost': 6, 'restart': 4}
    """
    raise NotImplementedError
