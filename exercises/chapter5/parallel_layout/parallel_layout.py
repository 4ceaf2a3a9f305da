"""Parallel layout: which rank holds which part of the model and of the data, and who talks to whom.

Read README.md first. A ``layout`` is a dict with all of these keys:

    world   number of ranks, from 1 to 20,000
    tp      size of tensor parallelism
    cp      size of context parallelism
    pp      size of pipeline parallelism: the number of stages
    ep      size of expert parallelism
    etp     size of tensor parallelism within an expert
    order   a permutation of tp, cp, ep, dp and pp joined by "-", fastest first, such as "tp-cp-ep-dp-pp": the first
            axis is the one whose coordinate changes from each rank to the next

Sizes are integers of at least 1 (less is not tested). Those of the two remaining axes, data parallelism and data
parallelism of experts, follow: dp = world / (tp cp pp) and edp = world / (etp ep pp).

Ranks are numbered along two grids. The dense grid has the axes tp, cp, dp and pp in the given order ("ep" is left
out). The expert grid has etp, ep, edp and pp: in the given order etp takes the place of tp, edp that of dp, and "cp" is
left out. A rank is in the same pipeline stage in both grids.

All functions raise ValueError where a layout is impossible: tp cp pp or etp ep pp does not divide ``world``; or
``order`` is no permutation of the five; or pp > 1 and some rank would be in different stages in the two grids.

Numbers of the results are Python or numpy integers.
"""

Layout = dict[str, int | str]


def coordinates(rank: int, layout: Layout) -> dict[str, int]:
    """Where a rank is on both grids.

    Args:
        rank: from 0 to world - 1.
        layout: see above.

    Returns:
        the rank's coordinate on each axis, counted from 0, under the keys "tp", "cp", "dp", "pp", "etp", "ep" and
        "edp".

    Raises:
        ValueError: the layout is impossible, or there is no such rank.

    Example:
        >>> layout = {"world": 16, "tp": 2, "cp": 2, "pp": 2, "ep": 4, "etp": 1, "order": "tp-cp-ep-dp-pp"}
        >>> coordinates(13, layout)
        {'tp': 1, 'cp': 0, 'dp': 1, 'pp': 1, 'etp': 0, 'ep': 1, 'edp': 1}
    """
    raise NotImplementedError


def groups(layout: Layout, axes: str) -> list[list[int]]:
    """All groups of ranks along one axis, or along several axes of one grid.

    Ranks are in the same group if they differ on the named axes only, and agree on all other axes of the grid. A world
    of 16,384 ranks may take at most 25 times as long as one of 2048.

    Args:
        layout: see above.
        axes: "tp", "cp", "dp", "pp", "etp", "ep" or "edp"; or several different ones of the same grid joined by "-",
            in any order, such as "dp-cp". "pp" belongs to both grids, and for "pp" alone both give the same groups.

    Returns:
        the groups, in any order; each is a list or an array of ranks in ascending order. Every rank is in one group.

    Raises:
        ValueError: the layout is impossible; or an axis is unknown, comes twice, or belongs to the other grid.

    Example:
        >>> layout = {"world": 8, "tp": 2, "cp": 1, "pp": 2, "ep": 2, "etp": 1, "order": "tp-cp-ep-dp-pp"}
        >>> groups(layout, "dp")
        [[0, 2], [1, 3], [4, 6], [5, 7]]
    """
    raise NotImplementedError


def nodes_spanned(layout: Layout, axes: str, gpus_per_node: int) -> int:
    """The most nodes that any one of these groups touches.

    Ranks fill the nodes in turn: node 0 has ranks 0 to gpus_per_node - 1, and so on; the last node may have fewer.

    Args:
        layout: see above.
        axes: as for ``groups``.
        gpus_per_node: from 1 on (less is not tested).

    Returns:
        number of nodes; 1 where all groups stay within a node.

    Raises:
        ValueError: as for ``groups``.

    Example:
        >>> layout = {"world": 8, "tp": 2, "cp": 1, "pp": 2, "ep": 2, "etp": 1, "order": "tp-cp-ep-dp-pp"}
        >>> nodes_spanned(layout, "pp", 4)
        2
    """
    raise NotImplementedError
