"""The parts of a Canvas package around its questions: names, the manifest and the quiz's settings."""

from __future__ import annotations

import hashlib
from xml.etree import ElementTree as ET

PACKAGE = "http://www.imsglobal.org/xsd/imsccv1p1/imscp_v1p1"
CANVAS = "http://canvas.instructure.com/xsd/cccv1p0"
TITLE = "Pretraining at Scale: review"


def ident(*parts: str) -> str:
    """A name for an XML element, the same at every export."""
    return "quiz_" + hashlib.sha256("\x00".join(parts).encode()).hexdigest()[:24]


def sub(parent: ET.Element, tag: str, text: str = "", **attributes: str) -> ET.Element:
    """A new element at the end of ``parent``."""
    found = ET.SubElement(parent, tag, attributes)
    found.text = text or None
    return found


def manifest(name: str) -> ET.Element:
    """What is in the package."""
    root = ET.Element("manifest", {"xmlns": PACKAGE, "identifier": ident("manifest", name)})
    metadata = sub(root, "metadata")
    sub(metadata, "schema", "IMS Content")
    sub(metadata, "schemaversion", "1.1.3")
    sub(root, "organizations")
    resources = sub(root, "resources")
    dependency = ident("settings", name)
    quiz = sub(resources, "resource", identifier=name, type="imsqti_xmlv1p2")
    sub(quiz, "file", href=f"{name}/{name}.xml")
    sub(quiz, "dependency", identifierref=dependency)
    kind = "associatedcontent/imscc_xmlv1p1/learning-application-resource"
    href = f"{name}/assessment_meta.xml"
    sub(sub(resources, "resource", identifier=dependency, type=kind, href=href), "file", href=href)
    return root


def settings(name: str, points: float) -> ET.Element:
    """How Canvas is to run the quiz: as practice, with answers shown."""
    root = ET.Element("quiz", {"xmlns": CANVAS, "identifier": name})
    values = {
        "title": TITLE,
        "description": "",
        "shuffle_answers": "true",
        "scoring_policy": "keep_highest",
        "quiz_type": "practice_quiz",
        "points_possible": f"{points:.1f}",
        "show_correct_answers": "true",
        "allowed_attempts": "-1",
        "available": "false",
    }
    for tag, value in values.items():
        sub(root, tag, value)
    return root
