"""The quiz in headless Chromium: with the keyboard alone, without scripts, for everybody, on a phone and at night."""

from __future__ import annotations

import base64
import json
import os
import shutil
from pathlib import Path

import pytest

pytest.importorskip("uvicorn")
pytest.importorskip("selenium")

from selenium import webdriver
from selenium.common.exceptions import NoSuchElementException, StaleElementReferenceException
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait

from grader.quiz.log import AnswerLog
from tests.quiz.test_web_load import serving
from tests.quiz.toy import make_course

CHROMIUM, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")
AXE = os.environ.get("GRADE_AXE", "")  # the file axe.min.js of the npm package axe-core
SHOTS = os.environ.get("GRADE_SHOTS", "")  # a folder for screenshots, where somebody wants to look at them

pytestmark = pytest.mark.skipif(not (CHROMIUM and DRIVER), reason="Chromium and its driver are not installed")


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """A server of the toy bank, its port and its folder."""
    folder = tmp_path_factory.mktemp("served")
    make_course(folder)
    with serving(folder, "--many") as (_, port):
        yield port, folder


@pytest.fixture
def chromium(request):
    """A browser; parametrised indirectly with extra arguments, a size, or preferences."""
    wanted = getattr(request, "param", {})
    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    for argument in (
        "--headless=new",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-dev-shm-usage",
        "--window-size=1100,900",
    ):
        options.add_argument(argument)
    for argument in wanted.get("arguments", ()):
        options.add_argument(argument)
    if wanted.get("prefs"):
        options.add_experimental_option("prefs", wanted["prefs"])
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(DRIVER))
    if "size" in wanted:
        width, height = wanted["size"]
        metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": True}
        driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    if wanted.get("dark"):
        dark = [{"name": "prefers-color-scheme", "value": "dark"}]
        driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": dark})
    yield driver
    driver.quit()


def press(driver, *keys: str) -> None:
    webdriver.ActionChains(driver).send_keys(*keys).perform()


def focus(driver):
    return driver.switch_to.active_element


def tab_to(driver, text: str, limit: int = 60):
    """Press Tab until the focus is on something with this text, value or label."""
    for _ in range(limit):
        press(driver, Keys.TAB)
        here = focus(driver)
        told = f"{here.text} {here.get_attribute('value') or ''} {here.get_attribute('aria-label') or ''}"
        if text in told:
            return here
    raise AssertionError(f"{text!r} cannot be reached with Tab")


def wait(driver, text: str) -> None:
    passing = (NoSuchElementException, StaleElementReferenceException)  # while a page gives way to the next
    waiting = WebDriverWait(driver, 30, ignored_exceptions=passing)
    waiting.until(lambda driver: text in driver.find_element(By.TAG_NAME, "main").text, text)


def shot(driver, name: str) -> None:
    if SHOTS:
        Path(SHOTS).mkdir(parents=True, exist_ok=True)
        height = driver.execute_script("return document.documentElement.scrollHeight")
        width = driver.execute_script("return document.documentElement.clientWidth")
        clip = {"x": 0, "y": 0, "width": width, "height": height, "scale": 1}
        found = driver.execute_cdp_cmd("Page.captureScreenshot", {"clip": clip, "captureBeyondViewport": True})
        (Path(SHOTS) / f"{name}.png").write_bytes(base64.b64decode(found["data"]))


def scan(driver) -> None:
    """No serious finding of axe on this page; and it is no wider than the window."""
    overflow = driver.execute_script(
        "return document.documentElement.scrollWidth - document.documentElement.clientWidth"
    )
    assert overflow <= 0, driver.current_url
    if not AXE:
        return
    driver.execute_script(Path(AXE).read_text(encoding="utf-8"))
    found = driver.execute_async_script("axe.run().then(arguments[arguments.length - 1])")
    serious = [
        f"{one['id']}: {one['nodes'][0]['html']}"
        for one in found["violations"]
        if one["impact"] in ("serious", "critical")
    ]
    assert not serious, (driver.current_url, serious)


def a_round(driver, server, name: str = "") -> None:
    """All seven kinds with the keyboard alone; every page is scanned, and photographed where a name is given."""
    port, _ = server
    driver.get(f"http://127.0.0.1:{port}/")

    def look(what: str) -> None:
        scan(driver)
        if name:
            shot(driver, f"{name}-{what}")

    look("home")
    tab_to(driver, "Begin")
    press(driver, Keys.ENTER)
    wait(driver, "Question 1 of 7")
    look("numeric")
    for at, kind in enumerate(("numeric", "single", "multi", "order", "match", "trace", "short"), start=1):
        wait(driver, f"Question {at} of 7")
        look(kind)
        answer(driver, kind)
        if kind == "short":
            wait(driver, "A model answer")
            assert focus(driver).text == "Mark your answer"
            look("rubric")
            tab_to(driver, "0")
            press(driver, Keys.SPACE)
            tab_to(driver, "Keep these points")
            press(driver, Keys.ENTER)
        wait(driver, f"canary-explain-{at}")
        assert focus(driver).get_attribute("id") == "verdict"
        look(f"{kind}-feedback")
        tab_to(driver, "Next question" if at < 7 else "Finish")
        press(driver, Keys.ENTER)
    wait(driver, "of 6 points")
    look("done")


