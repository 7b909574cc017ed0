from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Generator, Sequence
from pathlib import Path
from typing import Literal, cast

from ._connection import Stream
from ._core import Call, Download, growing, settled
from ._errors import ParcelDataError
from ._operations import Operations
from .events import MAX_SILENCE, RECONNECT_PAUSE, EventFeed, ServiceEvent
from .models import CreateExportRequest, Export, ExportFilter, Match, ParcelRow

Progress = Callable[[int, int | None], object]
"""Called with what is done and the total, which is None until it is known."""

RESUME_PAUSE = 0.5


class ParcelData(Operations):
    """Client of the Parcel Data Service. Each operation of the API is a method with its name in `/docs`."""

    def create_export(self, body: CreateExportRequest) -> Export:
        """Queues an export to a file. `wait_for_export` waits for it, `export_to_file` does all of it."""
        return cast(Export, self._json(Call("POST", "/v1/exports", "key", body={**body, "delivery": "file"})))

    def wait_for_export(self, id: str, *, on_progress: Progress | None = None, poll: float = 1.0) -> Export:
        """Waits until an export has ended. Raises `work_failed`, with the export as `body`."""
        while True:
            row = self.get_export(id)
            if on_progress is not None:
                on_progress(row["rows"], row["total"])
            if row["status"] in ("done", "error"):
                return cast(Export, settled(row, "export"))
            time.sleep(poll)

    def download_export(self, id: str, path: str | os.PathLike[str]) -> Path:
        """Writes the file of an export that is done. A download that breaks continues where it stopped."""
        done = cast(Export, settled(self.get_export(id), "export"))
        download = Download(path, done["size_bytes"] or 0)
        try:
            breaks = 0
            while True:
                before = download.received
                try:
                    # An address is valid for a day, and a slow download may take longer.
                    response = self._send(download.call(self.get_export(id) if download.has_begun else done), is_stream=True)
                    download.begin(response)
                    for part in self._parts(response):
                        download.write(part)
                    return download.finish()
                except ParcelDataError as error:
                    breaks = breaks + 1 if download.received == before else 1
                    if not Download.is_broken(error) or breaks > self._settings.max_retries:
                        raise
                    time.sleep(growing(RESUME_PAUSE, breaks - 1))
        finally:
            download.discard()

    def export_to_file(
        self,
        path: str | os.PathLike[str],
        body: CreateExportRequest,
        *,
        on_progress: Progress | None = None,
        poll: float = 1.0,
    ) -> Path:
        """Exports to a file, waits for it, and downloads it."""
        # A missing folder would only be noticed after the export.
        Path(path).parent.resolve(strict=True)
        export = self.create_export(body)
        self.wait_for_export(export["id"], on_progress=on_progress, poll=poll)
        return self.download_export(export["id"], path)

    def stream_export(self, body: CreateExportRequest) -> Stream:
        """Up to 100,000 parcels as bytes, right away. One stream at a time."""
        # It changes nothing, so it can be repeated until its first byte.
        return self._stream(Call("POST", "/v1/exports", "safe", body={**body, "delivery": "stream"}))

    def stream_parcels(
        self,
        *,
        filter: ExportFilter | None = None,
        fields: Sequence[str] | None = None,
        geometry: Literal["full", "simplified", "none"] = "full",
    ) -> Generator[ParcelRow, None, None]:
        """Up to 100,000 parcels, one by one, faster than `list_parcels` and in one request."""
        body: CreateExportRequest = {"format": "ndjson", "filter": filter or {}, "geometry": geometry}
        if fields is not None:
            body["fields"] = list(fields)
        for line in self.stream_export(body).lines():
            yield json.loads(line)

    def stream_events(
        self, *, types: str | Sequence[str] | None = None, after: str | None = None
    ) -> Generator[ServiceEvent, None, None]:
        """Follows the events of the service until you stop.

        A stream that breaks or is silent is opened again, and continues behind the last event. With `reset`, events were missed: request
        the current state again. Raises when the service refuses the request, for example `unauthorized` after the key was revoked.

        types: Event types to receive; all if omitted.
        after: Id of the last event that you received.
        """
        connection, feed = self.with_options(timeout=MAX_SILENCE), EventFeed(types, after)
        while True:
            pause = RECONNECT_PAUSE
            try:
                for line in connection._stream(feed.call()).lines():
                    if (event := feed.read(line)) is not None:
                        yield event
            except ParcelDataError as error:
                pause = feed.pause_after(error)
            time.sleep(pause)

    def wait_for_match(self, id: str, *, on_progress: Progress | None = None, poll: float = 1.0) -> Match:
        """Waits until a match has ended. Raises `work_failed`, with the match as `body`."""
        while True:
            row = self.get_match(id)
            if on_progress is not None:
                on_progress(row["done"], row["total"])
            if row["status"] in ("done", "error"):
                return cast(Match, settled(row, "match"))
            time.sleep(poll)
