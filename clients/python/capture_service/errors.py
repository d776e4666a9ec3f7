"""Errors of the client. All are CaptureError."""

from __future__ import annotations

from typing import Optional


class CaptureError(Exception):
    """A failed call. Errors of the service have a class for each `error_type`."""

    def __init__(
        self,
        message: str,
        *,
        error_type: str,
        status: Optional[int] = None,
        request_id: Optional[str] = None,
        details: Optional[str] = None,
        retry_after: Optional[float] = None,
    ) -> None:
        super().__init__(message if details is None else f"{message}: {details}")
        self.message = message
        self.error_type = error_type
        #: HTTP status. None if there was no answer.
        self.status = status
        #: Id in the log of the service.
        self.request_id = request_id
        #: The field, and what is accepted.
        self.details = details
        #: Seconds to wait before the next try.
        self.retry_after = retry_after


class ServiceUnreachableError(CaptureError):
    """The service can't be reached, or the connection broke during the answer."""


class ClientTimeoutError(CaptureError):
    """The time limit of the client has passed. Time limits of the service are a TimeoutError of `models`."""


class UnexpectedAnswerError(CaptureError):
    """The answer is not from the service, but from a proxy or another program at that address."""


class WebhookError(ValueError):
    """A webhook that the service did not send, or that is too old."""
