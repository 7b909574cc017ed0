from __future__ import annotations

import asyncio
import os
import time
from collections.abc import AsyncGenerator, Iterator, Mapping
from contextlib import aclosing
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import httpx

from ._core import Call, Retries, Settings, build_request, transport_error
from ._errors import ParcelDataError, error_of
from ._pages import AsyncPages, Pages

DEFAULT_BASE_URL = "http://localhost:3000"
DEFAULT_TIMEOUT = 90.0
"""Longer than a scrape."""
DEFAULT_MAX_RETRIES = 3
MAX_CONCURRENT = 100
"""As many as an httpx.AsyncClient has connections. It searches all of them for each request that waits for one: of 600 requests at the same
time, each took 23 ms of CPU, and 3 ms when they waited here (2026-11-29)."""


class Connection:
    """Sends requests: key, query, timeouts, retries and errors."""

    def __init__(
        self,
        key: str | None = None,
        base_url: str = DEFAULT_BASE_URL,
        *,
        timeout: float = DEFAULT_TIMEOUT,
        max_retries: float = DEFAULT_MAX_RETRIES,
        headers: Mapping[str, str] | None = None,
        http_client: httpx.Client | None = None,
    ) -> None:
        """
        key: an API key. Without one, only public operations work.
        base_url: address of the service.
        timeout: how many seconds the service may take to respond, and then to send the next part.
        max_retries: how often a request is retried after a temporary failure. math.inf: until it succeeds.
        http_client: your own httpx.Client, for a proxy or certificates. You close it.
        """
        self._settings = Settings.read(base_url, key, timeout, max_retries, headers)
        self._owns_http = http_client is None
        self._http = httpx.Client() if http_client is None else http_client

    def with_options(
        self,
        *,
        timeout: float | None = None,
        max_retries: float | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Self:
        """The same client, on the same connections, with other options."""
        other = type(self).__new__(type(self))
        other._settings = self._settings.changed(timeout, max_retries, headers)
        other._http, other._owns_http = self._http, False
        return other

    def close(self) -> None:
        if self._owns_http:
            self._http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _json(self, call: Call) -> Any:
        response = self._send(call)
        try:
            return response.json()
        except ValueError:
            raise ParcelDataError("incomplete", f"the response is not JSON ({call.method} {call.path})") from None

    def _text(self, call: Call) -> str:
        return self._send(call).text

    def _list(self, rows: str, call: Call) -> Pages[Any, Any]:
        return Pages(rows, call, self._json)

    def _stream(self, call: Call) -> Stream:
        return Stream(self, call)

    def _send(self, call: Call, *, is_stream: bool = False) -> httpx.Response:
        request = build_request(self._http, self._settings, call)
        retries = Retries(call, self._settings.max_retries)
        while True:
            try:
                return self._attempt(request, is_stream)
            except ParcelDataError as error:
                time.sleep(retries.pause_after(error))

    def _attempt(self, request: httpx.Request, is_stream: bool) -> httpx.Response:
        try:
            # The API does not redirect. Another server must not get the key, even if http_client follows redirects.
            response = self._http.send(request, stream=True, follow_redirects=False)
            try:
                if not is_stream or not response.is_success:
                    response.read()
            finally:
                if not is_stream or not response.is_success:
                    response.close()
        except (httpx.HTTPError, httpx.StreamError) as error:
            raise self._explain(error) from (None if isinstance(error, httpx.LocalProtocolError) else error)
        if not response.is_success:
            raise error_of(response)
        return response

    def _explain(self, error: httpx.HTTPError | httpx.StreamError) -> ParcelDataError:
        return transport_error(error, self._settings.base_url, self._settings.timeout)

    def _parts(self, response: httpx.Response) -> Iterator[bytes]:
        try:
            yield from response.iter_bytes()
        except (httpx.HTTPError, httpx.StreamError) as error:
            raise self._explain(error) from error
        finally:
            response.close()


class Stream:
    """Bytes of a response that may not fit into memory. The request is sent when you read them.

    If the connection breaks, reading raises `network`, and what was read is not complete.
    """

    def __init__(self, connection: Connection, call: Call) -> None:
        self._connection = connection
        self._call = call

    def __iter__(self) -> Iterator[bytes]:
        return self._connection._parts(self._connection._send(self._call, is_stream=True))

    def read(self) -> bytes:
        return b"".join(self)

    def lines(self) -> Iterator[str]:
        """The lines of a text. Raises `network` when it ends within a line."""
        rest = b""
        for part in self:
            *lines, rest = (rest + part).split(b"\n")
            yield from (line.decode() for line in lines)
        if rest:
            raise ParcelDataError("network", "the connection closed in the middle of a row")

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Writes the bytes to a file. The file appears when it is complete."""
        target = Path(path)
        part = target.with_name(target.name + ".part")
        try:
            with part.open("wb") as file:
                file.writelines(self)
            os.replace(part, target)
        finally:
            part.unlink(missing_ok=True)
        return target


class AsyncConnection:
    """Sends requests: key, query, timeouts, retries and errors."""

    def __init__(
        self,
        key: str | None = None,
        base_url: str = DEFAULT_BASE_URL,
        *,
        timeout: float = DEFAULT_TIMEOUT,
        max_retries: float = DEFAULT_MAX_RETRIES,
        headers: Mapping[str, str] | None = None,
        http_client: httpx.AsyncClient | None = None,
    ) -> None:
        """
        key: an API key. Without one, only public operations work.
        base_url: address of the service.
        timeout: how many seconds the service may take to respond, and then to send the next part.
        max_retries: how often a request is retried after a temporary failure. math.inf: until it succeeds.
        http_client: your own httpx.AsyncClient, for a proxy or certificates. You close it.
        """
        self._settings = Settings.read(base_url, key, timeout, max_retries, headers)
        self._owns_http = http_client is None
        self._http = httpx.AsyncClient() if http_client is None else http_client
        self._slots = asyncio.Semaphore(MAX_CONCURRENT)

    def with_options(
        self,
        *,
        timeout: float | None = None,
        max_retries: float | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Self:
        """The same client, on the same connections, with other options."""
        other = type(self).__new__(type(self))
        other._settings = self._settings.changed(timeout, max_retries, headers)
        other._http, other._owns_http, other._slots = self._http, False, self._slots
        return other

    async def close(self) -> None:
        if self._owns_http:
            await self._http.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def _json(self, call: Call) -> Any:
        response = await self._send(call)
        try:
            return response.json()
        except ValueError:
            raise ParcelDataError("incomplete", f"the response is not JSON ({call.method} {call.path})") from None

    async def _text(self, call: Call) -> str:
        return (await self._send(call)).text

    def _list(self, rows: str, call: Call) -> AsyncPages[Any, Any]:
        return AsyncPages(rows, call, self._json)

    def _stream(self, call: Call) -> AsyncStream:
        return AsyncStream(self, call)

    async def _send(self, call: Call, *, is_stream: bool = False) -> httpx.Response:
        request = build_request(self._http, self._settings, call)
        retries = Retries(call, self._settings.max_retries)
        while True:
            try:
                return await self._attempt(request, is_stream)
            except ParcelDataError as error:
                await asyncio.sleep(retries.pause_after(error))

    async def _attempt(self, request: httpx.Request, is_stream: bool) -> httpx.Response:
        try:
            async with self._slots:
                response = await self._http.send(request, stream=True, follow_redirects=False)
                try:
                    if not is_stream or not response.is_success:
                        await response.aread()
                finally:
                    if not is_stream or not response.is_success:
                        await response.aclose()
        except (httpx.HTTPError, httpx.StreamError) as error:
            raise self._explain(error) from (None if isinstance(error, httpx.LocalProtocolError) else error)
        if not response.is_success:
            raise error_of(response)
        return response

    def _explain(self, error: httpx.HTTPError | httpx.StreamError) -> ParcelDataError:
        return transport_error(error, self._settings.base_url, self._settings.timeout)

    async def _parts(self, response: httpx.Response) -> AsyncGenerator[bytes, None]:
        try:
            async for part in response.aiter_bytes():
                yield part
        except (httpx.HTTPError, httpx.StreamError) as error:
            raise self._explain(error) from error
        finally:
            await response.aclose()


class AsyncStream:
    """Like `Stream`, with `async for` and `await`."""

    def __init__(self, connection: AsyncConnection, call: Call) -> None:
        self._connection = connection
        self._call = call

    async def __aiter__(self) -> AsyncGenerator[bytes, None]:
        response = await self._connection._send(self._call, is_stream=True)
        async with aclosing(self._connection._parts(response)) as parts:
            async for part in parts:
                yield part

    async def read(self) -> bytes:
        return b"".join([part async for part in self])

    async def lines(self) -> AsyncGenerator[str, None]:
        """The lines of a text. Raises `network` when it ends within a line."""
        rest = b""
        async with aclosing(aiter(self)) as parts:
            async for part in parts:
                *lines, rest = (rest + part).split(b"\n")
                for line in lines:
                    yield line.decode()
        if rest:
            raise ParcelDataError("network", "the connection closed in the middle of a row")

    async def save(self, path: str | os.PathLike[str]) -> Path:
        """Writes the bytes to a file. The file appears when it is complete."""
        target = Path(path)
        part = target.with_name(target.name + ".part")
        try:
            with part.open("wb") as file:
                async for chunk in self:
                    file.write(chunk)
            os.replace(part, target)
        finally:
            part.unlink(missing_ok=True)
        return target
