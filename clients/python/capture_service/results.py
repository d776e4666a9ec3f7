"""What the service answers."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Any, Dict, List, Mapping, Optional, Type

import httpx

from .errors import CaptureError, UnexpectedAnswerError
from .models import ERROR_CLASSES

_ENDED = ("done", "failed", "cancelled")


@dataclass(frozen=True)
class Capture:
    """A capture with its whole content in memory."""

    content: bytes = field(repr=False)
    content_type: str
    #: Size in pixels, of pictures only.
    width: Optional[int]
    height: Optional[int]
    #: Status and final address of the page. None for supplied markup.
    target_status: Optional[int]
    target_url: Optional[str]
    #: Codes of warnings. Usually empty.
    warnings: List[str]
    #: Path of the stored result and a link to it, with `store`.
    stored_path: Optional[str]
    stored_url: Optional[str]
    #: Milliseconds of each phase.
    timings: Dict[str, float]
    #: Id in the log of the service.
    request_id: Optional[str]

    def json(self) -> Any:
        """Returns the answer of `response_type: json`."""
        return json.loads(self.content)


@dataclass(frozen=True)
class Job:
    """A capture in the background. Times are UTC in ISO 8601."""

    id: str
    #: queued, running, done, failed or cancelled
    state: str
    created_at: str
    started_at: Optional[str]
    finished_at: Optional[str]
    attempts: int
    #: The label of the submission, or host and path of the page.
    label: Optional[str]
    #: Address of the page, in webhooks of a service with WEBHOOK_URLS=true.
    page_url: Optional[str]
    #: Link to the result. Needs no token, and expires.
    url: Optional[str]
    #: `error_type` and message of a failed job.
    error_type: Optional[str]
    error_message: Optional[str]

    @property
    def has_ended(self) -> bool:
        return self.state in _ENDED


def read_capture(response: httpx.Response) -> Capture:
    headers = response.headers

    def number(name: str) -> Optional[int]:
        text = headers.get(name, "")
        return int(text) if text.isdecimal() else None

    return Capture(
        content=response.content,
        content_type=headers.get("content-type", "application/octet-stream"),
        width=number("x-image-width"),
        height=number("x-image-height"),
        target_status=number("x-target-status"),
        target_url=headers.get("x-target-url"),
        warnings=headers["x-capture-warnings"].split(",") if "x-capture-warnings" in headers else [],
        stored_path=headers.get("x-stored-path"),
        stored_url=headers.get("x-stored-url"),
        timings={
            name: float(ms)
            for name, ms in re.findall(r"([\w-]+);dur=([\d.]+)", headers.get("server-timing", ""))
        },
        request_id=headers.get("x-request-id"),
    )


def read_job(response: httpx.Response) -> Job:
    return job_of(_parse(response.content), response.status_code)


def job_of(body: Any, status: int = 200) -> Job:
    """Returns the job of an answer or a webhook. @raises UnexpectedAnswerError if it is none"""
    if not isinstance(body, dict) or not isinstance(body.get("id"), str) or not isinstance(body.get("state"), str):
        raise _unexpected(status)
    error = body["error"] if isinstance(body.get("error"), dict) else {}
    result = body["result"] if isinstance(body.get("result"), dict) else {}
    return Job(
        id=body["id"],
        state=body["state"],
        created_at=body.get("created_at", ""),
        started_at=body.get("started_at"),
        finished_at=body.get("finished_at"),
        attempts=body.get("attempts", 0),
        label=body.get("label"),
        page_url=body.get("url"),
        url=result.get("url"),
        error_type=error.get("error_type"),
        error_message=error.get("message"),
    )


def read_text_field(response: httpx.Response, name: str) -> str:
    body = _parse(response.content)
    value = body.get(name) if isinstance(body, dict) else None
    if not isinstance(value, str):
        raise _unexpected(response.status_code)
    return value


def read_error(response: httpx.Response) -> CaptureError:
    """Returns the error of an answer without success. A newer service may have more types than this client."""
    if response.status_code < 400:
        return _unexpected(response.status_code, to=response.headers.get("location"))
    body = _parse(response.content)
    error: Mapping[str, Any] = body if isinstance(body, dict) else {}
    error_type = error.get("error_type")
    retry_after = _seconds(error.get("retry_after", response.headers.get("retry-after")))
    if not isinstance(error_type, str):
        return _unexpected(response.status_code, retry_after)
    kind: Type[CaptureError] = ERROR_CLASSES.get(error_type, CaptureError)
    return kind(
        str(error.get("message", error_type)),
        error_type=error_type,
        status=response.status_code,
        request_id=error.get("request_id", response.headers.get("x-request-id")),
        details=error.get("error_details"),
        retry_after=retry_after,
    )


def _unexpected(status: int, retry_after: Optional[float] = None, to: Optional[str] = None) -> UnexpectedAnswerError:
    hint = "" if to is None else f": it redirects to {to[:200]}, which may be the right address"
    return UnexpectedAnswerError(
        f"The answer with status {status} is not from the capture service{hint}",
        error_type="UnexpectedAnswerError",
        status=status,
        retry_after=retry_after,
    )


def _parse(content: bytes) -> Any:
    try:
        return json.loads(content)
    except ValueError:
        return None  # probably a page of a proxy


def _seconds(value: Any) -> Optional[float]:
    try:
        return max(0.0, float(value))
    except (TypeError, ValueError):
        return None
