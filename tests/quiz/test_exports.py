"""Exports: real parsers read them, and what a target cannot hold is named."""

from __future__ import annotations

import io
import json
import os
import shutil
import sqlite3
import subprocess
import zipfile
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from click.testing import CliRunner

from grader import catalog
from grader.cli import cli
from grader.quiz.asking import Asked
from grader.quiz.bank import load_bank
from grader.quiz.exports import anki, gift, qti
from grader.quiz.exports.common import plain
from grader.quiz.keys import ReferenceKeys
from grader.quiz.marking import tolerance
from tests.quiz.toy import BANK, make_bank, make_course

ROOT = Path(__file__).parent.parent.parent
Q = "{http://www.imsglobal.org/xsd/ims_qtiasiv1p2}"
TRICKY = BANK.replace(
    "text: their sum, correct", "text: 'a = b ~ {c} # 50 % : d \\ <e> & \"f\" -> isn''t', correct"
).replace("stem: What is the mean of some numbers?", 'stem: "Is {x} = ~y # 1:2, <b> & \\"z\\"?"')


@pytest.fixture(params=["toy", "tricky", "real"])
def bank_and_keys(request, tmp_path):
    """The toy bank, the toy bank with characters that formats use, and the real one."""
    if request.param == "real":
        keys = ReferenceKeys(catalog.load_course(ROOT / "exercises"))
        return load_bank(ROOT / "question_bank"), keys
    return make_bank(tmp_path, TRICKY if request.param == "tricky" else BANK)


def node_modules() -> Path | None:
    """Where gift-pegjs is installed: NODE_PATH, or npm's folder for all."""
    if not shutil.which("node"):
        return None
    places = os.environ.get("NODE_PATH", "").split(os.pathsep)
    if shutil.which("npm"):
        run = subprocess.run(["npm", "root", "-g"], capture_output=True, text=True, check=False)
        places.append(run.stdout.strip())
    return next((Path(place) for place in places if place and (Path(place) / "gift-pegjs").is_dir()), None)


