"""The pretraining objective: which token each position predicts, how wrong it is, and the gradient of it all.

Read README.md first. Symbols: B rows of T positions each, V words in the vocabulary, D numbers in a hidden state.

Labels are *already shifted*: the label at position t is the token at position t + 1, so that logits and labels
of one position belong together and nothing is shifted later. The label -100 says that nothing is predicted here.

Arguments are tensors on the CPU that do not require gradients, and are left as they are. Results may be tensors, arrays
or lists, and need not be differentiable.
"""

import torch


def labels_for(tokens: torch.Tensor, doc_ids: torch.Tensor) -> torch.Tensor:
    """The label of every position of packed rows.

    Position t predicts the token of position t + 1 of its row if both belong to the same document, and nothing
    (-100) otherwise. Neighbours with equal ids belong to the same document; the id -1 is no document but padding,
    which neither predicts nor is predicted. The last position of a row predicts nothing.

    Args:
        tokens: token ids 0 to V - 1, int64, shape (B, T), B and T at least 1.
        doc_ids: the document of each position, int64, shape (B, T): 0 and above, or -1 for padding, which may be
            anywhere in a row. Ids need not begin at 0, nor grow.

    Returns:
        integers of shape (B, T): a token id, or -100.

    Example:
        >>> labels_for(torch.tensor([[5, 6, 7, 8, 9, 0]]), torch.tensor([[3, 3, 3, 1, 1, -1]])).tolist()
        [[6, 7, -100, 9, -100, -100]]
    """
    raise NotImplementedError


def causal_lm_loss(logits: torch.Tensor, labels: torch.Tensor, ignore_index: int = -100) -> torch.Tensor:
    """Cross entropy in nats, averaged over the positions of the whole batch that predict something.

    A position whose label is ``ignore_index`` takes no part: not in the sum, and not in the count. All others
    weigh the same, whichever row they are in. Where no position is left, the loss is 0.

    Args:
        logits: shape (B, T, V), float16, bfloat16, float32 or float64; from -10**5 to 10**5, or minus infinity
            for ids that cannot occur (never for a position's own label). Half precision is widened before anything
            is computed: the answer is as exact as float32 arithmetic makes it.
        labels: int64, shape (B, T), already shifted: ids 0 to V - 1, or ``ignore_index``.
        ignore_index: the label that says "nothing here", an integer; it may be one of the ids, such as 0.

    Returns:
        one number: a tensor without axes, or a float.

    Raises:
        ValueError, IndexError or RuntimeError: a label is neither ``ignore_index`` nor from 0 to V - 1.

    Example:
        >>> logits = torch.tensor([[[4.0, 2.0, 1.0, 1.0]] * 3]).log()  # the softmax is 1/2, 1/4, 1/8, 1/8
        >>> round(float(causal_lm_loss(logits, torch.tensor([[0, 3, -100]]))), 4)  # (log 2 + log 8) / 2
        1.3863
    """
    raise NotImplementedError


def accumulate(
    weight: torch.Tensor, micro_batches: list[tuple[torch.Tensor, torch.Tensor]]
) -> tuple[float, torch.Tensor]:
    """Loss and gradient of a batch that comes in micro-batches, as if it had come in one piece.

    The logits of a micro-batch are ``hidden @ weight.T``. The loss is the ``causal_lm_loss`` of the positions of
    *all* micro-batches together, ignored labels being -100; the gradient is that of this loss with respect to
    ``weight``. By autograd (which is enabled) or by formula, as you like.

    One micro-batch after the other: nothing of the size of a micro-batch's logits, n x V numbers, may be kept when
    the next one begins. Ten micro-batches of 128 positions and 8,192 words may take at most 16 MiB more than two.

    Args:
        weight: output embedding, shape (V, D), float32 or float64.
        micro_batches: a list of pairs (hidden, labels), which may be empty: hidden of shape (n, D) and weight's
            dtype, labels int64 of shape (n,), ids 0 to V - 1 or -100 (others are not tested). Each n is at least 1
            and may differ from the others.

    Returns:
        the loss (a float, or a tensor without axes) and the gradient (shape (V, D)). Without any label to
        predict both are 0.

    Example:
        >>> weight, hidden = torch.zeros(2, 1), torch.ones(2, 1)
        >>> labels = torch.tensor([0, -100])
        >>> loss, gradient = accumulate(weight, [(hidden, labels), (hidden[:1], labels[:1])])
        >>> round(float(loss), 4), gradient.tolist()
        (0.6931, [[-0.5], [0.5]])
    """
    raise NotImplementedError
