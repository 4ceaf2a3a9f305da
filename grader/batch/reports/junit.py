"""JUnit XML (xunit2), for the instructor's own tools: a suite per student, a case per check, hidden ones included.

Source: https://github.com/jenkinsci/xunit-plugin, ``junit-10.xsd``. Times are left out: they would differ in every run.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET

from grader.batch.gradebook import Cell, Gradebook, Row
from grader.batch.reports.view import as_text, checks_of
from grader.model import Verdict
from grader.report.visible import visible

COUNTED = ("tests", "failures", "errors", "skipped")


def render(book: Gradebook) -> str:
    """``junit.xml``."""
    root = ET.Element("testsuites", name=visible(book.title))
    for row in book.rows:
        root.append(_suite(row))
    for name in COUNTED[:3]:
        root.set(name, str(sum(int(suite.get(name, "0")) for suite in root)))
    ET.indent(root, " ")
    return '<?xml version="1.0" encoding="utf-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"


def _suite(row: Row) -> ET.Element:
    suite = ET.Element("testsuite", name=visible(row.student.key))
    for cell in row.cells:
        suite.extend(_cases(cell))
    kinds = [child.tag for case in suite for child in case]
    numbers = (len(suite), kinds.count("failure"), kinds.count("error"), kinds.count("skipped"))
    for name, number in zip(COUNTED, numbers, strict=True):
        suite.set(name, str(number))
    return suite


def _cases(cell: Cell) -> list[ET.Element]:
    classname = cell.exercise.id.replace("/", ".")
    shown = checks_of(cell, show_hidden=True)
    if not shown:
        case = ET.Element("testcase", classname=classname, name=cell.word)
        kind = {"grader problem": "error", "not graded": "skipped", "skipped": "skipped"}.get(cell.word, "failure")
        message = cell.report.message if cell.report else cell.entry.submission.fault
        ET.SubElement(case, kind, message=visible(message or cell.word), type=cell.word)
        return [case]
    found = []
    for each in shown:
        assert each.check is not None
        case = ET.Element("testcase", classname=classname, name=visible(each.check.name))
        verdict = each.check.verdict
        if verdict is not Verdict.PASS:
            kind = {Verdict.SKIPPED: "skipped", Verdict.GRADER_PROBLEM: "error"}.get(verdict, "failure")
            told = ET.SubElement(case, kind, message=each.title, type=str(verdict))
            told.text = as_text(each)
        found.append(case)
    return found
