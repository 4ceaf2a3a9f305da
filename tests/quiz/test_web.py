"""The quiz in a browser, over HTTP: every kind of question, no leaks, no strangers, no lost answers."""

from __future__ import annotations

import re

import pytest

pytest.importorskip("starlette")
pytest.importorskip("httpx2")

from starlette.testclient import TestClient

from grader.quiz import variants
from grader.quiz.asking import Asked
from grader.quiz.log import AnswerLog
from grader.quiz.web.app import make_app
from tests.quiz.toy import BANK, make_bank

BASE = "http://127.0.0.1:8765"
SECRETS = ("why", "correct", "traps", "expect", "model", "rubric", "explain")


@pytest.fixture
def site(tmp_path):
    """A server of the toy bank, in this process; what it is asked through."""
    bank, keys = make_bank(tmp_path / "course")
    log = AnswerLog(tmp_path / "quiz.jsonl")
    return bank, keys, log, make_app(bank, keys, log, ["chapter1"], many=True, port=8765)


def browser(site) -> TestClient:
    """A browser of its own."""
    return TestClient(site[3], base_url=BASE, headers={"origin": BASE})


def fields(page: str) -> dict[str, str]:
    """The hidden fields of a page's form."""
    return dict(re.findall(r'type="hidden" name="(ticket|begun)" value="([^"]*)"', page))


def named(page: str) -> dict[str, str]:
    """From the text of each choice or step to its name."""
    found = re.findall(r'name="choice" value="(\w+)"[^>]*> <span>([^<]+)</span>', page)
    found += re.findall(r'name="order" value="(\w+)">\s*<span class="text">([^<]+)</span>', page)
    return {text.replace("&#39;", "'"): name for name, text in found}


def begin(client: TestClient, *words: str) -> str:
    """Start a round and hand back its first page."""
    page = client.post("/start", data={"words": list(words)})
    assert page.status_code == 200 and str(page.url).endswith("/q/1")
    return page.text


def test_every_kind_can_be_answered(site):
    """A whole round in forms, rightly: each reply says so, and all answers are in the log."""
    bank, keys, log, _ = site
    client = browser(site)
    begin(client, "all")
    for at, question in enumerate(bank.questions, start=1):
        page = client.get(f"/q/{at}").text
        seed = 0
        data = fields(page) | {"certainty": "2"}
        if question.kind in ("single", "multi"):
            data["choice"] = [named(page)[option.text] for option in question.options if option.correct]
        elif question.kind == "order":
            right = [named(page)[block.text] for block in question.blocks if not block.distractor]
            out = [named(page)[block.text] for block in question.blocks if block.distractor]
            data |= {"order": [*right, *out], "out": out}
        elif question.kind == "match":
            lefts = re.findall(r'<label for="(\w+)">([^<]+)</label>', page)
            rights = {
                text: name for name, text in re.findall(r'<option value="(\w+)"[^>]*>\w · ([^<]+)</option>', page)
            }
            pairs = {pair.left: pair.right for pair in question.pairs}
            data |= {name: rights[pairs[text]] for name, text in lefts}
        elif question.kind == "numeric":
            told = re.search(r"begins with (\S+ B|\S+ GB|\S+), (\S+ GB|\S+) and 0", page)
            assert told
            seed = next(
                seed for seed in range(500) if Asked(question, seed, keys).fill("$a, $b") == f"{told[1]}, {told[2]}"
            )
            data["text"] = f"{Asked(question, seed, keys).solved.key!r} B"
        else:
            data["text"] = question.expect or "They are everywhere."
        reply = client.post(f"/q/{at}", data=data).text
        if question.kind == "short":
            assert "canary-model" in reply
            data = fields(reply) | {"text": "They are everywhere.", "marked": "1", "awarded": ["0", "1"]}
            reply = client.post(f"/q/{at}", data=data).text
        assert "✓ Right" in reply or "✓ Marked by you" in reply, question.id
        assert f"canary-explain-{at}" in reply
    assert [entry.score for entry in log.read()] == [1.0] * 7
    end = client.post("/finish").text
    assert "6 of 6 points" in end and "1 short answer" in end


