"""Logic that both clients share. Nothing here sends a request."""

from __future__ import annotations

import json
import os
import random
import re
import uuid
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timezone
from decimal import Decimal
from numbers import Integral, Real
from pathlib import Path
from typing import Any, BinaryIO, Literal, NamedTuple
from urllib.parse import quote, urlsplit

import httpx

from ._errors import ParcelDataError

FIRST_PAUSE = 0.25
MAX_PAUSE = 8.0
MAX_RETRY_AFTER = 60.0
"""If `Retry-After` is longer than this, the call raises, with `retry_after`."""


class TextBody(NamedTuple):
    """A body that is not JSON: a list to match, or a part of a file (`application/octet-stream`)."""

    content: str | bytes
    content_type: str = "text/csv"


@dataclass(frozen=True)
class Call:
    method: str
    path: str
    repeat: Literal["safe", "key", "never"]
    """`safe`: can be repeated; `key`: can be repeated with an Idempotency-Key."""
    query: Mapping[str, Any] = field(default_factory=dict)
    body: Any = None
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Settings:
    base_url: str
    key: str | None
    timeout: float
    max_retries: float
    headers: Mapping[str, str]

    @staticmethod
    def read(
        base_url: str, key: str | None, timeout: float, max_retries: float, headers: Mapping[str, str] | None
    ) -> Settings:
        """Checks the arguments of a client. Errors do not repeat them: one of them is the key."""
        if not re.match(r"https?://[^/]", base_url, re.IGNORECASE):
            raise ParcelDataError("invalid_request", "base_url must begin with http:// or https://", field="base_url")
        # A key that was read from a file ends with a line break.
        key = None if key is None else key.strip()
        if key is not None and not re.fullmatch(r"[\x21-\x7e]+", key):
            raise ParcelDataError("invalid_request", "key must be visible ASCII characters", field="key")
        return Settings(base_url.rstrip("/").removesuffix("/v1"), key, timeout, max_retries, headers or {})

    def changed(self, timeout: float | None, max_retries: float | None, headers: Mapping[str, str] | None) -> Settings:
        return replace(
            self,
            timeout=self.timeout if timeout is None else timeout,
            max_retries=self.max_retries if max_retries is None else max_retries,
            headers={**self.headers, **(headers or {})},
        )


def segment(name: str, value: str) -> str:
    """A part of a path. `value` may contain any character: it is encoded."""
    if not isinstance(value, str):
        # 123 may have been "00123" before a program took it for a number.
        raise ParcelDataError("invalid_request", f"{name} must be text, not {type(value).__name__}", field=name)
    # URLs cannot contain these as parts of a path.
    if value in ("", ".", ".."):
        raise ParcelDataError("invalid_request", f'{name} must be text that is not empty, "." or ".."', field=name)
    return _quote(name, value)


def _quote(name: str, text: str) -> str:
    try:
        return quote(text, safe="")
    except UnicodeEncodeError:
        raise ParcelDataError("invalid_request", f"{name} must not have half of a surrogate pair", field=name) from None


def build_request(client: httpx.Client | httpx.AsyncClient, settings: Settings, call: Call) -> httpx.Request:
    headers = {"user-agent": "parcel-data-client-python/0.2.0"}
    if settings.key is not None:
        headers["x-service-key"] = settings.key
    content: str | bytes | None = None
    if isinstance(call.body, TextBody):
        content, headers["content-type"] = call.body
    elif call.body is not None:
        content, headers["content-type"] = _write_json(call.body), "application/json"
    if call.repeat == "key":
        headers["idempotency-key"] = str(uuid.uuid4())
    query = "&".join(f"{name}={_quote(name, _write(value))}" for name, value in call.query.items() if value is not None)
    url = settings.base_url + call.path + (f"?{query}" if query else "")
    timeout = settings.timeout + float(call.query.get("wait") or 0)
    return client.build_request(
        call.method,
        url,
        content=content,
        headers={**headers, **call.headers, **{name.lower(): value for name, value in settings.headers.items()}},
        timeout=timeout,
    )


def _write(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, date):
        return _write_date(value)
    # Lists, tuples, arrays of numpy and columns of pandas.
    if isinstance(value, Collection) and not isinstance(value, str):
        return ",".join(map(_write, value))
    text = str(value)
    # The API takes no numbers with an exponent.
    return f"{Decimal(text):f}" if isinstance(value, float) and "e" in text else text


def _write_date(value: date) -> str:
    if not isinstance(value, datetime):
        return value.isoformat()
    # A time without a zone is local, as everywhere in Python.
    return value.astimezone(timezone.utc).isoformat().replace("+00:00", "Z")


def _write_json(body: Any) -> str:
    try:
        return json.dumps(body, default=_to_json, allow_nan=False)
    except ValueError as error:
        raise ParcelDataError("invalid_request", f"the body must be JSON, with None instead of NaN: {error}") from None


