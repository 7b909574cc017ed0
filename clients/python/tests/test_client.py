"""What the clients promise. test/clients/python.test.ts starts the service, and a proxy that fails as its address says."""

import asyncio
import base64
import hashlib
import hmac
import json
import math
import os
import tempfile
import time
import unittest
from collections.abc import Callable
from contextlib import aclosing, closing
from datetime import date, datetime, timezone
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pandas as pd

from parcel_data_client import AsyncParcelData, ParcelData, ParcelDataError, TextBody, verify_webhook
from parcel_data_client._core import Call, Retries, growing
from parcel_data_client.events import EventFeed

SETTING = json.loads(os.environ["SETTING"])
BASE, FAULTY, KEY, PARCELS, ODD_IDS = (SETTING[name] for name in ("base", "faulty", "key", "parcels", "oddIds"))
SOURCE = "sample-county"
SEARCHES = 20
"""A search has 0.9 s. A busy machine may need several until one finds its hit in that time."""
HTTP = httpx.Client()
"""Shared, because each httpx.Client reads all certificates."""


def through(fault: str, name: str, **options: Any) -> ParcelData:
    return ParcelData(KEY, f"{FAULTY}/{fault}~python-{name}", http_client=HTTP, **options)


def requests_of(fault: str, name: str) -> list[str]:
    requests: list[str] = HTTP.get(f"{FAULTY}/requests/{fault}~python-{name}").json()
    return requests


def order_job(client: ParcelData, parcel: str) -> str:
    return client.enqueue_scrapes({"source": SOURCE, "source_parcel_id": f"python-{parcel}"})["jobs"][0]["id"]


