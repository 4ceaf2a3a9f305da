"""Hidden checks of minhash_lsh: a relation between two calls that the visible checks do not look at."""

import numpy as np
import pytest
from hypothesis import example, given

from grader import expect, strategies

WORDS = ("all", "data", "is", "made", "of", "tokens")


def as_groups(answer):
    """Groups as sorted lists in sorted order."""
    return sorted(sorted(expect.integer(doc, "a position in docs") for doc in group) for group in answer)


@pytest.mark.core
@pytest.mark.hint("who is in a group depends on the texts, not on which of them comes first")
@given(
    docs=strategies.documents(max_size=10, max_words=6, vocabulary=WORDS),
    shuffle=strategies.seeds(),
    seed=strategies.seeds(),
)
@example(docs=["a b c d", "b c d e", "c d e f"], shuffle=0, seed=0)
def test_order_of_documents_is_free(learner, docs, shuffle, seed):
    """the same documents in another order make the same groups"""
    order = np.random.default_rng(shuffle).permutation(len(docs)).tolist()
    settings = {"k": 1, "bands": 12, "rows": 2, "threshold": 0.4, "seed": seed}
    groups = as_groups(learner.near_duplicate_groups(docs, **settings))
    shuffled = as_groups(learner.near_duplicate_groups([docs[doc] for doc in order], **settings))
    back = sorted(sorted(order[doc] for doc in group) for group in shuffled)
    expect.equal(back, groups, "the groups of the shuffled documents, put back in order")