def _to_json(value: Any) -> Any:
    if isinstance(value, date):
        return _write_date(value)
    # Numbers and arrays of numpy.
    if isinstance(value, Real):
        return int(value) if isinstance(value, Integral) else float(value)
    if type(value).__module__ == "numpy" and isinstance(value, Collection):
        return list(value)
    raise ParcelDataError("invalid_request", f"the body must be JSON or a TextBody; it has a {type(value).__name__}")


def transport_error(error: httpx.HTTPError | httpx.StreamError, host: str, timeout: float) -> ParcelDataError:
    if isinstance(error, httpx.TimeoutException):
        return ParcelDataError("timeout", f"{host} sent nothing for {timeout:g} s")
    if isinstance(error, httpx.LocalProtocolError):
        # Its text repeats headers, and one of them is the key.
        return ParcelDataError("invalid_request", "a header of the request is not valid")
    return ParcelDataError("network", f"{host}: {str(error) or type(error).__name__}")


def growing(first: float, doublings: int) -> float:
    """A pause that doubles with each failure, up to the longest one."""
    # A float has no place for 2 ** 1024, and a client may retry for days.
    return min(MAX_PAUSE, first * 2.0 ** min(doublings, 16))


class Retries:
    """Decides whether and when a request that failed is sent again."""

    def __init__(self, call: Call, max_retries: float) -> None:
        self._call = call
        self._left = max_retries
        self._done = 0

    def pause_after(self, error: ParcelDataError) -> float:
        """How long to wait before the next attempt, in seconds. Raises the error if there is none."""
        if self._done >= self._left or not self._is_worth_repeating(error):
            raise error
        self._done += 1
        pause = random.uniform(0, growing(FIRST_PAUSE, self._done))
        return pause if error.retry_after is None else error.retry_after + min(pause, FIRST_PAUSE)

    def _is_worth_repeating(self, error: ParcelDataError) -> bool:
        call, code, status = self._call, error.code, error.status
        if (error.retry_after or 0) > MAX_RETRY_AFTER:
            return False
        if call.repeat == "never":
            return code == "too_many_requests"
        if code in ("network", "timeout", "too_many_requests"):
            return True
        # The portal has failed and would probably fail again, so POSTs are not repeated after 502.
        if status in (502, 504):
            return call.method == "GET"
        # Scrape-now has queued a job instead.
        if status == 503:
            return not (isinstance(error.body, dict) and "enqueued" in error.body)
        # The first request, whose response was lost, is still running.
        return status == 409 and call.repeat == "key" and self._done > 0


def next_after(page: Mapping[str, Any], call: Call) -> Any:
    """`after` of the next page; None on the last one."""
    following = page.get("next")
    is_feed = "watermark" in page
    if is_feed and following >= page["watermark"] and not call.query.get("wait"):
        return None
    return following


def page_call(call: Call, after: Any) -> Call:
    return call if after is None else replace(call, query={**call.query, "since": None, "after": after})


def settled(row: Any, what: str) -> Any:
    """The record of work that is done. Raises if it is not."""
    if row["status"] == "done":
        return row
    reason = row["error_message"] if row["status"] == "error" else f"it is {row['status']}"
    raise ParcelDataError("work_failed", f"the {what} is not done: {reason}", reason=reason, body=row)


class Download:
    """A file that is written beside its target, and moved there when it is complete."""

    def __init__(self, path: str | os.PathLike[str], size: int) -> None:
        self._path = Path(path)
        self._part = self._path.with_name(self._path.name + ".part")
        self._file: BinaryIO = self._part.open("wb")
        self._size = size
        self._etag: str | None = None
        self._received = 0

    @property
    def has_begun(self) -> bool:
        return self._received > 0

    def call(self, record: Mapping[str, Any]) -> Call:
        """Requests the file, or what is missing of it."""
        url = record["download_url"]
        if url is None:
            raise ParcelDataError("not_found", "the file of the export has been removed", body=record)
        headers = {"accept-encoding": "identity"}
        if self.has_begun:
            headers["range"] = f"bytes={self._received}-"
            if self._etag is not None:
                headers["if-range"] = self._etag
        return Call("GET", f"/v1/exports/{record['id']}/file?{urlsplit(url).query}", "safe", headers=headers)

    def begin(self, response: httpx.Response) -> None:
        if self.has_begun and response.status_code != 206:
            raise ParcelDataError("incomplete", "the file of the export has changed during its download")
        self._etag = self._etag or response.headers.get("etag")

    def write(self, part: bytes) -> None:
        self._file.write(part)
        self._received += len(part)

    def finish(self) -> Path:
        if self._received < self._size:
            raise ParcelDataError("network", f"the connection closed after {self._received} of {self._size} bytes")
        self._file.close()
        os.replace(self._part, self._path)
        return self._path

    def discard(self) -> None:
        self._file.close()
        self._part.unlink(missing_ok=True)

    @staticmethod
    def is_broken(error: ParcelDataError) -> bool:
        return error.code in ("network", "timeout")

    @property
    def received(self) -> int:
        return self._received
