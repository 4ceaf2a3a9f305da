"""Canvas's dialect of QTI 1.2: a zip of a manifest, the quiz's settings and its questions.

Built with ElementTree, so that every text is escaped; elements and names are those that Canvas reads.
"""

from __future__ import annotations

import io
import zipfile
from xml.etree import ElementTree as ET

from grader.quiz.asking import Asked
from grader.quiz.exports.canvas import TITLE, ident, manifest, settings, sub
from grader.quiz.exports.common import (
    Warnings,
    asked_for,
    explanation_html,
    in_ask,
    margin,
    markup,
    note_variant,
    one_line,
    order_sentence,
    plain,
    stem_html,
    unit_hint,
)
from grader.quiz.keys import Keys
from grader.quiz.model import Bank, Kind

QTI = "http://www.imsglobal.org/xsd/ims_qtiasiv1p2"
TYPES = {
    Kind.SINGLE: "multiple_choice_question",
    Kind.MULTI: "multiple_answers_question",
    Kind.NUMERIC: "numerical_question",
    Kind.MATCH: "matching_question",
    Kind.TRACE: "short_answer_question",
    Kind.SHORT: "essay_question",
    Kind.ORDER: "essay_question",
}
EPOCH = (1980, 1, 1, 0, 0, 0)  # the same bank gives the same bytes


def export(bank: Bank, keys: Keys, seed: int) -> tuple[bytes, list[str]]:
    """The whole bank as a QTI package, and what it cannot hold."""
    warnings = Warnings("QTI")
    name = ident("assessment", TITLE)
    items = [_item(asked, warnings) for asked in asked_for(bank, keys, seed)]
    points = sum(question.points for question in bank.questions)
    files = {
        "imsmanifest.xml": manifest(name),
        f"{name}/assessment_meta.xml": settings(name, points),
        f"{name}/{name}.xml": _assessment(name, items),
    }
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as package:
        for path, root in files.items():
            data = ET.tostring(root, encoding="UTF-8", xml_declaration=True)
            package.writestr(zipfile.ZipInfo(path, EPOCH), data, zipfile.ZIP_DEFLATED)
    return stream.getvalue(), warnings.lines


def _assessment(name: str, items: list[ET.Element]) -> ET.Element:
    root = ET.Element("questestinterop", {"xmlns": QTI})
    assessment = sub(root, "assessment", ident=name, title=TITLE)
    _fields(assessment, {"cc_maxattempts": "1"})
    section = sub(assessment, "section", ident="root_section")
    section.extend(items)
    return root


def _fields(parent: ET.Element, values: dict[str, str]) -> None:
    metadata = sub(parent, "qtimetadata")
    for name, value in values.items():
        row = sub(metadata, "qtimetadatafield")
        sub(row, "fieldlabel", name)
        sub(row, "fieldentry", value)


def _material(parent: ET.Element, text: str) -> None:
    sub(sub(parent, "material"), "mattext", text, texttype="text/html")


def _item(asked: Asked, warnings: Warnings) -> ET.Element:
    question = asked.question
    _warn(asked, warnings)
    item = ET.Element("item", {"ident": ident(question.id), "title": question.id})
    answers = [ident(question.id, option.id) for option in question.options]
    values = {
        "question_type": TYPES[question.kind],
        "points_possible": f"{question.points:g}",
        "original_answer_ids": ",".join(answers),
        "assessment_question_identifierref": ident("ref", question.id),
    }
    _fields(sub(item, "itemmetadata"), values)
    presentation = sub(item, "presentation")
    hint = unit_hint(asked) if question.answer else _lines_hint(asked)
    _material(presentation, stem_html(asked, hint))
    processing = ET.Element("resprocessing")
    outcomes = sub(processing, "outcomes")
    sub(outcomes, "decvar", maxvalue="100", minvalue="0", varname="SCORE", vartype="Decimal")
    _feedback_condition(processing, sub(_condition(processing), "other"), "general_fb")
    _ANSWERS[question.kind](asked, presentation, processing)
    item.append(processing)
    _feedbacks(asked, item)
    return item


def _warn(asked: Asked, warnings: Warnings) -> None:
    question = asked.question
    note_variant(asked, warnings)
    if question.hint:
        warnings.say(question, "the hint is left out.")
    if question.kind is Kind.ORDER:
        warnings.say(question, "an order of which several are right has no kind there; it is exported as an essay.")
    if question.kind is Kind.SHORT:
        warnings.say(question, "the rubric becomes part of the feedback; an essay is marked by hand.")
    if question.kind is Kind.MULTI and question.credit == "net":
        warnings.say(question, "credit by ticks is decided by Canvas's own rule.")
    if question.traps:
        warnings.say(question, "known mistakes are named in the general feedback only.")


