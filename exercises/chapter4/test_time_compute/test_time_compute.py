"""Test-time compute: what many samples of one model are worth, with a verifier, by voting, and by a reward model.

Read README.md first. Symbols: n samples that were drawn for a problem, c of them right, k samples that may be used.
"""


def pass_at_k(n: int, c: int, k: int) -> float:
    """The unbiased estimate of the probability that at least one of k samples is right.

    It is the share of the sets of k different samples, among the n that were drawn, in which at least one is right.

    Args:
        n: samples that were drawn, from 1 to 10,000.
        c: how many of them are right, 0 to n.
        k: size of the sets, 1 to n.

    Returns:
        a probability, within 1e-9.

    Raises:
        ValueError: ``n`` is less than 1, or ``c`` or ``k`` is outside of its range.

    Example:
        >>> round(pass_at_k(5, 2, 3), 9)
        0.9
    """
    raise NotImplementedError


def coverage(samples: list[tuple[int, int]], k: int) -> float:
    """The expected share of problems that k samples each solve: the mean of ``pass_at_k`` over the problems.

    Args:
        samples: for each problem a pair (n, c): samples that were drawn, and how many of them are right. Problems may
            have different n.
        k: samples per problem, at least 1 and at most the least n.

    Returns:
        a share from 0 to 1, within 1e-9.

    Raises:
        ValueError: there are no problems; or a problem's n, c and k are an error for ``pass_at_k``.

    Example:
        >>> round(coverage([(4, 4), (4, 0), (4, 1), (8, 1)], 2), 9)
        0.4375
    """
    raise NotImplementedError


def majority_vote_accuracy(probabilities: list[float], votes: int) -> float:
    """The probability that the answer with the most votes is the right one.

    Each vote is one sample, drawn independently. Where several answers have the most votes, one of these is chosen at
    random, all with the same probability.

    Args:
        probabilities: how probable each answer is in one sample, the right answer first; at least one number, none
            negative, their sum 1 within 1e-9 (they need not be normalised). Zero is allowed, also for the right one.
        votes: number of samples, at least 1. Where an answer is asked for, there are at most 101 votes and at most
            30,000 ways to share them out among the answers (101 votes among 2, 50 among 4, 25 among 5).

    Returns:
        a probability, within 1e-9: exact, not simulated. A call may take 5 seconds of CPU time.

    Raises:
        ValueError: no probabilities, a negative one, a sum that is not 1, or less than one vote.

    Example:
        >>> round(majority_vote_accuracy([0.4, 0.35, 0.25], 3), 9)
        0.422
    """
    raise NotImplementedError


def best_of_n_kl(n: int) -> float:
    """How far the best of n samples, by a reward, is from a single sample: their KL divergence in nats.

    The reward takes no value twice (it is continuous), so that the divergence depends on n alone.

    Args:
        n: number of samples, at least 1 (up to 10**9).

    Returns:
        KL(best of n, one sample), within 1e-9.

    Raises:
        ValueError: ``n`` is less than 1.

    Example:
        >>> round(best_of_n_kl(4), 9)
        0.636294361
    """
    raise NotImplementedError
