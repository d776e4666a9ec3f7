"""The running service, and a site for it to capture."""

from __future__ import annotations

import base64
import json
import os
import subprocess
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Dict, Iterator, List, Tuple

import pytest

ROOT = Path(__file__).resolve().parents[3]
TOKEN = "token-of-the-tests"
SIGNING_SECRET = "secret-of-the-tests"
WEBHOOK_SECRET = "whsec_" + base64.b64encode(bytes(range(32))).decode()
PAGE = b"<!doctype html><title>Page</title><link rel=stylesheet href=style.css><h1>Heading</h1><p id=text>Text</p>"


class Site:
    """Answers pages, collects what is posted to it, and plays a service that is busy."""

    def __init__(self) -> None:
        self.posts: List[Tuple[bytes, Dict[str, str]]] = []
        self.posted = threading.Event()
        self.answers: List[Tuple[int, Dict[str, str], bytes]] = []
        self.calls = 0
        site = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                status = 404 if self.path == "/missing" else 200
                self.reply(status, {"Content-Type": "text/html"}, PAGE)

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                site.calls += 1
                if self.path == "/hook":
                    site.posts.append((body, dict(self.headers)))
                    site.posted.set()
                    self.reply(204, {}, b"")
                    return
                self.reply(*(site.answers.pop(0) if site.answers else (200, {"Content-Type": "image/png"}, b"picture")))

            def reply(self, status: int, headers: Dict[str, str], body: bytes) -> None:
                self.send_response(status)
                for name, value in {**headers, "Content-Length": str(len(body))}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def url(self, path: str = "/") -> str:
        return f"http://127.0.0.1:{self._server.server_port}{path}"

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture()
def site() -> Iterator[Site]:
    made = Site()
    yield made
    made.close()


@pytest.fixture(scope="session")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("service")
    settings = {
        **{name: value for name, value in os.environ.items() if name in ("PATH", "HOME", "BROWSER_EXECUTABLE")},
        "PORT": "0",
        "LOG_FORMAT": "json",
        "TMPDIR": str(folder),
        "DATA_DIR": str(folder / "data"),
        "AUTH_TOKEN": TOKEN,
        "URL_SIGNING_SECRET": SIGNING_SECRET,
        "WEBHOOK_SECRET": WEBHOOK_SECRET,
        "RATE_LIMIT_ENABLED": "false",
        "EGRESS_ALLOW": "127.0.0.0/8",
        "JOB_CONCURRENCY": "1",
    }
    installed = ROOT / "node_modules" / "node" / "bin" / "node"  # npm sets NODE to its own, which may be too old
    node = str(installed) if installed.exists() else "node"
    process = subprocess.Popen([node, str(ROOT / "dist" / "main.js")], cwd=folder, env=settings, stdout=subprocess.PIPE)
    assert process.stdout is not None
    url = ""
    for line in process.stdout:
        entry = json.loads(line)
        url = entry["url"] if entry.get("msg") == "listening" else url
        if entry.get("msg") == "ready to capture":
            break
    assert url, "the service did not start: see its errors above"
    reader = threading.Thread(target=process.stdout.read, daemon=True)
    reader.start()
    yield url
    process.terminate()
    process.wait(30)
