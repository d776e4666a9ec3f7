"""Client of a capture service."""

from .client import AsyncCaptureClient, CaptureClient
from .errors import CaptureError, ClientTimeoutError, ServiceUnreachableError, UnexpectedAnswerError, WebhookError
from .models import CaptureFields
from .results import Capture, Job
from .signing import sign_url, verify_webhook

__all__ = [
    "AsyncCaptureClient",
    "Capture",
    "CaptureClient",
    "CaptureError",
    "CaptureFields",
    "ClientTimeoutError",
    "Job",
    "ServiceUnreachableError",
    "UnexpectedAnswerError",
    "WebhookError",
    "sign_url",
    "verify_webhook",
]
