# Generated from openapi.json by `bun run clients:generate`. Do not edit.
from __future__ import annotations

from collections.abc import Collection
from datetime import date
from typing import Any, Literal, cast

from ._connection import AsyncConnection, AsyncStream
from ._core import Call, TextBody, segment
from ._pages import AsyncPages
from . import models


class AsyncOperations(AsyncConnection):
    """The operations of the API, by their names in `/docs`."""

    async def health(
        self,
    ) -> models.HealthResponse:
        """Check the service and its database.

        Returns 200 even while Meilisearch is unavailable: searches then run on PostgreSQL.

        `GET /health`
        """
        return cast("models.HealthResponse", await self._json(Call("GET", "/health", repeat="safe")))

    async def tile_manifest(
        self,
    ) -> models.TileManifest:
        """Get the URL of the current tile archive.

        The URL changes with each build. Cached for five minutes at the edge.

        `GET /tiles/manifest.json`
        """
        return cast("models.TileManifest", await self._json(Call("GET", "/tiles/manifest.json", repeat="safe")))

    def list_sources(
        self,
        *,
        state: str | None = None,
        vendor: str | None = None,
        active: bool | None = None,
        retired: bool | None = None,
        limit: int | None = None,
        after: str | None = None,
    ) -> AsyncPages[models.Source, models.ListSourcesResponse]:
        """List sources with their cadence.

        Returns all sources except retired ones, or one page of them if `limit` is given. Filters can be
        combined.

        Iterate over the result to read the rows of all pages; `first_page()` reads one page.

        state: Only sources of this state (2-letter code).
        vendor: Only sources of this vendor. An unknown vendor returns no sources.
        active: `true`: only sources that the scheduler may scrape. `false`: only the others.
        retired: `true`: only retired sources. `false`: only the others.
        limit: Maximum number of rows; all rows if omitted.
        after: `next` of the previous page.

        `GET /v1/sources`
        """
        return self._list("sources", Call("GET", "/v1/sources", repeat="safe", query={"state": state, "vendor": vendor, "active": active, "retired": retired, "limit": limit, "after": after}))

    async def add_source(
        self,
        body: models.AddSourceRequest,
    ) -> models.SourceWithConfig:
        """Add a source.

        The source is inactive, so nothing is scraped. `base_url` can be left out only with the vendor `file`.
        409: the slug is taken, also by a retired source.

        `POST /v1/sources`
        """
        return cast("models.SourceWithConfig", await self._json(Call("POST", "/v1/sources", repeat="key", body=body)))

    async def get_source(
        self,
        source: str,
    ) -> models.SourceDetails:
        """Get one source.

        Admins also get `vendor_config`, its schema and `load_limits`.

        `GET /v1/sources/{source}`
        """
        return cast("models.SourceDetails", await self._json(Call("GET", f"/v1/sources/{segment('source', source)}", repeat="safe")))

    async def update_source(
        self,
        source: str,
        body: models.UpdateSourceRequest,
    ) -> models.SourceWithConfig:
        """Change, activate or deactivate a source.

        Omitted fields keep their values. The slug never changes. If the vendor changes, `vendor_config` must
        fit the new one. A source can be activated only if its `vendor_config` is valid; the error lists all
        problems, one per line. 409: the source is retired. 409 `not_proved`: the vendor has grade C, and the
        source must be proved first (`POST /v1/sources/{source}/proof`).

        `PATCH /v1/sources/{source}`
        """
        return cast("models.SourceWithConfig", await self._json(Call("PATCH", f"/v1/sources/{segment('source', source)}", repeat="never", body=body)))

    async def retire_source(
        self,
        source: str,
    ) -> models.SourceOrder:
        """Retire a source.

        It is no longer scraped or listed, and its queued and running jobs are cancelled. A worker retires its
        parcels: they disappear from search, tiles and lists, and stay in the history. Nothing is deleted:
        `POST /v1/sources/{source}/restore` brings all of it back. Repeating the request changes nothing. 409:
        a load of the source is running.

        `DELETE /v1/sources/{source}`
        """
        return cast("models.SourceOrder", await self._json(Call("DELETE", f"/v1/sources/{segment('source', source)}", repeat="safe")))

    async def get_source_runs(
        self,
        source: str,
    ) -> models.SourceRuns:
        """Get the last runs of a source, and why they failed.

        A run is a job or a crawl that has ended. Ended jobs are kept for 30 days. A crawl without a single
        record failed with `not_found`, and one whose records were all rejected with `page_changed`. One
        failed crawl is a problem; for jobs, three failures in a row are. This is evaluated every minute.

        `GET /v1/sources/{source}/runs`
        """
        return cast("models.SourceRuns", await self._json(Call("GET", f"/v1/sources/{segment('source', source)}/runs", repeat="safe")))

    async def list_unread_labels(
        self,
        source: str,
    ) -> models.UnreadLabels:
        """List labels on the pages of a source that are not read.

        Labels and table headings that no field was read from, in the last 100 to 200 scrapes, without their
        values. At most 100 are stored.

        `GET /v1/sources/{source}/unread-labels`
        """
        return cast("models.UnreadLabels", await self._json(Call("GET", f"/v1/sources/{segment('source', source)}/unread-labels", repeat="safe")))

    async def mark_unread_label(
        self,
        source: str,
        body: models.MarkUnreadLabelRequest,
    ) -> models.UnreadLabels:
        """Mark a label as known: there is nothing to read there.

        A known label is no longer reported. Returns the list.

        `PATCH /v1/sources/{source}/unread-labels`
        """
        return cast("models.UnreadLabels", await self._json(Call("PATCH", f"/v1/sources/{segment('source', source)}/unread-labels", repeat="never", body=body)))

    async def restore_source(
        self,
        source: str,
    ) -> models.SourceOrder:
        """Restore a retired source.

        The source is listed again, inactive, and a worker brings its parcels back. Cancelled jobs stay
        cancelled. Repeating the request changes nothing. 409: a load of the source is running, such as the
        one that retires its parcels.

        `POST /v1/sources/{source}/restore`
        """
        return cast("models.SourceOrder", await self._json(Call("POST", f"/v1/sources/{segment('source', source)}/restore", repeat="key")))

    async def update_refresh_policy(
        self,
        source: str,
        body: models.UpdateRefreshPolicyRequest,
    ) -> models.RefreshPolicy:
        """Change the refresh policy of a source.

        Omitted fields keep their values.

        `PATCH /v1/source-refresh-policies/{source}`
        """
        return cast("models.RefreshPolicy", await self._json(Call("PATCH", f"/v1/source-refresh-policies/{segment('source', source)}", repeat="never", body=body)))

    async def dry_run_source(
        self,
        source: str,
        body: models.DryRunSourceRequest,
    ) -> models.DryRun:
        """Scrape one parcel without storing it.

        Requests the parcel from the portal, with the same spacing as jobs, and stores nothing. A failure of
        the portal is a result: see `failure`. 409: the vendor is paused, or needs a browser (use `bun run
        adapter prove`).

        `POST /v1/sources/{source}/dry-run`
        """
        return cast("models.DryRun", await self._json(Call("POST", f"/v1/sources/{segment('source', source)}/dry-run", repeat="never", body=body)))

    async def get_source_proof(
        self,
        source: str,
    ) -> models.SourceProof:
        """Get the proof of a source.

        404: there is no such source, or it is not proved.

        `GET /v1/sources/{source}/proof`
        """
        return cast("models.SourceProof", await self._json(Call("GET", f"/v1/sources/{segment('source', source)}/proof", repeat="safe")))

    async def prove_source(
        self,
        source: str,
        body: models.ProveSourceRequest,
    ) -> models.SourceProof:
        """Prove a source: confirm that a dry run is right.

        Requests the parcel again with the stored settings, and stores its pages as the source's golden page.
        A source whose vendor has grade C can be activated only after that. 409: the portal shows other values
        than the dry run, or the parcel cannot be read.

        `POST /v1/sources/{source}/proof`
        """
        return cast("models.SourceProof", await self._json(Call("POST", f"/v1/sources/{segment('source', source)}/proof", repeat="never", body=body)))

    async def get_golden_page(
        self,
        source: str,
    ) -> str:
        """Get the golden page of a source as text.

        The source text of all responses that were read when the source was proved, as `text/plain`. 404:
        there is no such source, or it is not proved.

        `GET /v1/sources/{source}/proof/page`
        """
        return await self._text(Call("GET", f"/v1/sources/{segment('source', source)}/proof/page", repeat="safe"))

    async def export_golden_page(
        self,
        source: str,
    ) -> models.ExportGoldenPageResponse:
        """Export the golden page of a source without names, addresses and numbers.

        A file for `GOLDEN_PAGES` of `bun run adapter check`. The adapter has read it again and found the same
        fields. Each export uses different replacements. 409: the page cannot be exported; the error says why.
        404: there is no such source, or it is not proved.

        `GET /v1/sources/{source}/proof/export`
        """
        return cast("models.ExportGoldenPageResponse", await self._json(Call("GET", f"/v1/sources/{segment('source', source)}/proof/export", repeat="safe")))

    async def list_error_history(
        self,
        *,
        days: int | None = None,
    ) -> models.ListErrorHistoryResponse:
        """Get the error history of all sources by day.

        Counts finished and failed jobs and crawls. Sources without any are omitted. Updated every five
        minutes.

        days: Number of days, including today.

        `GET /v1/admin/sources/error-history`
        """
        return cast("models.ListErrorHistoryResponse", await self._json(Call("GET", "/v1/admin/sources/error-history", repeat="safe", query={"days": days})))

    def list_source_health(
        self,
        *,
        limit: int | None = None,
        after: str | None = None,
    ) -> AsyncPages[models.SourceHealth, models.ListSourceHealthResponse]:
        """Get the health of sources: parcels, jobs, errors.

        Returns all sources unless `limit` is given.

        Iterate over the result to read the rows of all pages; `first_page()` reads one page.

        limit: Maximum number of rows; all rows if omitted.
        after: `next` of the previous page.

        `GET /v1/admin/sources/health`
        """
        return self._list("sources", Call("GET", "/v1/admin/sources/health", repeat="safe", query={"limit": limit, "after": after}))

    def list_parcels(
        self,
        *,
        bbox: str | Collection[str | float] | None = None,
        at: str | Collection[str | float] | None = None,
        near: str | Collection[str | float] | None = None,
        within: str | None = None,
        state: str | None = None,
        source: str | None = None,
        county: str | None = None,
        land_use: str | None = None,
        zoning: str | None = None,
        min_value: float | None = None,
        max_value: float | None = None,
        min_acres: float | None = None,
        max_acres: float | None = None,
        owner: str | None = None,
        parcel_id: str | None = None,
        agricultural: bool | Literal["true", "false"] | None = None,
        changed_since: str | date | None = None,
        has_geometry: bool | Literal["true", "false"] | None = None,
        retired: bool | Literal["true", "false"] | None = None,
        include: Literal["retired"] | None = None,
        fields: str | Collection[str | float] | None = None,
        geometry: Literal["full", "simplified", "none"] | None = None,
        sort: Literal["id", "source_parcel_id", "assessed_value", "-assessed_value", "acreage", "-acreage", "updated_at", "-updated_at"] | None = None,
        count: Literal["exact", "estimate"] | None = None,
        limit: int | None = None,
        after: str | None = None,
        as_of: str | date | None = None,
    ) -> AsyncPages[models.ParcelRow, models.ListParcelsResponse]:
        """List parcels by place or filter.

        Returns the parcels that meet every filter, with their main fields or those of `fields`. A place is
        `bbox`, `at`, or `near` with `within`; boundaries are compared, not boxes. A parcel whose boundary is
        unknown is found at its point, if it has one, except by `at`. With `bbox`, returns parcels whose
        boundary intersects the box. A place or a filter is required. Use `after` to get the next page. A
        filter or order that has no index is refused unless a narrower filter is added; the error says which.
        With `as_of`, returns what the service knew then, including parcels whose boundary has moved or that
        were retired later.

        Iterate over the result to read the rows of all pages; `first_page()` reads one page.

        bbox: A box as four comma-separated numbers: west,south,east,north, in degrees (EPSG:4326). If west is
        greater than east, the box crosses the antimeridian.
        at: Parcels whose boundary contains this point, the smallest first, because lots can be stacked. A
        point is two comma-separated numbers: lon,lat, in degrees (EPSG:4326).
        near: Parcels near this point, the nearest first, with `distance_m`. Needs `within`. A point is two
        comma-separated numbers: lon,lat, in degrees (EPSG:4326).
        within: With `near`: how far away a boundary may be. It must be a distance above 0 with its unit: m,
        km, ft or mi, like 500m or 1.5km.
        state: 2-letter code.
        source: Slug of a source.
        county: Name of the county, in upper or lower case, with or without "County".
        land_use: Prefix of `land_use_class`, in upper or lower case.
        zoning: Prefix of `zoning_code`, `zoning_description` or `land_use_class`.
        min_value: Lowest `assessed_value` in dollars.
        max_value: Highest `assessed_value` in dollars.
        min_acres: Smallest `acreage`.
        max_acres: Largest `acreage`.
        owner: Whole name of the owner, in upper or lower case. Punctuation, accents and the spelling of
        company forms do not matter: `Acme Holdings, L.L.C.` and `ACME HOLDINGS LLC` are equal. Owners of
        accounts are found only by search.
        parcel_id: Whole `source_parcel_id`, with or without punctuation, in upper or lower case.
        agricultural: Whether `is_agricultural` is true or false.
        changed_since: Only parcels whose record changed at or after this time. Changes can appear out of
        order, so to poll a list, send the `complete_until` of the last poll, not its time. `/v1/changes`
        returns each change once, and retirements too. A date (UTC) or a time with its offset, in ISO 8601:
        2026-01-02 or 2026-01-02T03:04:05Z. A date means the start of that day.
        has_geometry: Whether the boundary is known.
        retired: true: only retired parcels, which their source no longer lists. Each row then has
        `retired_at`.
        include: Includes retired parcels: those that their source no longer lists. Each row then has
        `retired_at`.
        fields: Comma-separated fields of each row, in addition to `id`, `source` and `source_parcel_id`: lon,
        lat, acreage, owner_name, owner_names_all, owner_mailing_address, situs_address, situs_city,
        situs_state, situs_zip, land_use_class, zoning_code, zoning_description, is_agricultural,
        assessed_value, value_land, value_improvement, state, county_name, bbox, scraped_at, ingested_at,
        updated_at, retired_at, accounts. `all` means all of them except `accounts`.
        geometry: `full` adds the boundary as `geom_geojson`. `simplified` leaves out corners that are closer
        than about two meters to the line between their neighbors.
        sort: Order of the rows. A leading `-` sorts in descending order. `source_parcel_id` sorts by source,
        then by parcel id. Parcels without a value come last. Default: `id` with `bbox`, otherwise
        `source_parcel_id`.
        count: Adds `total`, the number of parcels on all pages. `exact` counts every parcel. `estimate`
        counts up to 10,000 parcels, and estimates larger numbers from a sample.
        limit: Maximum number of rows.
        after: `next` of the previous page, with the same filters and order.
        as_of: The parcels that were in the box then, with their values at that time. Only with `bbox`,
        `source`, `include`, `limit` and `after`. A date (UTC) or a time with its offset, in ISO 8601:
        2026-01-02 or 2026-01-02T03:04:05Z. A date means the start of that day.

        `GET /v1/parcels`
        """
        return self._list("parcels", Call("GET", "/v1/parcels", repeat="safe", query={"bbox": bbox, "at": at, "near": near, "within": within, "state": state, "source": source, "county": county, "land_use": land_use, "zoning": zoning, "min_value": min_value, "max_value": max_value, "min_acres": min_acres, "max_acres": max_acres, "owner": owner, "parcel_id": parcel_id, "agricultural": agricultural, "changed_since": changed_since, "has_geometry": has_geometry, "retired": retired, "include": include, "fields": fields, "geometry": geometry, "sort": sort, "count": count, "limit": limit, "after": after, "as_of": as_of}))

    def list_parcels_within(
        self,
        body: models.Area,
        *,
        relation: Literal["intersects", "within"] | None = None,
        state: str | None = None,
        source: str | None = None,
        county: str | None = None,
        land_use: str | None = None,
        zoning: str | None = None,
        min_value: float | None = None,
        max_value: float | None = None,
        min_acres: float | None = None,
        max_acres: float | None = None,
        owner: str | None = None,
        parcel_id: str | None = None,
        agricultural: bool | Literal["true", "false"] | None = None,
        changed_since: str | date | None = None,
        has_geometry: bool | Literal["true", "false"] | None = None,
        retired: bool | Literal["true", "false"] | None = None,
        include: Literal["retired"] | None = None,
        fields: str | Collection[str | float] | None = None,
        geometry: Literal["full", "simplified", "none"] | None = None,
        sort: Literal["id", "source_parcel_id", "assessed_value", "-assessed_value", "acreage", "-acreage", "updated_at", "-updated_at"] | None = None,
        count: Literal["exact", "estimate"] | None = None,
        limit: int | None = None,
        after: str | None = None,
    ) -> AsyncPages[models.ParcelRow, models.ListParcelsWithinResponse]:
        """List parcels in an area.

        The body is a GeoJSON Polygon or MultiPolygon. Returns the parcels whose boundary (or point, if the
        boundary is unknown) intersects the area; with `relation=within`, only those that are entirely inside.
        For the next page, send the same body with `after`. A page of a thin area can have fewer parcels than
        `limit`, or none, before the last page. There is no limit to the size of the area. `bbox`, `at`,
        `near`, `within` and `as_of` are refused.

        Iterate over the result to read the rows of all pages; `first_page()` reads one page.

        relation: `intersects`: the boundary and the area share a point. `within`: the whole parcel is in the
        area.
        state: 2-letter code.
        source: Slug of a source.
        county: Name of the county, in upper or lower case, with or without "County".
        land_use: Prefix of `land_use_class`, in upper or lower case.
        zoning: Prefix of `zoning_code`, `zoning_description` or `land_use_class`.
        min_value: Lowest `assessed_value` in dollars.
        max_value: Highest `assessed_value` in dollars.
        min_acres: Smallest `acreage`.
        max_acres: Largest `acreage`.
        owner: Whole name of the owner, in upper or lower case. Punctuation, accents and the spelling of
        company forms do not matter: `Acme Holdings, L.L.C.` and `ACME HOLDINGS LLC` are equal. Owners of
        accounts are found only by search.
        parcel_id: Whole `source_parcel_id`, with or without punctuation, in upper or lower case.
        agricultural: Whether `is_agricultural` is true or false.
        changed_since: Only parcels whose record changed at or after this time. Changes can appear out of
        order, so to poll a list, send the `complete_until` of the last poll, not its time. `/v1/changes`
        returns each change once, and retirements too. A date (UTC) or a time with its offset, in ISO 8601:
        2026-01-02 or 2026-01-02T03:04:05Z. A date means the start of that day.
        has_geometry: Whether the boundary is known.
        retired: true: only retired parcels, which their source no longer lists. Each row then has
        `retired_at`.
        include: Includes retired parcels: those that their source no longer lists. Each row then has
        `retired_at`.
        fields: Comma-separated fields of each row, in addition to `id`, `source` and `source_parcel_id`: lon,
        lat, acreage, owner_name, owner_names_all, owner_mailing_address, situs_address, situs_city,
        situs_state, situs_zip, land_use_class, zoning_code, zoning_description, is_agricultural,
        assessed_value, value_land, value_improvement, state, county_name, bbox, scraped_at, ingested_at,
        updated_at, retired_at, accounts. `all` means all of them except `accounts`.
        geometry: `full` adds the boundary as `geom_geojson`. `simplified` leaves out corners that are closer
        than about two meters to the line between their neighbors.
        sort: Order of the rows. A leading `-` sorts in descending order. `source_parcel_id` sorts by source,
        then by parcel id. Parcels without a value come last. Default: `id` with `bbox`, otherwise
        `source_parcel_id`.
        count: Adds `total`, the number of parcels on all pages. `exact` counts every parcel. `estimate`
        counts up to 10,000 parcels, and estimates larger numbers from a sample.
        limit: Maximum number of rows.
        after: `next` of the previous page, with the same filters and order.

        `POST /v1/parcels/within`
        """
        return self._list("parcels", Call("POST", "/v1/parcels/within", repeat="safe", query={"relation": relation, "state": state, "source": source, "county": county, "land_use": land_use, "zoning": zoning, "min_value": min_value, "max_value": max_value, "min_acres": min_acres, "max_acres": max_acres, "owner": owner, "parcel_id": parcel_id, "agricultural": agricultural, "changed_since": changed_since, "has_geometry": has_geometry, "retired": retired, "include": include, "fields": fields, "geometry": geometry, "sort": sort, "count": count, "limit": limit, "after": after}, body=body))

    async def get_parcel(
        self,
        source: str,
        id: str,
        *,
        as_of: str | date | None = None,
    ) -> models.Parcel:
        """Get one parcel with all fields.

        Returns the stored record, also of a retired parcel. To fetch it from the portal, use `scrape-now`.
        With `as_of`, returns what the service knew then. If the parcel was first known later, the 404 says
        when.

        as_of: The record as the service knew it then. A date (UTC) or a time with its offset, in ISO 8601:
        2026-01-02 or 2026-01-02T03:04:05Z. A date means the start of that day.

        `GET /v1/parcels/{source}/{id}`
        """
        return cast("models.Parcel", await self._json(Call("GET", f"/v1/parcels/{segment('source', source)}/{segment('id', id)}", repeat="safe", query={"as_of": as_of})))

    def list_neighbors(
        self,
        source: str,
        id: str,
        *,
        within: str | None = None,
        state: str | None = None,
        county: str | None = None,
        land_use: str | None = None,
        zoning: str | None = None,
        min_value: float | None = None,
        max_value: float | None = None,
        min_acres: float | None = None,
        max_acres: float | None = None,
        owner: str | None = None,
        parcel_id: str | None = None,
        agricultural: bool | Literal["true", "false"] | None = None,
        changed_since: str | date | None = None,
        has_geometry: bool | Literal["true", "false"] | None = None,
        retired: bool | Literal["true", "false"] | None = None,
        include: Literal["retired"] | None = None,
        fields: str | Collection[str | float] | None = None,
        geometry: Literal["full", "simplified", "none"] | None = None,
        limit: int | None = None,
        after: str | None = None,
    ) -> AsyncPages[models.ParcelRow, models.ListNeighborsResponse]:
        """List the neighbors of a parcel.

        Lists the parcels of any source that share an edge with this one. With `within`, lists the parcels
        within that distance instead. The nearest come first. Each row has `distance_m`, and `shared_edge_m`,
        the length of the common border. Borders that are within ten centimeters of each other count as
        common. A parcel without a boundary has no neighbors. `bbox`, `at`, `near`, `as_of` and a second
        `source` are refused.

        Iterate over the result to read the rows of all pages; `first_page()` reads one page.

        within: Parcels that are at most this far away, up to 1 km, instead of those that share an edge. It
        must be a distance above 0 with its unit: m, km, ft or mi, like 500m or 1.5km.
        state: 2-letter code.
        county: Name of the county, in upper or lower case, with or without "County".
        land_use: Prefix of `land_use_class`, in upper or lower case.
        zoning: Prefix of `zoning_code`, `zoning_description` or `land_use_class`.
        min_value: Lowest `assessed_value` in dollars.
        max_value: Highest `assessed_value` in dollars.
        min_acres: Smallest `acreage`.
        max_acres: Largest `acreage`.
        owner: Whole name of the owner, in upper or lower case. Punctuation, accents and the spelling of
        company forms do not matter: `Acme Holdings, L.L.C.` and `ACME HOLDINGS LLC` are equal. Owners of
        accounts are found only by search.
        parcel_id: Whole `source_parcel_id`, with or without punctuation, in upper or lower case.
        agricultural: Whether `is_agricultural` is true or false.
        changed_since: Only parcels whose record changed at or after this time. Changes can appear out of
        order, so to poll a list, send the `complete_until` of the last poll, not its time. `/v1/changes`
        returns each change once, and retirements too. A date (UTC) or a time with its offset, in ISO 8601:
        2026-01-02 or 2026-01-02T03:04:05Z. A date means the start of that day.
        has_geometry: Whether the boundary is known.
        retired: true: only retired parcels, which their source no longer lists. Each row then has
        `retired_at`.
        include: Includes retired parcels: those that their source no longer lists. Each row then has
        `retired_at`.
        fields: Comma-separated fields of each row, in addition to `id`, `source` and `source_parcel_id`: lon,
        lat, acreage, owner_name, owner_names_all, owner_mailing_address, situs_address, situs_city,
        situs_state, situs_zip, land_use_class, zoning_code, zoning_description, is_agricultural,
        assessed_value, value_land, value_improvement, state, county_name, bbox, scraped_at, ingested_at,
        updated_at, retired_at, accounts. `all` means all of them except `accounts`.
        geometry: `full` adds the boundary as `geom_geojson`. `simplified` leaves out corners that are closer
        than about two meters to the line between their neighbors.
        limit: Maximum number of rows.
        after: `next` of the previous page, with the same filters and order.

        `GET /v1/parcels/{source}/{id}/neighbors`
        """
        return self._list("parcels", Call("GET", f"/v1/parcels/{segment('source', source)}/{segment('id', id)}/neighbors", repeat="safe", query={"within": within, "state": state, "county": county, "land_use": land_use, "zoning": zoning, "min_value": min_value, "max_value": max_value, "min_acres": min_acres, "max_acres": max_acres, "owner": owner, "parcel_id": parcel_id, "agricultural": agricultural, "changed_since": changed_since, "has_geometry": has_geometry, "retired": retired, "include": include, "fields": fields, "geometry": geometry, "limit": limit, "after": after}))

    def list_parcel_history(
        self,
        source: str,
        id: str,
        *,
        after: int | None = None,
        limit: int | None = None,
    ) -> AsyncPages[models.Change, models.ListParcelHistoryResponse]:
        """List the changes of a parcel, newest first.

        All changes since the service first knew the parcel, with former and new values, the cause, and where
        the new values are from. Pages with very large changes have fewer than `limit`.

        Iterate over the result to read the rows of all pages; `first_page()` reads one page.

        after: `next` of the previous page.
        limit: Maximum number of rows.

        `GET /v1/parcels/{source}/{id}/history`
        """
        return self._list("changes", Call("GET", f"/v1/parcels/{segment('source', source)}/{segment('id', id)}/history", repeat="safe", query={"after": after, "limit": limit}))

    async def list_provenance(
        self,
        source: str,
        id: str,
    ) -> models.ListProvenanceResponse:
        """Get the origin of each field of a parcel.

        The origin of a field is its last change in the change log: when, why, and from which page or row of a
        file the value is.

        `GET /v1/parcels/{source}/{id}/provenance`
        """
        return cast("models.ListProvenanceResponse", await self._json(Call("GET", f"/v1/parcels/{segment('source', source)}/{segment('id', id)}/provenance", repeat="safe")))

    async def list_pages(
        self,
        source: str,
        id: str,
    ) -> models.ListPagesResponse:
        """List the kept pages of a parcel.

        The pages of the last two different good scrapes, and those of failed scrapes of the last 30 days, as
        long as there is space. Also works for a parcel that is not stored. Admins only.

        `GET /v1/parcels/{source}/{id}/pages`
        """
        return cast("models.ListPagesResponse", await self._json(Call("GET", f"/v1/parcels/{segment('source', source)}/{segment('id', id)}/pages", repeat="safe")))

    async def get_page(
        self,
        source: str,
        id: str,
        hash: str,
    ) -> str:
        """Get a kept page as text.

        The source text of all responses that one scrape received, as `text/plain`. Passwords, tokens and
        session ids are removed from URLs. Admins only.

        `GET /v1/parcels/{source}/{id}/pages/{hash}`
        """
        return await self._text(Call("GET", f"/v1/parcels/{segment('source', source)}/{segment('id', id)}/pages/{segment('hash', hash)}", repeat="safe"))

    def list_changes(
        self,
        *,
        after: int | None = None,
        since: str | date | None = None,
        source: str | None = None,
        bbox: str | Collection[str | float] | None = None,
        fields: str | Collection[str | float] | None = None,
        owner: str | None = None,
        wait: int | None = None,
        limit: int | None = None,
    ) -> AsyncPages[models.Change, models.ListChangesResponse]:
        """Follow the changes of parcels.

        Every change since the log began, in the order of versions. Begin with `after=0`, `since`, or the
        `X-Dataset-Version` of a response that you have. Then request again with `after` = `next`. You get
        each change exactly once, also while others write. If `after` is above the newest version, the
        response is 400: the database was restored from a backup, so request the parcels again. With filters,
        a page reads a limited part of the log, so it can be empty although `next` is below `watermark`. Pages
        with very large changes have fewer than `limit`. Each key or account can have 10 waiting requests per
        process.

        Iterate over the result to read the rows of all pages; `first_page()` reads one page.

        after: Changes after this version: `next` of the last response.
        since: Starts with the changes at this time. Use it instead of `after`. A date (UTC) or a time with
        its offset, in ISO 8601: 2026-01-02 or 2026-01-02T03:04:05Z. A date means the start of that day.
        source: Slug of a source.
        bbox: Only changes of parcels whose bounding box intersects this one before or after the change. A box
        as four comma-separated numbers: west,south,east,north, in degrees (EPSG:4326). If west is greater
        than east, the box crosses the antimeridian.
        fields: Only changes of these fields, comma-separated. `scrape_data` stands for all its members.
        owner: Only parcels of this owner, before or after the change. Case, punctuation and forms such as
        `L.L.C.` do not matter.
        wait: If there is no change, wait for one, for up to this many seconds.
        limit: Maximum number of rows.

        `GET /v1/changes`
        """
        return self._list("changes", Call("GET", "/v1/changes", repeat="safe", query={"after": after, "since": since, "source": source, "bbox": bbox, "fields": fields, "owner": owner, "wait": wait, "limit": limit}))

    def search(
        self,
        *,
        q: str,
        limit: int | None = None,
        types: str | Collection[str | float] | None = None,
        state: str | None = None,
        source: str | None = None,
        county: str | None = None,
        land_use: str | None = None,
        zoning: str | None = None,
        min_value: float | None = None,
        max_value: float | None = None,
        min_acres: float | None = None,
        max_acres: float | None = None,
        bbox: str | Collection[str | float] | None = None,
        include: Literal["retired"] | None = None,
        lat: float | None = None,
        lon: float | None = None,
        proximity_km: float | None = None,
        group: Literal["owner"] | None = None,
        after: str | None = None,
        total: bool | Literal["1", "0", "true", "false"] | None = None,
        explain: bool | Literal["1", "0", "true", "false"] | None = None,
        highlight: bool | Literal["1", "0", "true", "false"] | None = None,
        center: bool | Literal["1", "0", "true", "false"] | None = None,
    ) -> AsyncPages[models.ParcelHit | models.EntityHit | models.OwnerGroup, models.SearchResponse]:
        """Search parcels and business entities.

        Typeahead search that tolerates typos. While Meilisearch is unavailable, searches run on PostgreSQL
        and the response has a `Warning` header; searches are then slower and may return fewer hits.

        Iterate over the result to read the rows of all pages; `first_page()` reads one page.

        q: An owner, address, company or parcel id, or the start of one. Typos are tolerated. 2 to 200
        characters. A state at the end limits the search to that state.
        limit: Maximum number of rows.
        types: Comma-separated subset of parcels and entities.
        state: 2-letter code. Filters parcels by state and entities by jurisdiction.
        source: Slug of a source. Filters parcels, but not entities.
        county: Name of the county, in upper or lower case, with or without "County". Returns parcels only.
        land_use: Prefix of `land_use_class`, in upper or lower case. Returns parcels only.
        zoning: Prefix of `zoning_code`, `zoning_description` or `land_use_class`. Filters parcels, but not
        entities.
        min_value: Lowest `assessed_value` in dollars.
        max_value: Highest `assessed_value` in dollars.
        min_acres: Smallest `acreage`.
        max_acres: Largest `acreage`.
        bbox: A box as four comma-separated numbers: west,south,east,north, in degrees (EPSG:4326). If west is
        greater than east, the box crosses the antimeridian. Returns only parcels whose bounding box
        intersects this one.
        include: Includes retired parcels: those that their source no longer lists. Each row then has
        `retired_at`.
        lat: Degrees; requires `lon`. Nearer parcels rank higher; none are filtered out.
        lon: Degrees; requires `lat`.
        proximity_km: Radius of the proximity bonus in kilometers.
        group: Merges parcels with the same owner name, in any case.
        after: `next` of the previous page, or `members_next` of a group for the other parcels of its owner.
        Only `limit`, `total`, `explain`, `highlight` and `center` may differ from its request.
        total: 1 counts all hits, up to 1,000, and ranks all of them for the first page too. This takes longer
        for common words.
        explain: 1 adds the parts of the score to each hit.
        highlight: 1 adds the matching fields to each hit, as HTML with the matched parts marked.
        center: 1 adds the center of the parcel to each parcel hit.

        `GET /v1/search`
        """
        return self._list("results", Call("GET", "/v1/search", repeat="safe", query={"q": q, "limit": limit, "types": types, "state": state, "source": source, "county": county, "land_use": land_use, "zoning": zoning, "min_value": min_value, "max_value": max_value, "min_acres": min_acres, "max_acres": max_acres, "bbox": bbox, "include": include, "lat": lat, "lon": lon, "proximity_km": proximity_km, "group": group, "after": after, "total": total, "explain": explain, "highlight": highlight, "center": center}))

    async def list_entities(
        self,
        *,
        name: str,
    ) -> models.ListEntitiesResponse:
        """Find registry entities by their name.

        Finds the company that owns a parcel: returns the entities with exactly this name, in any usual
        spelling. For similar names, search with `types=entities`.

        name: Name of the entity, such as the `owner_name` of a parcel. Case, punctuation and forms such as
        `L.L.C.` do not matter.

        `GET /v1/entities`
        """
        return cast("models.ListEntitiesResponse", await self._json(Call("GET", "/v1/entities", repeat="safe", query={"name": name})))

    async def get_entity(
        self,
        id: str,
    ) -> models.Entity:
        """Get one registry entity.

        The record of a company in the business registry. To list its parcels, send its `name` to `GET
        /v1/parcels?owner=`: it returns those whose owner has this name, in any usual spelling.

        `GET /v1/entities/{id}`
        """
        return cast("models.Entity", await self._json(Call("GET", f"/v1/entities/{segment('id', id)}", repeat="safe")))

    async def list_findings(
        self,
        source: str,
        id: str,
        *,
        dismissed: bool | Literal["false", "true", "any"] | None = None,
        limit: int | None = None,
    ) -> models.ListFindingsResponse:
        """List the findings of one parcel.

        Often empty. A finding keeps its id as long as its cause persists. Dismissed findings are left out
        unless `dismissed` is given.

        dismissed: `true`: only dismissed findings. `any`: all findings. By default, dismissed ones are left
        out.
        limit: Maximum number of rows.

        `GET /v1/findings/{source}/{id}`
        """
        return cast("models.ListFindingsResponse", await self._json(Call("GET", f"/v1/findings/{segment('source', source)}/{segment('id', id)}", repeat="safe", query={"dismissed": dismissed, "limit": limit})))

    def list_all_findings(
        self,
        *,
        dismissed: bool | Literal["false", "true", "any"] | None = None,
        severity: Literal["info", "low", "medium", "high"] | None = None,
        category: Literal["ownership", "valuation", "tax", "exemption", "geometry", "data-quality"] | None = None,
        source: str | None = None,
        limit: int | None = None,
        after: str | None = None,
    ) -> AsyncPages[models.ParcelFinding, models.ListAllFindingsResponse]:
        """List the findings of all parcels, newest first.

        Filters can be combined. Use `after` to get the next page.

        Iterate over the result to read the rows of all pages; `first_page()` reads one page.

        dismissed: `true`: only dismissed findings. `any`: all findings. By default, dismissed ones are left
        out.
        severity: Severity.
        category: Category.
        source: Slug of a source.
        limit: Maximum number of rows.
        after: `next` of the previous page.

        `GET /v1/admin/findings`
        """
        return self._list("findings", Call("GET", "/v1/admin/findings", repeat="safe", query={"dismissed": dismissed, "severity": severity, "category": category, "source": source, "limit": limit, "after": after}))

    async def dismiss_finding(
        self,
        id: str,
        body: models.DismissFindingRequest,
    ) -> models.ParcelFinding:
        """Dismiss a finding.

        Lists leave it out until its evidence changes. It stays dismissed even if it disappears and comes back
        with the same evidence.

        `POST /v1/findings/{id}/dismiss`
        """
        return cast("models.ParcelFinding", await self._json(Call("POST", f"/v1/findings/{segment('id', id)}/dismiss", repeat="key", body=body)))

    async def reopen_finding(
        self,
        id: str,
    ) -> models.ParcelFinding:
        """Reopen a dismissed finding.

        Lists show it again. Does nothing if it is not dismissed.

        `DELETE /v1/findings/{id}/dismiss`
        """
        return cast("models.ParcelFinding", await self._json(Call("DELETE", f"/v1/findings/{segment('id', id)}/dismiss", repeat="safe")))

    def list_scrape_jobs(
        self,
        *,
        status: Literal["queued", "running", "done", "error"] | None = None,
        source: str | None = None,
        parcel_id: str | None = None,
        failure_class: Literal["page_changed", "redirected", "page_missing", "too_large", "name_not_found", "certificate", "network", "server_error", "timeout", "throttled", "blocked", "challenge", "maintenance", "not_found", "wrong_parcel", "bad_config", "internal", "server_unavailable", "worker_lost", "worker_stopped", "vendor_paused", "cancelled"] | None = None,
        limit: int | None = None,
        after: str | None = None,
    ) -> AsyncPages[models.Job, models.ListScrapeJobsResponse]:
        """List scrape jobs, newest first.

        Filters can be combined. Finished jobs are kept for 30 days.

        Iterate over the result to read the rows of all pages; `first_page()` reads one page.

        status: Status of the job. `done` and `error` are final.
        source: Slug of a source.
        parcel_id: A source_parcel_id. Matches parcels of all sources unless `source` is given.
        failure_class: Only failed jobs of this class. Needs `source`.
        limit: Maximum number of rows.
        after: `next` of the previous page.

        `GET /v1/scrape-jobs`
        """
        return self._list("jobs", Call("GET", "/v1/scrape-jobs", repeat="safe", query={"status": status, "source": source, "parcel_id": parcel_id, "failure_class": failure_class, "limit": limit, "after": after}))

    async def enqueue_scrapes(
        self,
        body: models.ScrapeOrder | list[models.ScrapeOrder],
    ) -> models.EnqueueScrapesResponse:
        """Queue scrapes of parcels.

        Each parcel gets one job, even if it is listed twice or already queued; repeating the request only
        changes `updated_at`. Jobs from a request of up to 100 parcels have `high` priority and run before
        refreshes and larger requests; jobs that are already queued are raised to `high`. If any source is
        unknown, nothing is queued.

        `POST /v1/scrape-jobs`
        """
        return cast("models.EnqueueScrapesResponse", await self._json(Call("POST", "/v1/scrape-jobs", repeat="key", body=body)))

    async def get_job_totals(
        self,
        *,
        source: str | None = None,
        vendor: str | None = None,
        since: str | date | None = None,
    ) -> models.JobTotals:
        """Count jobs, and estimate the time left.

        The jobs of a source, of a vendor, or all of them. Without `source`, `vendor` selects its sources.

        source: Slug of a source.
        vendor: Name of a vendor.
        since: Start of the period in which ended jobs are counted. Default: one hour ago. A date (UTC) or a
        time with its offset, in ISO 8601: 2026-01-02 or 2026-01-02T03:04:05Z. A date means the start of that
        day.

        `GET /v1/scrape-jobs/totals`
        """
        return cast("models.JobTotals", await self._json(Call("GET", "/v1/scrape-jobs/totals", repeat="safe", query={"source": source, "vendor": vendor, "since": since})))

    async def get_scrape_job(
        self,
        id: str,
    ) -> models.Job:
        """Get one scrape job.

        `/v1/events` sends every status change as it happens.

        `GET /v1/scrape-jobs/{id}`
        """
        return cast("models.Job", await self._json(Call("GET", f"/v1/scrape-jobs/{segment('id', id)}", repeat="safe")))

    async def cancel_scrape_job(
        self,
        id: str,
    ) -> models.Job:
        """Cancel a queued or running job.

        A running job is stopped and its result is discarded. Returns 404 for a job that has ended.

        `DELETE /v1/scrape-jobs/{id}`
        """
        return cast("models.Job", await self._json(Call("DELETE", f"/v1/scrape-jobs/{segment('id', id)}", repeat="safe")))

    async def list_scrape_attempts(
        self,
        id: str,
    ) -> models.ListScrapeAttemptsResponse:
        """List the attempts of one scrape job.

        Oldest first. Empty if the job was cancelled before a worker claimed it, and for failures before
        attempts were recorded.

        `GET /v1/scrape-jobs/{id}/attempts`
        """
        return cast("models.ListScrapeAttemptsResponse", await self._json(Call("GET", f"/v1/scrape-jobs/{segment('id', id)}/attempts", repeat="safe")))

    async def retry_scrape_job(
        self,
        id: str,
    ) -> models.Job:
        """Retry a finished job.

        Queues the parcel again with the same overrides and returns the new job. If the parcel is already
        queued, it returns that job. Returns 409 if the job has not ended.

        `POST /v1/scrape-jobs/{id}/retry`
        """
        return cast("models.Job", await self._json(Call("POST", f"/v1/scrape-jobs/{segment('id', id)}/retry", repeat="key")))

    async def retry_failed_jobs(
        self,
        body: models.RetryFailedJobsRequest,
    ) -> models.RetryFailedJobsResponse:
        """Retry failed jobs by the class of their failure.

        Queues again each parcel whose last job failed for this reason, with the same overrides, and restarts
        each crawl whose last run failed for this reason. Give either `source` or `vendor`. A repeated request
        queues nothing twice.

        `POST /v1/scrape-jobs/retry`
        """
        return cast("models.RetryFailedJobsResponse", await self._json(Call("POST", "/v1/scrape-jobs/retry", repeat="key", body=body)))

    async def enqueue_ag_county(
        self,
        body: models.EnqueueAgCountyRequest,
    ) -> models.EnqueueAgCountyResponse:
        """Queue scrapes of a county's agricultural parcels.

        Parcels that were scraped within the source's cadence are skipped unless `skip_existing` is false.

        `POST /v1/scrape-jobs/enqueue-ag-county`
        """
        return cast("models.EnqueueAgCountyResponse", await self._json(Call("POST", "/v1/scrape-jobs/enqueue-ag-county", repeat="key", body=body)))

    async def order_refresh(
        self,
        body: models.OrderRefreshRequest,
    ) -> models.RefreshOrder | models.RefreshEstimate:
        """Queue scrapes of the parcels of a filter.

        The filter needs `source`, `county`, `owner`, `parcel_id` or `bbox`. Jobs have `normal` priority. With
        `dry_run`, nothing is queued, and the response says how many parcels would be queued and how long they
        would take.

        `POST /v1/scrape-jobs/refresh`
        """
        return cast("models.RefreshOrder | models.RefreshEstimate", await self._json(Call("POST", "/v1/scrape-jobs/refresh", repeat="key", body=body)))

    async def cancel_scrape_jobs(
        self,
        body: models.CancelScrapeJobsRequest,
    ) -> models.CancelScrapeJobsResponse:
        """Cancel the jobs of a source or a vendor.

        Ends queued and running jobs as errors, like `DELETE /scrape-jobs/{id}`. Crawls are not cancelled.
        Give either `source` or `vendor`.

        `POST /v1/scrape-jobs/cancel`
        """
        return cast("models.CancelScrapeJobsResponse", await self._json(Call("POST", "/v1/scrape-jobs/cancel", repeat="key", body=body)))

    def list_concurrency(
        self,
        *,
        limit: int | None = None,
        after: str | None = None,
    ) -> AsyncPages[models.VendorConcurrency, models.ListConcurrencyResponse]:
        """List the concurrency settings of vendors.

        Returns all vendors unless `limit` is given.

        Iterate over the result to read the rows of all pages; `first_page()` reads one page.

        limit: Maximum number of rows; all rows if omitted.
        after: `next` of the previous page.

        `GET /v1/admin/concurrency`
        """
        return self._list("vendors", Call("GET", "/v1/admin/concurrency", repeat="safe", query={"limit": limit, "after": after}))

    async def get_concurrency_history(
        self,
        vendor: str,
        *,
        hours: int | None = None,
    ) -> models.VendorHistory:
        """Get the history of a vendor's scrapes and target.

        Each point covers five minutes. Intervals in which no attempt ended have no point; neither has the
        current interval.

        hours: Length of the history in hours.

        `GET /v1/admin/concurrency/{vendor}/history`
        """
        return cast("models.VendorHistory", await self._json(Call("GET", f"/v1/admin/concurrency/{segment('vendor', vendor)}/history", repeat="safe", query={"hours": hours})))

    async def update_concurrency(
        self,
        vendor: str,
        body: models.UpdateConcurrencyRequest,
    ) -> models.VendorConcurrency:
        """Change a vendor's concurrency settings.

        The whole resulting row must be valid, not only the fields that you send. Mode `manual` with a target
        freezes the target.

        `PATCH /v1/admin/concurrency/{vendor}`
        """
        return cast("models.VendorConcurrency", await self._json(Call("PATCH", f"/v1/admin/concurrency/{segment('vendor', vendor)}", repeat="never", body=body)))

    async def pause_vendor(
        self,
        vendor: str,
        body: models.PauseVendorRequest,
    ) -> models.VendorConcurrency:
        """Pause a vendor.

        No scrape of the vendor starts, and running ones stop and are queued again. New jobs wait.
        `scrape-now` and dry runs return 409. The target stays as it is. Pause it again to change the reason
        or the end.

        `PUT /v1/admin/concurrency/{vendor}/pause`
        """
        return cast("models.VendorConcurrency", await self._json(Call("PUT", f"/v1/admin/concurrency/{segment('vendor', vendor)}/pause", repeat="never", body=body)))

    async def resume_vendor(
        self,
        vendor: str,
    ) -> models.VendorConcurrency:
        """Resume a paused vendor.

        Its jobs start again, up to its target. A vendor that is not paused stays as it is.

        `DELETE /v1/admin/concurrency/{vendor}/pause`
        """
        return cast("models.VendorConcurrency", await self._json(Call("DELETE", f"/v1/admin/concurrency/{segment('vendor', vendor)}/pause", repeat="safe")))

    async def run_tuner(
        self,
    ) -> models.RunTunerResponse:
        """Run one tuner cycle now.

        The tuner also runs automatically every minute. No body.

        `POST /v1/admin/concurrency/run-tuner`
        """
        return cast("models.RunTunerResponse", await self._json(Call("POST", "/v1/admin/concurrency/run-tuner", repeat="key")))

    async def list_tuning_log(
        self,
        *,
        vendor: str | None = None,
        limit: int | None = None,
    ) -> models.ListTuningLogResponse:
        """List changes to concurrency settings, newest first.

        Changes by the tuner and by people. Entries are kept for 90 days.

        vendor: Name of a vendor.
        limit: Maximum number of rows.

        `GET /v1/admin/tuning-log`
        """
        return cast("models.ListTuningLogResponse", await self._json(Call("GET", "/v1/admin/tuning-log", repeat="safe", query={"vendor": vendor, "limit": limit})))

    def list_crawls(
        self,
        source: str,
        *,
        limit: int | None = None,
        after: str | None = None,
    ) -> AsyncPages[models.Crawl, models.ListCrawlsResponse]:
        """List the crawls of a source.

        Newest first. A source can be crawled if its vendor serves whole layers. At most one crawl of a source
        is queued or running. Finished ones are kept for 30 days.

        Iterate over the result to read the rows of all pages; `first_page()` reads one page.

        limit: Maximum number of rows.
        after: `next` of the previous page.

        `GET /v1/admin/sources/{source}/crawls`
        """
        return self._list("crawls", Call("GET", f"/v1/admin/sources/{segment('source', source)}/crawls", repeat="safe", query={"limit": limit, "after": after}))

    async def start_crawl(
        self,
        source: str,
    ) -> models.CrawlWithRejects:
        """Crawl a source now.

        The source need not be active. A worker runs the crawl; `/v1/events` reports its progress. If a crawl
        of the source is already queued or running, that one is returned. 409: the vendor does not serve whole
        layers.

        `POST /v1/admin/sources/{source}/crawls`
        """
        return cast("models.CrawlWithRejects", await self._json(Call("POST", f"/v1/admin/sources/{segment('source', source)}/crawls", repeat="key")))

    async def get_crawl(
        self,
        source: str,
        id: str,
    ) -> models.CrawlWithRejects:
        """Get one crawl of a source, with its rejected records.

        `/v1/events` sends an event for each page.

        `GET /v1/admin/sources/{source}/crawls/{id}`
        """
        return cast("models.CrawlWithRejects", await self._json(Call("GET", f"/v1/admin/sources/{segment('source', source)}/crawls/{segment('id', id)}", repeat="safe")))

    async def cancel_crawl(
        self,
        source: str,
        id: str,
    ) -> models.Crawl:
        """Cancel a queued or running crawl.

        The worker reads no more pages. Staged pages are discarded. What is already visible stays: pages of a
        first crawl, and parcels that were written while the crawl was being applied; undo the crawl to revert
        them. It does not count as a complete refresh of the source. 404 if the crawl has ended.

        `DELETE /v1/admin/sources/{source}/crawls/{id}`
        """
        return cast("models.Crawl", await self._json(Call("DELETE", f"/v1/admin/sources/{segment('source', source)}/crawls/{segment('id', id)}", repeat="safe")))

    def list_exports(
        self,
        *,
        limit: int | None = None,
        after: str | None = None,
    ) -> AsyncPages[models.Export, models.ListExportsResponse]:
        """List exports.

        Exports to files of your key or account, newest first; admins get all. They are listed for 30 days.

        Iterate over the result to read the rows of all pages; `first_page()` reads one page.

        limit: Maximum number of rows.
        after: `next` of the previous page.

        `GET /v1/exports`
        """
        return self._list("exports", Call("GET", "/v1/exports", repeat="safe", query={"limit": limit, "after": after}))

    async def get_export(
        self,
        id: str,
    ) -> models.Export:
        """Get an export, with the URL of its file.

        Finds exports of your key or account; admins find all. `/v1/events?types=work` sends an event for each
        step to admins.

        `GET /v1/exports/{id}`
        """
        return cast("models.Export", await self._json(Call("GET", f"/v1/exports/{segment('id', id)}", repeat="safe")))

    async def cancel_export(
        self,
        id: str,
    ) -> models.Export:
        """Cancel a queued or running export.

        A running export stops within seconds. 404 if the export has ended.

        `DELETE /v1/exports/{id}`
        """
        return cast("models.Export", await self._json(Call("DELETE", f"/v1/exports/{segment('id', id)}", repeat="safe")))

    def list_work(
        self,
        *,
        kind: Literal["crawl", "load", "ingest", "preview", "tile_build", "search_check", "search_rebuild", "webhooks", "export", "match"] | None = None,
        status: Literal["queued", "running", "done", "error"] | None = None,
        source: str | None = None,
        limit: int | None = None,
        after: str | None = None,
    ) -> AsyncPages[models.Work, models.ListWorkResponse]:
        """List long-running work.

        All long-running work except scrape jobs, newest first. Finished work is kept for 30 days.
        `/v1/events?types=work` sends an event for each step.

        Iterate over the result to read the rows of all pages; `first_page()` reads one page.

        kind: A kind of work: `crawl`, `load`, `ingest`, `preview`, `tile_build`, `search_check`,
        `search_rebuild`, `webhooks`, `export`, `match`.
        status: The status. `done` and `error` are final.
        source: Slug of a source.
        limit: Maximum number of rows.
        after: `next` of the previous page.

        `GET /v1/work`
        """
        return self._list("work", Call("GET", "/v1/work", repeat="safe", query={"kind": kind, "status": status, "source": source, "limit": limit, "after": after}))

    async def get_work(
        self,
        id: str,
    ) -> models.Work:
        """Get one long-running piece of work.

        Finds work of every kind. Scrape jobs have their own route.

        `GET /v1/work/{id}`
        """
        return cast("models.Work", await self._json(Call("GET", f"/v1/work/{segment('id', id)}", repeat="safe")))

    async def cancel_work(
        self,
        id: str,
    ) -> models.Work:
        """Cancel queued or running work.

        Running work stops within seconds. Results that it has stored stay. 404 if the work has ended.

        `DELETE /v1/work/{id}`
        """
        return cast("models.Work", await self._json(Call("DELETE", f"/v1/work/{segment('id', id)}", repeat="safe")))

    def get_work_rejects(
        self,
        id: str,
    ) -> AsyncStream:
        """Download the records that work rejected.

        A CSV with the line, the reason and the id of each rejected row of a file, or of each record of a
        crawl. Only the first ones are stored: 10,000 of a file.

        `GET /v1/work/{id}/rejects`
        """
        return self._stream(Call("GET", f"/v1/work/{segment('id', id)}/rejects", repeat="safe"))

    def list_loads(
        self,
        *,
        source: str | None = None,
        status: Literal["staging", "held", "applying", "applied", "discarded", "undone", "failed"] | None = None,
        limit: int | None = None,
        after: str | None = None,
    ) -> AsyncPages[models.Load, models.ListLoadsResponse]:
        """List loads.

        Files that were ingested and crawls, newest first. `status=held` lists the loads that wait for an
        admin. `/v1/events?types=load` sends an event when a load is held, applied, discarded or undone.

        Iterate over the result to read the rows of all pages; `first_page()` reads one page.

        source: Slug of a source.
        status: `staging`: it is being read. `held`: it would change too much and waits for an admin.
        `failed`: it stopped while it was applied, and a part of it is stored. `undone`: it was applied, and
        then undone.
        limit: Maximum number of rows.
        after: `next` of the previous page.

        `GET /v1/loads`
        """
        return self._list("loads", Call("GET", "/v1/loads", repeat="safe", query={"source": source, "status": status, "limit": limit, "after": after}))

    async def add_load(
        self,
        body: models.AddLoadRequest,
    ) -> models.OrderedWork:
        """Load a file of parcels into a source.

        A worker fetches and reads the file. The file lists all parcels of the source unless
        `settings.complete` is false. A load that would change too much is held. Without `file` and `address`,
        the file at the `base_url` of a source with the vendor `file` is loaded; without `settings`, its
        `vendor_config` is used. `result.load_id` of the work is the load. 409: the source is retired, the
        upload is incomplete, or another file of the source is being loaded.

        `POST /v1/loads`
        """
        return cast("models.OrderedWork", await self._json(Call("POST", "/v1/loads", repeat="key", body=body)))

    async def preview_load(
        self,
        body: models.PreviewLoadRequest,
    ) -> models.OrderedWork:
        """Preview a file of parcels before it is loaded.

        A worker reads the first 10,000 rows and stores nothing. `result.preview` of the work has the columns
        with samples, the field map (guessed where `settings.map` does not say it), the first parcels, and why
        rows would be rejected.

        `POST /v1/loads/preview`
        """
        return cast("models.OrderedWork", await self._json(Call("POST", "/v1/loads/preview", repeat="key", body=body)))

    async def get_load(
        self,
        id: str,
    ) -> models.Load:
        """Get one load.

        The verdict says what the load changes, and why it is held, with examples.

        `GET /v1/loads/{id}`
        """
        return cast("models.Load", await self._json(Call("GET", f"/v1/loads/{segment('id', id)}", repeat="safe")))

    async def apply_load(
        self,
        id: str,
    ) -> models.OrderedWork:
        """Apply a held load.

        A worker applies it. A load that failed while it was applied continues where it stopped, unless a
        newer load of its source exists (`can_apply`). 409: the load is not held, something was undone since
        it was compared, or another load or a crawl of its source is running.

        `POST /v1/loads/{id}/apply`
        """
        return cast("models.OrderedWork", await self._json(Call("POST", f"/v1/loads/{segment('id', id)}/apply", repeat="key")))

    async def discard_load(
        self,
        id: str,
    ) -> models.Load:
        """Discard a held load.

        Nothing of it becomes visible. 409: the load is not held.

        `POST /v1/loads/{id}/discard`
        """
        return cast("models.Load", await self._json(Call("POST", f"/v1/loads/{segment('id', id)}/discard", repeat="key")))

    async def undo_load(
        self,
        id: str,
    ) -> models.OrderedWork:
        """Undo a load, a crawl or a scrape job.

        Restores the former value of every field that it changed, as new changes. Parcels that it created are
        retired, and parcels that it retired return. A field that was changed again later keeps its value; the
        result of the work counts and lists these fields. `id` can also be that of a crawl, a scrape job, a
        replay or the work of an undo: an undo of an undo brings the changes back, and the load is applied
        again. 409: the load is not applied, its changes are undone already or compacted (`CHANGES_KEEP`), its
        source is retired, or another load or a crawl of its source is running.

        `POST /v1/loads/{id}/undo`
        """
        return cast("models.OrderedWork", await self._json(Call("POST", f"/v1/loads/{segment('id', id)}/undo", repeat="key")))

    async def add_file(
        self,
        body: models.AddFileRequest,
    ) -> models.File:
        """Begin the upload of a file of parcels.

        Announces a file. Then send its parts in order (`PATCH /v1/files/{id}`), each of at most 8 MiB.
        `UPLOADS_MAX_MB` limits the size of all files together: a larger file returns 400, and 409 means that
        other files use up the space. A file is deleted 2 days after its last part.

        `POST /v1/files`
        """
        return cast("models.File", await self._json(Call("POST", "/v1/files", repeat="key", body=body)))

    def list_files(
        self,
        *,
        limit: int | None = None,
        after: str | None = None,
    ) -> AsyncPages[models.File, models.ListFilesResponse]:
        """List uploaded files of parcels.

        Complete files and files that are still being uploaded, newest first.

        Iterate over the result to read the rows of all pages; `first_page()` reads one page.

        limit: Maximum number of rows.
        after: `next` of the previous page.

        `GET /v1/files`
        """
        return self._list("files", Call("GET", "/v1/files", repeat="safe", query={"limit": limit, "after": after}))

    async def add_file_part(
        self,
        id: str,
        body: TextBody,
        *,
        offset: int,
    ) -> models.File:
        """Send the next part of a file.

        If the upload was interrupted, get the file and continue at `received_bytes`. The last part can be
        sent again. 409: `offset` is not where the next part begins.

        offset: Where the part begins: `received_bytes` of the file.

        `PATCH /v1/files/{id}`
        """
        return cast("models.File", await self._json(Call("PATCH", f"/v1/files/{segment('id', id)}", repeat="never", query={"offset": offset}, body=body)))

    async def get_file(
        self,
        id: str,
    ) -> models.File:
        """Get one uploaded file.

        Shows how much of it has been received.

        `GET /v1/files/{id}`
        """
        return cast("models.File", await self._json(Call("GET", f"/v1/files/{segment('id', id)}", repeat="safe")))

    async def remove_file(
        self,
        id: str,
    ) -> models.File:
        """Delete an uploaded file.

        Parcels that were loaded from it stay.

        `DELETE /v1/files/{id}`
        """
        return cast("models.File", await self._json(Call("DELETE", f"/v1/files/{segment('id', id)}", repeat="safe")))

    async def scrape_parcel_now(
        self,
        source: str,
        id: str,
        body: models.ScrapeOverrides | None = None,
    ) -> models.Parcel:
        """Scrape a parcel now and wait for the result.

        Concurrent requests for one parcel share one scrape. 409: an operator has paused the vendor. 502: the
        portal or the network failed, or the scrape took more than 60 s; the error starts with the kind of
        failure. 503 with `enqueued`: the portal needs a browser, so a job was queued; poll the parcel until
        `scrape_data` is filled.

        `POST /v1/parcels/{source}/{id}/scrape-now`
        """
        return cast("models.Parcel", await self._json(Call("POST", f"/v1/parcels/{segment('source', source)}/{segment('id', id)}/scrape-now", repeat="key", body=body)))

    def list_watches(
        self,
        *,
        mine: bool | Literal["true", "false"] | None = None,
        limit: int | None = None,
        after: str | None = None,
    ) -> AsyncPages[models.Watch, models.ListWatchesResponse]:
        """List your watches.

        The watches of your account, or of your key if it has no account, newest first. Admins get the watches
        of all callers.

        Iterate over the result to read the rows of all pages; `first_page()` reads one page.

        mine: `true`: admins, too, get only the watches of their own account or key.
        limit: Maximum number of rows.
        after: `next` of the previous page.

        `GET /v1/watches`
        """
        return self._list("watches", Call("GET", "/v1/watches", repeat="safe", query={"mine": mine, "limit": limit, "after": after}))

    async def add_watch(
        self,
        body: models.AddWatchRequest,
    ) -> models.WatchWithSecret:
        """Add a watch.

        Changes of parcels that match from now on are in the watch's log, are sent to `/v1/events` as `watch`,
        and are delivered to the webhook, if there is one (Standard Webhooks 1.0). The secret of the webhook
        is shown only once. A watch of kind `alerts` needs `admin`: its webhook gets a message when the
        service raises an alert and when the alert ends. An account, or a key without an account, can have at
        most 1,000 watches.

        `POST /v1/watches`
        """
        return cast("models.WatchWithSecret", await self._json(Call("POST", "/v1/watches", repeat="key", body=body)))

    async def get_watch(
        self,
        id: str,
    ) -> models.WatchWithPolygon:
        """Get one of your watches.

        With its polygon and the state of its webhook, and without its secret.

        `GET /v1/watches/{id}`
        """
        return cast("models.WatchWithPolygon", await self._json(Call("GET", f"/v1/watches/{segment('id', id)}", repeat="safe")))

    async def change_watch(
        self,
        id: str,
        body: models.ChangeWatchRequest,
    ) -> models.WatchWithSecret:
        """Change one of your watches.

        Omitted fields keep their values. The target of a watch cannot be changed: delete the watch and add
        another. Pending changes are sent to a new `webhook_url`; without a webhook they are not sent. A watch
        that becomes active again sends what was pending, but misses changes made while it was inactive.

        `PATCH /v1/watches/{id}`
        """
        return cast("models.WatchWithSecret", await self._json(Call("PATCH", f"/v1/watches/{segment('id', id)}", repeat="never", body=body)))

    async def delete_watch(
        self,
        id: str,
    ) -> models.WatchWithPolygon:
        """Delete one of your watches.

        Its log is deleted too, and pending changes are not sent. Returns the watch as it was.

        `DELETE /v1/watches/{id}`
        """
        return cast("models.WatchWithPolygon", await self._json(Call("DELETE", f"/v1/watches/{segment('id', id)}", repeat="safe")))

    def list_watch_deliveries(
        self,
        id: str,
        *,
        status: Literal["pending", "delivered", "failed", "recorded"] | None = None,
        limit: int | None = None,
        after: str | None = None,
    ) -> AsyncPages[models.WatchDelivery, models.ListWatchDeliveriesResponse]:
        """List the changes that a watch matched.

        Newest first, with the results of their delivery. They are kept for 30 days after they were delivered
        or given up.

        Iterate over the result to read the rows of all pages; `first_page()` reads one page.

        status: Only deliveries with this status.
        limit: Maximum number of rows.
        after: `next` of the previous page.

        `GET /v1/watches/{id}/deliveries`
        """
        return self._list("deliveries", Call("GET", f"/v1/watches/{segment('id', id)}/deliveries", repeat="safe", query={"status": status, "limit": limit, "after": after}))

    async def replay_watch_delivery(
        self,
        id: str,
        delivery: str,
    ) -> models.WatchDelivery:
        """Send a delivery again.

        It is sent soon, with the same `webhook-id`, and retried for 3 days from now. Returns 409 if it is
        still queued, or if the watch has no webhook or is not active.

        `POST /v1/watches/{id}/deliveries/{delivery}/replay`
        """
        return cast("models.WatchDelivery", await self._json(Call("POST", f"/v1/watches/{segment('id', id)}/deliveries/{segment('delivery', delivery)}/replay", repeat="key")))

    async def send_watch(
        self,
        id: str,
    ) -> models.WatchWithPolygon:
        """Send the pending changes of a watch now.

        Use this after a receiver was repaired: changes that wait for a retry are sent soon, and a pause of
        the watch ends. Returns 409 if the watch has no webhook or is not active.

        `POST /v1/watches/{id}/send`
        """
        return cast("models.WatchWithPolygon", await self._json(Call("POST", f"/v1/watches/{segment('id', id)}/send", repeat="key")))

    async def test_watch(
        self,
        id: str,
    ) -> models.WatchDelivery:
        """Test the webhook of a watch.

        Sends a signed request with the type `watch.test` soon, and retries it like a change. Its result is in
        the log of the watch. Returns 409 if the watch has no webhook or is not active.

        `POST /v1/watches/{id}/test`
        """
        return cast("models.WatchDelivery", await self._json(Call("POST", f"/v1/watches/{segment('id', id)}/test", repeat="key")))

    async def add_upload(
        self,
        body: TextBody,
    ) -> models.Upload:
        """Upload a list.

        A CSV with a header (also with tabs, semicolons or vertical bars), or NDJSON, of at most 16 MiB.
        Returns its columns and what each most likely contains. The same list has the same id. It is kept for
        7 days, or until its last match is deleted. An account, or a key without an account, can have at most
        100 uploads, of 512 MiB in total; beyond that, the response is 409.

        `POST /v1/uploads`
        """
        return cast("models.Upload", await self._json(Call("POST", "/v1/uploads", repeat="safe", body=body)))

    def list_matches(
        self,
        *,
        limit: int | None = None,
        after: str | None = None,
    ) -> AsyncPages[models.Match, models.ListMatchesResponse]:
        """List your matches.

        Those of your account, or of your key if it has no account, newest first. Admins get all of them.

        Iterate over the result to read the rows of all pages; `first_page()` reads one page.

        limit: Maximum number of rows.
        after: `next` of the previous page.

        `GET /v1/matches`
        """
        return self._list("matches", Call("GET", "/v1/matches", repeat="safe", query={"limit": limit, "after": after}))

    async def add_match(
        self,
        body: models.AddMatchRequest | TextBody,
        *,
        wait: int | None = None,
    ) -> models.Match:
        """Match a list to the parcels.

        Finds the parcel of each row by its parcel id, address, owner or point. Text is interpreted as in
        search, with other spellings, typos, missing parts, and values in the wrong columns. A row is
        `matched` only if one parcel is clearly the best match. Lists of more than 500 rows need the
        capability `enqueue`; the maximum is 100,000.

        wait: Wait up to this many seconds. If the list is done by then, the response is 200 and has its rows.
        Each key or account can have 10 waiting matches per process.

        `POST /v1/matches`
        """
        return cast("models.Match", await self._json(Call("POST", "/v1/matches", repeat="key", query={"wait": wait}, body=body)))

    async def get_match(
        self,
        id: str,
    ) -> models.Match:
        """Get one of your matches.

        Its progress, and the number of rows by outcome when it is done.

        `GET /v1/matches/{id}`
        """
        return cast("models.Match", await self._json(Call("GET", f"/v1/matches/{segment('id', id)}", repeat="safe")))

    async def delete_match(
        self,
        id: str,
    ) -> models.Match:
        """Cancel or delete one of your matches.

        A queued or running match is cancelled. One that has ended is deleted with its rows, and is returned
        as it was. Its upload is deleted if no other match has it.

        `DELETE /v1/matches/{id}`
        """
        return cast("models.Match", await self._json(Call("DELETE", f"/v1/matches/{segment('id', id)}", repeat="safe")))

    def list_match_rows(
        self,
        id: str,
        *,
        outcome: str | Collection[str | float] | None = None,
        limit: int | None = None,
        after: int | None = None,
    ) -> AsyncPages[models.MatchRow, models.ListMatchRowsResponse]:
        """List the rows of a match with their results.

        With `outcome=no_match,invalid`, returns only the rows that failed. The list is empty until the match
        is nearly done.

        Iterate over the result to read the rows of all pages; `first_page()` reads one page.

        outcome: Only rows with one of these outcomes: a comma-separated subset of matched, tie, no_match,
        invalid.
        limit: Maximum number of rows.
        after: `next` of the previous page.

        `GET /v1/matches/{id}/rows`
        """
        return self._list("rows", Call("GET", f"/v1/matches/{segment('id', id)}/rows", repeat="safe", query={"outcome": outcome, "limit": limit, "after": after}))

    def get_match_results(
        self,
        id: str,
        *,
        outcome: str | Collection[str | float] | None = None,
        format: Literal["csv", "ndjson"] | None = None,
    ) -> AsyncStream:
        """Download the rows of a match with their results.

        A CSV with the columns of the list and those of the result, or NDJSON with the rows as `/rows` returns
        them. 409: the match is not done.

        outcome: Only rows with one of these outcomes: a comma-separated subset of matched, tie, no_match,
        invalid.
        format: Format of the file.

        `GET /v1/matches/{id}/results`
        """
        return self._stream(Call("GET", f"/v1/matches/{segment('id', id)}/results", repeat="safe", query={"outcome": outcome, "format": format}))

    async def retry_match(
        self,
        id: str,
        body: models.RetryMatchRequest | None = None,
    ) -> models.Match:
        """Match the failed rows of a list again.

        A new match of the rows that were not matched, for example after parcels were loaded, or with other
        columns. The rows keep their numbers.

        `POST /v1/matches/{id}/retry`
        """
        return cast("models.Match", await self._json(Call("POST", f"/v1/matches/{segment('id', id)}/retry", repeat="key", body=body)))

    def list_portfolios(
        self,
        *,
        limit: int | None = None,
        after: str | None = None,
    ) -> AsyncPages[models.Portfolio, models.ListPortfoliosResponse]:
        """List your portfolios.

        Those of your account, or of your key if it has no account, newest first.

        Iterate over the result to read the rows of all pages; `first_page()` reads one page.

        limit: Maximum number of rows.
        after: `next` of the previous page.

        `GET /v1/portfolios`
        """
        return self._list("portfolios", Call("GET", "/v1/portfolios", repeat="safe", query={"limit": limit, "after": after}))

    async def add_portfolio(
        self,
        body: models.AddPortfolioRequest,
    ) -> models.PortfolioWithParcels:
        """Add a portfolio.

        A portfolio keeps parcels with notes and tags. Everyone with a key or session of your account can read
        and change it. An account, or a key without an account, can have at most 200.

        `POST /v1/portfolios`
        """
        return cast("models.PortfolioWithParcels", await self._json(Call("POST", "/v1/portfolios", repeat="key", body=body)))

    async def get_portfolio(
        self,
        id: str,
    ) -> models.PortfolioWithParcels:
        """Get one of your portfolios.

        With its parcels, their notes and tags, and the main fields of their records as they are now.

        `GET /v1/portfolios/{id}`
        """
        return cast("models.PortfolioWithParcels", await self._json(Call("GET", f"/v1/portfolios/{segment('id', id)}", repeat="safe")))

    async def rename_portfolio(
        self,
        id: str,
        body: models.RenamePortfolioRequest,
    ) -> models.PortfolioWithParcels:
        """Rename one of your portfolios.

        Returns it with its parcels.

        `PATCH /v1/portfolios/{id}`
        """
        return cast("models.PortfolioWithParcels", await self._json(Call("PATCH", f"/v1/portfolios/{segment('id', id)}", repeat="never", body=body)))

    async def delete_portfolio(
        self,
        id: str,
    ) -> models.PortfolioWithParcels:
        """Delete one of your portfolios.

        Its notes and tags are deleted with it. Returns it as it was.

        `DELETE /v1/portfolios/{id}`
        """
        return cast("models.PortfolioWithParcels", await self._json(Call("DELETE", f"/v1/portfolios/{segment('id', id)}", repeat="safe")))

    async def put_portfolio_parcel(
        self,
        id: str,
        body: models.PutPortfolioParcelRequest,
    ) -> models.PortfolioWithParcels:
        """Add a parcel to one of your portfolios.

        If the portfolio has the parcel already, its note and tags are replaced. Returns the portfolio. 404 if
        there is no such portfolio or parcel.

        `POST /v1/portfolios/{id}/parcels`
        """
        return cast("models.PortfolioWithParcels", await self._json(Call("POST", f"/v1/portfolios/{segment('id', id)}/parcels", repeat="never", body=body)))

    async def remove_portfolio_parcel(
        self,
        id: str,
        source: str,
        parcel: str,
    ) -> models.PortfolioWithParcels:
        """Remove a parcel from one of your portfolios.

        Its note and tags are deleted. Returns the portfolio.

        `DELETE /v1/portfolios/{id}/parcels/{source}/{parcel}`
        """
        return cast("models.PortfolioWithParcels", await self._json(Call("DELETE", f"/v1/portfolios/{segment('id', id)}/parcels/{segment('source', source)}/{segment('parcel', parcel)}", repeat="safe")))

    def list_saved_searches(
        self,
        *,
        limit: int | None = None,
        after: str | None = None,
    ) -> AsyncPages[models.SavedSearch, models.ListSavedSearchesResponse]:
        """List your saved searches.

        Those of your account, or of your key if it has no account, newest first.

        Iterate over the result to read the rows of all pages; `first_page()` reads one page.

        limit: Maximum number of rows.
        after: `next` of the previous page.

        `GET /v1/saved-searches`
        """
        return self._list("searches", Call("GET", "/v1/saved-searches", repeat="safe", query={"limit": limit, "after": after}))

    async def add_saved_search(
        self,
        body: models.AddSavedSearchRequest,
    ) -> models.SavedSearch:
        """Save a search.

        Everyone with a key or session of your account can use it. An account, or a key without an account,
        can have at most 200.

        `POST /v1/saved-searches`
        """
        return cast("models.SavedSearch", await self._json(Call("POST", "/v1/saved-searches", repeat="key", body=body)))

    async def delete_saved_search(
        self,
        id: str,
    ) -> models.SavedSearch:
        """Delete one of your saved searches.

        Returns it as it was.

        `DELETE /v1/saved-searches/{id}`
        """
        return cast("models.SavedSearch", await self._json(Call("DELETE", f"/v1/saved-searches/{segment('id', id)}", repeat="safe")))

    async def list_tile_builds(
        self,
        *,
        layer: str | None = None,
        limit: int | None = None,
    ) -> models.ListTileBuildsResponse:
        """Get the published archive, the running build and earlier builds of a layer.

        `/v1/events` reports the progress of a build.

        layer: Name of the layer, and of its archive.
        limit: Maximum number of rows.

        `GET /v1/admin/tiles`
        """
        return cast("models.ListTileBuildsResponse", await self._json(Call("GET", "/v1/admin/tiles", repeat="safe", query={"layer": layer, "limit": limit})))

    async def build_tiles(
        self,
        body: models.BuildTilesRequest | None = None,
    ) -> models.BuildTilesResponse:
        """Build the tiles now.

        The tiles role runs the build; `/v1/events` reports its progress. Without a body it builds the layer
        `parcels`, which the maps of the app show and which always has all parcels. With a filter, it builds
        another layer with only those parcels. Its tiles are public, at `/tiles/{layer}.json`. The tiles role
        keeps only the layer `parcels` up to date: request others again when their data has changed. 409: a
        build of the layer is already requested or running.

        `POST /v1/admin/tiles/build`
        """
        return cast("models.BuildTilesResponse", await self._json(Call("POST", "/v1/admin/tiles/build", repeat="key", body=body)))

    async def get_account(
        self,
    ) -> models.Account:
        """Get your account.

        Requires a session. A key is not accepted.

        `GET /v1/account`
        """
        return cast("models.Account", await self._json(Call("GET", "/v1/account", repeat="safe")))

    async def list_account_keys(
        self,
        *,
        limit: int | None = None,
    ) -> models.ListAccountKeysResponse:
        """List your keys.

        Valid keys first, then revoked ones; newest first in each group. The secrets are not included.

        limit: Maximum number of rows.

        `GET /v1/account/keys`
        """
        return cast("models.ListAccountKeysResponse", await self._json(Call("GET", "/v1/account/keys", repeat="safe", query={"limit": limit})))

    async def issue_account_key(
        self,
        body: models.IssueAccountKeyRequest,
    ) -> models.IssuedKey:
        """Issue a key.

        The key is shown only once; the service stores only its hash. Returns 403 for a capability without a
        paid plan, and 409 if the account already has 50 valid keys. A repeated Idempotency-Key also returns
        409; the error names the key that the first request issued.

        `POST /v1/account/keys`
        """
        return cast("models.IssuedKey", await self._json(Call("POST", "/v1/account/keys", repeat="key", body=body)))

    async def revoke_account_key(
        self,
        id: str,
    ) -> models.Key:
        """Revoke one of your keys.

        The next request with the key is refused. Revoking a revoked key has no effect.

        `DELETE /v1/account/keys/{id}`
        """
        return cast("models.Key", await self._json(Call("DELETE", f"/v1/account/keys/{segment('id', id)}", repeat="safe")))

    async def get_search_index(
        self,
    ) -> models.SearchIndex:
        """Get the delay of the search index, and its last check and rebuild.

        `/v1/events` reports the progress of a rebuild.

        `GET /v1/admin/search-index`
        """
        return cast("models.SearchIndex", await self._json(Call("GET", "/v1/admin/search-index", repeat="safe")))

    async def check_search_index(
        self,
        body: models.CheckSearchIndexRequest | None = None,
    ) -> models.SearchIndexRequest:
        """Compare the search index with the database now.

        Differences are sent to the index again. The sync role runs the check; `/v1/events` reports when it
        ends. 409: a check is already requested or running.

        `POST /v1/admin/search-index/check`
        """
        return cast("models.SearchIndexRequest", await self._json(Call("POST", "/v1/admin/search-index/check", repeat="key", body=body)))

    async def rebuild_search_index(
        self,
        body: models.RebuildSearchIndexRequest | None = None,
    ) -> models.SearchIndexRequest:
        """Rebuild the search index.

        The rebuild creates a new index while searches use the old one. The sync role runs it, one instance of
        Meilisearch after the other; `/v1/events` reports its progress. 409: a rebuild is already requested or
        running.

        `POST /v1/admin/search-index/rebuild`
        """
        return cast("models.SearchIndexRequest", await self._json(Call("POST", "/v1/admin/search-index/rebuild", repeat="key", body=body)))

    def list_accounts(
        self,
        *,
        q: str | None = None,
        limit: int | None = None,
        after: str | None = None,
    ) -> AsyncPages[models.AccountWithUse, models.ListAccountsResponse]:
        """List accounts, newest first.

        Use `after` to get the next page.

        Iterate over the result to read the rows of all pages; `first_page()` reads one page.

        q: Part of an email or name, case-insensitive.
        limit: Maximum number of rows.
        after: `next` of the previous page.

        `GET /v1/admin/accounts`
        """
        return self._list("accounts", Call("GET", "/v1/admin/accounts", repeat="safe", query={"q": q, "limit": limit, "after": after}))

    def list_admin_actions(
        self,
        *,
        actor: str | None = None,
        limit: int | None = None,
        after: str | None = None,
    ) -> AsyncPages[models.AdminAction, models.ListAdminActionsResponse]:
        """List what admins changed, newest first.

        Successful requests that only admins can make, except reads. Kept for a year. What loads, crawls and
        jobs changed is in `GET /v1/changes`.

        Iterate over the result to read the rows of all pages; `first_page()` reads one page.

        actor: Only actions of this key (its first 8 characters) or account (its short name).
        limit: Maximum number of rows.
        after: `next` of the previous page.

        `GET /v1/admin/actions`
        """
        return self._list("actions", Call("GET", "/v1/admin/actions", repeat="safe", query={"actor": actor, "limit": limit, "after": after}))

    async def update_account(
        self,
        id: str,
        body: models.UpdateAccountRequest,
    ) -> models.AccountWithUse:
        """Change a person's role or plan.

        Takes effect on the next request of the person or of their keys. Demoting the last admin returns 409.

        `PATCH /v1/admin/accounts/{id}`
        """
        return cast("models.AccountWithUse", await self._json(Call("PATCH", f"/v1/admin/accounts/{segment('id', id)}", repeat="never", body=body)))

    async def remove_account(
        self,
        id: str,
    ) -> models.AccountWithUse:
        """Remove an account with its sessions and keys.

        If the person signs in again, they get a new account as a member. Removing the last admin returns 409.

        `DELETE /v1/admin/accounts/{id}`
        """
        return cast("models.AccountWithUse", await self._json(Call("DELETE", f"/v1/admin/accounts/{segment('id', id)}", repeat="safe")))

    async def get_coverage(
        self,
    ) -> models.Coverage:
        """Get the coverage: counties, their parcels, and how current they are.

        Public. Updated once a minute, and when a load or an undo ends, which counts the parcels of its source
        if it changed at least 1% of them. After other changes, parcels are counted at most once an hour.

        `GET /v1/coverage`
        """
        return cast("models.Coverage", await self._json(Call("GET", "/v1/coverage", repeat="safe")))

    def list_alerts(
        self,
        *,
        state: Literal["raised", "resolved"] | None = None,
        rule: Literal["source_failing", "source_unreachable", "site_changed", "source_overdue", "queue_stuck", "queue_old", "search_lag", "tiles_failed", "load_held", "disk_full", "webhook_failing", "webhook_gone"] | None = None,
        limit: int | None = None,
        after: str | None = None,
    ) -> AsyncPages[models.Alert, models.ListAlertsResponse]:
        """List alerts, newest first.

        Current and past alerts. They are kept for 90 days after they ended. To get messages about them, add a
        watch of the kind `alerts` (`POST /v1/watches`).

        Iterate over the result to read the rows of all pages; `first_page()` reads one page.

        state: Only current alerts, or only past ones.
        rule: Name of a rule. `GET /v1/alert-rules` says what each means.
        limit: Maximum number of rows.
        after: `next` of the previous page.

        `GET /v1/alerts`
        """
        return self._list("alerts", Call("GET", "/v1/alerts", repeat="safe", query={"state": state, "rule": rule, "limit": limit, "after": after}))

    async def silence_alert(
        self,
        id: str,
        body: models.SilenceAlertRequest,
    ) -> models.Alert:
        """Silence an alert.

        Until the silence ends, webhooks get no message when the rule raises an alert for this subject. If an
        alert is still raised when the silence ends, they get the message at that time. If they got the
        message that an alert was raised, they also get the message that it ended.

        `PUT /v1/alerts/{id}/silence`
        """
        return cast("models.Alert", await self._json(Call("PUT", f"/v1/alerts/{segment('id', id)}/silence", repeat="never", body=body)))

    async def end_alert_silence(
        self,
        id: str,
    ) -> models.Alert:
        """End the silence of an alert.

        If the alert is still raised and no message about it was sent, the webhooks get one within a minute.

        `DELETE /v1/alerts/{id}/silence`
        """
        return cast("models.Alert", await self._json(Call("DELETE", f"/v1/alerts/{segment('id', id)}/silence", repeat="safe")))

    async def list_alert_rules(
        self,
    ) -> models.ListAlertRulesResponse:
        """List the alert rules.

        The rules are fixed. Each is checked once a minute.

        `GET /v1/alert-rules`
        """
        return cast("models.ListAlertRulesResponse", await self._json(Call("GET", "/v1/alert-rules", repeat="safe")))

    async def update_alert_rule(
        self,
        rule: str,
        body: models.UpdateAlertRuleRequest,
    ) -> models.AlertRule:
        """Change the threshold of a rule, or switch it on or off.

        Takes effect within a minute. `threshold: null` restores the default.

        `PATCH /v1/alert-rules/{rule}`
        """
        return cast("models.AlertRule", await self._json(Call("PATCH", f"/v1/alert-rules/{segment('rule', rule)}", repeat="never", body=body)))

    async def tile_json(
        self,
        layer: str,
    ) -> models.TileJson:
        """TileJSON of a layer.

        TileJSON 3.0.0, for clients that load single tiles instead of an archive.

        `GET /tiles/{layer}.json`
        """
        return cast("models.TileJson", await self._json(Call("GET", f"/tiles/{segment('layer', layer)}.json", repeat="safe")))
