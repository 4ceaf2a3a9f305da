"""Reports for whoever reads them, one pure renderer each: the terminal, and JSON.

Nothing here prints, reads a file or asks for the time: a renderer turns reports into text or plain data.
"""

from grader.report.document import exit_code, to_document
from grader.report.terminal import render
from grader.report.visible import visible
from grader.report.words import Notes

__all__ = ["Notes", "exit_code", "render", "to_document", "visible"]
