"""Which of a student's files is the one for an exercise: the newest attempt, by its name or by what is in it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import PurePosixPath
from typing import Final

from grader.batch.readers.handins import File, Handin
from grader.batch.readers.names import Meaning, meaning
from grader.batch.readers.notebooks import MAX_NOTEBOOK, Notebooks, defines
from grader.batch.records import Code, Entry, Remark
from grader.catalog.submission import MAX_BYTES, Unlucky, show
from grader.model import Exercise, Submission

NEARLY: Final = 2  # ranks: 0 the name as it should be, 1 other spelling, 2 nearly; then:
NOTEBOOK, CONTENT, LONE = 3, 4, 5
MOST_OTHERS: Final = 5  # named in one remark


@dataclass
class Wanted:
    """The exercises that are looked for.

    Attributes:
        exercises: all of them.
        functions: by exercise id, the names that its stub has.
        slugs: of all exercises of the course: a file for another one is not for this one.
    """

    exercises: Sequence[Exercise]
    functions: Mapping[str, Collection[str]]
    slugs: Sequence[str]


@dataclass(order=True)
class _Candidate:
    order: tuple[float, ...]
    rank: int = field(compare=False)
    file: File = field(compare=False)


@dataclass
class _Reading:
    """One student's files, with what their names mean and what was read of them."""

    handin: Handin
    wanted: Wanted
    notebooks: Notebooks
    meanings: dict[int, Meaning] = field(default_factory=dict)
    read: dict[int, bytes] = field(default_factory=dict)

    def meaning(self, at: int) -> Meaning:
        if at not in self.meanings:
            name = self.handin.files[at].parts[-1]
            self.meanings[at] = meaning(name, self.wanted.slugs, self.handin.numbered)
        return self.meanings[at]

    def bytes(self, at: int) -> bytes:
        if at not in self.read:
            item = self.handin.files[at].item
            if item.fault:
                raise Unlucky(item.fault)
            most = MAX_NOTEBOOK if item.name.endswith(".ipynb") else MAX_BYTES
            self.read[at] = item.read(most)
        return self.read[at]


def entries(handin: Handin, wanted: Wanted, notebooks: Notebooks) -> list[Entry]:
    """One entry for each exercise: the file, or why there is none."""
    reading = _Reading(handin, wanted, notebooks)
    return [_entry(reading, exercise) for exercise in wanted.exercises]


def _entry(reading: _Reading, exercise: Exercise) -> Entry:
    handin = reading.handin
    name = f"{exercise.slug}.py"
    bare = Entry(
        handin.student,
        exercise.id,
        Submission(name, None),
        tuple(handin.remarks),
        handin.submitted_at,
        late_mark=handin.late_mark,
    )
    if handin.fault:
        refused = Submission(name, None, "", f"refused: {handin.fault}")
        return replace(bare, submission=refused).with_remark(Remark(Code.REFUSED, handin.fault))
    candidates = sorted(_candidates(reading, exercise))
    if not candidates:
        missing = Submission(name, None, "", f"nothing was handed in for {exercise.slug}.")
        return replace(bare, submission=missing, missing=True)
    return _read(reading, exercise, candidates, bare)


def _candidates(reading: _Reading, exercise: Exercise) -> list[_Candidate]:
    found = []
    for at, file in enumerate(reading.handin.files):
        rank = _rank(reading, at, exercise)
        if rank is None:
            continue
        # Among files that bear the name, the newest attempt; a name that is only like it comes after them.
        group = max(rank, 1)
        order = (group, -file.attempt, rank, _place(file.parts, exercise), -file.item.modified_s, at)
        found.append(_Candidate(order, rank, file))
    if not found:
        python = [file for file in reading.handin.files if file.parts[-1].endswith(".py")]
        if len(python) == 1 and len(reading.wanted.exercises) == 1 and not _means_another(python[0], reading):
            return [_Candidate((LONE,), LONE, python[0])]
    return found


def _means_another(file: File, reading: _Reading) -> bool:
    return bool(meaning(file.parts[-1], reading.wanted.slugs).slug)


def _rank(reading: _Reading, at: int, exercise: Exercise) -> int | None:
    file = reading.handin.files[at]
    name = file.parts[-1]
    if name.endswith(".py"):
        found = reading.meaning(at)
        return found.rank if found.slug == exercise.slug else None
    if not name.endswith(".ipynb"):
        return None
    found = reading.meaning(at)
    if found.slug:
        return NOTEBOOK if found.slug == exercise.slug else None
    try:
        return CONTENT if defines(reading.bytes(at), reading.wanted.functions[exercise.id]) else None
    except Unlucky:
        return None


def _place(parts: tuple[str, ...], exercise: Exercise) -> int:
    """Where learners keep their files, best first; see ``catalog.find_submission``."""
    places = [(exercise.chapter, exercise.slug), (exercise.chapter,), ()]
    return places.index(parts[:-1]) if parts[:-1] in places else len(places) + len(parts)


def _read(reading: _Reading, exercise: Exercise, candidates: Sequence[_Candidate], bare: Entry) -> Entry:
    best, *others = candidates
    where = best.file.item.where
    entry = bare
    try:
        source = reading.bytes(reading.handin.files.index(best.file))
        if best.rank in (NOTEBOOK, CONTENT):
            functions = reading.wanted.functions[exercise.id]
            made = reading.notebooks.read(source, where, exercise.slug, functions)
            source = made.source.encode("utf-8", "surrogatepass")
            for text in made.remarks:
                entry = entry.with_remark(Remark(Code.NOTEBOOK, text))
        submission = Submission(f"{exercise.slug}.py", source, where)
    except Unlucky as unlucky:
        submission = Submission(f"{exercise.slug}.py", None, where, str(unlucky))
        entry = entry.with_remark(Remark(Code.REFUSED, str(unlucky)))
    for remark in _about(best, others, exercise, reading.handin, submission.source is None):
        entry = entry.with_remark(remark)
    changed_s = best.file.item.modified_s
    changed_at = entry.submitted_at or (datetime.fromtimestamp(changed_s, UTC) if changed_s else None)
    return replace(entry, submission=submission, changed_at=changed_at)


def _about(
    best: _Candidate, others: Sequence[_Candidate], exercise: Exercise, handin: Handin, refused: bool
) -> list[Remark]:
    remarks = []
    name = _shown(best.file)
    if best.rank == LONE:
        remarks.append(Remark(Code.MISNAMED, f"{name} is the only Python file, and was taken for {exercise.slug}.py"))
    elif best.rank in (1, NEARLY) and not (handin.numbered and best.rank == 1):
        remarks.append(Remark(Code.MISNAMED, f"{name} was taken for {exercise.slug}.py"))
    elif best.rank in (NOTEBOOK, CONTENT) and not refused:
        remarks.append(Remark(Code.NOTEBOOK, f"taken from the cells of {name}"))
    if others:
        names = ", ".join(_shown(other.file) for other in others[:MOST_OTHERS])
        more = f" and {len(others) - MOST_OTHERS} more" if len(others) > MOST_OTHERS else ""
        remarks.append(Remark(Code.OLDER, f"{name} was graded; left aside: {names}{more}"))
    return remarks


def _shown(file: File) -> str:
    return show(PurePosixPath(*file.parts))
