from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

from ._core import Call, next_after, page_call
from .geo import to_geopandas

if TYPE_CHECKING:
    import geopandas

Row = TypeVar("Row")
Page = TypeVar("Page")


class Pages(Generic[Row, Page]):
    """A list that the service returns page by page. Iterate over it to read the rows of all pages, one request at a time."""

    def __init__(self, rows: str, call: Call, fetch: Callable[[Call], Any]) -> None:
        self._rows = rows
        self._call = call
        self._fetch = fetch

    def __repr__(self) -> str:
        return f"<rows of {self._call.method} {self._call.path}: iterate, or call first_page()>"

    def first_page(self) -> Page:
        """The first page, in one request."""
        return cast(Page, self._fetch(self._call))

    def pages(self) -> Iterator[Page]:
        after: Any = None
        while True:
            page = self._fetch(page_call(self._call, after))
            yield page
            after = next_after(page, self._call)
            if after is None:
                return

    def __iter__(self) -> Iterator[Row]:
        for page in self.pages():
            yield from cast(Any, page)[self._rows]

    def to_geopandas(self) -> geopandas.GeoDataFrame:
        """All rows as a GeoDataFrame. Request the boundaries with `geometry="full"`."""
        return to_geopandas(cast(Any, list(self)))


class AsyncPages(Generic[Row, Page]):
    """Like `Pages`, with `async for`."""

    def __init__(self, rows: str, call: Call, fetch: Callable[[Call], Awaitable[Any]]) -> None:
        self._rows = rows
        self._call = call
        self._fetch = fetch

    def __repr__(self) -> str:
        return f"<rows of {self._call.method} {self._call.path}: use async for, or await first_page()>"

    async def first_page(self) -> Page:
        """The first page, in one request."""
        return cast(Page, await self._fetch(self._call))

    async def pages(self) -> AsyncIterator[Page]:
        after: Any = None
        while True:
            page = await self._fetch(page_call(self._call, after))
            yield page
            after = next_after(page, self._call)
            if after is None:
                return

    async def __aiter__(self) -> AsyncIterator[Row]:
        async for page in self.pages():
            for row in cast(Any, page)[self._rows]:
                yield row

    async def to_geopandas(self) -> geopandas.GeoDataFrame:
        """All rows as a GeoDataFrame. Request the boundaries with `geometry="full"`."""
        return to_geopandas(cast(Any, [row async for row in self]))
