"""Serve the quiz on this machine: one process, 127.0.0.1, a port that is said."""

from __future__ import annotations

import socket
from collections.abc import Callable, Sequence

import uvicorn

from grader.errors import UsageError
from grader.quiz.keys import Keys
from grader.quiz.log import AnswerLog
from grader.quiz.model import Bank
from grader.quiz.web.app import make_app

HOST = "127.0.0.1"
BACKLOG = 1024


def serve(
    bank: Bank,
    keys: Keys,
    log: AnswerLog,
    order: Sequence[str],
    many: bool,
    port: int,
    announce: Callable[[str], None],
) -> None:
    """Serve until interrupted.

    Raises:
        UsageError: the port is taken.
    """
    with _listen(port) as listening:
        port = listening.getsockname()[1]
        app = make_app(bank, keys, log, order, many, port)
        config = uvicorn.Config(app, log_level="warning", access_log=False, server_header=False, lifespan="off")
        announce(f"http://{HOST}:{port}/")
        uvicorn.Server(config).run(sockets=[listening])


def _listen(port: int) -> socket.socket:
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((HOST, port))
        listening.listen(BACKLOG)
    except OSError as error:
        listening.close()
        raise UsageError(
            f"port {port} cannot be used: {error.strerror}.", "Choose another with --port, or 0."
        ) from None
    return listening