def _condition(processing: ET.Element, more: str = "Yes") -> ET.Element:
    return sub(sub(processing, "respcondition", **{"continue": more}), "conditionvar")


def _feedback_condition(processing: ET.Element, test: ET.Element, shown: str) -> None:
    """Show a feedback where the condition that was begun last holds."""
    sub(processing[-1], "displayfeedback", feedbacktype="Response", linkrefid=shown)


def _score(processing: ET.Element, percent: str = "100") -> None:
    sub(processing[-1], "setvar", percent, action="Set" if percent == "100" else "Add", varname="SCORE")


def _lines_hint(asked: Asked) -> str:
    several = asked.question.kind is Kind.TRACE and "\n" in asked.question.expect.strip()
    return 'Type it in one line, with " / " between lines.' if several else ""


def _choices(asked: Asked, presentation: ET.Element, processing: ET.Element) -> None:
    question = asked.question
    many = question.kind is Kind.MULTI
    lid = sub(presentation, "response_lid", ident="response1", rcardinality="Multiple" if many else "Single")
    render = sub(lid, "render_choice")
    for option in question.options:
        own = ident(question.id, option.id)
        _material(sub(render, "response_label", ident=own), markup(asked.fill(option.text)))
        test = sub(_condition(processing), "varequal", own, respident="response1")
        _feedback_condition(processing, test, f"{own}_fb")
    condition = _condition(processing, "No")
    place = sub(condition, "and") if many else condition
    for option in question.options:
        if option.correct or many:
            inside = place if option.correct else sub(place, "not")
            sub(inside, "varequal", ident(question.id, option.id), respident="response1")
    _score(processing)


def _text_field(presentation: ET.Element, **attributes: str) -> None:
    string = sub(presentation, "response_str", ident="response1", rcardinality="Single")
    sub(sub(string, "render_fib", **attributes), "response_label", ident="answer1")


def _numeric(asked: Asked, presentation: ET.Element, processing: ET.Element) -> None:
    _text_field(presentation, fibtype="Decimal")
    key, near = in_ask(asked, asked.solved.key), margin(asked)
    either = sub(_condition(processing, "No"), "or")
    sub(either, "varequal", plain(key), respident="response1")
    both = sub(either, "and")
    sub(both, "vargte", plain(key - near), respident="response1")
    sub(both, "varlte", plain(key + near), respident="response1")
    _score(processing)


def _trace(asked: Asked, presentation: ET.Element, processing: ET.Element) -> None:
    _text_field(presentation)
    sub(_condition(processing, "No"), "varequal", one_line(asked.question.expect), respident="response1")
    _score(processing)


def _essay(asked: Asked, presentation: ET.Element, processing: ET.Element) -> None:
    _text_field(presentation)
    sub(_condition(processing, "No"), "other")


def _match(asked: Asked, presentation: ET.Element, processing: ET.Element) -> None:
    question = asked.question
    rights = list(dict.fromkeys([pair.right for pair in question.pairs] + list(question.extra)))
    share = f"{100 / len(question.pairs):.2f}"
    for at, pair in enumerate(question.pairs):
        lid = sub(presentation, "response_lid", ident=f"response_{at}")
        _material(lid, markup(pair.left))
        render = sub(lid, "render_choice")
        for right in rights:
            label = sub(render, "response_label", ident=ident(question.id, right))
            sub(sub(label, "material"), "mattext", right)
        condition = _condition(processing)
        sub(condition, "varequal", ident(question.id, pair.right), respident=f"response_{at}")
        _score(processing, share)


_ANSWERS = {
    Kind.SINGLE: _choices,
    Kind.MULTI: _choices,
    Kind.NUMERIC: _numeric,
    Kind.MATCH: _match,
    Kind.TRACE: _trace,
    Kind.SHORT: _essay,
    Kind.ORDER: _essay,
}


def _feedbacks(asked: Asked, item: ET.Element) -> None:
    """The general feedback, and one for each option."""
    question = asked.question
    reasons = [f"{pair.left}: {pair.why}" for pair in question.pairs] + [
        asked.fill(trap.why) for trap in question.traps
    ]
    reasons += [f"{rubric.text} ({rubric.points:g})" for rubric in question.rubric]
    first = question.model or (order_sentence(question) if question.blocks else "")
    text = f"<p>{markup(first)}</p>" if first else ""
    text += "<ul>" + "".join(f"<li>{markup(reason)}</li>" for reason in reasons) + "</ul>" if reasons else ""
    _feedback(item, "general_fb", text + explanation_html(asked))
    for option in question.options:
        why = f"<p>{markup(asked.fill(option.why))}</p>"
        _feedback(item, f"{ident(question.id, option.id)}_fb", why)


def _feedback(item: ET.Element, name: str, text: str) -> None:
    _material(sub(sub(item, "itemfeedback", ident=name), "flow_mat"), text)
