from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Literal, TypedDict, cast

from ._core import Call
from ._errors import ParcelDataError

RECONNECT_PAUSE = 2.0
"""The service asks clients of its event stream to wait this long (`retry`)."""
MAX_SILENCE = 40.0
"""The service sends a heartbeat every 15 s. After two that did not arrive, the connection is dead."""


class ServiceEvent(TypedDict):
    """An event of the service."""

    id: str
    """Send it as `after` to resume behind this event. Empty for `reset`."""
    event: Literal["job", "crawl", "reindex", "tile_build", "work", "watch", "load", "source", "reset"]
    """`reset`: events were missed, so request the current state again."""
    data: Any
    """What happened, as `/docs` describes it."""


class EventFeed:
    """Reads streams of server-sent events (HTML standard, 9.2.6), each of which continues the one before. Nothing here sends a request."""

    def __init__(self, types: str | Sequence[str] | None, after: str | None) -> None:
        self._types = types
        self._after = after
        self._fields: dict[str, str] = {}

    def call(self) -> Call:
        """Requests the events behind the last one."""
        self._fields = {}
        return Call("GET", "/v1/events", "safe", query={"types": self._types, "after": self._after})

    def read(self, line: str) -> ServiceEvent | None:
        """The event that this line completes. The service writes the data of an event in one line."""
        if line != "":
            name, _, value = line.partition(":")
            self._fields[name] = value.removeprefix(" ")
            return None
        fields, self._fields = self._fields, {}
        identifier = fields.get("id", "")
        self._after = identifier or self._after
        # Without data it is a heartbeat, whose id is the position of the stream.
        if "data" not in fields:
            return None
        return cast(ServiceEvent, {"id": identifier, "event": fields["event"], "data": json.loads(fields["data"])})

    @staticmethod
    def pause_after(error: ParcelDataError) -> float:
        """How long to wait before the stream is opened again, in seconds. Raises the error if that would not help."""
        if not error.is_temporary:
            raise error
        return max(RECONNECT_PAUSE, error.retry_after or 0)
