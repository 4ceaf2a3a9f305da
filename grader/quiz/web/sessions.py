"""Who is asking what: sessions, the names that tell nothing, and a log that is read on as it grows."""

from __future__ import annotations

import hashlib
import hmac
import secrets
import threading
from collections import OrderedDict
from dataclasses import dataclass, field

from grader.quiz.asking import Asked, Namer
from grader.quiz.log import AnswerLog, Entry
from grader.quiz.rounds import Round

MAX_SESSIONS = 10_000  # the oldest are forgotten; their answers are in the log
NAME_BYTES = 9


@dataclass
class Session:
    """One browser.

    Attributes:
        id: random; the cookie is this and a signature.
        round: what is being asked, or None.
        nonce: new for each round, so that a form of an earlier round is known as one.
        lock: held while a request changes the session.
    """

    id: str
    round: Round | None = None
    nonce: str = ""
    lock: threading.Lock = field(default_factory=threading.Lock)


class Sessions:
    """All sessions of a server, and the key that signs for them.

    Args:
        secret: signs cookies and makes names; new at each start unless given, for tests.
    """

    def __init__(self, secret: bytes | None = None) -> None:
        self._secret = secret or secrets.token_bytes(32)
        self._sessions: OrderedDict[str, Session] = OrderedDict()
        self._lock = threading.Lock()

    def open(self, cookie: str | None) -> tuple[Session, str]:
        """The session of a cookie, or a new one; and the cookie to send back."""
        id, _, signature = (cookie or "").partition(".")
        if not (id and hmac.compare_digest(signature, self._sign("cookie", id))):
            id = secrets.token_urlsafe(16)
        with self._lock:
            session = self._sessions.setdefault(id, Session(id))
            self._sessions.move_to_end(id)
            while len(self._sessions) > MAX_SESSIONS:
                self._sessions.popitem(last=False)
        return session, f"{id}.{self._sign('cookie', id)}"

    def namer(self, session: Session, asked: Asked) -> Namer:
        """Names for the items of a question, that differ between sessions, rounds and questions."""
        context = (session.id, session.nonce, asked.question.id, str(asked.seed))
        return lambda id, at: "i" + self._sign("item", *context, id)

    def ticket(self, session: Session, at: int, asked: Asked) -> str:
        """What a form of this question in this round of this session carries."""
        return self._sign("ticket", session.id, session.nonce, str(at), asked.question.id, str(asked.seed))

    def is_ticket(self, ticket: str, session: Session, at: int, asked: Asked) -> bool:
        """Whether a form was made for this question, in this round of this session."""
        return hmac.compare_digest(ticket.encode(), self.ticket(session, at, asked).encode())

    def _sign(self, *parts: str) -> str:
        text = "\x00".join(parts).encode()
        return hmac.new(self._secret, text, hashlib.sha256).hexdigest()[: 2 * NAME_BYTES]


class LogReader:
    """A log's entries by learner; what was appended since the last look is read, and no more."""

    def __init__(self, log: AnswerLog) -> None:
        self.log = log
        self._entries: dict[str, list[Entry]] = {}
        self._offset = 0
        self._lock = threading.Lock()

    def entries(self, learner: str) -> list[Entry]:
        """A learner's entries so far."""
        with self._lock:
            found, self._offset = self.log.read_from(self._offset)
            for entry in found:
                self._entries.setdefault(entry.learner, []).append(entry)
            return list(self._entries.get(learner, ()))
