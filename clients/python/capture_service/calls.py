"""The calls of both clients, without input and output: generators that ask for requests and pauses."""

from __future__ import annotations

import json
import random
import secrets
import time
from base64 import b64encode
from dataclasses import dataclass
from typing import Any, Callable, Dict, Generator, List, Mapping, Optional, Tuple, TypeVar, Union
from urllib.parse import quote, urlsplit

import httpx

from .errors import CaptureError, ClientTimeoutError, ServiceUnreachableError
from .models import CaptureFields
from .results import Capture, Job, read_capture, read_error, read_job, read_text_field

Result = TypeVar("Result")

_FIRST_DELAY = 0.25
#: Seconds between looks at a job: short at first, because most jobs are short.
_FIRST_LOOK, _LOOK_GROWTH, _LONGEST_LOOK = 0.25, 1.3, 5.0
#: After a restart of the service or its store, a job is still there.
_LONGEST_OUTAGE = 120.0


@dataclass(frozen=True)
class Request:
    """A request to send. The client sends back the answer, or raises its transport error here."""

    method: str
    url: str
    headers: Dict[str, str]
    timeout: float
    json: Any = None
    parts: Optional[List[Tuple[str, Tuple[Optional[str], bytes, str]]]] = None


@dataclass(frozen=True)
class Pause:
    seconds: float


Calls = Generator[Union[Request, Pause], Optional[httpx.Response], Result]


@dataclass(frozen=True)
class Settings:
    service: str
    token: Optional[str]
    timeout: float
    retries: int
    max_retry_delay: float

    def __post_init__(self) -> None:
        if urlsplit(self.service).scheme not in ("http", "https") or not urlsplit(self.service).netloc:
            raise ValueError(f"{self.service!r} is not the address of a service, such as http://127.0.0.1:8080")

    def address(self, path: str) -> str:
        return self.service.rstrip("/") + path


def capture(settings: Settings, fields: CaptureFields, timeout: Optional[float]) -> Calls[Capture]:
    sent = _body(fields, lambda request: request)
    # Actions may send a form, which must not happen twice.
    is_once = bool(fields.get("actions"))
    return (yield from _call(settings, "POST", "/capture", read_capture, timeout, is_once=is_once, **sent))


def submit(
    settings: Settings,
    fields: CaptureFields,
    label: Optional[str],
    webhook_url: Optional[str],
    store_path: Optional[str],
    idempotency_key: Optional[str],
) -> Calls[Job]:
    given = {"label": label, "webhook_url": webhook_url, "store_path": store_path}
    more = {name: value for name, value in given.items() if value}
    headers = {"Idempotency-Key": idempotency_key or secrets.token_hex(16)}
    sent = _body(fields, lambda request: {"capture": request, **more})
    return (yield from _call(settings, "POST", "/jobs", read_job, None, headers=headers, **sent))


def job(settings: Settings, id: str, method: str = "GET") -> Calls[Job]:
    return (yield from _call(settings, method, f"/jobs/{quote(id, safe='')}", read_job, None))


def wait(settings: Settings, id: str, timeout: Optional[float]) -> Calls[Capture]:
    limit = float("inf") if timeout is None else timeout
    end = time.monotonic() + limit
    path = f"/jobs/{quote(id, safe='')}"
    look = _FIRST_LOOK
    answered = time.monotonic()

    def left() -> float:
        return min(settings.timeout, end - time.monotonic())

    while True:
        try:
            if (yield from _call(settings, "GET", path, read_job, left())).has_ended:
                break
            answered = time.monotonic()
        except CaptureError as error:
            if time.monotonic() >= end:
                raise _too_late(limit) from error
            if not _is_outage(error) or time.monotonic() - answered >= _LONGEST_OUTAGE:
                raise
        if time.monotonic() + look > end:
            raise _too_late(limit)
        yield Pause(look)
        look = min(look * _LOOK_GROWTH, _LONGEST_LOOK)
    try:
        return (yield from _call(settings, "GET", f"{path}/result", read_capture, left()))
    except ClientTimeoutError as error:
        raise _too_late(min(limit, settings.timeout)) from error