class ParcelDataTest(unittest.TestCase):
    def setUp(self) -> None:
        self.client = ParcelData(KEY, BASE, http_client=HTTP)
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))

    def failure_of(self, work: Callable[[], object]) -> ParcelDataError:
        with self.assertRaises(ParcelDataError) as caught:
            work()
        return caught.exception

    def test_a_connection_that_breaks_without_words_is_named(self) -> None:
        def break_off(request: httpx.Request) -> httpx.Response:
            raise httpx.ReadError("", request=request)

        with httpx.Client(transport=httpx.MockTransport(break_off)) as http:
            client = ParcelData(KEY, BASE, http_client=http, max_retries=0)
            self.assertEqual(str(self.failure_of(client.health)), f"{BASE}: ReadError")

    def test_a_search_tolerates_a_typo(self) -> None:
        hits = []
        for _ in range(SEARCHES):
            hits = hits or self.client.search(q="notrhcote scott", types=["parcels"], limit=1).first_page()["results"]
        hit = hits[0]
        assert hit["kind"] == "parcel" and hit["owner_name"]
        self.assertTrue(hit["owner_name"].startswith("NORTHCOTE SCOTT"))

    def test_a_parcel_is_found_by_an_id_with_any_characters(self) -> None:
        for parcel in ODD_IDS:
            self.assertEqual(self.client.get_parcel(SOURCE, parcel)["source_parcel_id"], parcel)
            self.assertEqual(len(list(self.client.list_parcel_history(SOURCE, parcel))), 1)
        for parcel in ("", ".", ".."):
            self.assertEqual(self.failure_of(lambda: self.client.get_parcel(SOURCE, parcel)).field, "id")

    def test_a_list_yields_every_row_of_all_pages_once(self) -> None:
        parcels = self.client.list_parcels(source=SOURCE, limit=97, count="exact")
        self.assertEqual(len({row["id"] for row in parcels}), PARCELS)
        self.assertEqual(len(list(parcels)), PARCELS)
        self.assertEqual(len(list(parcels.pages())), -(-PARCELS // 97))
        page = parcels.first_page()
        self.assertEqual((len(page["parcels"]), page["total"]), (97, PARCELS))
        for rows in (self.client.list_sources(), self.client.list_exports(), self.client.list_work()):
            list(rows)

    def test_lists_and_times_are_written_for_the_api(self) -> None:
        box = [-120.56, 43.86, -120.53, 43.88]
        found = list(self.client.list_parcels(bbox=box, fields=["acreage"], retired=False))
        self.assertGreater(len(found), 0)
        self.assertIn("acreage", found[0])
        self.assertEqual(list(self.client.list_parcels(bbox=box, fields=["acreage"], min_acres=5e-05)), found)
        self.assertEqual(list(self.client.list_parcels(bbox=[-1e-07, 0, 1e-07, 1])), [])
        self.assertEqual(list(self.client.list_parcels(bbox=np.array(box), fields=pd.Index(["acreage"]))), found)
        for after in (datetime(2999, 1, 1, tzinfo=timezone.utc), date(2999, 1, 1)):
            self.assertEqual(list(self.client.list_parcels(source=SOURCE, changed_since=after)), [])

    def test_values_of_numpy_and_times_are_written_in_bodies(self) -> None:
        filters: Any = {"source": SOURCE, "changed_since": datetime(2999, 1, 1), "min_acres": np.float32(1), "max_value": np.int64(1)}
        self.assertEqual(list(self.client.stream_parcels(filter=filters)), [])
        corner = np.array([-120.56, 43.86])
        ring = np.array([corner, corner + [1e-06, 0], corner + [0, 1e-06], corner])
        area: Any = {"type": "Polygon", "coordinates": [ring]}
        self.assertEqual(list(self.client.list_parcels_within(area, source=SOURCE, min_value=1e12)), [])

    def test_values_that_the_api_cannot_read_are_named(self) -> None:
        wrong: Any = 12
        refused = self.failure_of(lambda: self.client.get_parcel(SOURCE, wrong))
        self.assertEqual((refused.field, refused.reason), ("id", "id must be text, not int"))
        for half, name in [
            (lambda: self.client.get_parcel(SOURCE, "\ud83d"), "id"),
            (lambda: self.client.search(q="\ud83d").first_page(), "q"),
        ]:
            refused = self.failure_of(half)
            self.assertEqual((refused.field, refused.reason), (name, f"{name} must not have half of a surrogate pair"))
        for wrong, reason in [
            (pd.DataFrame({"owner": ["ODD ID HOLDER"]}), "the body must be JSON or a TextBody; it has a DataFrame"),
            ({"upload": "1", "columns": {"a": math.nan}}, "the body must be JSON, with None instead of NaN"),
        ]:
            self.assertTrue(self.failure_of(lambda: self.client.add_match(wrong)).reason.startswith(reason))

    def test_the_feed_of_changes_ends_at_its_present(self) -> None:
        self.assertEqual(len(list(self.client.list_changes(limit=1000))), PARCELS)

    def test_events_arrive_once_and_in_order_although_the_stream_breaks(self) -> None:
        jobs: list[str] = []

        def order(_: httpx.Response) -> None:
            # The stream has begun. Events of what happens from now on are in it.
            while len(jobs) < 2:
                jobs.append(order_job(self.client, f"events-{len(jobs)}"))

        with httpx.Client(event_hooks={"response": [order]}) as http:
            client = ParcelData(KEY, f"{FAULTY}/severed~python-events", http_client=http)
            with closing(client.stream_events(types=["job"])) as events:
                # While a transaction of the server is open, a new stream begins before it, perhaps with a job of another test.
                ours = (event for event in events if event["data"]["id"] in jobs)
                received = [next(ours), next(ours)]
        self.assertEqual([(event["event"], event["data"]["id"]) for event in received], [("job", job) for job in jobs])
        self.assertEqual(len(requests_of("severed", "events")), 3)
        # A key can have 10 streams.
        for _ in range(12):
            with closing(self.client.stream_events(types="job", after=received[0]["id"])) as events:
                self.assertEqual(next(events), received[1])
        refused = self.failure_of(lambda: next(ParcelData("wrong", BASE, http_client=HTTP).stream_events()))
        self.assertEqual((refused.code, refused.is_temporary), ("unauthorized", False))

    def test_a_stream_of_events_waits_as_long_as_the_service_asks(self) -> None:
        feed = EventFeed(None, None)
        gone = self.failure_of(lambda: through("gone", "events").get_coverage())
        self.assertEqual(feed.pause_after(gone), 3600)
        self.assertEqual(feed.pause_after(ParcelDataError("bad_gateway", "the proxy has no service")), 2)

    def test_an_error_has_the_words_of_the_service(self) -> None:
        client = self.client.with_options(headers={"X-Request-Id": "python-1"})
        refused = self.failure_of(lambda: client.list_parcels(limit=0, source=SOURCE).first_page())
        self.assertEqual(
            (refused.code, refused.field, refused.status, refused.request_id, refused.reason),
            ("invalid_request", "limit", 400, "python-1", "limit must be a whole number from 1 to 5000"),
        )
        unknown = ParcelData("unknown", BASE, http_client=HTTP)
        self.assertEqual(self.failure_of(lambda: unknown.get_account()).code, "unauthorized")
        page = self.failure_of(lambda: through("page", "page").get_account())
        self.assertEqual((page.code, page.body), ("internal_error", "<h1>Oops</h1>"))

    def test_mistakes_in_the_arguments_are_named_and_the_key_is_not(self) -> None:
        self.assertEqual(self.failure_of(lambda: ParcelData(BASE, KEY)).field, "base_url")
        mistake = self.failure_of(lambda: ParcelData("söcret", BASE))
        self.assertEqual((mistake.field, "söcret" in str(mistake)), ("key", False))
        bad = self.client.with_options(headers={"x-service-key": "secret\n"})
        self.assertNotIn("secret", str(self.failure_of(lambda: bad.get_account())))
        lenient = ParcelData(f"{KEY}\n", f"{BASE}/v1/", http_client=HTTP)
        self.assertEqual(lenient.list_sources(limit=1).first_page()["count"], 1)

    def test_a_redirect_is_not_followed_because_it_would_get_the_key(self) -> None:
        moved = self.failure_of(lambda: through("moved", "get").get_coverage())
        self.assertTrue(moved.reason.startswith("it redirects to"))

    def test_a_redirect_is_not_followed_either_by_an_http_client_that_follows_redirects(self) -> None:
        hosts: list[str] = []

        def redirect(request: httpx.Request) -> httpx.Response:
            hosts.append(request.url.host)
            return httpx.Response(307, headers={"location": "http://elsewhere.example"})

        transport = httpx.MockTransport(redirect)
        with httpx.Client(transport=transport, follow_redirects=True) as http:
            client = ParcelData(KEY, "http://parcels.example", http_client=http, max_retries=0)
            self.assertEqual(self.failure_of(client.get_coverage).status, 307)

        async def ask() -> None:
            async with httpx.AsyncClient(transport=transport, follow_redirects=True) as http:
                options: Any = {"http_client": http, "max_retries": 0}
                await AsyncParcelData(KEY, "http://parcels.example", **options).get_coverage()

        self.assertEqual(self.failure_of(lambda: asyncio.run(ask())).status, 307)
        self.assertEqual(hosts, ["parcels.example"] * 2)

    def test_a_record_that_has_not_changed_since_an_etag_is_not_a_redirect(self) -> None:
        unchanged = ParcelData(KEY, BASE, http_client=HTTP).with_options(headers={"If-None-Match": "*"})
        same = self.failure_of(lambda: unchanged.get_parcel(SOURCE, ODD_IDS[0]))
        self.assertEqual((same.code, same.status), ("not_modified", 304))
        self.assertEqual(same.reason, "it has not changed since the ETag in If-None-Match")

    def test_a_busy_service_is_asked_again_after_the_time_that_it_names(self) -> None:
        started = time.monotonic()
        self.assertEqual(through("busy", "get").get_parcel(SOURCE, ODD_IDS[0])["source_parcel_id"], ODD_IDS[0])
        self.assertGreaterEqual(time.monotonic() - started, 1)
        self.assertEqual(len(requests_of("busy", "get")), 3)
        gone = self.failure_of(lambda: through("gone", "get").get_coverage())
        self.assertEqual((gone.code, gone.retry_after, len(requests_of("gone", "get"))), ("unavailable", 3600, 1))

    def test_a_connection_that_breaks_is_tried_again(self) -> None:
        self.assertEqual(through("refused", "get").list_sources(limit=1).first_page()["count"], 1)
        off = through("refused", "off", max_retries=0)
        self.assertEqual(self.failure_of(lambda: off.get_coverage()).code, "network")

    def test_a_client_that_retries_without_end_waits_a_few_seconds_each_time(self) -> None:
        retries = Retries(Call("GET", "/v1/changes", "safe"), math.inf)
        broken = ParcelDataError("network", "no connection")
        self.assertLessEqual(max(retries.pause_after(broken) for _ in range(2000)), 8)
        self.assertEqual(growing(0.5, 2000), 8)

    def test_a_post_whose_response_was_lost_takes_effect_once(self) -> None:
        order = {"source": SOURCE, "source_parcel_id": "order-python"}
        jobs = through("lost", "post").enqueue_scrapes({"source": SOURCE, "source_parcel_id": "order-python"})["jobs"]
        sent = requests_of("lost", "post")
        self.assertEqual((len(sent), len(set(sent))), (2, 1))
        stored = list(self.client.list_scrape_jobs(parcel_id=order["source_parcel_id"]))
        self.assertEqual([job["id"] for job in stored], [job["id"] for job in jobs])

    def test_a_patch_whose_response_was_lost_is_not_sent_again(self) -> None:
        lost = self.failure_of(lambda: through("lost", "patch").update_source(SOURCE, {"attribution": "Larkspur"}))
        self.assertEqual((lost.code, len(requests_of("lost", "patch"))), ("network", 1))

    def test_a_silent_service_times_out(self) -> None:
        silent = through("silent", "get", timeout=0.1, max_retries=1)
        self.assertEqual(self.failure_of(lambda: silent.get_coverage()).code, "timeout")
        self.assertEqual(len(requests_of("silent", "get")), 2)

    def test_parcels_are_streamed_and_a_stream_that_breaks_raises(self) -> None:
        rows = list(self.client.stream_parcels(filter={"source": SOURCE}, fields=["owner_name"], geometry="none"))
        self.assertEqual(len(rows), PARCELS)
        broken = self.failure_of(lambda: list(through("cut", "stream").stream_parcels(filter={"source": SOURCE})))
        self.assertEqual(broken.code, "network")
        stream = self.client.stream_export({"format": "csv", "geometry": "none", "filter": {"source": SOURCE}})
        file = stream.save(self.folder / "parcels.csv")
        self.assertEqual(len(file.read_text("utf-8").splitlines()), PARCELS + 1)

    def test_a_stream_that_is_left_early_frees_its_place(self) -> None:
        for _ in range(3):
            next(self.client.stream_parcels(filter={"source": SOURCE}))

    def test_the_download_of_a_file_continues_where_the_connection_broke(self) -> None:
        looks: list[int] = []
        whole = self.client.export_to_file(
            self.folder / "whole.parquet",
            {"format": "geoparquet", "filter": {"source": SOURCE}},
            poll=0.05,
            on_progress=lambda done, _: looks.append(done),
        )
        self.assertEqual(looks[-1], PARCELS)
        latest = self.client.list_exports(limit=1).first_page()["exports"][0]
        resumed = through("cut", "file").download_export(latest["id"], self.folder / "resumed.parquet")
        self.assertEqual(resumed.read_bytes(), whole.read_bytes())
        ranges = [request.split(" ")[2:] for request in requests_of("cut", "file")]
        self.assertEqual((len(ranges), ranges[0], ranges[1][0][:6]), (3, [], "bytes="))
        self.assertEqual(sorted(os.listdir(self.folder)), ["resumed.parquet", "whole.parquet"])

    def test_a_file_in_a_missing_folder_is_refused_before_the_export(self) -> None:
        before = len(list(self.client.list_exports()))
        with self.assertRaises(FileNotFoundError):
            self.client.export_to_file(self.folder / "missing" / "parcels.csv", {"format": "csv", "filter": {"source": SOURCE}})
        self.assertEqual(len(list(self.client.list_exports())), before)

    def test_a_list_is_matched(self) -> None:
        match = self.client.add_match(TextBody("parcel id\n12-0001-0020\n99-9999-9999\n"), wait=20)
        self.client.wait_for_match(match["id"], poll=0.05)
        rows = list(self.client.list_match_rows(match["id"]))
        self.assertEqual([row["outcome"] for row in rows], ["matched", "no_match"])
        self.assertIn(b"12-0001-0020", self.client.get_match_results(match["id"]).read())

    def test_parcels_become_a_geodataframe(self) -> None:
        parcels = self.client.list_parcels(source=SOURCE, geometry="full", fields=["acreage"], limit=200).to_geopandas()
        self.assertEqual((len(parcels), parcels.crs.to_epsg(), int(parcels.geometry.isna().sum())), (PARCELS, 4326, len(ODD_IDS)))
        # Acres from the boundaries and acres of the records are about the same.
        drawn = parcels.to_crs(5070).area.sum() / 4046.8564224
        self.assertAlmostEqual(drawn / parcels["acreage"].sum(), 1, places=1)


class AsyncParcelDataTest(unittest.IsolatedAsyncioTestCase):
    async def asyncSetUp(self) -> None:
        self.http = await self.enterAsyncContext(httpx.AsyncClient(verify=False))
        self.client = AsyncParcelData(KEY, BASE, http_client=self.http)
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))

    def through(self, fault: str, **options: Any) -> AsyncParcelData:
        return AsyncParcelData(KEY, f"{FAULTY}/{fault}~python-async", http_client=self.http, **options)

    async def test_lists_and_records(self) -> None:
        rows = [row async for row in self.client.list_parcels(source=SOURCE, limit=300)]
        self.assertEqual(len({row["id"] for row in rows}), PARCELS)
        count = 0
        for _ in range(SEARCHES):
            count = count or (await self.client.search(q="notrhcote scott", limit=1).first_page())["count"]
        self.assertEqual(count, 1)
        records = await asyncio.gather(*(self.client.get_parcel(SOURCE, parcel) for parcel in ODD_IDS))
        self.assertEqual([record["source_parcel_id"] for record in records], ODD_IDS)
        places = await self.client.list_parcels(source=SOURCE, geometry="full", limit=5000).to_geopandas()
        self.assertEqual(len(places), PARCELS)

    async def test_more_than_100_requests_wait_for_their_turn(self) -> None:
        sent: list[int] = []
        under_way = 0

        async def respond(_: httpx.Request) -> httpx.Response:
            nonlocal under_way
            under_way += 1
            sent.append(under_way)
            await asyncio.sleep(0.01)
            under_way -= 1
            return httpx.Response(200, json={})

        async with httpx.AsyncClient(transport=httpx.MockTransport(respond)) as http:
            client = AsyncParcelData(KEY, BASE, http_client=http)
            other = client.with_options(max_retries=0)
            await asyncio.gather(*(either.get_account() for either in [client, other] * 150))
        self.assertEqual((len(sent), max(sent)), (300, 100))

    async def test_failures(self) -> None:
        with self.assertRaises(ParcelDataError) as refused:
            await self.client.list_parcels(limit=0, source=SOURCE).first_page()
        self.assertEqual(refused.exception.field, "limit")
        self.assertEqual((await self.through("refused").list_sources(limit=1).first_page())["count"], 1)
        with self.assertRaises(ParcelDataError) as silent:
            await self.through("silent", timeout=0.1, max_retries=0).get_coverage()
        self.assertEqual(silent.exception.code, "timeout")
        with self.assertRaises(asyncio.TimeoutError):
            await asyncio.wait_for(self.through("silent").get_coverage(), 0.1)

    async def test_events(self) -> None:
        jobs: list[str] = []
        sync = ParcelData(KEY, BASE, http_client=HTTP)

        async def order(_: httpx.Response) -> None:
            while len(jobs) < 2:
                jobs.append(order_job(sync, f"async-events-{len(jobs)}"))

        async with httpx.AsyncClient(event_hooks={"response": [order]}) as http:
            client = AsyncParcelData(KEY, f"{FAULTY}/severed~python-async-events", http_client=http)
            async with aclosing(client.stream_events(types=["job"])) as events:
                received = [await anext(events), await anext(events)]
                with self.assertRaises(asyncio.TimeoutError):
                    await asyncio.wait_for(anext(events), 0.1)
        self.assertEqual([event["data"]["id"] for event in received], jobs)
        for _ in range(12):
            async for event in self.client.stream_events(types="job", after=received[0]["id"]):
                self.assertEqual(event, received[1])
                break

    async def test_exports(self) -> None:
        rows = [row async for row in self.client.stream_parcels(filter={"source": SOURCE}, geometry="none")]
        self.assertEqual(len(rows), PARCELS)
        export = await self.client.create_export({"format": "ndjson", "filter": {"source": SOURCE}})
        await self.client.wait_for_export(export["id"], poll=0.05)
        file = await self.through("cut").download_export(export["id"], self.folder / "parcels.ndjson")
        self.assertEqual(len(file.read_text("utf-8").splitlines()), PARCELS)
        self.assertEqual(len(requests_of("cut", "async")), 3)


