"""What course systems hand out: Canvas' download, Gradescope's export, GitHub Classroom's clones."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from itertools import takewhile
from typing import Any, Final

import yaml

from grader.batch.readers.handins import Class, File, Handin, Names, gather
from grader.batch.readers.items import Item
from grader.batch.readers.names import CANVAS, stem_of
from grader.batch.records import Code, Remark, Student
from grader.errors import UsageError

METADATA: Final = "submission_metadata.yml"
MAX_METADATA: Final = 2**28  # bytes; Gradescope writes about 2 KB for a student, and 100,000 may be there


def canvas(items: Sequence[Item]) -> Class:
    """Files called ``name_LATE_userid_submissionid_file``; a student's own archive is a folder of that name."""
    handins: dict[tuple[str, str], Handin] = {}
    left_over: list[Item] = []
    for item in items:
        found = CANVAS.fullmatch(item.parts[0])
        if not found:
            left_over.append(item)
            continue
        key = (found["name"], found["user"])
        handin = handins.setdefault(key, Handin(Student("", found["name"], {"ID": found["user"]}), numbered=True))
        handin.late_mark |= bool(found["late"])
        first = found["file"]
        parts = (first, *item.parts[1:])
        handin.take(File(item, parts, stem_of(first if len(parts) == 1 else f"{first}.", numbered=True).attempt))
    shared = Counter(name for name, _ in handins)
    for (name, user), handin in handins.items():
        own = name if shared[name] == 1 else f"{name}_{user}"
        handin.student = Student(own, name, {"ID": user})
    return Class("Canvas' download", list(handins.values()), left_over)


def classroom(items: Sequence[Item], clones: set[str], names: Names) -> Class:
    """Clones are called ``assignment-user``; the assignment is what they all begin with."""
    shared = _common(sorted(clones)) if len(clones) > 1 else f"{names.whole.removesuffix('-submissions')}-"
    prefix = shared[: shared.rfind("-") + 1]
    placed: dict[str, list[tuple[Item, tuple[str, ...]]]] = defaultdict(list)
    left_over = []
    for item in items:
        if len(item.parts) > 1:
            placed[item.parts[0]].append((item, item.parts[1:]))
        else:
            left_over.append(item)
    handins = []
    for name in sorted({*placed, *clones}):
        user = name.removeprefix(prefix) or name
        handins.append(gather(user, placed[name], Student(user, "", {"GitHub": user})))
    return Class("GitHub Classroom's clones", handins, left_over)


def _common(names: Sequence[str]) -> str:
    """What all of the names begin with; of a sorted list, the first and the last decide."""
    pairs = zip(names[0], names[-1], strict=False)
    return "".join(one for one, _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


class _Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
    """Safe YAML; what bears one of Ruby's tags is taken for plain text, or for nothing."""


_Loader.add_multi_constructor("!", lambda loader, tag, node: node.value if isinstance(node.value, str) else None)


def _metadata(item: Item) -> dict[str, Any]:
    try:
        known = yaml.load(item.read(MAX_METADATA), Loader=_Loader)
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        text = " ".join(str(error).split())[:200]
        raise UsageError(f"{item.where} cannot be read: {text}.", "Export the submissions again.") from None
    return known if isinstance(known, dict) else {}


def gradescope(items: Sequence[Item]) -> Class:
    """Folders ``submission_N``, and beside them a file that says whose they are."""
    [metadata] = [item for item in items if item.parts == (METADATA,)]
    known = _metadata(metadata)
    placed: dict[str, list[tuple[Item, tuple[str, ...]]]] = defaultdict(list)
    left_over = []
    for item in items:
        if len(item.parts) > 1:
            placed[item.parts[0]].append((item, item.parts[1:]))
        elif item is not metadata:
            left_over.append(item)
    handins = []
    for folder in sorted({*placed, *map(str, known)}):
        facts = known.get(folder)
        facts = facts if isinstance(facts, dict) else {}
        for student in _submitters(facts, folder):
            handin = gather(student.key, placed[folder], student)
            handin.submitted_at = _moment(facts.get(":created_at"))
            older = facts.get(":history")
            for each in older if isinstance(older, list) else []:
                when = _moment(each.get(":created_at")) if isinstance(each, dict) else None
                text = f"an older submission{when:' of %Y-%m-%d %H:%M %z'} is not in the export" if when else ""
                handin.remarks += [Remark(Code.OLDER, text)] if text else []
            handins.append(handin)
    return Class("Gradescope's export", _newest(handins), left_over)


def _submitters(facts: Mapping[str, Any], folder: str) -> list[Student]:
    """Who handed in together: each gets the grade."""
    found = []
    submitters = facts.get(":submitters")
    for each in submitters if isinstance(submitters, list) else []:
        if isinstance(each, dict):
            name, sid, email = (str(each.get(f":{key}") or "") for key in ("name", "sid", "email"))
            ids = {key: text for key, text in (("SID", sid), ("Email", email)) if text}
            found.append(Student(sid or email or name or folder, name, ids))
    return found or [Student(folder)]


def _moment(value: Any) -> datetime | None:
    """A time with its zone; one without is taken for UTC, which is how YAML has it."""
    if isinstance(value, str):
        try:
            value = datetime.fromisoformat(value)
        except ValueError:
            return None
    if not isinstance(value, datetime):
        return None
    return value if value.tzinfo else value.replace(tzinfo=UTC)


def _newest(handins: Sequence[Handin]) -> list[Handin]:
    """One for each student, the newest; the others are named."""
    best: dict[str, Handin] = {}
    never = datetime.min.replace(tzinfo=UTC)
    for handin in sorted(handins, key=lambda each: each.submitted_at or never):
        before = best.get(handin.student.key)
        if before is not None:
            when = f"{before.submitted_at:%Y-%m-%d %H:%M %z}" if before.submitted_at else "an unknown time"
            handin.remarks.append(Remark(Code.OLDER, f"an older submission, of {when}, was left aside"))
        best[handin.student.key] = handin
    return list(best.values())
