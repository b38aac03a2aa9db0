# SPDX-License-Identifier: GPL-2.0-or-later
"""A small client of WebDriver (the W3C's protocol) for Chromium."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path
from types import TracebackType
from typing import Any

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
KEYS = {"down": "\ue015", "up": "\ue013", "end": "\ue010", "home": "\ue011", "right": "\ue014", "enter": "\ue007", "tab": "\ue004"}
# The browser must fetch nothing by itself, and needs no display.
ARGUMENTS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
             "--disable-background-networking", "--disable-component-update", "--disable-dev-shm-usage",
             "--hide-scrollbars", "--window-size=1400,1000"]
# Seconds: of one request, and of the start of the browser, for which its driver waits 60.
LIMIT = 60
START_LIMIT = 90


class BrowserError(Exception):
    pass


def programs() -> tuple[str, str] | None:
    """Chromium and its driver; None if one is missing."""
    browser, driver = shutil.which("chromium"), shutil.which("chromedriver")
    return (browser, driver) if browser and driver else None


class Browser:
    """With `dark` the system's choice of colours is dark."""

    def __init__(self, dark: bool = False) -> None:
        # A first start from a cold disk on a busy machine takes longer than the driver waits.
        for last in (False, False, True):
            try:
                self._start(dark)
                return
            except (BrowserError, OSError):
                if last:
                    raise

    def _start(self, dark: bool) -> None:
        found = programs()
        if found is None:
            raise BrowserError("chromium or chromedriver is missing")
        self._directory = tempfile.mkdtemp(prefix="memspy-browser-")
        self._log = Path(self._directory, "driver.log")
        with open(self._log, "wb") as log:
            self._driver = subprocess.Popen([found[1], "--port=0"], stdout=log, stderr=log, stdin=subprocess.DEVNULL)
        self._session = ""
        try:
            self._base = f"http://127.0.0.1:{self._port()}"
            options = {"binary": found[0], "args": [*ARGUMENTS, f"--user-data-dir={self._directory}/profile"]}
            if dark:
                options["args"] = [*options["args"], "--blink-settings=preferredColorScheme=0"]
            capabilities = {"browserName": "chrome", "goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL"}}
            answer = self._call("POST", "/session", {"capabilities": {"alwaysMatch": capabilities}}, limit=START_LIMIT)
            self._session = f"/session/{answer['sessionId']}"
        except BaseException:
            self.close()
            raise

    def _port(self) -> int:
        for _ in range(LIMIT * 10):
            match = re.search(r"successfully on port (\d+)", self._log.read_text(errors="replace"))
            if match:
                return int(match[1])
            if self._driver.poll() is not None:
                break
            time.sleep(0.1)
        raise BrowserError(f"chromedriver does not start:\n{self._log.read_text(errors='replace')}")

    def close(self) -> None:
        try:
            if self._session:
                self._call("DELETE", self._session)
        finally:
            self._driver.terminate()
            self._driver.wait()
            shutil.rmtree(self._directory, ignore_errors=True)

    def __enter__(self) -> Browser:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        self.close()

    def _call(self, method: str, path: str, body: Any = None, limit: int = LIMIT) -> Any:
        data = json.dumps({} if body is None else body).encode() if method == "POST" else None
        request = urllib.request.Request(self._base + path, data, {"Content-Type": "application/json"}, method=method)
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))  # it is on this machine
        try:
            with opener.open(request, timeout=limit) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise BrowserError(json.load(error)["value"]["message"]) from error

    # Actions of tests

    def visit(self, address: str) -> None:
        self._call("POST", f"{self._session}/url", {"url": address})

    def open(self, path: Path, fragment: str = "") -> None:
        self.visit(path.resolve().as_uri() + fragment)
        self.wait("document.documentElement.dataset.ready === 'true'")

    def blank(self) -> None:
        """Leaves the page, so that it is loaded again when it is opened next."""
        self.visit("about:blank")

    def run(self, script: str, *arguments: Any) -> Any:
        """The value of an expression of JavaScript."""
        return self._call("POST", f"{self._session}/execute/sync", {"script": f"return ({script});", "args": list(arguments)})

    def comes_true(self, condition: str, seconds: float) -> bool:
        until = time.monotonic() + seconds
        while not self.run(condition):
            if time.monotonic() > until:
                return False
            time.sleep(0.02)
        return True

    def wait(self, condition: str) -> None:
        if not self.comes_true(condition, LIMIT):
            raise BrowserError(f"never true: {condition}\n{self.text('body')[:2000]}")

    def find(self, selector: str) -> dict[str, str]:
        """The first element that a CSS selector matches; BrowserError if there is none."""
        found: dict[str, str] = self._call("POST", f"{self._session}/element", {"using": "css selector", "value": selector})
        return found

    def click(self, selector: str) -> None:
        """Clicks as a person does: an element that is covered or out of view cannot be clicked."""
        self._call("POST", f"{self._session}/element/{self.find(selector)[ELEMENT]}/click")

    def enter(self, frame: str) -> None:
        """What follows is about the page in this frame, an expression of JavaScript."""
        found = self.run(frame)
        self._call("POST", f"{self._session}/frame", {"id": found})

    def click_text(self, selector: str, text: str) -> None:
        """Where the page draws the element anew between the look and the click, it is looked for again."""
        until = time.monotonic() + LIMIT
        while True:
            found = self.run("Array.from(document.querySelectorAll(arguments[0])).find(e => e.textContent.includes(arguments[1]))",
                             selector, text)
            if found is None:
                raise BrowserError(f"no {selector} with '{text}'")
            try:
                self._call("POST", f"{self._session}/element/{found[ELEMENT]}/click")
                return
            except BrowserError as error:
                if "stale element" not in str(error) or time.monotonic() > until:
                    raise

    def type(self, selector: str, text: str) -> None:
        self._call("POST", f"{self._session}/element/{self.find(selector)[ELEMENT]}/value", {"text": text})

    def text(self, selector: str) -> str:
        return str(self.run("document.querySelector(arguments[0])?.innerText ?? ''", selector))

    def texts(self, selector: str) -> list[str]:
        found: list[str] = self.run("Array.from(document.querySelectorAll(arguments[0]), e => e.innerText.trim())", selector)
        return found

    def count(self, selector: str) -> int:
        return int(self.run("document.querySelectorAll(arguments[0]).length", selector))

    def complaints(self) -> list[str]:
        """Everything that the page has written to the console."""
        entries = self._call("POST", f"{self._session}/se/log", {"type": "browser"})
        return [f"{entry['level']}: {entry['message']}" for entry in entries]

    def command(self, name: str, **parameters: Any) -> Any:
        """A command of the DevTools protocol."""
        return self._call("POST", f"{self._session}/goog/cdp/execute", {"cmd": name, "params": parameters})
