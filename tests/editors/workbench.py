# SPDX-License-Identifier: GPL-2.0-or-later
"""Visual Studio Code's workbench in Chromium, with the extension and a folder from a server on the loopback address."""

from __future__ import annotations

import base64
import json
import mimetypes
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "browser"))
from webdriver import Browser  # noqa: E402

# Of keys: the code of the place on the keyboard, and the virtual key.
KEYS = {"Escape": ("Escape", 27), "Enter": ("Enter", 13), "F1": ("F1", 112), "ArrowDown": ("ArrowDown", 40), ".": ("Period", 190), "g": ("KeyG", 71)}
CONTROL = 2
WEBVIEWS = "/out/vs/workbench/contrib/webview/browser/pre/"
PAGE = """<!DOCTYPE html>
<html><head><meta charset="utf-8"><link rel="stylesheet" href="/out/vs/workbench/workbench.web.main.css"></head>
<body aria-label=""></body>
<script>self.product = %s;</script>
<script src="/out/vs/loader.js"></script>
<script src="/out/vs/webPackagePaths.js"></script>
<script>
for (const name of Object.keys(self.webPackagePaths))
    self.webPackagePaths[name] = `${location.origin}/node_modules/${name}/${self.webPackagePaths[name]}`;
require.config({ baseUrl: `${location.origin}/out`, paths: self.webPackagePaths });
</script>
<script src="/out/vs/workbench/workbench.web.main.nls.js"></script>
<script src="/out/vs/workbench/workbench.web.main.js"></script>
<script src="/out/vs/code/browser/workbench/workbench.js"></script>
</html>
"""


class Workbench:
    """`code` is the workbench's folder, `extension` the built extension; `files` stand in the folder that is open."""

    def __init__(self, code: Path, extension: Path, files: dict[str, bytes]) -> None:
        self._code, self._files = code, files
        self._roots = {"/extension/": extension, "/test-folder/": Path(__file__).resolve().parent / "folder"}
        owner = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                found = owner._content(self.path.split("?")[0])
                kind = mimetypes.guess_type(self.path.split("?")[0])[0] or "text/html"
                self.send_response(404 if found is None else 200)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(found or b"")))
                self.send_header("Access-Control-Allow-Origin", "*")
                self.send_header("Service-Worker-Allowed", "/")
                self.end_headers()
                self.wfile.write(found or b"")

            def log_message(self, format: str, *arguments: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._port = self._server.server_address[1]
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        self.browser = Browser()

    def _content(self, path: str) -> bytes | None:
        if path == "/":
            return (PAGE % json.dumps(self._product())).encode()
        if path.startswith("/folder/"):
            name = path.removeprefix("/folder/")
            return json.dumps(sorted(self._files)).encode() if name == "" else self._files.get(name)
        for start, root in self._roots.items():
            if path.startswith(start):
                return self._file(root, path.removeprefix(start))
        return self._file(self._code, path.lstrip("/"))

    @staticmethod
    def _file(root: Path, name: str) -> bytes | None:
        path = (root / name).resolve()
        return path.read_bytes() if path.is_relative_to(root.resolve()) and path.is_file() else None

    def _product(self) -> dict[str, Any]:
        here = {"scheme": "http", "authority": f"127.0.0.1:{self._port}"}
        return {
            "productConfiguration": {
                "nameShort": "Code", "nameLong": "Code", "applicationName": "code", "version": "1.91.1",
                "webviewContentExternalBaseUrlTemplate": f"http://{{{{uuid}}}}.localhost:{self._port}{WEBVIEWS}",
            },
            "configurationDefaults": {
                "workbench.startupEditor": "none", "telemetry.telemetryLevel": "off", "workbench.tips.enabled": False,
                "security.workspace.trust.enabled": False, "editor.minimap.enabled": False, "editor.hover.delay": 100,
                "workbench.colorTheme": "Default Light Modern", "editor.lightbulb.enabled": "off",
            },
            "folderUri": {"scheme": "served", "path": "/"},
            "additionalBuiltinExtensions": [{**here, "path": path} for path in ("/extension", "/test-folder")],
        }

    def __enter__(self) -> Workbench:
        try:
            self.browser.visit(f"http://127.0.0.1:{self._port}/")
            self.browser.wait("document.querySelector('.monaco-workbench .activitybar .action-label')")
        except BaseException:
            self.__exit__(None, None, None)
            raise
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.browser.close()
        self._server.shutdown()

    # What a person does

    def press(self, key: str, modifiers: int = 0) -> None:
        code, number = KEYS[key]
        event = {"key": key, "code": code, "windowsVirtualKeyCode": number, "modifiers": modifiers}
        for kind in ("rawKeyDown", "keyUp"):
            self.browser.command("Input.dispatchKeyEvent", type=kind, **event)

    def write(self, text: str) -> None:
        self.browser.command("Input.insertText", text=text)

    def command(self, title: str, answer: str = "") -> None:
        """Runs a command of the palette, which may ask for one of several answers."""
        self.press("F1")
        if answer == "":
            self.answer(title)
            return
        self.answer(title, closes=False)
        self.browser.wait("document.querySelector('.quick-input-title')?.textContent !== ''")
        self.answer(answer)

    def open(self, name: str, line: int) -> None:
        self.browser.wait(f"document.querySelector('.explorer-folders-view')?.textContent.includes('{name}')")
        self.browser.click_text(".explorer-folders-view .monaco-list-row", name)
        self.browser.wait(f"document.querySelector('.tab.active')?.textContent.includes('{name}')")
        self.browser.wait("document.querySelector('.editor-instance .view-line')")
        self.go_to(line)

    def go_to(self, line: int) -> None:
        self.press("g", CONTROL)
        self.answer(str(line), "true")
        self.browser.wait(f"document.querySelector('#status\\\\.editor\\\\.selection')?.textContent.startsWith('Ln {line},')")

    def answer(self, text: str, ready: str = "", closes: bool = True) -> None:
        """Types into the box at the top, and takes what it shows first when that has the text."""
        ready = ready or f"document.querySelector('.quick-input-list .monaco-list-row.focused')?.textContent.includes({json.dumps(text)})"
        box = "document.querySelector('.quick-input-widget')?.checkVisibility()"
        self.browser.wait(f"{box} && document.activeElement.matches('.quick-input-widget input')")
        self.write(text)
        self.browser.wait(ready)
        self.press("Enter")
        if closes:
            self.browser.wait(f"!({box})")

    def point_at(self, selector: str, text: str) -> None:
        """Moves the mouse over the element that holds the text."""
        place = self.browser.run(
            "(() => { const e = Array.from(document.querySelectorAll(arguments[0])).find(e => e.textContent.includes(arguments[1]));"
            " const r = e.getBoundingClientRect(); return [r.x + 30, r.y + r.height / 2]; })()", selector, text)
        for shift in (3, 0):
            self.browser.command("Input.dispatchMouseEvent", type="mouseMoved", x=place[0] + shift, y=place[1])

    def point_away(self) -> None:
        """Moves the mouse to where nothing is."""
        self.browser.command("Input.dispatchMouseEvent", type="mouseMoved", x=250, y=15)

    def picture(self, path: Path) -> None:
        found = self.browser.command("Page.captureScreenshot", format="png")
        path.write_bytes(base64.b64decode(found["data"]))
