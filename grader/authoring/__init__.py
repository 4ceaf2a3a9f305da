"""For authors: ``grade check`` proves that an exercise is as declared, ``grade new`` starts one."""

from grader.authoring.gate import Plan
from grader.authoring.pool import Watcher, check
from grader.authoring.progress import Bar
from grader.authoring.records import ExerciseGate, Fault, GateReport
from grader.authoring.rendering import render, to_document
from grader.authoring.scaffold import scaffold

__all__ = [
    "Bar",
    "ExerciseGate",
    "Fault",
    "GateReport",
    "Plan",
    "Watcher",
    "check",
    "render",
    "scaffold",
    "to_document",
]
