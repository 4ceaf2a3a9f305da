"""The pages and forms of the quiz.

Reasons, keys and explanations are rendered in one place, the reply to an answer; every GET is made from
``PublicQuestion`` alone.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import parse_qs

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from grader.errors import GraderError
from grader.quiz.keys import Keys
from grader.quiz.log import AnswerLog
from grader.quiz.model import Bank, Kind
from grader.quiz.progress import Progress, replay
from grader.quiz.rounds import Round, Wanted, make_round
from grader.quiz.units import UnreadableError
from grader.quiz.web import forms, pages
from grader.quiz.web.forms import Fields
from grader.quiz.web.guard import Guard
from grader.quiz.web.sessions import LogReader, Session, Sessions

COOKIE = "quiz"
YEAR_S = 365 * 86400
MAX_BODY = 2**16
STATIC = Path(__file__).parent / "static"

Handler = Callable[[Request, Session, Fields], Response]


@dataclass
class Site:
    """What the pages need.

    Attributes:
        many: whether each browser is a learner of its own; otherwise all are the one at this machine, whose answers
            in the terminal count as well.
    """

    bank: Bank
    keys: Keys
    log: AnswerLog
    order: Sequence[str]
    many: bool
    sessions: Sessions
    reader: LogReader

    def learner(self, session: Session) -> str:
        """Whose answers a session gives."""
        return session.id if self.many else ""

    def progress(self, session: Session) -> Progress:
        """What the session's learner did so far."""
        return replay(self.bank, self.reader.entries(self.learner(session)))

    # GET

    def home(self, request: Request, session: Session, fields: Fields) -> Response:
        """Where to begin or go on."""
        return pages.home(self.bank, self.progress(session), session.round)

    def question(self, request: Request, session: Session, fields: Fields) -> Response:
        """A question, or where to go if there is none."""
        at = self._place(request, session)
        if at is None:
            return _to("/")
        return self._ask(session, at, fields, "")

    def terms(self, request: Request, session: Session, fields: Fields) -> Response:
        """The key terms, each behind its name."""
        return pages.terms(self.bank)

    # POST

    def start(self, request: Request, session: Session, fields: Fields) -> Response:
        """Make a round of what was asked for."""
        exam = forms.first(fields, "exam")
        wanted = Wanted(
            words=[word for word in fields.get("words", ()) if word],
            exam=int(exam) if exam.isdecimal() and 0 < int(exam) < 100 else None,
            seed=time.time_ns() % 10**6 if exam else None,
            missed=forms.first(fields, "only") == "missed",
            due=forms.first(fields, "only") == "due",
            flagged=forms.first(fields, "only") == "flagged",
        )
        progress = self.progress(session)
        round_ = make_round(self.bank, self.keys, self.log, progress, wanted, self.order)
        if self.many:
            round_ = pages.for_learner(round_, session.id, progress)
        round_.learner = self.learner(session)
        session.round, session.nonce = round_, str(time.time_ns())
        return _to("/q/1") if round_.asked else pages.message("Nothing to ask.", "There is no such question now.", 200)

    def answer(self, request: Request, session: Session, fields: Fields) -> Response:
        """Mark an answer and reply with everything that is to be said of it."""
        at = self._place(request, session)
        round_ = session.round
        if at is None or round_ is None:
            return pages.message("This round is over.", "Begin a new one.", 409)
        asked = round_.asked[at]
        if not self.sessions.is_ticket(forms.first(fields, "ticket"), session, at, asked):
            return pages.message("This form is not of your current question.", "Go on from the first page.", 403)
        if fields.get("move"):
            return self._ask(session, at, fields, "")
        if fields.get("skip"):
            round_.skip(at)
            return self._next(round_, at)
        if fields.get("flag"):
            round_.flag(at)
            return self._ask(session, at, fields, "")
        return self._mark(session, round_, at, fields)

    def _mark(self, session: Session, round_: Round, at: int, fields: Fields) -> Response:
        asked = round_.asked[at]
        if at not in round_.results and not round_.over:
            try:
                response = forms.response(asked, fields, self.sessions.namer(session, asked))
                if asked.question.kind is Kind.SHORT and response["text"].strip():
                    if not fields.get("marked"):
                        return pages.rubric(round_, at, self.sessions.ticket(session, at, asked), response["text"])
                    response["awarded"] = _awarded(round_, at, fields)
                begun = forms.first(fields, "begun")
                ms = max(0, time.time_ns() // 10**6 - int(begun)) if begun.isdecimal() else 0
                round_.answer(at, response, ms, forms.certainty(fields))
            except UnreadableError as error:
                return self._ask(session, at, fields, f"{error.message} {error.remedy}")
        if round_.exam:
            return self._next(round_, at)
        return pages.feedback(round_, at)

    def finish(self, request: Request, session: Session, fields: Fields) -> Response:
        """End a round: its points and, for an exam, everything that had to wait."""
        round_, session.round = session.round, None
        if round_ is None:
            return _to("/")
        return pages.done(round_)

    def _next(self, round_: Round, at: int) -> Response:
        return _to(f"/q/{at + 2}") if at + 1 < len(round_.asked) else pages.last(round_)

    def _ask(self, session: Session, at: int, fields: Fields, problem: str) -> Response:
        round_ = session.round
        assert round_ is not None
        asked = round_.asked[at]
        name = self.sessions.namer(session, asked)
        ticket = self.sessions.ticket(session, at, asked)
        return pages.question(round_, at, name, ticket, fields, problem)

    def _place(self, request: Request, session: Session) -> int | None:
        at = int(request.path_params["at"]) - 1
        return at if session.round is not None and 0 <= at < len(session.round.asked) else None


def _awarded(round_: Round, at: int, fields: Fields) -> list[str]:
    rubric = round_.asked[at].question.rubric
    return [item.id for number, item in enumerate(rubric) if str(number) in fields.get("awarded", ())]


def _to(path: str) -> Response:
    return RedirectResponse(path, status_code=303)


def _endpoint(site: Site, handler: Handler) -> Callable[[Request], object]:
    async def endpoint(request: Request) -> Response:
        body = b""
        async for chunk in request.stream():
            body += chunk
            if len(body) > MAX_BODY:
                return pages.message("This is too long.", "Send less than 64 KiB.", 413)
        fields = parse_qs(body.decode(errors="replace"), keep_blank_values=False, max_num_fields=200)
        session, cookie = site.sessions.open(request.cookies.get(COOKIE))

        def answer() -> Response:
            with session.lock:
                return handler(request, session, fields)

        try:
            reply = await run_in_threadpool(answer)
        except GraderError as error:
            reply = pages.message(error.message, error.remedy, 500)
        reply.set_cookie(COOKIE, cookie, max_age=YEAR_S, httponly=True, samesite="strict", path="/")
        return reply

    return endpoint


def make_app(
    bank: Bank,
    keys: Keys,
    log: AnswerLog,
    order: Sequence[str],
    many: bool = False,
    port: int | None = None,
    secret: bytes | None = None,
) -> Guard:
    """The quiz as an ASGI application; ``port`` is the one that it is served at."""
    site = Site(bank, keys, log, order, many, Sessions(secret), LogReader(log))
    routes = [
        Route("/", _endpoint(site, site.home), methods=["GET"]),
        Route("/terms", _endpoint(site, site.terms), methods=["GET"]),
        Route("/start", _endpoint(site, site.start), methods=["POST"]),
        Route("/finish", _endpoint(site, site.finish), methods=["POST"]),
        Route("/q/{at:int}", _endpoint(site, site.question), methods=["GET"]),
        Route("/q/{at:int}", _endpoint(site, site.answer), methods=["POST"]),
        Mount("/static", StaticFiles(directory=STATIC)),
    ]
    return Guard(Starlette(routes=routes), port)
