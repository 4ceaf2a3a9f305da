"""Anki decks: an .apkg is a zip of an SQLite file. Notes keep their GUIDs, so that a new export updates the old cards.

The tables are those of Anki's schema 11, which every version of Anki imports.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
import tempfile
import zipfile
from pathlib import Path
from typing import Any

from grader.quiz.asking import Asked, in_unit
from grader.quiz.exports.common import (
    Warnings,
    asked_for,
    explanation_html,
    kinds,
    markup,
    note_variant,
    order_sentence,
    stem_html,
)
from grader.quiz.keys import Keys
from grader.quiz.model import Bank, Kind, Question
from grader.quiz.wording import LETTERS

SCHEMA = (Path(__file__).parent / "anki_schema_11.sql").read_text(encoding="utf-8")
DECK, MODEL = 1_736_201_435_117, 1_736_201_435_118  # made up once; the same deck and note type at every export
CREATED_S = 1_735_689_600  # 2025-01-01
FIELDS = ("Front", "Back")
SEPARATOR = "\x1f"
CSS = ".card { font-family: sans-serif; font-size: 18px; text-align: left; } pre { overflow-x: auto; }"


def export(bank: Bank, keys: Keys, seed: int, modified_s: int, path: Path) -> list[str]:
    """Write questions and terms as an .apkg; answers with what Anki cannot hold.

    Args:
        bank: what to export.
        keys: the keys of its numeric questions.
        seed: which variant of each.
        modified_s: seconds since 1970; cards are updated where it is later than that of the export before.
        path: the file to write.
    """
    warnings = Warnings("Anki")
    if kinds(bank):
        warnings.lines.append("Anki: cards are turned, not marked: scores, traps and credit rules stay here.")
    notes = [_note(asked, warnings) for asked in asked_for(bank, keys, seed)]
    notes += [(f"term:{term.term}", markup(term.term), markup(term.text), "terms") for term in bank.terms]
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "collection.anki2"
        _write(file, notes, modified_s)
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as package:
            package.write(file, "collection.anki2")
            package.writestr("media", "{}")
    return warnings.lines


Note = tuple[str, str, str, str]  # id, front, back, tag


def _note(asked: Asked, warnings: Warnings) -> Note:
    note_variant(asked, warnings)
    question = asked.question
    listed = [asked.fill(option.text) for option in question.options] or [block.text for block in asked.blocks]
    front = stem_html(asked)
    front += "".join(f"<p>{LETTERS[at]}. {markup(text)}</p>" for at, text in enumerate(listed))
    if question.kind is Kind.MATCH:
        front += f"<p>{markup(', '.join(pair.left for pair in question.pairs))}</p>"
        front += "<ul>" + "".join(f"<li>{markup(right)}</li>" for right in asked.rights) + "</ul>"
    return question.id, front, _answer_html(asked) + explanation_html(asked), question.topic


def _answer_html(asked: Asked) -> str:
    question = asked.question
    if question.answer:
        key = in_unit(asked.solved.key, question.answer.unit, question.answer.ask)
        return f"<p><b>{markup(key)}</b></p>"
    if question.kind is Kind.TRACE:
        return f"<pre>{markup(question.expect.strip())}</pre>"
    if question.kind is Kind.ORDER:
        return f"<p><b>{markup(order_sentence(question))}</b></p>"
    if question.kind is Kind.SHORT:
        return f"<p>{markup(question.model)}</p>{_list(f'{item.text} ({item.points:g})' for item in question.rubric)}"
    if question.kind is Kind.MATCH:
        return _list(f"{pair.left}: {pair.right}. {pair.why}" for pair in question.pairs)
    return _list(_reasons(question, asked))


def _reasons(question: Question, asked: Asked) -> list[str]:
    return [
        f"{LETTERS[at]}. {'right' if option.correct else 'wrong'}: {asked.fill(option.why)}"
        for at, option in enumerate(question.options)
    ]


def _list(texts: Any) -> str:
    return "<ul>" + "".join(f"<li>{markup(text)}</li>" for text in texts) + "</ul>"


def guid(id: str) -> str:
    """A note's GUID: the same for a question at every export, whatever its text."""
    return hashlib.sha256(f"pretraining-grader:{id}".encode()).hexdigest()[:20]