def sign(settings: Settings, fields: CaptureFields, expires_in: int) -> Calls[str]:
    body = {"params": in_json(fields), "expires_in": expires_in}
    return (
        yield from _call(settings, "POST", "/sign", lambda answer: read_text_field(answer, "signed_url"), None, json=body)
    )


def in_json(fields: CaptureFields) -> Dict[str, Any]:
    """Returns the fields with the contents of files in base64, as JSON has no bytes."""
    files = fields.get("files")
    if not files:
        return dict(fields)
    contents = {name: content if isinstance(content, str) else b64encode(content).decode() for name, content in files.items()}
    return {**fields, "files": contents}


def _body(fields: CaptureFields, place: Callable[[Mapping[str, Any]], Mapping[str, Any]]) -> Dict[str, Any]:
    """Returns JSON, or with files a multipart body: their contents are not copied into base64."""
    others = {name: value for name, value in fields.items() if name != "files"}
    files = fields.get("files") or {}
    if not files:
        return {"json": place(others)}
    text = json.dumps(place(others)).encode()
    parts: List[Tuple[str, Tuple[Optional[str], bytes, str]]] = [("request", (None, text, "application/json"))]
    parts += [("file", (name, content, "application/octet-stream")) for name, content in files.items()]
    return {"parts": parts}


def _call(
    settings: Settings,
    method: str,
    path: str,
    read: Callable[[httpx.Response], Result],
    timeout: Optional[float],
    *,
    headers: Optional[Dict[str, str]] = None,
    is_once: bool = False,
    **content: Any,
) -> Calls[Result]:
    """
    Sends a request, again while the service is busy or can't be reached. With `is_once`, only after a 429: the service may send
    a 503 also at the end of a capture, when there is no room for the result.
    """
    limit = settings.timeout if timeout is None else timeout
    end = time.monotonic() + limit
    sent = {**(headers or {}), **({} if settings.token is None else {"Authorization": f"Bearer {settings.token}"})}
    for tried in range(settings.retries + 1):
        left = end - time.monotonic()
        if left <= 0:
            raise _too_late(limit)
        try:
            answer = yield Request(method, settings.address(path), sent, left, **content)
            assert answer is not None
            if answer.is_success:
                return read(answer)
            error = read_error(answer)
        except httpx.TimeoutException as problem:
            if time.monotonic() >= end - 0.01:
                raise _too_late(limit) from problem
            error = _unreachable(settings.service, problem)
        except httpx.RequestError as problem:
            error = _unreachable(settings.service, problem)
        seconds = _delay_before(tried, error)
        if tried == settings.retries or not _is_passing(error, is_once) or seconds > settings.max_retry_delay:
            raise error
        if time.monotonic() + seconds >= end:
            raise error
        yield Pause(seconds)
    raise AssertionError("unreachable")


def _delay_before(tried: int, error: CaptureError) -> float:
    """As long as the service asks for, otherwise growing. Clients that were refused together do not return together."""
    step = _FIRST_DELAY * float(2**tried)
    if error.retry_after is None:
        return step / 2 + random.random() * step / 2
    return error.retry_after + random.random() * _FIRST_DELAY


def _is_passing(error: CaptureError, is_once: bool) -> bool:
    return error.status == 429 or (not is_once and (error.status == 503 or isinstance(error, ServiceUnreachableError)))


def _is_outage(error: CaptureError) -> bool:
    return isinstance(error, (ServiceUnreachableError, ClientTimeoutError)) or error.status in (429, 502, 503, 504)


def _unreachable(service: str, problem: Exception) -> ServiceUnreachableError:
    error = ServiceUnreachableError(f"The service at {service} can't be reached", error_type="ServiceUnreachableError")
    error.__cause__ = problem
    return error


def _too_late(seconds: float) -> ClientTimeoutError:
    return ClientTimeoutError(f"The call was not finished after {seconds:g} s", error_type="ClientTimeoutError")
