"""Notebooks as hand-ins: their code cells, natively, without running any of it.

Reading them takes Python's own parser, which what is written for it can crash: so a process apart does that,
and is replaced when it dies or does not answer.
"""

from __future__ import annotations

import json
import multiprocessing
import re
import warnings
from collections.abc import Collection
from concurrent.futures import BrokenExecutor, ProcessPoolExecutor, TimeoutError
from types import TracebackType
from typing import Any, Final, Self

from grader.batch.readers.cells import Cell, Cut, cut
from grader.catalog.submission import Unlucky

MAX_NOTEBOOK: Final = 8 * 2**20  # bytes: pictures in its outputs make a notebook large, its code does not
ANSWER_S: Final = 20.0  # what a megabyte of code takes to parse, ten times over


class Notebooks:
    """Reads notebooks in a process apart, which starts with the first one."""

    def __init__(self) -> None:
        """Nothing is started yet."""
        self._pool: ProcessPoolExecutor | None = None

    def __enter__(self) -> Self:
        """Nothing is started yet."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End the process."""
        self._end()

    def read(self, data: bytes, where: str, slug: str, functions: Collection[str]) -> Cut:
        """The file that a notebook's cells make for an exercise.

        Args:
            data: the notebook's bytes.
            where: its name for people.
            slug: of the exercise; a cell tagged with it is preferred.
            functions: names that the exercise asks for.

        Raises:
            Unlucky: it is no notebook, or nothing can read it.
        """
        if self._pool is None:
            context = multiprocessing.get_context("spawn")
            self._pool = ProcessPoolExecutor(1, mp_context=context)
        try:
            return self._pool.submit(read_notebook, data, slug, tuple(functions)).result(timeout=ANSWER_S)
        except (BrokenExecutor, TimeoutError):
            self._end()
            raise Unlucky(f"{where} breaks Python's parser. Hand in a plain Python file.") from None
        except ValueError as error:
            raise Unlucky(f"{where} is no notebook that can be read: {error}. Save it again in Jupyter.") from None

    def _end(self) -> None:
        pool, self._pool = self._pool, None
        if pool is not None:
            for process in list((pool._processes or {}).values()):
                process.kill()
            pool.shutdown(wait=True, cancel_futures=True)


def read_notebook(data: bytes, slug: str, functions: Collection[str]) -> Cut:
    """The same, in this process.

    Raises:
        ValueError: it is no notebook.
    """
    cells = _cells(data, slug)
    return cut(cells, functions)


def _cells(data: bytes, slug: str) -> list[Cell]:
    notebook = _version_4(data)
    found = []
    for number, cell in enumerate(notebook.get("cells", []), start=1):
        if not isinstance(cell, dict) or cell.get("cell_type") != "code":
            continue
        source = cell.get("source", "")
        text = "".join(map(str, source)) if isinstance(source, list) else str(source)
        metadata = cell.get("metadata")
        tags = metadata.get("tags") if isinstance(metadata, dict) else None
        names = {str(tag).rpartition(":")[2].strip() for tag in tags} if isinstance(tags, list) else set()
        found.append(Cell(number, text, bool(names & {slug, "solution"})))
    return found


def _version_4(data: bytes) -> dict[str, Any]:
    """A notebook as version 4 has it, whatever is missing or doubled in it."""
    try:
        raw = json.loads(data.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise ValueError(type(error).__name__) from None
    if not isinstance(raw, dict):
        raise ValueError("it is not one JSON object")
    if isinstance(raw.get("cells"), list):
        return raw
    try:
        import nbformat
    except ImportError:
        raise ValueError("an old notebook takes nbformat to read, which is not installed") from None
    raw.setdefault("nbformat_minor", 0)
    raw.setdefault("metadata", {})
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            upgraded: dict[str, Any] = nbformat.convert(nbformat.from_dict(raw), 4)  # type: ignore[no-untyped-call]
            return upgraded
    except Exception as error:
        raise ValueError(f"{type(error).__name__} while it was upgraded") from None


def defines(data: bytes, functions: Collection[str]) -> bool:
    """Whether a notebook seems to define one of the functions: a sign to go by, not a parse."""
    names = "|".join(map(re.escape, functions))
    return re.search(rf"\b(?:def|class)\s+(?:{names})\b|[\"\s](?:{names})\s*=".encode(), data) is not None
