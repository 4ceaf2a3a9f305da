"""The process of one station: reads units from its channel and writes reports, until its master hangs up."""

from __future__ import annotations

import os
import sys
import threading
from contextlib import suppress
from multiprocessing.connection import Connection

import msgspec

from grader import logbook
from grader.batch.station import Setup, Station, refusal
from grader.batch.unit import Unit, encode_report
from grader.errors import GraderError
from grader.model import Report


def main() -> None:
    """Take the descriptors that the command line names, and work."""
    channel, leash = Connection(int(sys.argv[1])), int(sys.argv[2])
    for descriptor in (channel.fileno(), leash):
        os.set_inheritable(descriptor, False)  # slots must not hold them open
    logbook.attach()
    threading.Thread(target=_heel, args=(leash,), daemon=True).start()
    with suppress(EOFError, OSError):
        setup = msgspec.msgpack.decode(channel.recv_bytes(), type=Setup)
        _serve(channel, setup)


def _serve(channel: Connection, setup: Setup) -> None:
    decoder = msgspec.msgpack.Decoder(Unit)

    def following() -> Unit | None:
        try:
            return decoder.decode(channel.recv_bytes())
        except (EOFError, OSError):
            return None

    def answer(unit: Unit, report: Report) -> None:
        channel.send_bytes(encode_report(report))

    try:
        station = Station(setup)
    except GraderError as error:
        text = f"{error.message} {error.remedy}".strip()
        while (unit := following()) is not None:
            answer(unit, refusal(unit, setup, text))
        return
    with station:
        station.serve(following, answer)


def _heel(leash: int) -> None:
    """A killed master leaves nobody behind: slots end with their station."""
    os.read(leash, 1)
    os._exit(1)


if __name__ == "__main__":
    main()