def answer(driver, kind: str) -> None:
    if kind == "numeric":
        element = driver.find_element(By.ID, "text")
        while focus(driver) != element:
            press(driver, Keys.TAB)
        press(driver, "0 GB")
    elif kind in ("trace", "short"):
        element = driver.find_element(By.ID, "text")
        while focus(driver) != element:
            press(driver, Keys.TAB)
        press(driver, "1 1")
    elif kind in ("single", "multi"):
        first = driver.find_element(By.CSS_SELECTOR, ".choice input")
        while focus(driver) != first:
            press(driver, Keys.TAB)
        press(driver, Keys.SPACE)
        assert first.is_selected()
    elif kind == "order":
        before = [each.text for each in driver.find_elements(By.CSS_SELECTOR, ".steps .text")]
        tab_to(driver, "Move down")
        press(driver, Keys.ENTER)
        wait(driver, "leave out")
        after = [each.text for each in driver.find_elements(By.CSS_SELECTOR, ".steps .text")]
        assert after[:2] == [before[1], before[0]]
        assert before[0] in (focus(driver).get_attribute("aria-label") or "")
    else:
        for select in driver.find_elements(By.TAG_NAME, "select"):
            while focus(driver) != select:
                press(driver, Keys.TAB)
            press(driver, Keys.ARROW_DOWN)
    tab_to(driver, "Answer")
    press(driver, Keys.ENTER)


NO_SCRIPT = {"prefs": {"profile.managed_default_content_settings.javascript": 2}}
LOOKS = {
    "desktop": {},
    "phone": {"size": (375, 740)},
    "night": {"dark": True},
    "phone at night": {"size": (360, 640), "dark": True},
}


@pytest.mark.parametrize(
    "chromium",
    [pytest.param(look, id=name, marks=[pytest.mark.nightly] if look else []) for name, look in LOOKS.items()],
    indirect=True,
)
def test_keyboard_alone(chromium, server, request):
    """A whole round with keys alone; the focus goes to each verdict; no page has a serious finding."""
    a_round(chromium, server, request.node.callspec.id.replace(" ", "-"))
    assert len(AnswerLog(server[1] / "quiz.jsonl").read()) >= 7


@pytest.mark.parametrize("chromium", [NO_SCRIPT], ids=["no script"], indirect=True)
def test_without_scripts(chromium, server):
    """The same round works in a browser that runs no script."""
    port, _ = server
    chromium.get(f"http://127.0.0.1:{port}/")
    tab_to(chromium, "Begin")
    press(chromium, Keys.ENTER)
    for at, kind in enumerate(("numeric", "single", "multi", "order", "match", "trace"), start=1):
        wait(chromium, f"Question {at} of 7")
        answer(chromium, kind)
        wait(chromium, f"canary-explain-{at}")
        tab_to(chromium, "Next question")
        press(chromium, Keys.ENTER)


def test_digits_choose(chromium, server):
    """Where scripts run, 1 to 9 tick a choice."""
    port, _ = server
    chromium.get(f"http://127.0.0.1:{port}/")
    tab_to(chromium, "Begin")
    press(chromium, Keys.ENTER)
    wait(chromium, "Question 1 of 7")
    chromium.get(f"http://127.0.0.1:{port}/q/3")
    press(chromium, "2", "4")
    chosen = [each.is_selected() for each in chromium.find_elements(By.CSS_SELECTOR, ".choice input")]
    assert chosen == [False, True, False, True]


def test_nothing_is_fetched_from_elsewhere(chromium, server):
    """Every request of a page goes to this machine, and the console stays empty."""
    port, _ = server
    chromium.get(f"http://127.0.0.1:{port}/terms")
    loaded = chromium.execute_script("return JSON.stringify(performance.getEntriesByType('resource').map(e => e.name))")
    assert all(name.startswith((f"http://127.0.0.1:{port}/", "data:")) for name in json.loads(loaded))
    assert not [entry for entry in chromium.get_log("browser") if entry["level"] == "SEVERE"]
    scan(chromium)
    shot(chromium, "terms")


def test_resume_after_closing(chromium, server):
    """A tab that was closed in the middle of a round goes on there."""
    port, _ = server
    chromium.get(f"http://127.0.0.1:{port}/")
    tab_to(chromium, "Begin")
    press(chromium, Keys.ENTER)
    wait(chromium, "Question 1 of 7")
    answer(chromium, "numeric")
    wait(chromium, "canary-explain-1")
    chromium.switch_to.new_window("tab")
    chromium.switch_to.window(chromium.window_handles[0])
    chromium.close()
    chromium.switch_to.window(chromium.window_handles[0])
    chromium.get(f"http://127.0.0.1:{port}/")
    wait(chromium, "Go on with question 2")
