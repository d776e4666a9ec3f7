"""Clients of a capture service, for programs with threads and with asyncio."""

from __future__ import annotations

import asyncio
import time
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeoutError
from functools import partial
from threading import Thread
from types import TracebackType
from typing import Any, Callable, Dict, Optional, Type, TypeVar

import httpx

from . import calls
from .calls import Calls, Pause, Request, Settings
from .models import CaptureFields
from .results import Capture, Job

Result = TypeVar("Result")

_TIMEOUT = 120.0  # the service gives up after 90 s


def _options(request: Request) -> Dict[str, Any]:
    body = {"files": request.parts} if request.parts is not None else {"json": request.json}
    body = {name: value for name, value in body.items() if value is not None}
    return {"headers": request.headers, "timeout": request.timeout, **body}


def _within(seconds: float, send: Callable[[], httpx.Response]) -> httpx.Response:
    """
    Returns the answer, or raises after `seconds`. The limits of httpx are those of single reads: an answer that trickles has none.
    The thread of such an answer ends with the answer, or with the program.
    """
    done: Future[httpx.Response] = Future()

    def run() -> None:
        try:
            done.set_result(send())
        except BaseException as error:
            done.set_exception(error)

    Thread(target=run, daemon=True).start()
    try:
        return done.result(seconds)
    except FutureTimeoutError as error:
        raise httpx.ReadTimeout("the whole answer took too long") from error


class CaptureClient:
    """A client of the service at an address. Close it, or use it in a `with` block. Threads can share it."""

    def __init__(
        self,
        service: str,
        *,
        token: Optional[str] = None,
        timeout: float = _TIMEOUT,
        retries: int = 3,
        max_retry_delay: float = 30.0,
        http: Optional[httpx.Client] = None,
    ) -> None:
        """`timeout` is the limit of a call in seconds, with its retries. `http` replaces the HTTP client, for own certificates or proxies."""
        self._settings = Settings(service, token, timeout, retries, max_retry_delay)
        self._http = http if http is not None else httpx.Client()

    def capture(self, fields: CaptureFields, *, timeout: Optional[float] = None) -> Capture:
        """Returns a capture. @raises CaptureError"""
        return self._run(calls.capture(self._settings, fields, timeout))

    def submit(
        self,
        fields: CaptureFields,
        *,
        label: Optional[str] = None,
        webhook_url: Optional[str] = None,
        store_path: Optional[str] = None,
        idempotency_key: Optional[str] = None,
    ) -> Job:
        """Submits a capture as a job, which survives restarts of the service. @raises CaptureError"""
        return self._run(calls.submit(self._settings, fields, label, webhook_url, store_path, idempotency_key))

    def job(self, id: str) -> Job:
        """Returns a job. @raises CaptureError"""
        return self._run(calls.job(self._settings, id))

    def cancel(self, id: str) -> Job:
        """Cancels a job that has not finished, and returns its state. @raises CaptureError"""
        return self._run(calls.job(self._settings, id, "DELETE"))

    def wait(self, id: str, *, timeout: Optional[float] = None) -> Capture:
        """Waits for a job and returns its result. Has no limit by default. @raises CaptureError of the failed job"""
        return self._run(calls.wait(self._settings, id, timeout))

    def sign(self, fields: CaptureFields, *, expires_in: int = 3600) -> str:
        """Returns a link that the service signs: it checks the fields at once. @raises CaptureError"""
        return self._run(calls.sign(self._settings, fields, expires_in))

    def close(self) -> None:
        self._http.close()

    def __enter__(self) -> CaptureClient:
        return self

    def __exit__(
        self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        self.close()

    def _run(self, steps: Calls[Result]) -> Result:
        try:
            step = next(steps)
            while True:
                if isinstance(step, Pause):
                    time.sleep(step.seconds)
                    step = steps.send(None)
                    continue
                try:
                    answer = _within(step.timeout, partial(self._http.request, step.method, step.url, **_options(step)))
                except httpx.RequestError as error:
                    step = steps.throw(error)
                else:
                    step = steps.send(answer)
        except StopIteration as end:
            result: Result = end.value
            return result


class AsyncCaptureClient:
    """The same as CaptureClient, for asyncio. Close it by `aclose`, or use it in an `async with` block."""

    def __init__(
        self,
        service: str,
        *,
        token: Optional[str] = None,
        timeout: float = _TIMEOUT,
        retries: int = 3,
        max_retry_delay: float = 30.0,
        http: Optional[httpx.AsyncClient] = None,
    ) -> None:
        self._settings = Settings(service, token, timeout, retries, max_retry_delay)
        self._http = http if http is not None else httpx.AsyncClient()

    async def capture(self, fields: CaptureFields, *, timeout: Optional[float] = None) -> Capture:
        """Returns a capture. @raises CaptureError"""
        return await self._run(calls.capture(self._settings, fields, timeout))

    async def submit(
        self,
        fields: CaptureFields,
        *,
        label: Optional[str] = None,
        webhook_url: Optional[str] = None,
        store_path: Optional[str] = None,
        idempotency_key: Optional[str] = None,
    ) -> Job:
        """Submits a capture as a job, which survives restarts of the service. @raises CaptureError"""
        return await self._run(calls.submit(self._settings, fields, label, webhook_url, store_path, idempotency_key))

    async def job(self, id: str) -> Job:
        """Returns a job. @raises CaptureError"""
        return await self._run(calls.job(self._settings, id))

    async def cancel(self, id: str) -> Job:
        """Cancels a job that has not finished, and returns its state. @raises CaptureError"""
        return await self._run(calls.job(self._settings, id, "DELETE"))

    async def wait(self, id: str, *, timeout: Optional[float] = None) -> Capture:
        """Waits for a job and returns its result. Has no limit by default. @raises CaptureError of the failed job"""
        return await self._run(calls.wait(self._settings, id, timeout))

    async def sign(self, fields: CaptureFields, *, expires_in: int = 3600) -> str:
        """Returns a link that the service signs: it checks the fields at once. @raises CaptureError"""
        return await self._run(calls.sign(self._settings, fields, expires_in))

    async def aclose(self) -> None:
        await self._http.aclose()

    async def __aenter__(self) -> AsyncCaptureClient:
        return self

    async def __aexit__(
        self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        await self.aclose()

    async def _run(self, steps: Calls[Result]) -> Result:
        try:
            step = next(steps)
            while True:
                if isinstance(step, Pause):
                    await asyncio.sleep(step.seconds)
                    step = steps.send(None)
                    continue
                try:
                    request = self._http.request(step.method, step.url, **_options(step))
                    answer = await asyncio.wait_for(request, step.timeout)
                except asyncio.TimeoutError:
                    step = steps.throw(httpx.ReadTimeout("the whole answer took too long"))
                except httpx.RequestError as error:
                    step = steps.throw(error)
                else:
                    step = steps.send(answer)
        except StopIteration as end:
            result: Result = end.value
            return result