class WebhookTest(unittest.TestCase):
    def test_a_webhook_is_read_if_its_signature_is_right_and_it_is_not_old(self) -> None:
        secret, webhooks = SETTING["webhookSecret"], SETTING["webhooks"]
        valid = webhooks["valid"]
        event = verify_webhook(valid["headers"], valid["body"].encode(), ["whsec_AAAA", secret])
        self.assertEqual((event["type"], event["id"]), ("watch.test", valid["headers"]["webhook-id"]))
        for name in ("changed", "old", "foreign"):
            with self.subTest(name), self.assertRaises(ParcelDataError) as caught:
                verify_webhook(webhooks[name]["headers"], webhooks[name]["body"].encode(), secret)
            self.assertEqual(caught.exception.code, "invalid_webhook")
        with self.assertRaises(ParcelDataError):
            verify_webhook({}, b"{}", secret)
        with self.assertRaises(ValueError):
            verify_webhook(valid["headers"], valid["body"].encode(), "")

    def test_a_signature_that_is_no_ascii_is_wrong(self) -> None:
        secret = "whsec_" + base64.b64encode(b"0" * 32).decode()
        now = str(int(time.time()))
        signature = base64.b64encode(hmac.new(b"0" * 32, f"1.{now}.{{}}".encode(), hashlib.sha256).digest()).decode()
        headers = {"Webhook-Id": "1", "Webhook-Timestamp": now, "Webhook-Signature": f"v1,{signature}"}
        self.assertEqual(verify_webhook(headers, b"{}", secret)["id"], "1")
        with self.assertRaises(ParcelDataError):
            verify_webhook({**headers, "Webhook-Timestamp": "9" * 5000}, b"{}", secret)
        for wrong in ("v1,ü", "v2," + signature, ""):
            with self.assertRaises(ParcelDataError):
                verify_webhook({**headers, "Webhook-Signature": wrong}, b"{}", secret)


if __name__ == "__main__":
    unittest.main()
