"""Signed links, and webhooks of the service."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import time
from typing import Dict, Iterable, Mapping, Optional, Union
from urllib.parse import urlencode

from .errors import WebhookError
from .calls import in_json
from .models import FIELD_NAMES, CaptureFields
from .results import Job, job_of

#: Names the key in signed links of ScreenshotOne. Ours never have it, so no signature is valid for both.
_THEIR_KEY = "access_key"
_PREFIX, _SHORTEST_KEY = "whsec_", 24
_LIFETIME = 3600  # seconds; the same as in POST /sign


def sign_url(
    fields: CaptureFields,
    *,
    service: str,
    secret: str,
    expires_in: Optional[int] = _LIFETIME,
    key: Optional[str] = None,
) -> str:
    """
    Returns a link that makes the capture without a token. `secret` is URL_SIGNING_SECRET, or a signing secret of the key `key`.
    `expires_in` are seconds; None makes a link that does not expire. The service checks the fields when the link is used.
    """
    if secret == "":
        raise ValueError("The signing secret is empty")
    params = {name: _text(value) for name, value in in_json(fields).items()}
    if key is not None:
        params["key"] = key
    if expires_in is not None:
        params["expires"] = str(int(time.time()) + expires_in)
    _refuse_hidden_fields(params)
    text = "&".join(f"{name}={params[name]}" for name in sorted(params))
    signature = hmac.new(secret.encode(), text.encode(), hashlib.sha256).digest()
    signed = {**params, "signature": base64.urlsafe_b64encode(signature).decode().rstrip("=")}
    return f"{service.rstrip('/')}/capture?{urlencode(signed)}"


def verify_webhook(
    body: bytes,
    headers: Mapping[str, str],
    secrets: Union[str, Iterable[str]],
    *,
    tolerance: float = 300.0,
) -> Job:
    """
    Returns the job of a webhook (Standard Webhooks 1.0). `secrets` is WEBHOOK_SECRET, which has several secrets while they are
    rotated, or a list of secrets.
    @raises WebhookError if none of them signed it, or if it is older than `tolerance` seconds
    @raises ValueError if a secret is missing or has another form than the service takes
    """
    keys = [_key(each) for text in ([secrets] if isinstance(secrets, str) else secrets) for each in text.split()]
    if not keys:
        raise ValueError("The secret of the webhooks is empty")
    given = {name.lower(): value for name, value in headers.items()}
    try:
        id, sent = given["webhook-id"], given["webhook-timestamp"]
        signatures = [each[3:] for each in given["webhook-signature"].split(" ") if each.startswith("v1,")]
        age = abs(time.time() - int(sent))
    except (KeyError, ValueError) as error:
        raise WebhookError("The headers of a webhook are missing") from error
    if age > tolerance:
        raise WebhookError("The webhook is too old, or the clock of this machine is wrong")
    signed = f"{id}.{sent}.".encode() + body
    for key in keys:
        expected = base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest())
        if any(hmac.compare_digest(expected, each.encode()) for each in signatures):
            return job_of(json.loads(body))
    raise WebhookError("The signature of the webhook is wrong")


def _key(secret: str) -> bytes:
    """A secret of another form must not become an empty key, which everybody has."""
    try:
        key = base64.b64decode(secret[len(_PREFIX) :], validate=True) if secret.startswith(_PREFIX) else b""
    except binascii.Error:
        key = b""
    if len(key) < _SHORTEST_KEY:
        raise ValueError(f"A secret of webhooks must be {_PREFIX} and at least {_SHORTEST_KEY} bytes in base64")
    return key


def _text(value: object) -> str:
    """Returns a value as the service expects it in a query: lists and objects as JSON."""
    return value if isinstance(value, str) else json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def _refuse_hidden_fields(params: Dict[str, str]) -> None:
    """The signed text has raw values, so a value must not look like another parameter."""
    for name, value in params.items():
        if name == _THEIR_KEY:
            raise ValueError(f'"{name}" is not a known field')
        for field in {*FIELD_NAMES, "expires", "key", _THEIR_KEY}:
            if (field > name or field == _THEIR_KEY) and f"&{field}=" in value:
                raise ValueError(
                    f'The value of "{name}" contains "&{field}=", which the signature cannot distinguish from the parameter "{field}". '
                    'Percent-encode that "&" as %26 inside the target address, then sign again.'
                )