def test_every_option_keeps_its_reason(site):
    """A reply shows all options with their reasons, also those that were not chosen."""
    client = browser(site)
    page = begin(client, "q2")
    reply = client.post("/q/1", data=fields(page) | {"choice": named(page)["their sum"]}).text
    assert reply.count("canary-why") == 3 and "✗ Not right" in reply


def test_no_page_tells_a_key(tmp_path):
    """Over all questions and 50 seeds, no GET holds a canary: neither a reason nor a key, nor an option's own id."""
    bank, keys = make_bank(tmp_path / "course")
    client = TestClient(make_app(bank, keys, AnswerLog(tmp_path / "log"), []), base_url=BASE, headers={"origin": BASE})
    assert sum(BANK.count(f"canary{end}") for end in "-_") > 40
    for _ in range(50):
        begin(client, "all")
        pages = [client.get(path).text for path in ("/", "/terms", *(f"/q/{at}" for at in range(1, 8)))]
        assert not any("canary" in page for page in pages)
    answered = client.get("/q/2").text
    page = client.post("/q/2", data=fields(answered) | {"choice": named(answered)["their sum"]})
    assert "canary-why" in page.text
    assert "canary" not in client.get("/q/2").text


def test_numeric_pages_do_not_hold_their_key(site):
    """No variant's page shows the number that is asked for."""
    bank, keys, _, _ = site
    question = bank.questions[0]
    for seed in range(50):
        asked = Asked(question, seed, keys)
        shown = str(asked.public(lambda id, at: "x").document())
        assert f"{asked.solved.key / 1e9:.6g} GB" not in shown


def test_names_differ_between_sessions_and_rounds(site):
    """The names of options are others in each session and in each round, and none is an option's id."""
    seen: set[str] = set()
    for client in (browser(site), browser(site)):
        for _ in range(2):
            found = set(named(begin(client, "q2")).values())
            assert len(found) == 3 and not found & seen
            seen |= found


def test_forms_of_others_are_refused(site):
    """A ticket of another session, of another question or of an earlier round is refused, and nothing is kept."""
    one, other = browser(site), browser(site)
    mine, theirs = begin(one, "q2", "q3"), begin(other, "q2", "q3")
    second = one.get("/q/2").text
    choice = {"choice": named(mine)["their sum"]}
    for ticket in (fields(theirs)["ticket"], fields(second)["ticket"], "", "é"):
        assert one.post("/q/1", data={"ticket": ticket} | choice).status_code == 403
    begin(one, "q2", "q3")
    assert one.post("/q/1", data=fields(mine) | choice).status_code == 403
    stolen = one.get("/q/1").text
    reply = one.post("/q/1", data=fields(stolen) | {"choice": named(theirs)["their sum"]}).text
    assert "belongs to another question" in reply
    assert site[2].read() == []


def test_strangers_are_refused(site):
    """Another host's name and posts from other sites get nothing; a forged cookie is a new session."""
    app = site[3]
    for host in ("evil.example", "127.0.0.1:9999", "localhost.evil.example:8765"):
        assert TestClient(app, base_url=BASE).get("/", headers={"host": host}).status_code == 403
    client = browser(site)
    for headers in ({"origin": "http://evil.example"}, {"origin": "null"}, {"sec-fetch-site": "cross-site"}):
        assert client.post("/start", headers=headers).status_code == 403
    begin(client, "q2")
    id = client.cookies["quiz"].split(".")[0]
    forged = TestClient(app, base_url=BASE, cookies={"quiz": f"{id}.0000"}, follow_redirects=False)
    assert forged.get("/q/1").status_code == 303


def test_replies_are_not_kept_or_framed(site):
    """Every reply forbids caches, frames and anything from elsewhere, and names no other site."""
    client = browser(site)
    page = begin(client, "q2")
    for path in ("/", "/q/1", "/terms", "/static/quiz.css", "/static/quiz.js"):
        reply = client.get(path)
        assert reply.headers["cache-control"] == "no-store"
        assert "frame-ancestors 'none'" in reply.headers["content-security-policy"]
        assert not re.search(r"https?://(?!127\.0\.0\.1)", reply.text)
    assert (
        "HttpOnly" in client.get("/").headers["set-cookie"]
        and "SameSite=strict" in client.get("/").headers["set-cookie"]
    )
    assert 'autocomplete="off"' in page


