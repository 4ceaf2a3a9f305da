"""Byte-pair encoding: learn merges from counted words, and turn bytes into token ids and back.

Read README.md first. Token ids: 0 to 255 are the single bytes; 256 + i is what merge number i makes.

A merge is a pair of ids, the left one first. A list of merges is well formed: merge i uses ids below 256 + i
only, and no pair comes twice. Two different pairs may spell the same bytes; they are different tokens. No token
spells more than 2,000 bytes.

Arguments are dicts, lists and tuples of Python integers and bytes. Results that are sequences may be lists, tuples
or numpy arrays.

Applying a merge to a sequence of ids replaces the pair wherever it occurs, from left to right and without
overlap: the pair (97, 97) turns 97 97 97 into 256 97.
"""

Pair = tuple[int, int]


def train_bpe(word_counts: dict[bytes, int], num_merges: int) -> list[Pair]:
    """Learn merges from the words of a corpus.

    Each word begins as the ids of its bytes. Then, again and again: count all pairs of neighbours, make the most
    frequent pair the next merge, and apply it to all words.

    - The count of a pair is the sum, over all words, of the word's count times the number of places i at which
      word[i], word[i + 1] is this pair. Places may overlap: in 97 97 97 the pair (97, 97) has two.
    - Pairs never reach from one word into another.
    - Among equally frequent pairs any may be taken.

    Args:
        word_counts: bytes of a word -> how often it occurs, from 1 to 10**12. Words may be empty or a single
            byte, and there may be none. It must not be changed.
        num_merges: merges to learn, at least 0.

    Returns:
        the merges in the order in which they were learned, each a pair of ids: ``num_merges`` of them, or
        fewer if at some point no word has a pair of neighbours left. A pair that occurs once is still a pair.

    Raises:
        ValueError: ``num_merges`` is negative.

    Example:
        >>> train_bpe({b"aaab": 2, b"ab": 1}, 2)  # (97, 97) occurs 4 times, (97, 98) 3 times; then (97, 98) 3 times
        [(97, 97), (97, 98)]
    """
    raise NotImplementedError


def encode(data: bytes, merges: list[Pair]) -> list[int]:
    """Turn the bytes of one word into token ids.

    It begins with one id per byte. As long as any two neighbours are a pair in ``merges``: among all such pairs
    take the one that comes first in ``merges`` and apply it. Position in the list decides, not the
    length of the token.

    Args:
        data: any bytes; may be empty, and need not be UTF-8.
        merges: a well-formed list of pairs, as ``train_bpe`` returns it. It must not be changed.

    Returns:
        the ids.

    Example:
        >>> encode(b"abcd", [(97, 98), (98, 99), (99, 100), (256, 99)])  # ab, bc, cd, abc
        [256, 258]
    """
    raise NotImplementedError


def decode(ids: list[int], merges: list[Pair]) -> bytes:
    """Turn token ids back into bytes.

    Args:
        ids: a list of ids, whether or not ``encode`` could have made it.
        merges: a well-formed list of pairs. It must not be changed.

    Returns:
        the bytes that the tokens spell, one after the other. They need not be UTF-8.

    Raises:
        ValueError: an id is negative or names no token.

    Example:
        >>> decode([256, 100], [(99, 98)])
        b'cbd'
    """
    raise NotImplementedError
