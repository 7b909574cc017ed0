from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import re
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Literal, NotRequired, TypedDict, cast

from ._errors import ParcelDataError
from .models import Alert, AlertRuleName, Change


class WebhookData(TypedDict):
    watch_id: str
    change: NotRequired[Change]
    """Only in `parcel.changed`."""
    rule: NotRequired[AlertRuleName]
    """This and the following fields are only in `alerts`: the alerts of one rule that were raised, or that ended, in the same minute."""
    state: NotRequired[Literal["raised", "resolved"]]
    title: NotRequired[str]
    means: NotRequired[str]
    """What the rule means."""
    advice: NotRequired[str]
    """What to do."""
    count: NotRequired[int]
    """How many alerts there are. `alerts` has the first 50."""
    alerts: NotRequired[list[Alert]]
    """Without `told_at` and the fields about a silence."""
    console_url: NotRequired[str]


class WebhookEvent(TypedDict):
    """The content of a webhook."""

    id: str
    """Id of the delivery. If you get it twice, ignore the second one."""
    type: Literal["parcel.changed", "alerts", "watch.test"]
    timestamp: str
    data: WebhookData


def verify_webhook(
    headers: Mapping[str, str],
    body: bytes,
    secret: str | Sequence[str],
    *,
    tolerance: float = 300,
    now: Callable[[], float] = time.time,
) -> WebhookEvent:
    """Reads a webhook of a watch, after checking its signature and its age (Standard Webhooks 1.0).

    `body` must be as received, not parsed. `secret` is the `webhook_secret` of the watch; while you change it, pass the old and the new one.
    Raises ParcelDataError `invalid_webhook`: answer 401, and do nothing.
    """
    given = {name.lower(): value for name, value in headers.items()}
    try:
        identifier, timestamp, signatures = (given[f"webhook-{name}"] for name in ("id", "timestamp", "signature"))
    except KeyError as error:
        raise ParcelDataError("invalid_webhook", f"the header {error.args[0]} is missing") from None
    if not re.fullmatch("[0-9]{1,15}", timestamp) or abs(now() - int(timestamp)) > tolerance:
        raise ParcelDataError("invalid_webhook", f"the timestamp is more than {tolerance:g} s away from now")
    signed = f"{identifier}.{timestamp}.".encode() + body
    for one in [secret] if isinstance(secret, str) else secret:
        expected = b"v1," + base64.b64encode(hmac.new(_key_of(one), signed, hashlib.sha256).digest())
        if any([hmac.compare_digest(expected, signature.encode()) for signature in signatures.split()]):
            return cast(WebhookEvent, {**json.loads(body), "id": identifier})
    raise ParcelDataError("invalid_webhook", "the signature is wrong")


def _key_of(secret: str) -> bytes:
    try:
        key = base64.b64decode(secret.removeprefix("whsec_"), validate=True)
    except binascii.Error:
        key = b""
    # An empty key would let anybody sign.
    if not key:
        raise ValueError("the secret must be the webhook_secret of a watch")
    return key