def _write(file: Path, notes: list[Note], modified_s: int) -> None:
    connection = sqlite3.connect(file)
    try:
        connection.executescript(SCHEMA)
        connection.execute(
            "INSERT INTO col VALUES (1, ?, ?, ?, 11, 0, 0, 0, ?, ?, ?, ?, '{}')", _collection(modified_s)
        )
        for at, (id, front, back, tag) in enumerate(notes):
            row = CREATED_S * 1000 + at
            fields = SEPARATOR.join((front, back))
            checksum = int(hashlib.sha1(front.encode(), usedforsecurity=False).hexdigest()[:8], 16)
            connection.execute(
                "INSERT INTO notes VALUES (?, ?, ?, ?, -1, ?, ?, ?, ?, 0, '')",
                (row, guid(id), MODEL, modified_s, f" {tag} ", fields, front, checksum),
            )
            connection.execute(
                "INSERT INTO cards VALUES (?, ?, ?, 0, ?, -1, 0, 0, ?, 0, 0, 0, 0, 0, 0, 0, 0, '')",
                (row, row, DECK, modified_s, at),
            )
        connection.commit()
    finally:
        connection.close()


def _collection(modified_s: int) -> tuple[Any, ...]:
    """Values of the one row of ``col``: times, settings, note types, decks and deck options, as JSON."""
    model = {
        "id": MODEL, "name": "Pretraining review", "type": 0, "mod": modified_s, "usn": -1, "sortf": 0, "did": DECK,
        "css": CSS, "latexPre": "", "latexPost": "", "tags": [], "vers": [], "req": [[0, "any", [0]]],
        "flds": [
            {"name": name, "ord": at, "font": "Arial", "size": 20, "rtl": False, "sticky": False, "media": []}
            for at, name in enumerate(FIELDS)
        ],
        "tmpls": [{
            "name": "Card 1", "ord": 0, "qfmt": "{{Front}}", "afmt": "{{FrontSide}}<hr id=answer>{{Back}}",
            "did": None, "bqfmt": "", "bafmt": "",
        }],
    }  # fmt: skip
    decks = {str(id): _deck(id, name, modified_s) for id, name in ((1, "Default"), (DECK, "Pretraining at Scale"))}
    options = {
        "1": {
            "id": 1, "name": "Default", "mod": 0, "usn": 0, "maxTaken": 60, "autoplay": True, "timer": 0,
            "replayq": True,
            "new": {"bury": True, "delays": [1, 10], "initialFactor": 2500, "ints": [1, 4, 7], "order": 1,
                    "perDay": 20},
            "rev": {"bury": True, "ease4": 1.3, "fuzz": 0.05, "ivlFct": 1, "maxIvl": 36500, "perDay": 100},
            "lapse": {"delays": [10], "leechAction": 0, "leechFails": 8, "minInt": 1, "mult": 0},
        }
    }  # fmt: skip
    settings = {"curDeck": DECK, "activeDecks": [DECK], "curModel": str(MODEL), "nextPos": 1, "sortType": "noteFld"}
    documents = (settings, {str(MODEL): model}, decks, options)
    return (CREATED_S, modified_s * 1000, modified_s * 1000, *map(json.dumps, documents))


def _deck(id: int, name: str, modified_s: int) -> dict[str, Any]:
    today = {key: [0, 0] for key in ("newToday", "revToday", "lrnToday", "timeToday")}
    return today | {
        "id": id, "name": name, "mod": modified_s, "usn": -1, "conf": 1, "desc": "", "dyn": 0, "collapsed": False,
        "extendNew": 0, "extendRev": 50,
    }  # fmt: skip
