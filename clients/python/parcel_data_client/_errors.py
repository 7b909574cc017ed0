from __future__ import annotations

import json
import re
import time
from email.utils import parsedate_to_datetime
from typing import Any, Literal

import httpx

ErrorCode = Literal[
    "not_modified",  # 304: the record has not changed since the ETag that you sent in `If-None-Match`
    "invalid_request",  # 400: a parameter or a body field is not valid; `field` names it
    "unauthorized",  # 401: the key is missing, unknown or revoked
    "forbidden",  # 403: the key lacks a capability
    "not_found",  # 404
    "conflict",  # 409: the current state does not allow it
    "too_large",  # 413
    "key_reused",  # 422: this Idempotency-Key was used for a different request
    "too_many_requests",  # 429: too many streams, waiting requests or sign-in attempts
    "internal_error",  # 500
    "bad_gateway",  # 502, 504: a portal or a proxy failed
    "unavailable",  # 503: try again after `retry_after` seconds
    "network",  # no connection, or it broke
    "timeout",  # no response, or no next part of it, in time
    "incomplete",  # the response ended early, or is not what the API describes
    "work_failed",  # an export or a match failed; `body` is its record
    "invalid_webhook",  # a webhook is too old, or its signature is wrong
]

_CODES: dict[int, ErrorCode] = {
    304: "not_modified",
    400: "invalid_request",
    401: "unauthorized",
    403: "forbidden",
    404: "not_found",
    409: "conflict",
    413: "too_large",
    422: "key_reused",
    429: "too_many_requests",
    500: "internal_error",
    502: "bad_gateway",
    503: "unavailable",
    504: "bad_gateway",
}

# `limit must be ...`, `source is missing: ...`, `retired needs a narrower filter`, `fields: there is no field ...`
_NAMED_FIELD = re.compile(r"([A-Za-z_][\w.\[\]-]*)(?: must | is missing| needs |: )")


class ParcelDataError(Exception):
    """Every error of this client."""

    def __init__(
        self,
        code: ErrorCode,
        message: str,
        *,
        status: int | None = None,
        reason: str | None = None,
        field: str | None = None,
        request_id: str | None = None,
        retry_after: float | None = None,
        body: Any = None,
    ) -> None:
        super().__init__(message)
        self.code: ErrorCode = code
        self.status = status
        """The HTTP status; None if there was no response."""
        self.reason = reason if reason is not None else message
        """What went wrong, as the service says it."""
        self.field = field
        """The parameter or body field that the service refused; None if it named none."""
        self.request_id = request_id
        """Quote it when you report a problem: it is in the service's log."""
        self.retry_after = retry_after
        """How many seconds to wait before the next attempt."""
        self.body = body
        """The body of the response, parsed if it is JSON."""

    @property
    def is_temporary(self) -> bool:
        """Whether the same request may succeed later: the service is down, busy, or cannot be reached."""
        return self.code in ("network", "timeout", "too_many_requests", "bad_gateway", "unavailable")


def error_of(response: httpx.Response) -> ParcelDataError:
    """The error for a failed response. Its body must have been read."""
    status, text = response.status_code, response.text
    try:
        body = json.loads(text)
    except ValueError:
        body = text
    named = body.get("error") if isinstance(body, dict) else None
    reason = named if isinstance(named, str) else (response.reason_phrase or "no reason given")
    if status == 304:
        reason = "it has not changed since the ETag in If-None-Match"
    elif response.is_redirect:
        # Another server must not get the key.
        reason = f"it redirects to {response.headers.get('location', 'another address')}: use that as base_url"
    request_id = response.headers.get("x-request-id")
    found = _NAMED_FIELD.match(reason) if status == 400 else None
    about = f"{response.request.method} {response.request.url.path}" + (f", request {request_id}" if request_id else "")
    return ParcelDataError(
        _CODES.get(status, "invalid_request" if status < 500 else "internal_error"),
        f"{reason} ({status}, {about})",
        status=status,
        reason=reason,
        field=found.group(1) if found else None,
        request_id=request_id,
        retry_after=_read_retry_after(response.headers.get("retry-after")),
        body=body,
    )


def _read_retry_after(header: str | None) -> float | None:
    """Seconds or a date (RFC 9110, 10.2.3)."""
    if header is None:
        return None
    if header.strip().isdigit():
        return float(header)
    try:
        return max(0.0, parsedate_to_datetime(header).timestamp() - time.time())
    except ValueError:
        return None