def parse_gift(text: str) -> list[dict]:
    modules = node_modules()
    if modules is None:
        pytest.skip("node with the package gift-pegjs is not here: npm install -g gift-pegjs")
    script = (
        'const {parse} = require("gift-pegjs"); let t = ""; process.stdin.on("data", d => t += d)'
        '.on("end", () => console.log(JSON.stringify(parse(t))))'
    )
    run = subprocess.run(
        ["node", "-e", script],
        input=text,
        env=os.environ | {"NODE_PATH": str(modules)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr[-2000:]
    return json.loads(run.stdout)


GIFT_TYPES = {"single": "MC", "multi": "MC", "numeric": "Numerical", "match": "Matching", "trace": "Short"}


def test_gift_is_read_by_a_parser(bank_and_keys):
    """gift-pegjs finds every question with its kind, its options, weights, margins and feedback."""
    bank, keys = bank_and_keys
    text, _ = gift.export(bank, keys, seed=3)
    found = {each["title"]: each for each in parse_gift(text) if each["type"] not in ("Category", "Description")}
    assert set(found) == {question.id for question in bank.questions}
    for question in bank.questions:
        parsed = found[question.id]
        assert parsed["type"] == GIFT_TYPES.get(question.kind, "Essay"), question.id
        if question.options:
            assert len(parsed["choices"]) == len(question.options)
            weights = [choice["weight"] for choice in parsed["choices"]]
            if question.kind == "multi":
                assert sum(weight for weight in weights if weight > 0) == pytest.approx(100, abs=1)
            assert all(choice["feedback"]["text"] for choice in parsed["choices"])
        if question.answer:
            asked = Asked(question, 3, keys)
            scale = asked.solved.key / parsed["choices"][0]["text"]["number"]
            near = parsed["choices"][0]["text"]["range"] * scale
            assert near == pytest.approx(max(tolerance(asked.solved.key, question.answer), 1e-300), rel=2e-3)
            assert len(parsed["choices"]) == 1 + len(question.traps)
        if question.kind == "match":
            assert len(parsed["matchPairs"]) == len(question.pairs) + len(question.extra)


def test_gift_has_plain_decimals_and_no_blank_lines(bank_and_keys):
    """Within a question there is no blank line, and numbers have no exponent."""
    bank, keys = bank_and_keys
    text, _ = gift.export(bank, keys, seed=3)
    blocks = text.strip().split("\n\n")
    assert len(blocks) == 1 + len(bank.questions)
    for line in text.splitlines():
        if line.startswith(("=%100%", "=%0%")):
            number = line.split("%")[2].split("#")[0]
            assert "e" not in number.lower() and float(number.split(":")[0]) >= 0


@pytest.mark.parametrize(("number", "text"), [(1.5e21, "15" + "0" * 20), (1e-7, "0.0000001"), (0, "0"), (112.0, "112")])
def test_plain_numbers(number, text):
    """Numbers are written out, whatever their size."""
    assert plain(number) == text


def test_what_does_not_fit_is_named(bank_and_keys):
    """Each question that a target holds only in part is named with the reason, and none is left out."""
    bank, keys = bank_and_keys
    orders = [question.id for question in bank.questions if question.kind == "order"]
    for target, warnings in (("GIFT", gift.export(bank, keys, 1)[1]), ("QTI", qti.export(bank, keys, 1)[1])):
        for id in orders:
            assert any(line.startswith(f"{target}: {id}: an order") for line in warnings)
        assert any("variants" in line for line in warnings) and any("rubric" in line for line in warnings)


def structure(item: ET.Element) -> set[str]:
    """The paths of elements in an item, each once, with the values of what decides about meaning."""
    found = set()

    def visit(element: ET.Element, path: str) -> None:
        here = f"{path}/{element.tag.removeprefix(Q)}"
        found.add(here)
        for child in element:
            visit(child, here)

    visit(item, "")
    return found


TEXT2QTI = """Quiz title: compared
1.  What is the mean?
... general
a)  their sum
... wrong
*b) their sum over their count
... right
c)  the middle
... median

2.  Which can be kept up?
[*] total
[*] average
[ ] median
[ ] order

3.  What is it now?
=   1.5 +- 0.01

4.  What does it print?
*   1 1

5.  Explain.
____
"""


def test_qti_has_the_structure_that_text2qti_writes(tmp_path):
    """Items of the kinds that both write have the same elements in the same places, and the same metadata."""
    text2qti = pytest.importorskip("text2qti")
    assert text2qti
    from text2qti.config import Config
    from text2qti.qti import QTI
    from text2qti.quiz import Quiz

    with zipfile.ZipFile(io.BytesIO(QTI(Quiz(TEXT2QTI, config=Config())).zip_bytes())) as package:
        name = next(
            name
            for name in package.namelist()
            if name.endswith(".xml") and "assessment_meta" not in name and "/" in name
        )
        theirs = {kind_of(item): item for item in ET.fromstring(package.read(name)).iter(f"{Q}item")}
    ours = {kind_of(item): item for item in items(qti.export(*make_bank(tmp_path), seed=3)[0])}
    for kind in (
        "multiple_choice_question",
        "multiple_answers_question",
        "numerical_question",
        "short_answer_question",
    ):
        missing = structure(theirs[kind]) - structure(ours[kind])
        assert not missing, (kind, missing)
        assert fields(theirs[kind]).keys() == fields(ours[kind]).keys()
    assert not {path for path in structure(theirs["essay_question"]) - structure(ours["essay_question"])}


def items(data: bytes) -> list[ET.Element]:
    with zipfile.ZipFile(io.BytesIO(data)) as package:
        assert package.testzip() is None
        manifest = ET.fromstring(package.read("imsmanifest.xml"))
        hrefs = [element.get("href") for element in manifest.iter() if element.tag.endswith("}file")]
        assert set(hrefs) | {"imsmanifest.xml"} == set(package.namelist())
        return list(ET.fromstring(package.read(hrefs[0])).iter(f"{Q}item"))


def fields(item: ET.Element) -> dict[str, str]:
    rows = item.iter(f"{Q}qtimetadatafield")
    return {row.findtext(f"{Q}fieldlabel"): row.findtext(f"{Q}fieldentry") or "" for row in rows}


def kind_of(item: ET.Element) -> str:
    return fields(item)["question_type"]


def test_qti_says_which_is_right(bank_and_keys):
    """Links hold, the right options are those of the bank, and the same bank gives the same bytes."""
    bank, keys = bank_and_keys
    data, _ = qti.export(bank, keys, seed=3)
    assert data == qti.export(bank, keys, seed=3)[0]
    found = {item.get("title"): item for item in items(data)}
    assert set(found) == {question.id for question in bank.questions}
    for question in bank.questions:
        item = found[question.id]
        feedbacks = {each.get("ident") for each in item.iter(f"{Q}itemfeedback")}
        assert {each.get("linkrefid") for each in item.iter(f"{Q}displayfeedback")} <= feedbacks
        labels = {each.get("ident"): "".join(each.itertext()).strip() for each in item.iter(f"{Q}response_label")}
        scoring = [each for each in item.iter(f"{Q}respcondition") if each.find(f"{Q}setvar") is not None]
        if question.kind == "single":
            [right] = [each.text for each in scoring[0].iter(f"{Q}varequal")]
            assert [labels[right]] == [option_html(option.text) for option in question.options if option.correct]
        if question.answer:
            low, high = (float(scoring[0].findtext(f".//{Q}{tag}")) for tag in ("vargte", "varlte"))
            assert low <= float(scoring[0].findtext(f".//{Q}varequal")) <= high


def option_html(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def opened(path: Path, folder: Path) -> sqlite3.Connection:
    with zipfile.ZipFile(path) as package:
        assert json.loads(package.read("media")) == {}
        package.extract("collection.anki2", folder)
    return sqlite3.connect(folder / "collection.anki2")


def test_anki_deck_is_as_genanki_writes_them(bank_and_keys, tmp_path):
    """The tables have genanki's columns; every question and term is one note with one card in one deck."""
    genanki = pytest.importorskip("genanki")
    bank, keys = bank_and_keys
    anki.export(bank, keys, 3, 1_800_000_000, tmp_path / "ours.apkg")
    model = genanki.Model(
        1, "m", fields=[{"name": "Front"}], templates=[{"name": "c", "qfmt": "{{Front}}", "afmt": ""}]
    )
    deck = genanki.Deck(2, "d")
    deck.add_note(genanki.Note(model, ["front"]))
    genanki.Package(deck).write_to_file(tmp_path / "theirs.apkg")
    ours = opened(tmp_path / "ours.apkg", tmp_path / "a")
    theirs = opened(tmp_path / "theirs.apkg", tmp_path / "b")
    try:
        for table in ("col", "notes", "cards", "revlog", "graves"):
            columns = [[row[1:4] for row in each.execute(f"PRAGMA table_info({table})")] for each in (ours, theirs)]
            assert columns[0] == columns[1], table
        count = len(bank.questions) + len(bank.terms)
        assert ours.execute("SELECT count(*), count(DISTINCT guid) FROM notes").fetchone() == (count, count)
        joined = "SELECT count(*) FROM cards JOIN notes ON nid = notes.id"
        assert ours.execute(joined).fetchone() == (count,)
        models, decks = (json.loads(text) for text in ours.execute("SELECT models, decks FROM col").fetchone())
        [used] = ours.execute("SELECT DISTINCT mid FROM notes").fetchall()
        assert len(models[str(used[0])]["flds"]) == 2
        assert all(str(did) in decks for (did,) in ours.execute("SELECT DISTINCT did FROM cards"))
        assert ours.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    finally:
        ours.close()
        theirs.close()


def test_anki_updates_the_same_notes(tmp_path):
    """A changed question keeps its GUID, and a later export has a later time."""
    guids = []
    for at, bank in enumerate((BANK, BANK.replace("stem: What is the mean", "stem: Again, what is the mean"))):
        made = make_bank(tmp_path / str(at), bank)
        anki.export(*made, 3, 1_800_000_000 + at, tmp_path / f"{at}.apkg")
        connection = opened(tmp_path / f"{at}.apkg", tmp_path / f"x{at}")
        guids.append(connection.execute("SELECT guid, mod FROM notes ORDER BY id").fetchall())
        connection.close()
    assert [guid for guid, _ in guids[0]] == [guid for guid, _ in guids[1]]
    assert guids[1][0][1] == guids[0][0][1] + 1


def test_command(tmp_path, monkeypatch):
    """`grade quiz export` writes the file, and says on stderr what does not fit."""
    make_course(tmp_path)
    monkeypatch.chdir(tmp_path)
    for target in ("gift", "qti", "anki"):
        run = CliRunner().invoke(cli, ["quiz", "export", target, f"bank.{target}"], prog_name="grade")
        assert run.exit_code == 0 and Path(f"bank.{target}").stat().st_size > 1000
        assert "q1-mean-of-two: one of its 20 variants" in run.stderr and "7 questions" in run.stdout
    run = CliRunner().invoke(cli, ["quiz", "export", "gift", "nowhere/bank.gift"], prog_name="grade")
    assert run.exit_code == 2 and "cannot be written" in run.output