def test_a_second_post_changes_nothing(site):
    """Loading a reply again shows it again: the first answer counts, and is in the log once."""
    client = browser(site)
    page = begin(client, "q2")
    data = fields(page) | {"choice": named(page)["their sum"]}
    client.post("/q/1", data=data)
    again = client.post("/q/1", data=data | {"choice": named(page)["their sum over their count"]}).text
    assert "✗ Not right" in again and len(site[2].read()) == 1


def test_what_was_filled_in_stays(site):
    """A flag, a move or an unreadable answer leaves the form as it was filled in; 0 is an answer."""
    client = browser(site)
    page = begin(client, "q1", "q3", "q4")
    reply = client.post("/q/1", data=fields(page) | {"text": "112,5", "certainty": "3"}).text
    assert "decimal point" in reply and 'value="112,5"' in reply and re.search(r'value="3" checked', reply)
    assert "Read as <strong>0 GB" in client.post("/q/1", data=fields(page) | {"text": "0"}).text
    page = client.get("/q/2").text
    choice = named(page)["the total"]
    reply = client.post("/q/2", data=fields(page) | {"choice": choice, "flag": "1"}).text
    assert re.search(rf'value="{choice}" checked', reply) and "Remove the flag" in reply
    page = client.get("/q/3").text
    order = re.findall(r'name="order" value="(\w+)"', page)
    reply = client.post("/q/3", data=fields(page) | {"order": order, "move": f"{order[0]}:down"}).text
    assert re.findall(r'name="order" value="(\w+)"', reply) == [order[1], order[0], *order[2:]]


def test_exam_keeps_everything_to_the_end(site):
    """In an exam no reply holds a canary until it is finished."""
    client = browser(site)
    page = client.post("/start", data={"exam": "6"}).text
    for at in range(1, 7):
        page = client.get(f"/q/{at}").text
        choices = re.findall(r'name="choice" value="(\w+)"', page)
        data = fields(page) | {"text": "1", "choice": choices[:1], "order": []}
        data |= dict.fromkeys(
            re.findall(r'select name="(\w+)"', page), (re.findall(r'option value="(\w+)"', page) or [""])[0]
        )
        assert "canary" not in client.post(f"/q/{at}", data=data).text
    assert client.post("/finish").text.count("canary-explain") == 6
    assert {entry.mode for entry in site[2].read()} == {"exam"}


def test_resume_after_closing(site, tmp_path):
    """A browser that comes back goes on where it was; after the server's death the answers are still there."""
    client = browser(site)
    page = begin(client, "q2", "q3")
    client.post("/q/1", data=fields(page) | {"choice": named(page)["their sum"]})
    back = TestClient(site[3], base_url=BASE, cookies={"quiz": client.cookies["quiz"]}).get("/").text
    assert "Go on with question 2" in back
    bank, keys = make_bank(tmp_path / "second")
    alone = make_app(bank, keys, AnswerLog(tmp_path / "alone.jsonl"), [], port=8765)
    first = TestClient(alone, base_url=BASE, headers={"origin": BASE})
    page = begin(first, "q2")
    first.post("/q/1", data=fields(page) | {"choice": named(page)["their sum"]})
    anew = make_app(bank, keys, AnswerLog(tmp_path / "alone.jsonl"), [], port=8765)
    assert "6 new" in TestClient(anew, base_url=BASE).get("/").text


def test_bad_requests_are_pages(site):
    """Places that are not there, rounds that are over and bodies that are too long are said, never a traceback."""
    client = browser(site)
    assert str(client.get("/q/1").url) == f"{BASE}/"
    assert client.post("/q/1").status_code == 409
    begin(client, "q2")
    assert str(client.get("/q/99").url) == f"{BASE}/"
    assert client.post("/q/1", content=b"a=" + b"x" * 2**17).status_code == 413
    assert client.get("/nowhere").status_code == 404
    assert variants.count(site[0].questions[0]) == 20
