"""Each call of the clients against the running service."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import hmac
import json
import socket
import threading
import time
import urllib.request
from typing import Any, Callable, Dict, Iterator, List, Tuple, Type, cast

import httpx
import pytest
from conftest import SIGNING_SECRET, TOKEN, WEBHOOK_SECRET, Site

import capture_service
from capture_service import (
    AsyncCaptureClient,
    CaptureClient,
    CaptureError,
    CaptureFields,
    ClientTimeoutError,
    ServiceUnreachableError,
    UnexpectedAnswerError,
    WebhookError,
    models,
    sign_url,
    verify_webhook,
)

PNG = b"\x89PNG"
RED = "#text { color: rgb(255, 0, 0) }"


@pytest.fixture()
def client(service: str) -> Iterator[CaptureClient]:
    with CaptureClient(service, token=TOKEN) as made:
        yield made


@pytest.mark.parametrize(
    ("fields", "content_type", "start"),
    [
        ({}, "image/png", PNG),
        ({"format": "jpeg"}, "image/jpeg", b"\xff\xd8"),
        ({"format": "webp"}, "image/webp", b"RIFF"),
        ({"format": "avif"}, "image/avif", b"\x00\x00\x00"),
        ({"format": "pdf"}, "application/pdf", b"%PDF"),
        ({"format": "html"}, "text/html; charset=utf-8", b"<!"),
        ({"format": "markdown", "main_content": False}, "text/markdown; charset=utf-8", b"# Heading"),
        ({"format": "mhtml"}, "multipart/related", b"From:"),
    ],
)
def test_captures_in_each_format(
    client: CaptureClient, site: Site, fields: CaptureFields, content_type: str, start: bytes
) -> None:
    request: Dict[str, Any] = {"url": site.url(), **fields}

    captured = client.capture(cast(CaptureFields, request))

    assert captured.content_type.startswith(content_type)
    assert captured.content.startswith(start)


def test_tells_the_facts_of_a_capture(client: CaptureClient, site: Site) -> None:
    captured = client.capture({"url": site.url("/missing"), "window_width": 300, "window_height": 200})

    assert (captured.width, captured.height) == (300, 200)
    assert (captured.target_status, captured.target_url) == (404, site.url("/missing"))
    assert captured.warnings == []
    assert captured.timings["render"] > 0
    assert captured.request_id


def test_captures_markup(client: CaptureClient) -> None:
    captured = client.capture({"html_content": "<p>x", "format": "html"})

    assert b"<p>x" in captured.content
    assert captured.target_status is None


def test_captures_markdown(client: CaptureClient) -> None:
    captured = client.capture({"markdown_content": "# Title\n\n| a |\n|---|\n| b |", "format": "html"})

    assert b'<h1 id="title">Title</h1>' in captured.content


def test_sends_files_as_they_are(client: CaptureClient) -> None:
    captured = client.capture(
        {
            "html_content": '<link rel=stylesheet href=style.css><p id="text">x',
            "files": {"style.css": RED.encode(), "größe.bin": bytes(range(256))},
            "format": "html",
            "wait_for_function": "getComputedStyle(document.getElementById('text')).color === 'rgb(255, 0, 0)'",
        }
    )

    assert b"style.css" in captured.content


def test_returns_data(client: CaptureClient, site: Site) -> None:
    captured = client.capture({"url": site.url(), "response_type": "json", "include": ["metadata", "links"]})

    data = captured.json()
    assert data["metadata"]["title"] == "Page"
    assert base64.b64decode(data["file"]["base64"]).startswith(PNG)


def test_runs_actions(client: CaptureClient) -> None:
    captured = client.capture(
        {
            "html_content": "<button onclick=\"document.body.append('done')\">go</button>",
            "actions": [{"type": "click", "selector": "button"}],
            "format": "html",
        }
    )

    assert b"done" in captured.content


def test_stores_a_result(client: CaptureClient) -> None:
    captured = client.capture({"html_content": "x", "store": True, "store_path": "python/a.png"})

    assert captured.stored_path == "python/a.png"
    with urllib.request.urlopen(str(captured.stored_url)) as answer:
        assert answer.read() == captured.content


@pytest.mark.parametrize(
    ("fields", "error", "status", "details"),
    [
        ({}, models.ValidationError, 400, "url"),
        ({"html_content": "x", "window_width": 0}, models.ValidationError, 400, "window_width"),
        ({"html_content": "x", "files": {"../a": b""}}, models.ValidationError, 400, "files"),
        ({"url": "http://10.0.0.1/"}, models.DestinationNotAllowedError, 400, None),
        ({"html_content": "x", "selector": "#none"}, models.ElementNotFoundError, 400, "#none"),
        ({"html_content": "x", "actions": [{"type": "click", "selector": "#none"}], "wait_for_timeout": 50},
         models.ActionFailedError, 400, "actions[0]"),
        ({"html_content": "x", "fail_unless_text": "y"}, models.PageRejectedError, 400, "fail_unless_text"),
        ({"html_content": "x", "wait_for_selector": "#none", "wait_for_timeout": 50}, models.TimeoutError, 500, None),
        ({"url": "http://127.0.0.1:9/"}, models.NavigationError, 500, None),
        ({"html_content": "x", "template": "card"}, CaptureError, None, None),
    ],
)  # fmt: skip
def test_raises_the_error_of_the_service(
    client: CaptureClient, fields: CaptureFields, error: Type[CaptureError], status: Any, details: Any
) -> None:
    with pytest.raises(error) as caught:
        client.capture(fields)

    assert isinstance(caught.value, CaptureError)
    assert status is None or caught.value.status == status
    assert details is None or details in str(caught.value.details)
    assert caught.value.request_id
    assert caught.value.error_type == type(caught.value).__name__


@pytest.mark.parametrize("token", [None, "wrong"])
def test_raises_an_error_without_the_right_token(service: str, token: Any) -> None:
    with CaptureClient(service, token=token) as stranger, pytest.raises(models.AuthenticationError):
        stranger.capture({"html_content": "x"})


def test_runs_a_job(client: CaptureClient) -> None:
    submitted = client.submit({"html_content": "x", "format": "pdf"})

    captured = client.wait(submitted.id, timeout=60)
    ended = client.job(submitted.id)
    assert captured.content.startswith(b"%PDF")
    assert (ended.state, ended.attempts, ended.has_ended) == ("done", 1, True)
    assert ended.url


def test_runs_a_job_with_files(client: CaptureClient) -> None:
    fields: CaptureFields = {
        "html_content": '<link rel=stylesheet href=style.css><p id="text">x',
        "files": {"style.css": RED.encode()},
        "format": "html",
        "wait_for_function": "getComputedStyle(document.getElementById('text')).color === 'rgb(255, 0, 0)'",
    }

    assert client.wait(client.submit(fields).id, timeout=60).content.startswith(b"<")


def test_submits_a_job_once(client: CaptureClient) -> None:
    jobs = [client.submit({"html_content": "x"}, idempotency_key="once") for _ in range(2)]

    assert jobs[0].id == jobs[1].id
    with pytest.raises(models.IdempotencyError):
        client.submit({"html_content": "y"}, idempotency_key="once")


def test_raises_the_error_of_a_failed_job(client: CaptureClient) -> None:
    failed = client.submit({"html_content": "x", "selector": "#none"})

    with pytest.raises(models.ElementNotFoundError):
        client.wait(failed.id, timeout=60)
    assert client.job(failed.id).error_type == "ElementNotFoundError"


def test_cancels_a_job(client: CaptureClient) -> None:
    slow = client.submit({"html_content": "x", "delay_capture": 20_000})

    assert client.cancel(slow.id).state == "cancelled"
    with pytest.raises(models.JobNotFinishedError):
        client.wait(slow.id, timeout=60)


def test_gives_up_waiting_for_a_job(client: CaptureClient) -> None:
    slow = client.submit({"html_content": "x", "delay_capture": 20_000})

    with pytest.raises(ClientTimeoutError):
        client.wait(slow.id, timeout=0.5)
    client.cancel(slow.id)


def test_raises_an_error_for_an_unknown_job(client: CaptureClient) -> None:
    with pytest.raises(models.NotFoundError):
        client.job("../capture")


def test_verifies_the_webhook_of_a_job(client: CaptureClient, site: Site) -> None:
    submitted = client.submit({"html_content": "x"}, label="Report", webhook_url=site.url("/hook"))
    assert site.posted.wait(60)
    body, headers = site.posts[0]

    job = verify_webhook(body, headers, ["whsec_" + base64.b64encode(bytes(32)).decode(), WEBHOOK_SECRET])

    assert (job.id, job.state, job.label) == (submitted.id, "done", "Report")
    with pytest.raises(WebhookError, match="signature"):
        verify_webhook(body + b" ", headers, WEBHOOK_SECRET)
    while_rotated = "whsec_" + base64.b64encode(bytes(32)).decode() + " " + WEBHOOK_SECRET + "\n"
    assert verify_webhook(body, headers, while_rotated).id == submitted.id
    with pytest.raises(WebhookError, match="missing"):
        verify_webhook(body, {}, WEBHOOK_SECRET)


@pytest.mark.parametrize(
    "secrets",
    [
        "",
        " \n",
        [],
        "whsec_",
        "secret",
        WEBHOOK_SECRET[6:],
        "v1," + WEBHOOK_SECRET,
        WEBHOOK_SECRET[:-3],
        "whsec_" + base64.b64encode(bytes(23)).decode(),
        [WEBHOOK_SECRET, "whsec_?"],
    ],
)
def test_refuses_a_malformed_secret_instead_of_verifying_with_an_empty_key(secrets: Any) -> None:
    sent = str(int(time.time()))
    forged = base64.b64encode(hmac.new(b"", f"a.{sent}.{{}}".encode(), hashlib.sha256).digest()).decode()
    headers = {"Webhook-Id": "a", "Webhook-Timestamp": sent, "Webhook-Signature": f"v1,{forged}"}

    with pytest.raises(ValueError, match="secret"):
        verify_webhook(b"{}", headers, secrets)


def test_refuses_an_old_webhook() -> None:
    sent = str(int(time.time()) - 301)
    key = base64.b64decode(WEBHOOK_SECRET[6:])
    signature = base64.b64encode(hmac.new(key, f"a.{sent}.{{}}".encode(), hashlib.sha256).digest()).decode()
    headers = {"Webhook-Id": "a", "Webhook-Timestamp": sent, "Webhook-Signature": f"v1,{signature}"}

    with pytest.raises(WebhookError, match="too old"):
        verify_webhook(b"{}", headers, WEBHOOK_SECRET)


@pytest.mark.parametrize(
    "fields",
    [
        {"html_content": "<p>a & b + c ü 🙂"},
        {"html_content": "x", "full_page": True, "window_width": 300, "pixel_density": 1.5},
        {"html_content": "x", "hide_selectors": ["#a", "p > b"], "format": "pdf"},
    ],
)
def test_signs_links(service: str, fields: CaptureFields) -> None:
    link = sign_url(fields, service=service, secret=SIGNING_SECRET)

    with urllib.request.urlopen(link) as answer:
        assert answer.status == 200


def test_refuses_to_sign_an_ambiguous_link(service: str) -> None:
    with pytest.raises(ValueError, match="window_width"):
        sign_url({"url": "http://a.example/?b&window_width=9"}, service=service, secret="s")
    with pytest.raises(ValueError, match="empty"):
        sign_url({"html_content": "x"}, service=service, secret="")
    with pytest.raises(ValueError, match="access_key"):
        sign_url({"url": "http://a.example/?b&access_key=default&url=http://b.example"}, service=service, secret="s")
    with pytest.raises(ValueError, match="access_key"):
        sign_url({"access_key": "default"}, service=service, secret="s")  # type: ignore[typeddict-item]


def test_lets_the_service_sign_a_link(client: CaptureClient) -> None:
    with urllib.request.urlopen(client.sign({"html_content": "x"}, expires_in=60)) as answer:
        assert answer.read().startswith(PNG)
    with pytest.raises(models.ValidationError):
        client.sign({"html_content": "x", "window_width": 0})


FILES: CaptureFields = {"html_content": "<link rel=stylesheet href=a.css>", "files": {"a.css": b"* { color: red }"}}


def test_signs_a_link_with_files(client: CaptureClient, service: str) -> None:
    for link in (client.sign(FILES), sign_url(FILES, service=service, secret=SIGNING_SECRET)):
        with urllib.request.urlopen(link) as answer:
            assert answer.read().startswith(PNG)


def busy(status: int, **more: Any) -> Any:
    body = {"status": "error", "message": "busy", "error_type": "OverloadedError", "request_id": "a", **more}
    return (status, {"Content-Type": "application/json"}, json.dumps(body).encode())


@pytest.mark.parametrize("status", [429, 503])
def test_tries_again_while_the_service_is_busy(site: Site, status: int) -> None:
    site.answers = [busy(status), busy(status, retry_after=0)]
    with CaptureClient(site.url("")) as client:
        assert client.capture({"html_content": "x"}).content == b"picture"

    assert site.calls == 3


@pytest.mark.parametrize(
    ("answers", "calls"), [([busy(503)] * 5, 2), ([busy(503, retry_after=60)], 1), ([busy(500)], 1)]
)
def test_gives_up_when_another_try_would_not_help(site: Site, answers: List[Any], calls: int) -> None:
    site.answers = list(answers)
    with CaptureClient(site.url(""), retries=1) as client, pytest.raises(models.OverloadedError):
        client.capture({"html_content": "x"})

    assert site.calls == calls


def test_raises_an_error_for_an_answer_of_another_program(site: Site) -> None:
    site.answers = [(502, {}, b"<h1>Bad gateway")]
    with CaptureClient(site.url("")) as client:
        with pytest.raises(UnexpectedAnswerError, match="502"):
            client.capture({"html_content": "x"})


@pytest.mark.parametrize("status", [301, 302, 304, 307])
def test_raises_an_error_for_a_redirect(site: Site, status: int) -> None:
    site.answers = [(status, {"Location": "https://captures.example.com/capture"}, b"" if status == 304 else b"Moved")]
    with CaptureClient(site.url("")) as client, pytest.raises(UnexpectedAnswerError, match="captures.example.com"):
        client.capture({"html_content": "x"})


def test_raises_an_error_for_an_answer_that_cannot_be_decoded(site: Site) -> None:
    site.answers = [(200, {"Content-Encoding": "gzip"}, b"no gzip")]
    with CaptureClient(site.url(""), retries=0) as client, pytest.raises(ServiceUnreachableError):
        client.capture({"html_content": "x"})


def trickle(start: bytes, piece: bytes) -> Tuple[str, Callable[[], None]]:
    """Returns a service that answers with `start`, and then with a piece every 50 ms."""
    server = socket.create_server(("127.0.0.1", 0))
    stopped = threading.Event()

    def send(connection: socket.socket) -> None:
        with connection:
            try:
                connection.sendall(start)
                while not stopped.wait(0.05):
                    connection.sendall(piece)
            except OSError:
                pass  # the client has gone

    def accept() -> None:
        while True:
            try:
                connection, _ = server.accept()
            except OSError:
                return
            threading.Thread(target=send, args=(connection,), daemon=True).start()

    def stop() -> None:
        stopped.set()
        server.close()

    threading.Thread(target=accept, daemon=True).start()
    return f"http://127.0.0.1:{server.getsockname()[1]}", stop


@pytest.mark.parametrize(
    ("start", "piece"),
    [
        (b"HTTP/1.1 200 OK\r\nContent-Type: image/png\r\nContent-Length: 99999\r\n\r\n", b"x"),
        (b"HTTP/1.1 200 OK\r\nX-Slow: ", b"x"),
        (b"HTTP/1.1 503 Busy\r\nContent-Length: 99999\r\n\r\n", b" "),
    ],
)
def test_limits_the_time_of_a_whole_answer_that_trickles(start: bytes, piece: bytes) -> None:
    url, stop = trickle(start, piece)
    started = time.monotonic()

    async def run() -> None:
        async with AsyncCaptureClient(url) as client:
            with pytest.raises(ClientTimeoutError):
                await client.capture({"html_content": "x"}, timeout=0.4)
            with pytest.raises(ClientTimeoutError):
                await client.wait("a", timeout=0.4)

    with CaptureClient(url) as client:
        with pytest.raises(ClientTimeoutError):
            client.capture({"html_content": "x"}, timeout=0.4)
        with pytest.raises(ClientTimeoutError):
            client.wait("a", timeout=0.4)
    asyncio.run(run())
    assert time.monotonic() - started < 4
    stop()


def test_raises_an_error_if_nothing_answers() -> None:
    with CaptureClient("http://127.0.0.1:9", retries=1) as client, pytest.raises(ServiceUnreachableError):
        client.capture({"html_content": "x"})


def test_does_not_repeat_actions_after_a_lost_connection() -> None:
    calls: List[httpx.Request] = []

    def lose(request: httpx.Request) -> httpx.Response:
        calls.append(request)
        raise httpx.ReadError("lost")

    with httpx.Client(transport=httpx.MockTransport(lose)) as http:
        client = CaptureClient("http://service", http=http, retries=1)
        with pytest.raises(ServiceUnreachableError):
            client.capture({"html_content": "x"})
        assert len(calls) == 2
        with pytest.raises(ServiceUnreachableError):
            client.capture({"html_content": "x", "actions": [{"type": "press", "key": "Enter"}]})
    assert len(calls) == 3


@pytest.mark.parametrize(("status", "calls"), [(503, 1), (429, 2)])
def test_repeats_actions_only_if_they_did_not_run(site: Site, status: int, calls: int) -> None:
    site.answers = [busy(status, retry_after=0)] * 2
    with CaptureClient(site.url(""), retries=1) as client, pytest.raises(models.OverloadedError):
        client.capture({"html_content": "x", "actions": [{"type": "press", "key": "Enter"}]})

    assert site.calls == calls


def test_has_a_time_limit(client: CaptureClient) -> None:
    started = time.monotonic()

    with pytest.raises(ClientTimeoutError):
        client.capture({"html_content": "x", "delay_capture": 20_000}, timeout=0.5)
    assert time.monotonic() - started < 5


def test_refuses_what_is_no_address() -> None:
    with pytest.raises(ValueError, match="127.0.0.1:8080"):
        CaptureClient("127.0.0.1:8080")


def test_works_with_asyncio(service: str, site: Site) -> None:
    async def run() -> List[int]:
        async with AsyncCaptureClient(service, token=TOKEN) as client:
            captures = await asyncio.gather(*(client.capture({"url": site.url()}) for _ in range(3)))
            job = await client.submit({"html_content": "x"})
            result = await client.wait(job.id, timeout=60)
            assert (await client.job(job.id)).state == "done"
            with pytest.raises(models.ValidationError):
                await client.sign({})
            slow = await client.submit({"html_content": "x", "delay_capture": 20_000})
            assert (await client.cancel(slow.id)).state == "cancelled"
            return [len(each.content) for each in [*captures, result]]

    assert all(size > 100 for size in asyncio.run(run()))


def test_tries_again_with_asyncio(site: Site) -> None:
    async def run() -> bytes:
        async with AsyncCaptureClient(site.url("")) as client:
            return (await client.capture({"html_content": "x"})).content

    site.answers = [busy(503)]
    assert asyncio.run(run()) == b"picture"


def test_has_the_fields_and_errors_of_the_service(service: str) -> None:
    import make_models

    with urllib.request.urlopen(f"{service}/openapi.json") as answer:
        expected = make_models.make(json.load(answer))

    assert make_models.TARGET.read_text(encoding="utf-8") == expected, "run make_models.py"


def test_exports_what_it_documents() -> None:
    assert set(capture_service.__all__) <= set(dir(capture_service))
