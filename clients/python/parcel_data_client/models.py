# Generated from openapi.json by `bun run clients:generate`. Do not edit.
from __future__ import annotations

from typing import Any, Literal, NotRequired, TypeAlias, TypedDict

class Account(TypedDict):
    """A person who has signed in."""
    id: str
    """Id of the account."""
    email: str
    """Email from the identity provider, updated at each sign-in."""
    name: str | None
    """Name from the identity provider, updated at each sign-in. Null if the provider gives none."""
    role: Literal["member", "admin"]
    """`admin` has every capability."""
    plan: Literal["free", "paid"]
    """`paid` includes the capabilities `enqueue` (request scrapes) and `bulk-export` (export parcels)."""
    created_at: str
    """Time of the first sign-in."""


class AccountWithUse(TypedDict):
    """A person who has signed in, with fields for admins."""
    id: str
    """Id of the account."""
    email: str
    """Email from the identity provider, updated at each sign-in."""
    name: str | None
    """Name from the identity provider, updated at each sign-in. Null if the provider gives none."""
    role: Literal["member", "admin"]
    """`admin` has every capability."""
    plan: Literal["free", "paid"]
    """`paid` includes the capabilities `enqueue` (request scrapes) and `bulk-export` (export parcels)."""
    created_at: str
    """Time of the first sign-in."""
    last_seen_at: str | None
    """Time of the last visit; null if none was recorded."""
    keys: int
    """Number of valid keys."""


class AdminAction(TypedDict):
    """A change that an admin made through the API."""
    id: str
    """Id of the action."""
    actor: str
    """Who did it: the first 8 characters of a key, or an account (its email for admins, a short name like
    `account 1a2b3c4d5e6f` for others).
    """
    method: str
    """HTTP method."""
    path: str
    """Path of the request, without its query."""
    body: Any
    """What was sent, with secrets replaced by `REDACTED`; null: nothing, or more than 4,000 characters."""
    created_at: str
    """Time of the change."""


class Alert(TypedDict):
    """An alert: one subject that a rule applies to."""
    id: str
    """Id of the alert."""
    rule: AlertRuleName
    subject: str
    """What the alert is about: a source, a vendor, a layer, a data folder or a receiver. Empty: the service."""
    state: Literal["raised", "resolved"]
    """`raised`, or `resolved` after it has ended."""
    text: str
    """What was last measured, in words."""
    value: float
    """What was last measured. In the unit of the rule’s threshold: percent, minutes or hours. 1 for rules
    without a threshold.
    """
    threshold: float | None
    """The threshold when it was raised. In the unit of the rule’s threshold: percent, minutes or hours. Null:
    the rule has none.
    """
    raised_at: str
    """When it was raised."""
    resolved_at: str | None
    """When it ended; null while it is raised."""
    told_at: str | None
    """When the message about it was queued for the webhooks; null while it is silenced."""
    silenced_until: str | None
    """When the silence ends; null: it is not silenced."""
    silenced_by: str | None
    """Who silenced it: the first 8 characters of a key, or an account (its email for admins, a short name like
    `account 1a2b3c4d5e6f` for others).
    """
    silence_reason: str | None
    """Why it is silenced."""
    console_url: str
    """Its page in the console."""


class AlertRule(TypedDict):
    """A rule about the health of the service."""
    rule: AlertRuleName
    title: str
    """Short name."""
    means: str
    """When an alert is raised."""
    advice: str
    """What to do about it."""
    active: bool
    """Whether the rule is checked."""
    unit: Literal["percent", "minutes", "hours"] | None
    """Unit of the threshold. Null: the rule has no threshold."""
    threshold: float | None
    """The value at which an alert is raised. Null: the rule has no threshold."""
    default_threshold: float | None
    """The default threshold. Null: the rule has no threshold."""
    min_threshold: float | None
    """The lowest threshold that is accepted."""
    max_threshold: float | None
    """The highest threshold that is accepted."""
    raised: int
    """Number of its alerts that are raised."""
    updated_at: str | None
    """When an admin last changed it; null: never."""
    updated_by: str | None
    """Who changed it: the first 8 characters of a key, or an account (its email for admins, a short name like
    `account 1a2b3c4d5e6f` for others).
    """


AlertRuleName: TypeAlias = "Literal[\"source_failing\", \"source_unreachable\", \"site_changed\", \"source_overdue\", \"queue_stuck\", \"queue_old\", \"search_lag\", \"tiles_failed\", \"load_held\", \"disk_full\", \"webhook_failing\", \"webhook_gone\"]"


class Area(TypedDict):
    """A GeoJSON Polygon or MultiPolygon with at most 10,000 positions."""
    type: Literal["Polygon", "MultiPolygon"]
    """Type of the geometry."""
    coordinates: list[Any]
    """Rings of [longitude, latitude] in degrees, EPSG:4326. Holes are respected."""
    bbox: NotRequired[list[float]]
    """Bounding box of the geometry. It is ignored."""


class Bonuses(TypedDict):
    """Bonuses that are added to the text score."""
    exact_prefix: float
    """For a field that starts with the query."""
    exact_parcel_id: float
    """For an exact match of the parcel id."""
    proximity: float
    """For being near `lat` and `lon`."""


class Change(TypedDict):
    """One change of a parcel."""
    version: int
    """Version of the record. Later changes have higher ones."""
    at: str
    """Time of the change."""
    source: SourceSlug
    source_parcel_id: SourceParcelId
    action: Literal["created", "changed", "retired", "returned", "deleted"]
    """`retired`: the source no longer lists the parcel. `returned`: the source lists it again. `deleted`: an
    operator deleted it.
    """
    cause: Literal["ingest", "crawl", "scrape", "replay", "review", "undo", "operator"] | None
    """What led to the change. Null: it is older than the log."""
    cause_id: str | None
    """Id of the load, crawl, job, replay or undo."""
    changes: dict[str, Any]
    """The fields that changed, by name. A value is null where the parcel had none. `geom` has hashes of the
    boundaries. `lon` and `lat` are always listed together, and also when a boundary replaces the point.
    `scrape_data.NAME` is a member of `scrape_data`. Empty for `created`: to get its values, take the record
    and reverse the later changes.
    """
    origin: ChangeOrigin | None
    """Where the new values are from; null if unknown."""


class ChangeOrigin(TypedDict):
    """Where new values are from: a row of a file, or a page of a portal."""
    line: NotRequired[int]
    """Line of the loaded file. If there is a `place`, the number of the row in the load."""
    place: NotRequired[str]
    """Which row of the loaded files it was, if `line` alone does not say: `feature 12` or `lots.csv, line 7`."""
    page: NotRequired[str]
    """URL of the page at the portal."""
    page_hash: NotRequired[str]
    """Hash of the kept page, if it was kept."""
    page_at: NotRequired[str]
    """When the portal answered."""
    adapter: NotRequired[str]
    """The adapter that read the page."""
    version: NotRequired[str]
    """Version of the service that read it."""
    as_of: NotRequired[str]
    """How current the data was: a year or an ISO date."""


class CountyCoverage(TypedDict):
    """What data the service has for a county."""
    source: SourceSlug
    state: str
    """State of the county (2-letter code)."""
    county_name: str
    """Name of the county."""
    status: Literal["failing", "errors", "overdue", "ok", "inactive"]
    """State of the source. `failing`: errors in the last 24 hours without a later success. `errors`: other
    errors in that time. `overdue`: its refresh is more than a day late. `inactive`: the service does not
    refresh it.
    """
    parcels: int
    """Parcels that the source lists."""
    retired: int
    """Parcels that the source no longer lists."""
    fill_rates: CountyCoverageFillRates | None
    """For each field, the share of listed parcels that have a value. `geom` is the boundary. Null without
    parcels.
    """
    bbox: list[float] | None
    """Bounding box of the parcels: [west, south, east, north]. Null if no parcel has a boundary."""
    last_refresh_at: str | None
    """Time of the last scrape, complete refresh or applied load; null if there was none. A load that is held,
    discarded or undone does not count.
    """
    data_as_of: str | None
    """How current the data is, as the source says: a year or a date; null if unknown."""
    data_is_stale: bool
    """Whether the data is older than two refresh intervals of the source."""
    changes_30d: int
    """Parcels added, changed or retired in the last 30 days. A parcel counts once for each change."""
    counted_at: str | None
    """Time when the parcels were counted; null: not counted yet."""


class CountyCoverageFillRates(TypedDict):
    """For each field, the share of listed parcels that have a value. `geom` is the boundary. Null without
    parcels.
    """
    lon: float
    """Share of parcels that have `lon`."""
    lat: float
    """Share of parcels that have `lat`."""
    acreage: float
    """Share of parcels that have `acreage`."""
    owner_name: float
    """Share of parcels that have `owner_name`."""
    owner_names_all: float
    """Share of parcels that have `owner_names_all`."""
    owner_mailing_address: float
    """Share of parcels that have `owner_mailing_address`."""
    situs_address: float
    """Share of parcels that have `situs_address`."""
    situs_city: float
    """Share of parcels that have `situs_city`."""
    situs_state: float
    """Share of parcels that have `situs_state`."""
    situs_zip: float
    """Share of parcels that have `situs_zip`."""
    land_use_class: float
    """Share of parcels that have `land_use_class`."""
    zoning_code: float
    """Share of parcels that have `zoning_code`."""
    zoning_description: float
    """Share of parcels that have `zoning_description`."""
    is_agricultural: float
    """Share of parcels that have `is_agricultural`."""
    assessed_value: float
    """Share of parcels that have `assessed_value`."""
    value_land: float
    """Share of parcels that have `value_land`."""
    value_improvement: float
    """Share of parcels that have `value_improvement`."""
    geom: float
    """Share of parcels that have `geom`."""


class Coverage(TypedDict):
    """Counties, how complete and current their data is, and response times."""
    dataset_version: int
    """Version of the data."""
    generated_at: str
    """Time of these figures."""
    api: CoverageApi
    """Response times of `/v1` in the last hour, in the process that responds. Requests that wait for a portal or
    for changes are not measured.
    """
    count: int
    """Number of rows in this response."""
    sources: list[CountyCoverage]
    """Ordered by slug. Inactive sources without parcels are left out."""


class CoverageApi(TypedDict):
    """Response times of `/v1` in the last hour, in the process that responds. Requests that wait for a portal or
    for changes are not measured.
    """
    requests: int
    """Requests that are measured."""
    p50_ms: float | None
    """Half of the requests took at most this long, in ms; null without requests."""
    p95_ms: float | None
    """95% of the requests took at most this long, in ms; null without requests."""


class Crawl(TypedDict):
    """A scrape of a whole layer, page by page. If the source has parcels, the pages are staged, and are compared
    and applied together after the last one.
    """
    id: str
    """Id of the crawl."""
    source: SourceSlug
    vendor: str
    """The vendor of the source."""
    status: Literal["queued", "running", "done", "error"]
    """`done` and `error` are final. A crawl that is `done` may be held: `GET /v1/loads/{id}` with its id says
    whether it is applied.
    """
    requested_by: str | None
    """Who requested it: the first 8 characters of a key, or an account (its email for admins, a short name like
    `account 1a2b3c4d5e6f` for others); `operator` for the command line; null for the scheduler.
    """
    attempts: int
    """How many times a worker has claimed it."""
    pages: int
    """Pages read so far."""
    inserted: int
    """Parcels that it adds. They are visible when the crawl is applied."""
    updated: int
    """Parcels that it changes."""
    unchanged: int
    """Parcels that it does not change."""
    rejected: int
    """Records rejected."""
    total: int | None
    """Number of records that the layer reports; null before the first page, or if the layer reports none."""
    error_code: str | None
    """Error code of the last failed attempt: `throttled`, `blocked`, `page_changed`, `worker_lost`, `cancelled`
    ... Cleared when a page is read.
    """
    error_message: str | None
    """Why the last attempt failed. A cancelled crawl has `cancelled by ...`."""
    created_at: str
    """When it was requested."""
    started_at: str | None
    """When it started; null if it has not started."""
    finished_at: str | None
    """When it ended; null if it has not ended."""
    waits_for: Literal["retry", "load", "pause", "breaker"] | None
    """Why a queued one cannot start now: `retry` (its last attempt failed, or its portal takes no requests for a
    while), `load` (a load of its source has not ended), `pause` (its vendor is paused), `breaker` (most
    scrapes of its vendor fail, so one job or crawl a minute may start). Null if it only waits for a worker,
    or is not queued.
    """
    waits_until: str | None
    """When it can start at the earliest; null if it does not wait, or if that is not known."""


class CrawlReject(TypedDict):
    """A rejected record."""
    what: str
    """The record, as the portal identifies it."""
    reason: str
    """Why it was rejected."""


class CrawlWithRejects(TypedDict):
    """A crawl, with its rejected records."""
    id: str
    """Id of the crawl."""
    source: SourceSlug
    vendor: str
    """The vendor of the source."""
    status: Literal["queued", "running", "done", "error"]
    """`done` and `error` are final. A crawl that is `done` may be held: `GET /v1/loads/{id}` with its id says
    whether it is applied.
    """
    requested_by: str | None
    """Who requested it: the first 8 characters of a key, or an account (its email for admins, a short name like
    `account 1a2b3c4d5e6f` for others); `operator` for the command line; null for the scheduler.
    """
    attempts: int
    """How many times a worker has claimed it."""
    pages: int
    """Pages read so far."""
    inserted: int
    """Parcels that it adds. They are visible when the crawl is applied."""
    updated: int
    """Parcels that it changes."""
    unchanged: int
    """Parcels that it does not change."""
    rejected: int
    """Records rejected."""
    total: int | None
    """Number of records that the layer reports; null before the first page, or if the layer reports none."""
    error_code: str | None
    """Error code of the last failed attempt: `throttled`, `blocked`, `page_changed`, `worker_lost`, `cancelled`
    ... Cleared when a page is read.
    """
    error_message: str | None
    """Why the last attempt failed. A cancelled crawl has `cancelled by ...`."""
    created_at: str
    """When it was requested."""
    started_at: str | None
    """When it started; null if it has not started."""
    finished_at: str | None
    """When it ended; null if it has not ended."""
    waits_for: Literal["retry", "load", "pause", "breaker"] | None
    """Why a queued one cannot start now: `retry` (its last attempt failed, or its portal takes no requests for a
    while), `load` (a load of its source has not ended), `pause` (its vendor is paused), `breaker` (most
    scrapes of its vendor fail, so one job or crawl a minute may start). Null if it only waits for a worker,
    or is not queued.
    """
    waits_until: str | None
    """When it can start at the earliest; null if it does not wait, or if that is not known."""
    rejects: list[CrawlReject]
    """The first 100 rejected records."""


class Dismissal(TypedDict):
    """Only if an operator dismissed it and its evidence has not changed since."""
    at: str
    """Time of the dismissal."""
    by: str
    """Who dismissed it: the first 8 characters of a key, or an account (its email for admins, a short name like
    `account 1a2b3c4d5e6f` for others).
    """
    reason: str
    """Why it was dismissed."""


class DryRun(TypedDict):
    """The result of a scrape that was not stored, with the labels of its pages."""
    source: SourceSlug
    source_parcel_id: SourceParcelId
    reading: str | None
    """A hash of what was read, for `POST /v1/sources/{source}/proof`; null if nothing was."""
    failure: DryRunFailure | None
    """Why the parcel could not be read; null if it was."""
    values: list[DryRunValuesItem]
    """What was read."""
    labels: list[DryRunLabelsItem]
    """Labels of the pages, in their order; at most 300. Pages in JSON have none."""
    unread: list[str]
    """Labels and headings that no field came from."""
    warnings: list[str]
    """What looks wrong."""
    absent: list[str]
    """Fields that the pages do not show."""
    answers: list[DryRunAnswersItem]
    """What the portal sent, in the order of the requests."""


class DryRunFailure(TypedDict):
    """Why the parcel could not be read; null if it was."""
    code: str
    """How it failed."""
    message: str
    """Why."""


class DryRunValuesItem(TypedDict):
    field: str
    """Name of the field."""
    value: str
    """Its value."""


class DryRunLabelsItem(TypedDict):
    label: str
    """A label or heading of the page."""
    value: str
    """The text beside or below it, at most 200 characters."""
    is_read: bool
    """Whether the adapter read this text."""
    fields: list[str]
    """Fields whose value is this text or a part of it."""


class DryRunAnswersItem(TypedDict):
    name: str
    """The adapter's name for the page."""
    url: str
    """Its URL."""
    status: int
    """HTTP status."""
    size_bytes: int
    """Size."""


class Entity(TypedDict):
    """A company or other entity of a business registry."""
    id: str
    """Id of the entity."""
    jurisdiction: str
    """State of the registry (2-letter code)."""
    registry_number: str
    """Number in the registry."""
    name: str
    """Name of the entity."""
    entity_type: str | None
    """Kind of entity."""
    status: str | None
    """Status in the registry."""
    registered_agent_name: str | None
    """Its registered agent."""
    linked_parcel_count: int
    """Number of parcels whose owner has this name."""
    updated_at: str
    """Time of its last change."""


class EntityHighlight(TypedDict):
    """With highlight=1: the fields that matched, as HTML. Matched parts are inside <mark>; the rest is escaped.
    Fields of the hit itself are plain text.
    """
    name: NotRequired[str]
    """`name` with its matched parts marked."""
    registered_agent_name: NotRequired[str]
    """`registered_agent_name` with its matched parts marked."""


class EntityHit(TypedDict):
    """A registered entity that matches the query."""
    kind: Literal["entity"]
    """A company or other registered entity."""
    id: str
    """Id of the entity."""
    jurisdiction: str
    """State of the registry (2-letter code)."""
    registry_number: str
    """Number in the registry."""
    name: str
    """Name of the entity."""
    entity_type: str | None
    """Kind of entity."""
    status: str | None
    """Status in the registry."""
    registered_agent_name: str | None
    """Its registered agent."""
    linked_parcel_count: int
    """Number of parcels whose owner has this name."""
    score: float
    """Total score. Results are ordered by it."""
    explain: NotRequired[ScoreExplanation]
    highlight: NotRequired[EntityHighlight]


class Error(TypedDict):
    """The body of every error."""
    error: str
    """What went wrong. For invalid input, it names the field and the accepted values."""


class Exemption(TypedDict):
    """A tax exemption."""
    code: NotRequired[str]
    """Code of the exemption."""
    description: NotRequired[str]
    """What the exemption is for."""
    amount: NotRequired[int]
    """Exempt amount, in whole dollars."""
    year: NotRequired[int]
    """Tax year of the exemption."""


class Export(TypedDict):
    """An export of parcels to a file."""
    id: str
    """Id of the export."""
    status: Literal["queued", "running", "done", "error"]
    """`done` and `error` are final."""
    format: Literal["ndjson", "csv", "geojsonseq", "flatgeobuf", "geoparquet", "geopackage"]
    """`geojsonseq`: GeoJSON text sequence (RFC 8142). `geoparquet`: GeoParquet 1.1 with zstd and rows in Hilbert
    order. `csv` has boundaries as well-known text, and lists separated by semicolons.
    """
    gzip: bool
    """Compresses a text format with gzip. Not allowed for binary formats."""
    fields: list[str]
    """The fields of each parcel, in addition to `id`, `source` and `source_parcel_id`: lon, lat, acreage,
    owner_name, owner_names_all, owner_mailing_address, situs_address, situs_city, situs_state, situs_zip,
    land_use_class, zoning_code, zoning_description, is_agricultural, assessed_value, value_land,
    value_improvement, state, county_name, scraped_at, ingested_at, updated_at, retired_at, accounts. Omitted:
    all except `accounts`. Accounts are a JSON array in every format.
    """
    geometry: Literal["full", "simplified", "none"]
    """The boundary. `simplified` leaves out corners that are closer than about two meters to the line between
    their neighbors.
    """
    filter: ExportFilter
    relation: str | None
    """How `within` was compared; null if there was none."""
    area_bbox: list[float] | None
    """Bounding box of the area of `within`: west, south, east, north. Null: everywhere."""
    rows: int
    """Parcels written so far."""
    total: int | None
    """Parcels to write; null until they are counted."""
    created_at: str
    """When it was requested."""
    started_at: str | None
    """When it started; null if it has not started."""
    finished_at: str | None
    """When it ended; null if it has not ended."""
    expires_at: str | None
    """When its file is removed; null if there is no file."""
    size_bytes: int | None
    """Size of the file; null if there is no file."""
    dataset_version: int | None
    """The file has every change up to this version; null if there is no file."""
    licenses: list[LicensedSources] | None
    """What the sources require from users of their data; null if there is no file."""
    error_code: str | None
    """Error code: `cancelled`, `worker_lost`, `exports_full` ..."""
    error_message: str | None
    """Error message."""
    download_url: str | None
    """URL of the file, which needs no key. Get the export again for a new URL. Null if there is no file."""
    download_expires_at: str | None
    """When this URL expires: after a day, or with the file."""


class ExportFilter(TypedDict):
    """Which parcels: the parameters of `GET /v1/parcels`. All conditions must hold. Empty or omitted: all
    parcels.
    """
    state: NotRequired[str]
    """2-letter code."""
    source: NotRequired[SourceSlug]
    county: NotRequired[str]
    """Name of the county, in upper or lower case, with or without "County"."""
    land_use: NotRequired[str]
    """Prefix of `land_use_class`, in upper or lower case."""
    zoning: NotRequired[str]
    """Prefix of `zoning_code`, `zoning_description` or `land_use_class`."""
    min_value: NotRequired[float]
    """Lowest `assessed_value` in dollars."""
    max_value: NotRequired[float]
    """Highest `assessed_value` in dollars."""
    min_acres: NotRequired[float]
    """Smallest `acreage`."""
    max_acres: NotRequired[float]
    """Largest `acreage`."""
    owner: NotRequired[str]
    """Whole name of the owner, in upper or lower case. Punctuation, accents and the spelling of company forms do
    not matter: `Acme Holdings, L.L.C.` and `ACME HOLDINGS LLC` are equal. Owners of accounts are found only
    by search.
    """
    parcel_id: NotRequired[str]
    """Whole `source_parcel_id`, with or without punctuation, in upper or lower case."""
    agricultural: NotRequired[bool]
    """Whether `is_agricultural` is true or false."""
    changed_since: NotRequired[str]
    """Only parcels whose record changed at or after this time. Changes can appear out of order, so to poll a
    list, send the `complete_until` of the last poll, not its time. `/v1/changes` returns each change once,
    and retirements too. A date (UTC) or a time with its offset, in ISO 8601: 2026-01-02 or
    2026-01-02T03:04:05Z. A date means the start of that day.
    """
    has_geometry: NotRequired[bool]
    """Whether the boundary is known."""
    retired: NotRequired[bool]
    """true: only retired parcels, which their source no longer lists. Each row then has `retired_at`."""
    include: NotRequired[Literal["retired"]]
    """Includes retired parcels: those that their source no longer lists. Each row then has `retired_at`."""
    bbox: NotRequired[str]
    """A box as four comma-separated numbers: west,south,east,north, in degrees (EPSG:4326). If west is greater
    than east, the box crosses the antimeridian.
    """


FailureClass: TypeAlias = "Literal[\"page_changed\", \"redirected\", \"page_missing\", \"too_large\", \"name_not_found\", \"certificate\", \"network\", \"server_error\", \"timeout\", \"throttled\", \"blocked\", \"challenge\", \"maintenance\", \"not_found\", \"wrong_parcel\", \"bad_config\", \"internal\", \"server_unavailable\", \"worker_lost\", \"worker_stopped\", \"vendor_paused\", \"cancelled\"]"


class FailureCount(TypedDict):
    """How many scrapes failed for one reason."""
    failure_class: str
    """Why scrapes failed."""
    count: int
    """How many."""


class FieldOrigin(TypedDict):
    """Where one field of a parcel came from."""
    field: str
    """Name of the field in the full record."""
    value: Any
    """Value of the field. Null for the boundary; get it from the full record."""
    observed_at: str | None
    """Time when this value was first seen; null if it is older than the change log."""
    origin: Literal["ingest", "crawl", "scrape", "replay", "review", "undo", "operator", "unknown"]
    """What led to the last change of the field. `replay`: a kept page was read again. `review`: the review
    engine derived it from a scrape. `unknown`: the value is older than the change log.
    """
    job_id: str | None
    """The job that scraped it, if any."""
    cause_id: str | None
    """Id of the load, crawl, job, replay or undo, if any."""
    line: int | None
    """Line of the loaded file. If there is a `place`, the number of the row in the load."""
    place: str | None
    """Which row of the loaded files it was, if `line` alone does not say: `feature 12` or `lots.csv, line 7`."""
    page: str | None
    """URL of the page at the portal."""
    page_hash: str | None
    """Hash of the kept page, if it was kept: `/pages/{hash}` returns it to admins."""
    page_at: str | None
    """When the portal answered, if the page was kept."""
    adapter: str | None
    """The adapter that read the page."""
    version: str | None
    """Version of the service that read the page."""


class File(TypedDict):
    """A file of parcels that is uploaded in parts."""
    id: str
    """Id of the file."""
    name: str
    """Name of the file."""
    size_bytes: int
    """The size that was announced."""
    received_bytes: int
    """Bytes received so far. The next part begins there."""
    created_by: str
    """Who uploads it: the first 8 characters of a key, or an account (its email for admins, a short name like
    `account 1a2b3c4d5e6f` for others).
    """
    expires_at: str
    """When it is deleted. Each part postpones this."""


class FileSettings(TypedDict):
    """How the file is read: the `vendor_config` of a source with the vendor `file`."""
    map: NotRequired[FileSettingsMap]
    """The column of each field. A field that is left out is read from the column of the same name."""
    complete: NotRequired[bool]
    """Whether the file lists all parcels of the source. If so, a load retires the parcels that it lacks."""
    duplicates: NotRequired[Literal["reject", "number", "merge"]]
    """Rows with the same id: `reject` all but the first (the default), `number` them, or `merge` them as parts
    of one parcel.
    """
    sum: NotRequired[list[Literal["acreage", "assessed_value", "value_land", "value_improvement"]]]
    """With `merge`: the fields that are added up, of acreage, assessed_value, value_land, value_improvement."""
    broken_geometry: NotRequired[Literal["reject", "leave-out"]]
    """A row with a broken boundary: `reject` it (the default), or load it without the boundary (`leave-out`)."""
    crs: NotRequired[str]
    """The coordinate system, if the file does not say it or says a wrong one."""
    format: NotRequired[Literal["shapefile", "dbf", "geopackage", "flatgeobuf", "geoparquet", "topojson", "geojsonl", "geojson", "ogr", "csv"]]
    """The format. Default: by the content of the file."""
    encoding: NotRequired[str]
    """The text encoding. Default: by the content of the file."""
    layer: NotRequired[str]
    """The layer, table or file in an archive, if there are several."""
    boundary_column: NotRequired[str]
    """The column with the boundaries of a CSV, as WKT or GeoJSON."""


class FileSettingsMap(TypedDict):
    """The column of each field. A field that is left out is read from the column of the same name."""
    source_parcel_id: NotRequired[str]
    """Id of the parcel. A column of the file, or an expression of columns."""
    lon: NotRequired[str]
    """Longitude of a point on the parcel, if its source has one. It locates a parcel whose boundary is unknown.
    A column of the file, or an expression of columns.
    """
    lat: NotRequired[str]
    """Latitude of that point. A parcel has both or neither. A column of the file, or an expression of columns."""
    acreage: NotRequired[str]
    """Area in acres. A column of the file, or an expression of columns."""
    owner_name: NotRequired[str]
    """The owner, as the source writes it. A column of the file, or an expression of columns."""
    owner_names_all: NotRequired[str]
    """All owners. A column of the file, or an expression of columns."""
    owner_mailing_address: NotRequired[str]
    """Mailing address of the owner. A column of the file, or an expression of columns."""
    situs_address: NotRequired[str]
    """Street address of the parcel. A column of the file, or an expression of columns."""
    situs_city: NotRequired[str]
    """City of the parcel. A column of the file, or an expression of columns."""
    situs_state: NotRequired[str]
    """State of the parcel. A column of the file, or an expression of columns."""
    situs_zip: NotRequired[str]
    """ZIP code of the parcel. A column of the file, or an expression of columns."""
    land_use_class: NotRequired[str]
    """Land use, as the source classifies it. A column of the file, or an expression of columns."""
    zoning_code: NotRequired[str]
    """Zoning code. A column of the file, or an expression of columns."""
    zoning_description: NotRequired[str]
    """What the zoning code means. A column of the file, or an expression of columns."""
    is_agricultural: NotRequired[str]
    """Whether it is farm land. A column of the file, or an expression of columns."""
    assessed_value: NotRequired[str]
    """Assessed value, in whole dollars. A column of the file, or an expression of columns."""
    value_land: NotRequired[str]
    """Value of the land, in whole dollars. A column of the file, or an expression of columns."""
    value_improvement: NotRequired[str]
    """Value of the buildings, in whole dollars. A column of the file, or an expression of columns."""


class Finding(TypedDict):
    """An issue that the review engine found in a parcel."""
    id: str
    """Id of the finding."""
    severity: Literal["info", "low", "medium", "high"]
    """Severity."""
    category: Literal["ownership", "valuation", "tax", "exemption", "geometry", "data-quality"]
    """Category."""
    evidence: dict[str, Any]
    """Observed values, by field."""
    suggested_action: str
    """Suggested next step."""
    generated_at: str
    """Time when it first appeared."""
    dismissed: NotRequired[Dismissal]


class Improvement(TypedDict):
    """A building on the parcel."""
    number: NotRequired[str]
    """Number of the building on the parcel."""
    type: NotRequired[str]
    """Type of building."""
    description: NotRequired[str]
    """The portal's description."""
    year_built: NotRequired[int]
    """Year built."""
    living_area_sq_ft: NotRequired[float]
    """Living area in square feet."""
    bedrooms: NotRequired[float]
    """Number of bedrooms."""
    bathrooms: NotRequired[float]
    """Number of bathrooms."""
    value: NotRequired[int]
    """Value of the building, in whole dollars."""


class IssuedKey(TypedDict):
    """A new API key."""
    id: str
    """Id of the key."""
    name: str
    """Purpose of the key."""
    capabilities: list[str]
    """Current capabilities. `enqueue` and `bulk-export` are missing while the plan is not paid."""
    created_at: str
    """Time of issue."""
    key: str
    """The key. It is shown only once."""


class Job(TypedDict):
    """A scrape of one parcel."""
    id: str
    """Id of the job."""
    source: SourceSlug
    source_parcel_id: SourceParcelId
    vendor: str
    """The adapter that scrapes it."""
    status: Literal["queued", "running", "done", "error"]
    """Status of the job. `done` and `error` are final."""
    priority: Literal["high", "normal"]
    """A vendor's `high` priority jobs run first. `high` if a caller is waiting for the job, otherwise `normal`."""
    error_message: str | None
    """Why the last attempt failed. Starts with `cancelled by` if the job was cancelled."""
    attempts: int
    """Number of attempts."""
    created_at: str
    """Time when it was requested."""
    updated_at: str
    """Time when it last changed or was requested again."""
    started_at: str | None
    """Start of the last attempt; null if not started."""
    finished_at: str | None
    """Time when it ended; null if not ended."""
    duration_ms: int | None
    """Run time in milliseconds; null if it has not ended or never ran."""


class JobAttempt(TypedDict):
    """One attempt of a job."""
    attempt: int
    """Number of the attempt."""
    outcome: str | None
    """`done`, or the kind of failure: `throttled`, `blocked`, `timeout`, `page_changed`, `worker_lost`,
    `cancelled` ...; null while running.
    """
    error_message: str | None
    """Why it failed."""
    started_at: str | None
    """Start time."""
    ended_at: str | None
    """End time; null while running."""
    duration_ms: int | None
    """Run time in milliseconds; null if it has not ended or never ran."""


class JobTotals(TypedDict):
    """Counts of jobs."""
    queued: int
    """Queued jobs."""
    running: int
    """Running jobs."""
    done: int
    """Jobs that succeeded since `since`."""
    failed: int
    """Jobs that failed since `since`, including cancelled ones."""
    since: str
    """Start of the period in which ended jobs are counted."""
    seconds_left: int | None
    """Estimated seconds that the vendors need for all queued jobs, including those of other sources. Null:
    unknown, because a vendor is paused or has not been scraped in the last 30 days.
    """


class KeptPage(TypedDict):
    """The responses of a portal to one scrape."""
    hash: str
    """Identifies the responses: equal responses about a parcel have the same hash."""
    fetched_at: str
    """When the portal last sent these responses, or said that they are unchanged."""
    outcome: str
    """`done`, or the code of the failure."""
    message: str | None
    """Why the scrape failed; null if it did not."""
    adapter: str
    """The adapter that requested the pages."""
    version: str
    """Version of the service that requested them."""
    answers: int
    """Number of responses of the portal."""
    size_bytes: int
    """Compressed size."""


class Key(TypedDict):
    """An API key, without its secret."""
    id: str
    """Id of the key."""
    name: str
    """Purpose of the key."""
    capabilities: list[str]
    """Current capabilities. `enqueue` and `bulk-export` are missing while the plan is not paid."""
    created_at: str
    """Time of issue."""
    last_used_at: str | None
    """Time of last use; null if never used."""
    revoked_at: str | None
    """Time of revocation; null if valid."""
    rotation_due: bool
    """Whether the key is older than 90 days and should be replaced. This is not enforced."""


class LicensedSources(TypedDict):
    """Sources with the same license and attribution."""
    license: str | None
    """The license; null if unknown."""
    attribution: str | None
    """Whom to credit; null if unknown."""
    sources: list[str]
    """The sources."""


class LinkedParcel(TypedDict):
    """A parcel that has, or had, the land of another one."""
    kind: Literal["split", "merge", "replaced"]
    """`split`: the land of one parcel went to several. `merge`: the land of several went to one. `replaced`: one
    parcel replaced another with about the same boundary.
    """
    source: SourceSlug
    source_parcel_id: SourceParcelId
    path: str
    """Path of its record."""


class Load(TypedDict):
    """A file or a crawl: what it changes, and whether it is visible."""
    id: str
    """Id of the load, and of the work that ran it. It is `cause_id` in the change log."""
    source: SourceSlug
    kind: Literal["ingest", "crawl"]
    """A file that was ingested, or a crawl."""
    status: Literal["staging", "held", "applying", "applied", "discarded", "undone", "failed"]
    """`staging`: it is being read. `held`: it would change too much and waits for an admin. `failed`: it stopped
    while it was applied, and a part of it is stored. `undone`: it was applied, and then undone.
    """
    is_complete: bool
    """Whether it lists all parcels of the source. If so, the others are retired."""
    as_of: str | None
    """The date of the data."""
    file: str | None
    """The name of the file."""
    cleared: list[str]
    """Fields that are cleared if a record has no value for them. Other fields keep their values."""
    counts: LoadCounts | None
    """Counts of records and parcels. For a held or failed load: what the whole load would change. Null while it
    is read.
    """
    verdict: LoadVerdict | None
    """The comparison with the parcels of the source. Null if the source had none, or while the load is read."""
    undo: LoadUndo | None
    """What the undo did; null if it was not undone."""
    created_by: str | None
    """Who started it: the first 8 characters of a key, or an account (its email for admins, a short name like
    `account 1a2b3c4d5e6f` for others); `operator` for the command line.
    """
    can_apply: bool
    """Whether it can be applied: it is held, or it failed while it was applied and no newer load of its source
    was compared since. It cannot if something was undone since it was compared.
    """
    note: str | None
    """Who applied or discarded it, why it failed, or that its layer was cut short."""
    created_at: str
    """When it began."""
    judged_at: str | None
    """When it was read to the end and compared."""
    applied_at: str | None
    """When it was applied."""
    ended_at: str | None
    """When it was discarded, undone or failed."""


class LoadCounts(TypedDict):
    """Counts of records and parcels. For a held or failed load: what the whole load would change. Null while it
    is read.
    """
    read: int
    """Records read."""
    rejected: int
    """Records rejected."""
    inserted: int
    """New parcels."""
    updated: int
    """Parcels that changed, or returned."""
    unchanged: int
    """Parcels that did not change."""
    retired: int
    """Parcels that were retired."""


class LoadVerdict(TypedDict):
    """The comparison with the parcels of the source. Null if the source had none, or while the load is read."""
    parcels: int
    """Parcels of the source before the load."""
    checks: list[LoadVerdictChecksItem]
    """Checks that count at least one parcel."""


class LoadVerdictChecksItem(TypedDict):
    check: Literal["retired", "emptied", "owner"]
    """`retired`: parcels that it retires, because it does not list them. `emptied`: parcels that lose the value
    of `field`. `owner`: parcels that get another owner.
    """
    field: str | None
    """The field."""
    count: int
    """How many parcels."""
    share: float
    """`count` as a share of the parcels of the source."""
    limit: float
    """The limit of the source for the share."""
    is_over: bool
    """Whether the load was held because of this."""
    examples: list[LoadVerdictChecksItemExamplesItem]
    """Up to 5 of the parcels, if the check is over its limit."""


class LoadVerdictChecksItemExamplesItem(TypedDict):
    source_parcel_id: SourceParcelId
    former: Any
    """The value before the load."""
    new: Any
    """The value in the load."""


class LoadUndo(TypedDict):
    """What the undo did; null if it was not undone."""
    restored: int
    """Parcels whose former values were restored."""
    retired: int
    """Parcels that were retired, because the load had created them."""
    kept: int
    """Parcels with fields that were changed again later. Those fields keep their values."""
    kept_first: list[LoadUndoKeptFirstItem]
    """The first 100 of `kept`."""


class LoadUndoKeptFirstItem(TypedDict):
    source_parcel_id: SourceParcelId
    fields: list[str]
    """`created`: the whole parcel was left unchanged."""


class LoadLimits(TypedDict):
    """Only for admins: a load that changes more than these limits allow is held. The limit 1 never holds a load.
    In a request, omitted limits keep their values.
    """
    retired: NotRequired[float | None]
    """Largest share of the source's parcels that a load may retire; null: the default, 0.05."""
    emptied: NotRequired[float | None]
    """Largest share of the source's parcels that may lose the value of one field; null: the default, 0.05."""
    owner: NotRequired[float | None]
    """Largest share of the source's parcels that may get another owner; null: the default, 0.2."""


class Match(TypedDict):
    """A list that is matched to the parcels."""
    id: str
    """Id of the match."""
    status: Literal["queued", "running", "done", "error"]
    """The status. `done` and `error` are final."""
    upload: str | None
    """The uploaded list. Null: this match retries rows of another match."""
    retry_of: str | None
    """The match whose rows this one retries; null if it is not a retry."""
    columns: dict[str, Any] | None
    """The columns that the request named; null if they were guessed."""
    state: str | None
    """Only parcels of this state."""
    county: str | None
    """Only parcels of this county."""
    source: str | None
    """Only parcels of this source."""
    rows: int | None
    """Rows of the list; null until it is read."""
    done: int
    """Progress: parcels and rows that are done."""
    total: int | None
    """Expected final value of `done`; null until the list is read."""
    counts: MatchCounts | None
    """Rows by their outcome; null until the list is done."""
    error_code: str | None
    """Why it failed: `bad_input`, `not_found`, `cancelled` ..."""
    error_message: str | None
    """Error message."""
    created_at: str
    """When it was requested."""
    started_at: str | None
    """When it started."""
    finished_at: str | None
    """When it ended."""
    expires_at: str
    """When it is deleted, with its rows."""
    results: NotRequired[list[MatchRow]]
    """Only in the response to a request with `wait`, if the list was done in time: its first 500 rows."""


class MatchCounts(TypedDict):
    """Rows of a list by their outcome."""
    matched: int
    """Rows with one parcel."""
    tie: int
    """Rows with several parcels that match equally well."""
    no_match: int
    """Rows without a parcel."""
    invalid: int
    """Rows that could not be read."""


class MatchRow(TypedDict):
    """A row of a list with its result."""
    row: int
    """The line of the row in the list, from 1."""
    outcome: Literal["matched", "tie", "no_match", "invalid"]
    """`matched`: one parcel is clearly the best match. `tie`: several parcels match equally well, as the units
    of a condominium do. `no_match`: none is similar enough. `invalid`: the row could not be read.
    """
    reason: str | None
    """Why it is not matched: `nothing_to_match`, `not_a_point`, `not_an_address`, `several_parcels`,
    `fields_disagree`, `unsure`, `no_such_id`, `no_such_street`, `no_such_number`, `parts_differ`,
    `no_such_owner`, `no_parcel_at_point`, `unreadable`. Null: it is matched.
    """
    explanation: str | None
    """`reason` in words."""
    decided_by: Literal["parcel_id", "address", "owner", "point"] | None
    """The field that decided; null if none did."""
    score: float | None
    """How similar the best parcel is: 1 if nothing differs. Null: none is similar."""
    count: int
    """Number of candidate parcels of the row. `parcels` has the first of them."""
    parcels: list[MatchedParcel]
    """The parcel, or up to 20 candidates of a tie, or up to 3 similar parcels of a row without a match."""
    input: dict[str, Any]
    """The row as it was sent."""


class MatchedParcel(TypedDict):
    """A candidate parcel for a row of a list."""
    source: SourceSlug
    source_parcel_id: SourceParcelId
    situs_address: str | None
    """Street address of the parcel."""
    situs_city: str | None
    """City of the parcel."""
    situs_zip: str | None
    """ZIP code of the parcel."""
    owner_name: str | None
    """The owner, as the source writes it."""
    score: float
    """How similar it is, up to 1."""


class MultiPolygon(TypedDict):
    """GeoJSON (RFC 7946), EPSG:4326."""
    type: Literal["MultiPolygon"]
    """Always MultiPolygon."""
    coordinates: list[list[list[list[float]]]]
    """An array of polygons, each an array of rings of [longitude, latitude] positions."""


Normalization = TypedDict(
    "Normalization",
    {"from": "str", "to": "str"},
)


class OrderedWork(TypedDict):
    """Work that was queued."""
    work_id: str
    """The work that does it. `GET /v1/work/{id}` shows its progress and result."""


class Owner(TypedDict):
    """One of the owners."""
    name: str
    """Name of the owner."""
    ownership_pct: NotRequired[float]
    """Ownership share in percent."""
    type: NotRequired[str]
    """Type of ownership."""


class OwnerGroup(TypedDict):
    """With group=owner: the parcels with the same owner name, in any case."""
    kind: Literal["owner-group"]
    """Parcels with the same owner name."""
    owner_name: str
    """The owner name, as written by the sources."""
    member_count: int
    """Number of parcels with this owner name, in any case. `owner` of `GET /v1/parcels` also finds other
    spellings, so it can return more.
    """
    members: list[ParcelHit]
    """Up to 50 of them, best first."""
    members_next: str | None
    """`after` for the other parcels of the owner, by source and id; null if `members` has all of them."""
    bbox: list[float] | None
    """west, south, east, north; null if no member has a geometry. If west is greater than east, the box crosses
    the antimeridian.
    """
    score: float
    """Total score. Results are ordered by it."""
    explain: NotRequired[ScoreExplanation]
    highlight: NotRequired[OwnerHighlight]


class OwnerHighlight(TypedDict):
    """With highlight=1: the fields that matched, as HTML. Matched parts are inside <mark>; the rest is escaped.
    Fields of the hit itself are plain text.
    """
    owner_name: NotRequired[str]
    """`owner_name` with its matched parts marked."""


class Parcel(TypedDict):
    """A parcel with all fields."""
    id: str
    """Id of the record."""
    source: SourceSlug
    source_parcel_id: SourceParcelId
    geom_geojson: MultiPolygon | None
    """The boundary; null if unknown. Then `lon` and `lat` may have a point."""
    lon: float | None
    """Longitude of a point on the parcel, if its source has one. It locates a parcel whose boundary is unknown."""
    lat: float | None
    """Latitude of that point. A parcel has both or neither."""
    acreage: float | None
    """Area in acres."""
    owner_name: str | None
    """The owner, as the source writes it."""
    owner_names_all: list[str]
    """All owners."""
    owner_mailing_address: str | None
    """Mailing address of the owner."""
    situs_address: str | None
    """Street address of the parcel."""
    situs_city: str | None
    """City of the parcel."""
    situs_state: str | None
    """State of the parcel."""
    situs_zip: str | None
    """ZIP code of the parcel."""
    land_use_class: str | None
    """Land use, as the source classifies it."""
    zoning_code: str | None
    """Zoning code."""
    zoning_description: str | None
    """What the zoning code means."""
    is_agricultural: bool | None
    """Whether it is farm land."""
    assessed_value: int | None
    """Assessed value, in whole dollars."""
    value_land: int | None
    """Value of the land, in whole dollars."""
    value_improvement: int | None
    """Value of the buildings, in whole dollars."""
    accounts: list[ParcelAccount]
    """The rows of the assessor's roll for this parcel, if a roll was loaded. Empty otherwise."""
    scrape_data: Scrape | dict[str, Any]
    """Data from the last scrape; {} until the first scrape."""
    scraped_at: str | None
    """Time of the last scrape; null if never scraped."""
    scraped_by: str | None
    """The adapter that scraped it."""
    scrape_data_as_of: str | None
    """How current the scraped data is: a year or an ISO date."""
    scrape_data_as_of_source: str | None
    """Where `scrape_data_as_of` was read from; same values as `scrape_data.data_as_of_source`."""
    ingested_at: str
    """Time when the record was first stored."""
    updated_at: str
    """Time of the last change."""
    retired_at: str | None
    """Time when the source stopped listing the parcel; null if it lists it."""
    predecessors: list[LinkedParcel]
    """Retired parcels whose land this parcel now has."""
    successors: list[LinkedParcel]
    """For a retired parcel: the parcels that have its land."""


class ParcelAccount(TypedDict):
    """A row of the assessor's roll, such as a unit of a building."""
    account_id: str | None
    """Id of the account in the roll."""
    unit: str | None
    """Unit of a building."""
    owner_name: str | None
    """The owner, as the roll writes it. A search for it finds the parcel."""
    owner_mailing_address: str | None
    """Mailing address of the owner."""
    situs_address: str | None
    """Street address of the account."""
    land_use_class: str | None
    """Land use, as the roll classifies it."""
    assessed_value: int | None
    """Assessed value, in whole dollars."""
    value_land: int | None
    """Value of the land, in whole dollars."""
    value_improvement: int | None
    """Value of the buildings, in whole dollars."""


class ParcelFinding(TypedDict):
    """A finding with its parcel."""
    id: str
    """Id of the finding."""
    severity: Literal["info", "low", "medium", "high"]
    """Severity."""
    category: Literal["ownership", "valuation", "tax", "exemption", "geometry", "data-quality"]
    """Category."""
    evidence: dict[str, Any]
    """Observed values, by field."""
    suggested_action: str
    """Suggested next step."""
    generated_at: str
    """Time when it first appeared."""
    dismissed: NotRequired[Dismissal]
    source: SourceSlug
    source_parcel_id: SourceParcelId
    situs_address: str | None
    """Street address of the parcel."""


class ParcelHighlight(TypedDict):
    """With highlight=1: the fields that matched, as HTML. Matched parts are inside <mark>; the rest is escaped.
    Fields of the hit itself are plain text.
    """
    owner_name: NotRequired[str]
    """`owner_name` with its matched parts marked."""
    situs_address: NotRequired[str]
    """`situs_address` with its matched parts marked."""
    situs_city: NotRequired[str]
    """`situs_city` with its matched parts marked."""
    source_parcel_id: NotRequired[str]
    """`source_parcel_id` with its matched parts marked."""


class ParcelHit(TypedDict):
    """A parcel that matches the query."""
    kind: Literal["parcel"]
    """A parcel."""
    source: SourceSlug
    source_parcel_id: SourceParcelId
    state: str
    """State of the county (2-letter code)."""
    county_name: str
    """Name of the county."""
    owner_name: str | None
    """The owner, as the source writes it."""
    situs_address: str | None
    """Street address of the parcel."""
    situs_city: str | None
    """City of the parcel."""
    situs_state: str | None
    """State of the parcel."""
    assessed_value: int | None
    """Assessed value, in whole dollars."""
    score: float
    """Total score. Results are ordered by it."""
    explain: NotRequired[ScoreExplanation]
    highlight: NotRequired[ParcelHighlight]
    center: NotRequired[list[float] | None]
    """With center=1: [lon, lat] of the center of the parcel's bounding box; null if it has no geometry."""
    retired_at: NotRequired[str | None]
    """With include=retired: when the source stopped listing the parcel; null if it lists it."""


class ParcelRow(TypedDict):
    """A parcel with its main fields, or with the chosen ones."""
    id: str
    """Id of the record."""
    source: SourceSlug
    source_parcel_id: SourceParcelId
    lon: NotRequired[float | None]
    """Longitude of a point on the parcel, if its source has one. It locates a parcel whose boundary is unknown."""
    lat: NotRequired[float | None]
    """Latitude of that point. A parcel has both or neither."""
    acreage: NotRequired[float | None]
    """Area in acres."""
    owner_name: NotRequired[str | None]
    """The owner, as the source writes it."""
    owner_names_all: NotRequired[list[str]]
    """All owners."""
    owner_mailing_address: NotRequired[str | None]
    """Mailing address of the owner."""
    situs_address: NotRequired[str | None]
    """Street address of the parcel."""
    situs_city: NotRequired[str | None]
    """City of the parcel."""
    situs_state: NotRequired[str | None]
    """State of the parcel."""
    situs_zip: NotRequired[str | None]
    """ZIP code of the parcel."""
    land_use_class: NotRequired[str | None]
    """Land use, as the source classifies it."""
    zoning_code: NotRequired[str | None]
    """Zoning code."""
    zoning_description: NotRequired[str | None]
    """What the zoning code means."""
    is_agricultural: NotRequired[bool | None]
    """Whether it is farm land."""
    assessed_value: NotRequired[int | None]
    """Assessed value, in whole dollars."""
    value_land: NotRequired[int | None]
    """Value of the land, in whole dollars."""
    value_improvement: NotRequired[int | None]
    """Value of the buildings, in whole dollars."""
    state: NotRequired[str]
    """State of the source."""
    county_name: NotRequired[str]
    """County of the source."""
    bbox: NotRequired[list[float] | None]
    """West, south, east, north of the boundary, or of the point if the boundary is unknown; null if neither is
    known.
    """
    scraped_at: NotRequired[str | None]
    """Time of the last scrape; null if never scraped."""
    ingested_at: NotRequired[str]
    """Time when the record was first stored."""
    updated_at: NotRequired[str]
    """Time of the last change."""
    retired_at: NotRequired[str | None]
    """Only with `include=retired` or `retired=true`, or if requested in `fields`: when the source stopped
    listing the parcel; null if it lists it.
    """
    accounts: NotRequired[list[ParcelAccount]]
    """Only if requested in `fields`: the rows of the assessor's roll for this parcel."""
    distance_m: NotRequired[float]
    """Only with `near`, and for neighbors: distance in meters to the boundary, or to the point if there is no
    boundary.
    """
    shared_edge_m: NotRequired[float]
    """Only for neighbors: length of the common border in meters."""
    geom_geojson: NotRequired[MultiPolygon | None]
    """Only with `geometry`: the boundary; null if unknown."""


class Portfolio(TypedDict):
    """A named collection of parcels, without the parcels."""
    id: str
    """Id of the portfolio."""
    name: str
    """Its name."""
    created_at: str
    """When it was added."""
    parcel_count: int
    """Number of its parcels."""


class PortfolioParcel(TypedDict):
    """A parcel of a portfolio."""
    source: SourceSlug
    source_parcel_id: SourceParcelId
    note: str
    """A note about the parcel. Empty if there is none."""
    tags: list[str]
    """At most 20 tags to find it by."""
    added_at: str
    """When it was added."""
    state: str
    """State of the county (2-letter code)."""
    county_name: str
    """Name of the county."""
    owner_name: str | None
    """Owner, as in the record now."""
    situs_address: str | None
    """Address, as in the record now."""
    situs_city: str | None
    """City, as in the record now."""
    assessed_value: float | None
    """Assessed value in dollars, as in the record now."""
    acreage: float | None
    """Acres, as in the record now."""
    land_use_class: str | None
    """Land use, as in the record now."""
    center: list[float] | None
    """[lon, lat] of the center of the parcel's bounding box; null if it has no geometry."""
    retired_at: str | None
    """When its source stopped listing it; null if it lists it."""


class PortfolioWithParcels(TypedDict):
    """A portfolio and its parcels."""
    id: str
    """Id of the portfolio."""
    name: str
    """Its name."""
    created_at: str
    """When it was added."""
    parcel_count: int
    """Number of its parcels."""
    parcels: list[PortfolioParcel]
    """At most 2,000, most recently added first."""


class QueuedJob(TypedDict):
    """The job of a requested parcel."""
    id: str
    """Id of the job."""
    source: SourceSlug
    source_parcel_id: SourceParcelId


class RefreshEstimate(TypedDict):
    """What a refresh would queue."""
    parcels: int
    """Parcels that would be queued."""
    skipped_fresh: int
    """Parcels that were scraped within their source's cadence."""
    seconds: int | None
    """Estimated seconds until the refresh is done, including jobs that are already waiting. Null: unknown,
    because a vendor is paused or has not been scraped in the last 30 days.
    """


class RefreshOrder(TypedDict):
    """What a refresh queued."""
    considered: int
    """Parcels of the filter that were examined. Examining stops when `limit` are queued."""
    enqueued: int
    """New jobs."""
    skipped_fresh: int
    """Parcels that were scraped within their source's cadence."""
    already_queued: int
    """Parcels that were already queued."""


class RefreshPolicy(TypedDict):
    """Refresh policy of a source."""
    source: SourceSlug
    cadence: Literal["daily", "weekly", "monthly", "quarterly", "annual", "tax-statement-window"]
    """Refresh interval."""
    next_due_at: str
    """Due time of the next refresh."""
    agricultural_only: bool
    """Whether only agricultural parcels are refreshed."""


class Sale(TypedDict):
    """A recorded sale."""
    sold_on: NotRequired[str]
    """When the parcel was sold (YYYY-MM-DD)."""
    price: NotRequired[int]
    """Price, in whole dollars."""
    deed_type: NotRequired[str]
    """Type of deed."""
    grantor: NotRequired[str]
    """Seller."""
    grantee: NotRequired[str]
    """Buyer."""
    document_number: NotRequired[str]
    """Number of the recorded document."""
    book: NotRequired[str]
    """Book in which the document is recorded."""
    page: NotRequired[str]
    """Page on which the document is recorded."""
    document_url: NotRequired[str]
    """Address of the recorded document, where the portal has a link to it."""


class SavedSearch(TypedDict):
    """A saved search."""
    id: str
    """Id of the saved search."""
    name: str
    """Its name."""
    query: str
    """The query string of the search page. Append it to `/app/search?` to open the search."""
    created_at: str
    """When it was saved."""


class ScoreExplanation(TypedDict):
    """With explain=1: the parts of the score. `text.score` and the bonuses add up to `score`, rounded to 6
    decimals.
    """
    text: TextScore
    bonuses: Bonuses
    normalizations: list[Normalization]
    """Query words that were replaced, for example to correct a typo."""


class Scrape(TypedDict):
    """What one scrape found. A field that the portal does not show is absent."""
    parcel_number: str
    """Parcel number, as the portal writes it."""
    owner_name: NotRequired[str]
    """Owner, as the portal writes it."""
    owners: NotRequired[list[Owner]]
    """All owners."""
    statements: NotRequired[list[TaxStatement]]
    """Tax statements, newest first: one a year, or one for each numbered bill."""
    valuation_history: NotRequired[list[Valuation]]
    """Valuations, one a year, newest first."""
    sale_history: NotRequired[list[Sale]]
    """Recorded sales, newest first."""
    exemptions: NotRequired[list[Exemption]]
    """Tax exemptions."""
    improvements: NotRequired[list[Improvement]]
    """Buildings."""
    fetched_at: str
    """Time of the scrape: ISO 8601, UTC, always three decimals."""
    data_as_of: NotRequired[str]
    """How current the portal's data is: a year or an ISO date."""
    data_as_of_source: NotRequired[Literal["header", "page-marker", "feature-server", "latest-tax-year", "page-footer", "etag"]]
    """What `data_as_of` was read from."""
    http_etag: NotRequired[str]
    """ETag of the page."""
    http_last_modified: NotRequired[str]
    """Last-Modified of the page."""
    sale_history_observed_at: NotRequired[str]
    """When the sales were last read."""
    review_findings: NotRequired[list[ScrapeFinding]]
    """Findings of the review engine when this scrape was stored."""


class ScrapeFinding(TypedDict):
    """A finding of the review engine about one scrape."""
    severity: str
    """Severity of the finding."""
    category: str
    """Subject of the finding."""
    evidence: Any
    """The values that led to the finding."""
    suggested_action: NotRequired[str]
    """Suggested action."""


class ScrapeOrder(TypedDict):
    """A parcel to scrape."""
    source: SourceSlug
    source_parcel_id: str
    """Id of the parcel, in the notation of its source. It has at least one letter or digit."""


class ScrapeOverrides(TypedDict):
    """Needed only if the portal's key cannot be derived from source_parcel_id. May be omitted or {}."""
    vendorKey: NotRequired[str]
    """The portal's own key for the parcel. If it leads to the page of another parcel, the scrape fails
    (`wrong_parcel`).
    """
    pacsPropId: NotRequired[int]
    """Property id in PACS."""
    ownerName: NotRequired[str]
    """Owner name, for portals that search by owner."""
    situsAddress: NotRequired[str]
    """Address, for portals that search by address."""


class SearchIndex(TypedDict):
    """State of the search index: of all instances together, and of each."""
    documents: int | None
    """Documents in the index; null without an index, or while Meilisearch is unavailable."""
    outbox_depth: int
    """Changes not yet sent to the index."""
    outbox_age_seconds: float
    """Age of the oldest change not yet sent; 0 if there is none."""
    drift: SearchIndexDrift | None
    """The differences that the last check found. They were sent again. Null before the first check."""
    check: SearchIndexWork | None
    """The running check, or the last one; null before the first."""
    rebuild: SearchIndexRebuild | None
    """The running rebuild, or the last one; null before the first."""
    instances: list[SearchIndexInstance]
    """The instances of Meilisearch. Each has the parcels and entities of its states."""


class SearchIndexDrift(TypedDict):
    """How the index and the database differed."""
    checked_at: str
    """When the comparison ended."""
    missing: int
    """Documents that were missing from the index."""
    extra: int
    """Documents without a row in the database."""
    different: int
    """Documents that differed from their row."""


class SearchIndexInstance(TypedDict):
    """An instance of Meilisearch."""
    instance: str
    """Its host and port."""
    states: str
    """The states that it holds."""
    documents: int | None
    """Documents in the index; null without an index, or while Meilisearch is unavailable."""
    outbox_depth: int
    """Changes not yet sent to the index."""
    outbox_age_seconds: float
    """Age of the oldest change not yet sent; 0 if there is none."""
    drift: SearchIndexDrift | None
    """The differences that the last check found. They were sent again. Null before the first check."""
    check: SearchIndexWork | None
    """The running check, or the last one; null before the first."""
    rebuild: SearchIndexRebuild | None
    """The running rebuild, or the last one; null before the first."""


class SearchIndexRebuild(TypedDict):
    """A rebuild of the search index."""
    running: bool
    """Whether it is running."""
    state: Literal["requested", "running", "done", "failed"]
    """Its state."""
    requested_by: str | None
    """Who requested it: the first 8 characters of a key, or an account (its email for admins, a short name like
    `account 1a2b3c4d5e6f` for others); null if it was due or was run on the command line.
    """
    requested_at: str | None
    """When it was requested; null if nobody requested it."""
    started_at: str | None
    """When it started; null if it has not started."""
    finished_at: str | None
    """When it ended; null if it has not ended."""
    error: str | None
    """Why it failed."""
    done: int
    """Documents sent so far."""
    total: int
    """Documents to send."""


class SearchIndexRequest(TypedDict):
    """Requested work on the search index."""
    work: Literal["check", "rebuild"]
    """The requested work."""
    state: Literal["requested"]
    """The work has not started."""


class SearchIndexWork(TypedDict):
    """A check of the search index."""
    running: bool
    """Whether it is running."""
    state: Literal["requested", "running", "done", "failed"]
    """Its state."""
    requested_by: str | None
    """Who requested it: the first 8 characters of a key, or an account (its email for admins, a short name like
    `account 1a2b3c4d5e6f` for others); null if it was due or was run on the command line.
    """
    requested_at: str | None
    """When it was requested; null if nobody requested it."""
    started_at: str | None
    """When it started; null if it has not started."""
    finished_at: str | None
    """When it ended; null if it has not ended."""
    error: str | None
    """Why it failed."""


class Source(TypedDict):
    """A county portal."""
    source: SourceSlug
    state: str
    """State of the county (2-letter code)."""
    county_name: str
    """Name of the county."""
    vendor: str
    """The adapter that scrapes it; `file` if its parcels come from files."""
    base_url: str
    """URL of the portal. With the vendor `file`, the URL of the file; empty if files are loaded by hand. Only
    admins see tokens in it.
    """
    active: bool
    """Whether the scheduler may scrape it."""
    cadence: Literal["daily", "weekly", "monthly", "quarterly", "annual", "tax-statement-window"]
    """Refresh interval."""
    next_due_at: str
    """Due time of the next refresh."""
    last_full_scrape_at: str | None
    """Time of the last complete refresh: a crawl, a refresh of all parcels, or a complete file. Null if there
    was none.
    """
    last_known_data_as_of: str | None
    """How current its data is, often a year; null if unknown."""
    license: str | None
    """License of the data, preferably as an SPDX id; null if unknown. Exports name it."""
    attribution: str | None
    """Whom to credit for the data; null if unknown. Exports name it."""
    proved_at: str | None
    """When an admin compared a parcel with the portal and proved the source; null if nobody did."""
    retired_at: str | None
    """When an admin retired the source; null if it is not retired."""
    vendor_grade: Literal["A", "B", "C"] | None
    """How well the vendor's pages in this state are known: `A` from whole pages, `B` from excerpts or several
    projects, `C` from one project; null if the vendor has no adapter.
    """


class SourceDay(TypedDict):
    """Finished and failed jobs of one day."""
    day: str
    """Day in UTC."""
    finished: int
    """Jobs and crawls that ended."""
    errors: int
    """How many of them failed."""


class SourceDetails(TypedDict):
    """A county portal with all fields."""
    source: SourceSlug
    state: str
    """State of the county (2-letter code)."""
    county_name: str
    """Name of the county."""
    vendor: str
    """The adapter that scrapes it; `file` if its parcels come from files."""
    base_url: str
    """URL of the portal. With the vendor `file`, the URL of the file; empty if files are loaded by hand. Only
    admins see tokens in it.
    """
    active: bool
    """Whether the scheduler may scrape it."""
    cadence: Literal["daily", "weekly", "monthly", "quarterly", "annual", "tax-statement-window"]
    """Refresh interval."""
    next_due_at: str
    """Due time of the next refresh."""
    last_full_scrape_at: str | None
    """Time of the last complete refresh: a crawl, a refresh of all parcels, or a complete file. Null if there
    was none.
    """
    last_known_data_as_of: str | None
    """How current its data is, often a year; null if unknown."""
    license: str | None
    """License of the data, preferably as an SPDX id; null if unknown. Exports name it."""
    attribution: str | None
    """Whom to credit for the data; null if unknown. Exports name it."""
    proved_at: str | None
    """When an admin compared a parcel with the portal and proved the source; null if nobody did."""
    retired_at: str | None
    """When an admin retired the source; null if it is not retired."""
    vendor_grade: Literal["A", "B", "C"] | None
    """How well the vendor's pages in this state are known: `A` from whole pages, `B` from excerpts or several
    projects, `C` from one project; null if the vendor has no adapter.
    """
    agricultural_only: bool
    """Whether only agricultural parcels are refreshed."""
    vendor_config: NotRequired[dict[str, Any]]
    """Only for admins: the vendor's settings for this county."""
    load_limits: NotRequired[LoadLimits]
    can_crawl: bool
    """Whether the source can be crawled. This requires a vendor that serves whole layers."""
    vendor_config_schema: NotRequired[dict[str, Any] | None]
    """Only for admins: the JSON Schema of `vendor_config`; null if the vendor has no adapter."""
    look_up: NotRequired[str]
    """Only for admins: what to look up before the source is activated, and where. Absent: nothing."""


class SourceErrorHistory(TypedDict):
    """Finished and failed jobs of a source by day."""
    source_slug: SourceSlug
    days: list[SourceDay]
    """One entry per day, oldest first."""


class SourceHealth(TypedDict):
    """Health of a source."""
    source: SourceSlug
    state: str
    """State of the county (2-letter code)."""
    county_name: str
    """Name of the county."""
    vendor: str
    """The adapter that scrapes it; `file` if its parcels come from files."""
    active: bool
    """Whether the scheduler may scrape it."""
    parcel_count: int
    """Stored parcels."""
    queued: int
    """Queued jobs."""
    running: int
    """Running jobs."""
    errors_24h: int
    """Jobs and crawls that failed in the last 24 hours."""
    recent_runs: int
    """How many scrapes `recent_failed` counts: the last 50, or fewer if there were no more."""
    recent_failed: int
    """How many of the last scrapes failed."""
    last_success_at: str | None
    """Time when a job last succeeded; null if none did."""
    last_error_at: str | None
    """Time when a job last failed; null if none did."""
    cadence: Literal["daily", "weekly", "monthly", "quarterly", "annual", "tax-statement-window"]
    """Refresh interval."""
    next_due_at: str
    """Due time of the next refresh."""
    problem: Literal["site_changed", "fetch_failed"] | None
    """Why its last scrapes failed in a row. `site_changed`: the portal answers differently than before.
    `fetch_failed`: its pages cannot be fetched. Null: no problem.
    """
    failure_class: str | None
    """The most frequent class of these failures; null: no problem."""
    since: str | None
    """Time of the first of these failures; null: no problem."""


class SourceOrder(TypedDict):
    """A source was retired or restored."""
    source: SourceSlug
    load_id: str | None
    """The load that retires its parcels; null if it has none. Its undo brings them back."""
    work_id: str | None
    """The work that this request queued. `GET /v1/work/{id}` shows its progress. Null: there was nothing to do."""


SourceParcelId: TypeAlias = "str"


class SourceProof(TypedDict):
    """Who compared a parcel of the source with the portal, and when."""
    source: SourceSlug
    source_parcel_id: SourceParcelId
    proved_at: str
    """When the source was proved."""
    proved_by: str
    """Who proved it: the first 8 characters of a key, or an account (its email for admins, a short name like
    `account 1a2b3c4d5e6f` for others), or `operator` for the command.
    """
    adapter: VendorName
    version: str
    """Version of the service that read the page."""
    page_hash: str
    """SHA-256 of the golden page."""
    checked_version: str | None
    """Version that last read the golden page again; null if the settings have changed since, and it will be read
    soon.
    """
    difference: str | None
    """How the golden page is read differently with that version or these settings; null if it is not. The source
    stays active.
    """


class SourceRun(TypedDict):
    """A job or a crawl of a source that has ended."""
    job_id: str | None
    """Null: it was a crawl."""
    crawl_id: str | None
    """The crawl; null: it was a job."""
    source_parcel_id: str | None
    """The parcel; null: it was a crawl."""
    failure_class: str | None
    """Why it failed; null if it succeeded."""
    finished_at: str
    """Time when it ended."""


class SourceRuns(TypedDict):
    """The last runs of a source, and why they failed."""
    source: SourceSlug
    last_success_at: str | None
    """Time of the last good scrape; null if there was none."""
    problem: Literal["site_changed", "fetch_failed"] | None
    """Why its last scrapes failed in a row. `site_changed`: the portal answers differently than before.
    `fetch_failed`: its pages cannot be fetched. Null: no problem.
    """
    failure_class: str | None
    """The most frequent class of these failures; null: no problem."""
    since: str | None
    """Time of the first of these failures; null: no problem."""
    runs_counted: int
    """Number of last runs, 50 at most."""
    failures: list[FailureCount]
    """How many of the last runs failed, by class."""
    failed_since_success: int
    """Runs that failed after the last good scrape. At most 1,000 are counted."""
    failures_since_success: list[FailureCount]
    """The same by class."""
    runs: list[SourceRun]
    """Newest first."""


SourceSlug: TypeAlias = "str"


class SourceWithConfig(TypedDict):
    """A county portal, with its settings."""
    source: SourceSlug
    state: str
    """State of the county (2-letter code)."""
    county_name: str
    """Name of the county."""
    vendor: str
    """The adapter that scrapes it; `file` if its parcels come from files."""
    base_url: str
    """URL of the portal. With the vendor `file`, the URL of the file; empty if files are loaded by hand. Only
    admins see tokens in it.
    """
    active: bool
    """Whether the scheduler may scrape it."""
    cadence: Literal["daily", "weekly", "monthly", "quarterly", "annual", "tax-statement-window"]
    """Refresh interval."""
    next_due_at: str
    """Due time of the next refresh."""
    last_full_scrape_at: str | None
    """Time of the last complete refresh: a crawl, a refresh of all parcels, or a complete file. Null if there
    was none.
    """
    last_known_data_as_of: str | None
    """How current its data is, often a year; null if unknown."""
    license: str | None
    """License of the data, preferably as an SPDX id; null if unknown. Exports name it."""
    attribution: str | None
    """Whom to credit for the data; null if unknown. Exports name it."""
    proved_at: str | None
    """When an admin compared a parcel with the portal and proved the source; null if nobody did."""
    retired_at: str | None
    """When an admin retired the source; null if it is not retired."""
    vendor_config: dict[str, Any]
    """The vendor's settings for this county."""
    load_limits: LoadLimits


class TargetChange(TypedDict):
    """A change to the target."""
    at: str
    """Time of the change."""
    previous_target: int
    """Target before the change."""
    new_target: int
    """Target after the change."""
    reason: str
    """Reason in words."""
    actor: str
    """Who made the change: `auto` (the tuner), the first 8 characters of a key, or an account (its email for
    admins, a short name like `account 1a2b3c4d5e6f` for others).
    """


class TaxStatement(TypedDict):
    """The tax of one year."""
    tax_year: int
    """Tax year of the statement."""
    bill_number: NotRequired[str]
    """Number of the bill."""
    billed: NotRequired[int]
    """Tax billed, in whole dollars."""
    paid: NotRequired[int]
    """Tax paid, in whole dollars."""
    due: NotRequired[int]
    """Tax still due, in whole dollars."""
    due_on: NotRequired[str]
    """When the tax is due (YYYY-MM-DD)."""
    paid_on: NotRequired[str]
    """When the tax was paid (YYYY-MM-DD)."""
    status: NotRequired[Literal["paid", "unpaid", "partial", "delinquent"]]
    """Payment status."""


class TextScore(TypedDict):
    """Score of the text match."""
    score: float
    """Score of the text match."""
    coverage: float
    """Share of the query that matched, 0 to 1."""
    words: list[WordScore]
    """Words of the interpretation of the query that matched best."""


class TileArchive(TypedDict):
    """A PMTiles archive."""
    url: str
    """URL of the archive."""
    pmtiles_url: str
    """The same URL with the `pmtiles://` scheme, for map libraries."""
    updated_at: str
    """Time of publication."""
    size_bytes: int
    """Size in bytes."""
    dataset_version: int | None
    """The archive has every change up to this version; null if it is older than the change log."""


class TileBuild(TypedDict):
    """A build of a tile archive."""
    id: str
    """Id of the build."""
    layer: str
    """The layer that was built."""
    state: Literal["building", "published", "retired", "failed", "unchanged"]
    """`published`: maps use this archive. `retired`: a newer archive replaced it. `unchanged`: the result was
    the same as the published archive.
    """
    started_at: str
    """When it started."""
    finished_at: str | None
    """When it ended; null if it has not ended."""
    requested_by: str | None
    """Who requested it: the first 8 characters of a key, or an account (its email for admins, a short name like
    `account 1a2b3c4d5e6f` for others). Null if it was due or was started on the command line.
    """
    filter: dict[str, Any]
    """Which parcels are drawn, by the parameters of `GET /v1/parcels`. Empty: all."""
    share: float | None
    """Progress from 0 to 1; null until the first progress report."""
    parcels: int | None
    """Parcels drawn so far."""
    tiles: int | None
    """Tiles created so far."""
    bytes: int | None
    """Size of the archive."""
    url: str | None
    """URL of the archive; null if it is not stored."""
    error: str | None
    """Why it failed."""


class TileBuildProgress(TypedDict):
    """A running build."""
    id: str
    """Id of the build."""
    started_at: str
    """When it started."""
    share: float | None
    """Progress from 0 to 1; null until the first progress report."""
    parcels: int | None
    """Parcels drawn so far."""
    tiles: int | None
    """Tiles created so far."""


class TileBuildRequest(TypedDict):
    """A requested build that has not started."""
    requested_at: str
    """When it was requested."""
    requested_by: str
    """Who requested it: the first 8 characters of a key, or an account (its email for admins, a short name like
    `account 1a2b3c4d5e6f` for others).
    """
    filter: dict[str, Any]
    """Which parcels are drawn, by the parameters of `GET /v1/parcels`. Empty: all."""


class TileFilter(TypedDict):
    """Which parcels are drawn: the parameters of `GET /v1/parcels` without a place. All conditions must hold."""
    state: NotRequired[str]
    """2-letter code."""
    source: NotRequired[SourceSlug]
    county: NotRequired[str]
    """Name of the county, in upper or lower case, with or without "County"."""
    land_use: NotRequired[str]
    """Prefix of `land_use_class`, in upper or lower case."""
    zoning: NotRequired[str]
    """Prefix of `zoning_code`, `zoning_description` or `land_use_class`."""
    min_value: NotRequired[float]
    """Lowest `assessed_value` in dollars."""
    max_value: NotRequired[float]
    """Highest `assessed_value` in dollars."""
    min_acres: NotRequired[float]
    """Smallest `acreage`."""
    max_acres: NotRequired[float]
    """Largest `acreage`."""
    owner: NotRequired[str]
    """Whole name of the owner, in upper or lower case. Punctuation, accents and the spelling of company forms do
    not matter: `Acme Holdings, L.L.C.` and `ACME HOLDINGS LLC` are equal. Owners of accounts are found only
    by search.
    """
    parcel_id: NotRequired[str]
    """Whole `source_parcel_id`, with or without punctuation, in upper or lower case."""
    agricultural: NotRequired[bool]
    """Whether `is_agricultural` is true or false."""
    changed_since: NotRequired[str]
    """Only parcels whose record changed at or after this time. Changes can appear out of order, so to poll a
    list, send the `complete_until` of the last poll, not its time. `/v1/changes` returns each change once,
    and retirements too. A date (UTC) or a time with its offset, in ISO 8601: 2026-01-02 or
    2026-01-02T03:04:05Z. A date means the start of that day.
    """
    has_geometry: NotRequired[bool]
    """Whether the boundary is known."""
    retired: NotRequired[bool]
    """true: only retired parcels, which their source no longer lists. Each row then has `retired_at`."""
    include: NotRequired[Literal["retired"]]
    """Includes retired parcels: those that their source no longer lists. Each row then has `retired_at`."""


class TileJson(TypedDict):
    """TileJSON 3.0.0."""
    tilejson: Literal["3.0.0"]
    """TileJSON version."""
    tiles: list[str]
    """URL template of the tiles."""
    minzoom: int
    """Lowest zoom."""
    maxzoom: int
    """Highest zoom."""
    bounds: list[float]
    """west, south, east, north"""
    vector_layers: list[dict[str, Any]]
    """Layers and their fields."""


class TileManifest(TypedDict):
    """The archive of each layer."""
    parcels: TileArchive


class TunerDecision(TypedDict):
    """The tuner's decision for a vendor."""
    vendor: VendorName
    mode: Literal["auto", "manual"]
    """`auto`: the tuner changes the target. `manual`: the target stays as set."""
    previous_target: int
    """Target before the change."""
    new_target: int
    """Target after the change."""
    changed: bool
    """Whether the tuner changed the target. Changes are also in the tuning log."""
    reason: str
    """Reason in words."""
    signals: dict[str, Any]
    """Figures that the decision is based on."""


class TuningEntry(TypedDict):
    """A change to a vendor's settings."""
    id: str
    """Id of the entry."""
    vendor: VendorName
    previous_target: int
    """Target before the change."""
    new_target: int
    """Target after the change."""
    reason: str
    """Reason in words."""
    signals: dict[str, Any]
    """Figures that the decision is based on."""
    actor: str
    """Who made the change: `auto` (the tuner), the first 8 characters of a key, or an account (its email for
    admins, a short name like `account 1a2b3c4d5e6f` for others).
    """
    created_at: str
    """Time of the change."""


class UnreadLabel(TypedDict):
    """A label that no field was read from."""
    label: str
    """The label or heading, as the page shows it."""
    scrapes: int
    """How many of these scrapes have it."""
    first_seen_at: str
    """Time when it was first seen."""
    last_seen_at: str
    """Time when it was last seen."""
    is_known: bool
    """Whether an operator has marked it as having nothing to read."""


class UnreadLabels(TypedDict):
    """Labels of the pages of a source that no field was read from."""
    source: SourceSlug
    scrapes: int
    """Number of recent scrapes that are counted."""
    count: int
    """Number of rows in this response."""
    labels: list[UnreadLabel]
    """Most frequent first."""


class Upload(TypedDict):
    """An uploaded list."""
    id: str
    """Id of the upload."""
    format: Literal["csv", "ndjson"]
    """Format of the list."""
    lines: int
    """Lines of the list."""
    columns: list[UploadColumnsItem]
    """The columns, in their order."""
    expires_at: str
    """When it is deleted."""


class UploadColumnsItem(TypedDict):
    """A column of the list."""
    name: str
    """The name of the column."""
    field: Literal["parcel_id", "address", "unit", "city", "state", "zip", "county", "source", "owner", "lon", "lat"] | None
    """What the column most likely contains, guessed from its name; null if unknown."""
    samples: list[str]
    """Its values in the first rows."""


class Valuation(TypedDict):
    """A parcel's value in one year."""
    year: int
    """Valuation year."""
    land: NotRequired[int]
    """Value of the land, in whole dollars."""
    improvement: NotRequired[int]
    """Value of the buildings, in whole dollars."""
    total: NotRequired[int]
    """Value of land and buildings, in whole dollars."""
    assessed: NotRequired[int]
    """Assessed value, in whole dollars."""
    taxable: NotRequired[int]
    """Taxable value, in whole dollars."""


class VendorConcurrency(TypedDict):
    """Concurrency settings of a vendor."""
    vendor: VendorName
    min_concurrency: int
    """Lowest allowed target."""
    max_concurrency: int
    """Highest allowed target."""
    target_concurrency: int
    """Current number of concurrent scrapes."""
    mode: Literal["auto", "manual"]
    """`auto`: the tuner changes the target. `manual`: the target stays as set."""
    slow_threshold_ms: int
    """The tuner lowers the target when p95 is above this."""
    fast_threshold_ms: int
    """The tuner may raise the target when p95 is below this."""
    step_size: int
    """Smallest change of the target in one step."""
    signal_window_minutes: int
    """Length of the window that the tuner evaluates. It takes at most one step per window."""
    last_signal: str | None
    """Reason for the tuner's last change; null if there was none."""
    last_tuned_at: str | None
    """Time of the tuner's last change; null if there was none."""
    updated_at: str
    """Time of the last change to the row."""
    updated_by: str | None
    """Who made the change: `auto` (the tuner), the first 8 characters of a key, or an account (its email for
    admins, a short name like `account 1a2b3c4d5e6f` for others). Null before the first change.
    """
    pause: VendorPause | None
    """While the vendor is paused, none of its scrapes run, whatever its target is. Null: not paused."""


class VendorHistory(TypedDict):
    """History of a vendor's scrapes and target."""
    vendor: VendorName
    points: list[VendorHistoryPoint]
    """Oldest first."""
    changes: list[TargetChange]
    """Changes to the target from the tuning log, oldest first."""


class VendorHistoryPoint(TypedDict):
    """Five minutes of scrapes of a vendor."""
    at: str
    """Start of the five-minute interval."""
    target: int
    """Target at the end of the interval."""
    p95_seconds: float | None
    """95th percentile of the duration of successful scrapes; null if there were none."""
    errors: int
    """Failed attempts. An unknown parcel does not count as a failure."""
    finished: int
    """Finished attempts, including failed ones."""


VendorName: TypeAlias = "str"


class VendorPause(TypedDict):
    """A pause of a vendor."""
    since: str
    """When it was paused."""
    until: str | None
    """When it resumes automatically; null: only when somebody resumes it."""
    reason: str
    """Why the vendor is paused."""
    by: str
    """Who paused it: the first 8 characters of a key, or an account (its email for admins, a short name like
    `account 1a2b3c4d5e6f` for others).
    """


class Watch(TypedDict):
    """A watch, without its polygon."""
    id: str
    """Id of the watch."""
    kind: Literal["parcel", "owner", "polygon", "source", "alerts"]
    """What the watch follows: one parcel, the parcels of an owner, the parcels that intersect a polygon, all
    parcels of a source, or the alerts of the service (for admins).
    """
    source: SourceSlug | None
    """For kinds `parcel` and `source`: the source."""
    source_parcel_id: SourceParcelId | None
    """For kind `parcel`: the id of the parcel, in the notation of its source."""
    owner_name: str | None
    """For kind `owner`: the name of the owner."""
    fields: list[str] | None
    """Only changes of one of these fields match. Parcels that are created, retired, returned or deleted always
    match. At most 50 names of fields: those of a parcel, `geom` for the boundary, `retired_at`, and
    `scrape_data` or `scrape_data.NAME` for the scrape data. Null or empty: all changes match.
    """
    active: bool
    """Whether the watch is active. An inactive watch sends nothing, and misses the changes that are made in the
    meantime.
    """
    webhook_url: str | None
    """The https URL that receives the changes. It must be on the public internet. Null: no webhook. The changes
    are in the watch's log and on `/v1/events` either way.
    """
    webhook_state: str | None
    """`unused`: nothing was sent yet. `working`: the last request succeeded. `failing`: the last request failed
    and will be repeated. `failed`: at least one change was given up after 3 days, and none was delivered
    since. Null: no webhook.
    """
    last_error: str | None
    """Why the last request to the webhook failed; null if it succeeded."""
    last_delivered_at: str | None
    """When a request last succeeded, to within 5 s."""
    last_failed_at: str | None
    """When a change was last given up."""
    missed: int
    """Number of changes that were left out because 250,000 webhooks were waiting, or because 50 older watches of
    the same owner got the change. It is reset to 0 when the URL changes or the watch becomes active again.
    """
    missed_after: int | None
    """The version before the first change that was left out; null if there was none. `GET /v1/changes?after=`
    has all changes after it.
    """
    held_until: str | None
    """After several failures in a row, nothing is sent until then; null if requests are sent."""
    created_by: str
    """Who the watch belongs to: the first 8 characters of a key, or an account (its email for admins, a short
    name like `account 1a2b3c4d5e6f` for others).
    """
    created_at: str
    """When it was added."""


class WatchDelivery(TypedDict):
    """A change or a message about alerts that a watch matched, or a test of its webhook."""
    id: str
    """Id of the delivery. All its requests have it as `webhook-id`."""
    status: Literal["pending", "delivered", "failed", "recorded"]
    """`pending`: not delivered yet. `failed`: given up. `recorded`: the watch had no webhook, so nothing is
    sent.
    """
    version: int | None
    """Version of the change; null for a test or a message about alerts."""
    source: str | None
    """Source of the parcel; null without a change."""
    source_parcel_id: str | None
    """Id of the parcel; null without a change."""
    action: Literal["created", "changed", "retired", "returned", "deleted"] | None
    """What happened to the parcel; null without a change."""
    fields: list[str] | None
    """Fields that changed; null without a change."""
    alert_rule: str | None
    """The rule of a message about alerts; otherwise null."""
    alert_state: Literal["raised", "resolved"] | None
    """Whether the message says that alerts were raised or that they ended; null for other deliveries."""
    alert_count: int | None
    """How many alerts the message is about; null for other deliveries."""
    attempts: int
    """Requests sent, as far as their results are known."""
    next_attempt_at: str | None
    """Earliest time of the next request; null if none follows. Changes of one parcel are sent in order, so it
    may be later.
    """
    response_status: int | None
    """Status of the last response; null if there was none."""
    response: str | None
    """The beginning of the last response."""
    duration_ms: int | None
    """Duration of the last request."""
    error: str | None
    """Why the last request failed."""
    created_at: str
    """When the change was matched."""
    finished_at: str | None
    """When it was delivered or given up."""


class WatchPolygon(TypedDict):
    """For kind `polygon`: a GeoJSON Polygon or MultiPolygon with at most 1,000 positions. A parcel matches if
    its boundary, or its point if the boundary is unknown, intersects the polygon before or after the change.
    """
    type: Literal["Polygon", "MultiPolygon"]
    """Type of the geometry."""
    coordinates: list[Any]
    """Rings of [longitude, latitude] in degrees, EPSG:4326. Holes are respected."""
    bbox: NotRequired[list[float]]
    """Bounding box of the geometry. It is ignored."""


class WatchWithPolygon(TypedDict):
    """A watch."""
    id: str
    """Id of the watch."""
    kind: Literal["parcel", "owner", "polygon", "source", "alerts"]
    """What the watch follows: one parcel, the parcels of an owner, the parcels that intersect a polygon, all
    parcels of a source, or the alerts of the service (for admins).
    """
    source: SourceSlug | None
    """For kinds `parcel` and `source`: the source."""
    source_parcel_id: SourceParcelId | None
    """For kind `parcel`: the id of the parcel, in the notation of its source."""
    owner_name: str | None
    """For kind `owner`: the name of the owner."""
    fields: list[str] | None
    """Only changes of one of these fields match. Parcels that are created, retired, returned or deleted always
    match. At most 50 names of fields: those of a parcel, `geom` for the boundary, `retired_at`, and
    `scrape_data` or `scrape_data.NAME` for the scrape data. Null or empty: all changes match.
    """
    active: bool
    """Whether the watch is active. An inactive watch sends nothing, and misses the changes that are made in the
    meantime.
    """
    webhook_url: str | None
    """The https URL that receives the changes. It must be on the public internet. Null: no webhook. The changes
    are in the watch's log and on `/v1/events` either way.
    """
    webhook_state: str | None
    """`unused`: nothing was sent yet. `working`: the last request succeeded. `failing`: the last request failed
    and will be repeated. `failed`: at least one change was given up after 3 days, and none was delivered
    since. Null: no webhook.
    """
    last_error: str | None
    """Why the last request to the webhook failed; null if it succeeded."""
    last_delivered_at: str | None
    """When a request last succeeded, to within 5 s."""
    last_failed_at: str | None
    """When a change was last given up."""
    missed: int
    """Number of changes that were left out because 250,000 webhooks were waiting, or because 50 older watches of
    the same owner got the change. It is reset to 0 when the URL changes or the watch becomes active again.
    """
    missed_after: int | None
    """The version before the first change that was left out; null if there was none. `GET /v1/changes?after=`
    has all changes after it.
    """
    held_until: str | None
    """After several failures in a row, nothing is sent until then; null if requests are sent."""
    created_by: str
    """Who the watch belongs to: the first 8 characters of a key, or an account (its email for admins, a short
    name like `account 1a2b3c4d5e6f` for others).
    """
    created_at: str
    """When it was added."""
    polygon: WatchPolygon | None
    """For kind `polygon`: the polygon, as a MultiPolygon."""


class WatchWithSecret(TypedDict):
    """A watch, with the secret of its webhook if that is new."""
    id: str
    """Id of the watch."""
    kind: Literal["parcel", "owner", "polygon", "source", "alerts"]
    """What the watch follows: one parcel, the parcels of an owner, the parcels that intersect a polygon, all
    parcels of a source, or the alerts of the service (for admins).
    """
    source: SourceSlug | None
    """For kinds `parcel` and `source`: the source."""
    source_parcel_id: SourceParcelId | None
    """For kind `parcel`: the id of the parcel, in the notation of its source."""
    owner_name: str | None
    """For kind `owner`: the name of the owner."""
    fields: list[str] | None
    """Only changes of one of these fields match. Parcels that are created, retired, returned or deleted always
    match. At most 50 names of fields: those of a parcel, `geom` for the boundary, `retired_at`, and
    `scrape_data` or `scrape_data.NAME` for the scrape data. Null or empty: all changes match.
    """
    active: bool
    """Whether the watch is active. An inactive watch sends nothing, and misses the changes that are made in the
    meantime.
    """
    webhook_url: str | None
    """The https URL that receives the changes. It must be on the public internet. Null: no webhook. The changes
    are in the watch's log and on `/v1/events` either way.
    """
    webhook_state: str | None
    """`unused`: nothing was sent yet. `working`: the last request succeeded. `failing`: the last request failed
    and will be repeated. `failed`: at least one change was given up after 3 days, and none was delivered
    since. Null: no webhook.
    """
    last_error: str | None
    """Why the last request to the webhook failed; null if it succeeded."""
    last_delivered_at: str | None
    """When a request last succeeded, to within 5 s."""
    last_failed_at: str | None
    """When a change was last given up."""
    missed: int
    """Number of changes that were left out because 250,000 webhooks were waiting, or because 50 older watches of
    the same owner got the change. It is reset to 0 when the URL changes or the watch becomes active again.
    """
    missed_after: int | None
    """The version before the first change that was left out; null if there was none. `GET /v1/changes?after=`
    has all changes after it.
    """
    held_until: str | None
    """After several failures in a row, nothing is sent until then; null if requests are sent."""
    created_by: str
    """Who the watch belongs to: the first 8 characters of a key, or an account (its email for admins, a short
    name like `account 1a2b3c4d5e6f` for others).
    """
    created_at: str
    """When it was added."""
    polygon: WatchPolygon | None
    """For kind `polygon`: the polygon, as a MultiPolygon."""
    webhook_secret: str | None
    """Signs the requests to the webhook. It is shown only once. Null: there is no webhook, or the secret is the
    same as before.
    """


class WordScore(TypedDict):
    """Match of one word."""
    word: str
    """A word of the query, after correction."""
    field: str | None
    """Field in which the word was found; null if not found."""
    similarity: float
    """Similarity of this word to the one in the field, 0 to 1."""
    weight: float
    """Weight of the field."""


class Work(TypedDict):
    """Long-running work, such as a crawl, a load of a file, an export or a tile build."""
    id: str
    """Id of the work."""
    kind: str
    """A kind of work: `crawl`, `load`, `ingest`, `preview`, `tile_build`, `search_check`, `search_rebuild`,
    `webhooks`, `export`, `match`.
    """
    subject: str | None
    """The source, layer or index to work on."""
    source: str | None
    """The source that the work belongs to, if any."""
    status: Literal["queued", "running", "done", "error"]
    """The status. `done` and `error` are final."""
    requested_by: str | None
    """Who requested it: the first 8 characters of a key, or an account (its email for admins, a short name like
    `account 1a2b3c4d5e6f` for others); null if it was due or was started on the command line.
    """
    attempts: int
    """How many times a process has started it."""
    done: int
    """Progress: records of a crawl, parcels of a tile build, documents of a rebuild."""
    total: int | None
    """Expected final value of `done`; null if it is not known."""
    payload: WorkPayload | dict[str, Any]
    """What was requested. Its members depend on the kind."""
    result: WorkResult | dict[str, Any]
    """The result so far. Its members depend on the kind."""
    error_code: str | None
    """Error code of the last failed attempt: `throttled`, `worker_lost`, `cancelled` ..."""
    error_message: str | None
    """Error message of the last failed attempt."""
    created_at: str
    """When it was requested."""
    started_at: str | None
    """When it started; null if it has not started."""
    finished_at: str | None
    """When it ended; null if it has not ended."""
    waits_for: Literal["retry", "load", "pause", "breaker"] | None
    """Why a queued one cannot start now: `retry` (its last attempt failed, or its portal takes no requests for a
    while), `load` (a load of its source has not ended), `pause` (its vendor is paused), `breaker` (most
    scrapes of its vendor fail, so one job or crawl a minute may start). Null if it only waits for a worker,
    or is not queued.
    """
    waits_until: str | None
    """When it can start at the earliest; null if it does not wait, or if that is not known."""


class WorkPayload(TypedDict):
    """Which parcels are exported, and how."""
    format: str
    """The format of the file."""
    gzip: bool
    """Whether the file is compressed with gzip."""
    fields: list[str]
    """The fields of each parcel."""
    geometry: str
    """`full`, `simplified` or `none`."""
    filter: dict[str, Any]
    """Which parcels, as requested."""
    parcel_filter: dict[str, Any]
    """The same, as the service reads it."""
    place: NotRequired[WorkPayloadPlace]
    """Only parcels in this area."""


class WorkPayloadPlace(TypedDict):
    """Only parcels in this area."""
    area: NotRequired[Any]
    """The area as GeoJSON. Responses leave it out, because it can be large."""
    bbox: list[float]
    """Its bounding box: west, south, east, north."""
    relation: str
    """`intersects` or `within`."""


class WorkResult(TypedDict):
    rows: NotRequired[int]
    """Rows of the list."""
    counts: NotRequired[MatchCounts]


class WorkResultKeptFirstItem(TypedDict):
    source_parcel_id: str
    """The parcel."""
    fields: list[str]
    """The fields that were left. `created`: the whole parcel was left."""


class WorkResultRejectsItem(TypedDict):
    count: int
    """Rows."""
    examples: list[WorkResultRejectsItemExamplesItem]
    """Some of them."""


class WorkResultRejectsItemExamplesItem(TypedDict):
    place: str
    """Where the row is."""
    id: str
    """Its id, if it has one."""
    reason: str
    """Why it was rejected."""


class OpenApiResponse(TypedDict):
    openapi: str
    """OpenAPI version."""


class PluginManifestResponse(TypedDict):
    schema_version: str
    """Manifest version."""


class HealthResponse(TypedDict):
    status: Literal["ok"]
    """The service and its database are up."""
    time: str
    """Time of the response."""
    degraded_states: NotRequired[str]
    """The states whose searches run on PostgreSQL. Present together with `search`."""
    search: NotRequired[Literal["degraded"]]
    """Present while Meilisearch is unavailable and searches run on PostgreSQL."""


class ListSourcesResponse(TypedDict):
    count: int
    """Number of rows in this response."""
    sources: list[Source]
    """Ordered by slug."""
    next: NotRequired[str | None]
    """Only if `limit` is given: `after` for the next page; null on the last page."""


class AddSourceRequest(TypedDict):
    """The source."""
    source: str
    """Slug of the source. It is part of the URLs of its parcels and cannot be changed."""
    state: Literal["AL", "AK", "AZ", "AR", "CA", "CO", "CT", "DE", "DC", "FL", "GA", "HI", "ID", "IL", "IN", "IA", "KS", "KY", "LA", "ME", "MD", "MA", "MI", "MN", "MS", "MO", "MT", "NE", "NV", "NH", "NJ", "NM", "NY", "NC", "ND", "OH", "OK", "OR", "PA", "RI", "SC", "SD", "TN", "TX", "UT", "VT", "VA", "WA", "WV", "WI", "WY", "AS", "GU", "MP", "PR", "VI"]
    """State of the county."""
    county_name: str
    """Name of the county."""
    vendor: VendorName
    base_url: NotRequired[str]
    """URL of the portal (http or https). With the vendor `file`, the https URL of the file, or empty."""
    vendor_config: NotRequired[dict[str, Any]]
    """The vendor's settings for this county. If omitted, set them before you activate the source."""
    license: NotRequired[str | None]
    """License of the data, preferably as an SPDX id; null if unknown. Exports name it."""
    attribution: NotRequired[str | None]
    """Whom to credit for the data; null if unknown. Exports name it."""


class UpdateSourceRequest(TypedDict):
    """Fields to change."""
    vendor: NotRequired[VendorName]
    base_url: NotRequired[str]
    """URL of the portal (http or https). With the vendor `file`, the https URL of the file, or empty."""
    state: NotRequired[Literal["AL", "AK", "AZ", "AR", "CA", "CO", "CT", "DE", "DC", "FL", "GA", "HI", "ID", "IL", "IN", "IA", "KS", "KY", "LA", "ME", "MD", "MA", "MI", "MN", "MS", "MO", "MT", "NE", "NV", "NH", "NJ", "NM", "NY", "NC", "ND", "OH", "OK", "OR", "PA", "RI", "SC", "SD", "TN", "TX", "UT", "VT", "VA", "WA", "WV", "WI", "WY", "AS", "GU", "MP", "PR", "VI"]]
    """State of the county."""
    county_name: NotRequired[str]
    """Name of the county."""
    active: NotRequired[bool]
    """Whether the scheduler may scrape it."""
    vendor_config: NotRequired[dict[str, Any]]
    """Replaces the whole `vendor_config`. It must match the vendor's schema."""
    load_limits: NotRequired[LoadLimits]
    license: NotRequired[str | None]
    """License of the data, preferably as an SPDX id; null if unknown. Exports name it."""
    attribution: NotRequired[str | None]
    """Whom to credit for the data; null if unknown. Exports name it."""


class MarkUnreadLabelRequest(TypedDict):
    """The label."""
    label: str
    """The label or heading, as the page shows it."""
    is_known: bool
    """Whether an operator has marked it as having nothing to read."""


class UpdateRefreshPolicyRequest(TypedDict):
    """Fields to change."""
    cadence: NotRequired[Literal["daily", "weekly", "monthly", "quarterly", "annual", "tax-statement-window"]]
    """Refresh interval."""
    next_due_at: NotRequired[str]
    """Due time of the next refresh: an ISO 8601 time in the years 2000 to 9999, for example
    2026-01-02T03:04:05.678Z.
    """
    agricultural_only: NotRequired[bool]
    """Whether only agricultural parcels are refreshed."""


class DryRunSourceRequest(TypedDict):
    """The parcel to scrape."""
    source_parcel_id: str
    """Id of the parcel, in the notation of its source. It has at least one letter or digit."""
    vendor_config: NotRequired[dict[str, Any]]
    """Settings to try in place of the stored ones."""
    overrides: NotRequired[ScrapeOverrides]


class ProveSourceRequest(TypedDict):
    """The parcel of a dry run, and its `reading`."""
    source_parcel_id: SourceParcelId
    reading: str
    """A hash of what a dry run read."""
    overrides: NotRequired[ScrapeOverrides]


class ExportGoldenPageResponse(TypedDict):
    """A golden page with invented names, addresses and numbers."""
    source: str
    """The source."""
    vendor: str
    """The vendor whose adapter reads it."""
    target: dict[str, Any]
    """What was scraped."""
    vendorConfig: dict[str, Any]
    """The settings of the source, without secrets."""
    answeredAt: list[str]
    """In the order of the responses."""
    set: ExportGoldenPageResponseSet
    """What the portal sent."""
    read: dict[str, Any]
    """What the adapter reads from the responses."""


class ExportGoldenPageResponseSet(TypedDict):
    """What the portal sent."""
    source: str
    """The source."""
    sourceParcelId: str
    """The parcel."""
    answers: list[ExportGoldenPageResponseSetAnswersItem]
    """The responses of the portal, in the order of the requests."""


class ExportGoldenPageResponseSetAnswersItem(TypedDict):
    name: str
    """The adapter's name for the response."""
    url: str
    """The URL after redirects."""
    status: int
    """HTTP status."""
    headers: dict[str, Any]
    """The headers that adapters read."""
    body: str
    """The body of the response."""
    asked: ExportGoldenPageResponseSetAnswersItemAsked
    """The request that it answered."""


class ExportGoldenPageResponseSetAnswersItemAsked(TypedDict):
    """The request that it answered."""
    method: str
    """HTTP method."""
    url: str
    """The URL that was requested."""


class ListErrorHistoryResponse(TypedDict):
    counted_up_to: str
    """Jobs that ended after this time are not counted yet."""
    count: int
    """Number of rows in this response."""
    sources: list[SourceErrorHistory]
    """Ordered by slug."""


class ListSourceHealthResponse(TypedDict):
    count: int
    """Number of rows in this response."""
    sources: list[SourceHealth]
    """Ordered by slug."""
    next: NotRequired[str | None]
    """Only if `limit` is given: `after` for the next page; null on the last page."""


class ListParcelsResponse(TypedDict):
    count: int
    """Number of rows in this response."""
    parcels: list[ParcelRow]
    """In the order of the list."""
    next: str | None
    """`after` for the next page; null on the last page. Its format depends on the order. A page with large
    boundaries or accounts, or of a thin area, can have fewer rows than `limit` even if it is not the last.
    """
    total: NotRequired[int]
    """Only with `count`: number of parcels on all pages."""
    total_is_exact: NotRequired[bool]
    """Only with `count`: false if `total` is an estimate. At a place other than a box, it is always exact."""
    complete_until: NotRequired[str]
    """Only with `changed_since`: changes before this time are in the list. To poll, send the one of the first
    page as the next `changed_since`.
    """


class ListParcelsWithinResponse(TypedDict):
    count: int
    """Number of rows in this response."""
    parcels: list[ParcelRow]
    """In the order of the list."""
    next: str | None
    """`after` for the next page; null on the last page. Its format depends on the order. A page with large
    boundaries or accounts, or of a thin area, can have fewer rows than `limit` even if it is not the last.
    """
    total: NotRequired[int]
    """Only with `count`: number of parcels on all pages."""
    total_is_exact: NotRequired[bool]
    """Only with `count`: false if `total` is an estimate. At a place other than a box, it is always exact."""
    complete_until: NotRequired[str]
    """Only with `changed_since`: changes before this time are in the list. To poll, send the one of the first
    page as the next `changed_since`.
    """


class ListNeighborsResponse(TypedDict):
    count: int
    """Number of rows in this response."""
    parcels: list[ParcelRow]
    """In the order of the list."""
    next: str | None
    """`after` for the next page; null on the last page. Its format depends on the order. A page with large
    boundaries or accounts, or of a thin area, can have fewer rows than `limit` even if it is not the last.
    """
    total: NotRequired[int]
    """Only with `count`: number of parcels on all pages."""
    total_is_exact: NotRequired[bool]
    """Only with `count`: false if `total` is an estimate. At a place other than a box, it is always exact."""
    complete_until: NotRequired[str]
    """Only with `changed_since`: changes before this time are in the list. To poll, send the one of the first
    page as the next `changed_since`.
    """


class ListParcelHistoryResponse(TypedDict):
    count: int
    """Number of rows in this response."""
    changes: list[Change]
    """Newest first."""
    next: int | None
    """`after` for the next page; null on the last page."""


class ListProvenanceResponse(TypedDict):
    count: int
    """Number of rows in this response."""
    fields: list[FieldOrigin]
    """All fields that have a value."""


class ListPagesResponse(TypedDict):
    count: int
    """Number of rows in this response."""
    pages: list[KeptPage]
    """Newest first."""


class ListChangesResponse(TypedDict):
    changes: list[Change]
    """In order of their versions."""
    next: int
    """`after` for the next request. It advances even if no change passed the filters."""
    watermark: int
    """The log is complete up to this version. If `next` equals it, you have read everything."""


class SearchResponse(TypedDict):
    count: int
    """Number of rows in this response."""
    results: list[ParcelHit | EntityHit | OwnerGroup]
    """Best first. `kind` is the type of the hit."""
    total: int
    """Number of hits on all pages, at most 1,000. On pages of `members_next`: the number of all parcels of the
    owner.
    """
    total_is_exact: bool
    """false: there may be more than `total`. `total=1` and later pages count all hits; more than 1,000 are never
    counted.
    """
    next: str | None
    """`after` for the next page; null on the last page. Pages end after 1,000 hits."""
    corrected: NotRequired[str]
    """The corrected query. Present only if words that are in no record were treated as typos."""


class ListEntitiesResponse(TypedDict):
    entities: list[Entity]
    """The first 100, by state and registry number."""


class ListFindingsResponse(TypedDict):
    count: int
    """Number of rows in this response."""
    findings: list[Finding]
    """Most severe first."""


class ListAllFindingsResponse(TypedDict):
    count: int
    """Number of rows in this response."""
    findings: list[ParcelFinding]
    """Newest first."""
    next: str | None
    """`after` for the next page; null on the last page."""


class DismissFindingRequest(TypedDict):
    """The reason."""
    reason: str
    """Why the finding needs no action."""


class ListScrapeJobsResponse(TypedDict):
    count: int
    """Number of rows in this response."""
    jobs: list[Job]
    """Newest first."""
    next: str | None
    """`after` for the next page; null on the last page."""


class EnqueueScrapesResponse(TypedDict):
    count: int
    """Number of rows in this response."""
    jobs: list[QueuedJob]
    """One job for each parcel."""


class ListScrapeAttemptsResponse(TypedDict):
    requested_by: NotRequired[str | None]
    """Only for admins. Who requested the job: the first 8 characters of a key, or an account (its email for
    admins, a short name like `account 1a2b3c4d5e6f` for others). Null for the scheduler.
    """
    attempts: list[JobAttempt]
    """Oldest first."""


class RetryFailedJobsRequest(TypedDict):
    """Which jobs: of a source or of a vendor, and why they failed."""
    source: NotRequired[SourceSlug]
    vendor: NotRequired[VendorName]
    failure_class: FailureClass
    limit: NotRequired[int]
    """Maximum number of parcels to queue."""


class RetryFailedJobsResponse(TypedDict):
    failed: int
    """Parcels whose last job failed for this reason, and sources whose last crawl did."""
    queued: int
    """New jobs and crawls."""
    already_queued: int
    """Parcels and crawls that were already queued or running."""
    left: int
    """Parcels beyond `limit`. Repeat the request to queue them."""


class EnqueueAgCountyRequest(TypedDict):
    """The county and the number of parcels."""
    source: SourceSlug
    limit: NotRequired[int]
    """Maximum number of parcels to queue."""
    skip_existing: NotRequired[bool]
    """Skip parcels that were scraped within the source's cadence."""


class EnqueueAgCountyResponse(TypedDict):
    source: SourceSlug
    considered: int
    """Agricultural parcels considered."""
    enqueued: int
    """New jobs."""
    skipped_fresh: int
    """Skipped because they were scraped within the source's cadence."""
    already_queued: int
    """Skipped because they were already queued."""


class OrderRefreshRequest(TypedDict):
    """Which parcels."""
    filter: ExportFilter
    limit: NotRequired[int]
    """Maximum number of parcels to queue."""
    skip_fresh: NotRequired[bool]
    """Skip parcels that were scraped within their source's cadence."""
    dry_run: NotRequired[bool]
    """Only counts the parcels and estimates the time."""


class CancelScrapeJobsRequest(TypedDict):
    """Which jobs: of a source or of a vendor."""
    source: NotRequired[SourceSlug]
    vendor: NotRequired[VendorName]
    status: NotRequired[Literal["queued", "running"]]
    """Omitted: both."""
    limit: NotRequired[int]
    """Maximum number of jobs to cancel."""


class CancelScrapeJobsResponse(TypedDict):
    cancelled: int
    """Jobs that were cancelled."""
    left: int
    """Matching jobs that are still queued or running. Repeat the request to cancel them."""


class ListConcurrencyResponse(TypedDict):
    count: int
    """Number of rows in this response."""
    vendors: list[VendorConcurrency]
    """Ordered by name."""
    next: NotRequired[str | None]
    """Only if `limit` is given: `after` for the next page; null on the last page."""


class UpdateConcurrencyRequest(TypedDict):
    """Fields to change."""
    min_concurrency: NotRequired[int]
    """Lowest allowed target."""
    max_concurrency: NotRequired[int]
    """Highest allowed target."""
    target_concurrency: NotRequired[int]
    """Current number of concurrent scrapes."""
    mode: NotRequired[Literal["auto", "manual"]]
    """`auto`: the tuner changes the target. `manual`: the target stays as set."""
    slow_threshold_ms: NotRequired[int]
    """The tuner lowers the target when p95 is above this."""
    fast_threshold_ms: NotRequired[int]
    """The tuner may raise the target when p95 is below this."""
    step_size: NotRequired[int]
    """Smallest change of the target in one step."""
    signal_window_minutes: NotRequired[int]
    """Length of the window that the tuner evaluates. It takes at most one step per window."""


class PauseVendorRequest(TypedDict):
    """Why, and until when."""
    reason: str
    """Why the vendor is paused."""
    until: NotRequired[str | None]
    """When to resume automatically. Omitted or null: only when somebody resumes it."""


class RunTunerResponse(TypedDict):
    count: int
    """Number of rows in this response."""
    decisions: list[TunerDecision]
    """One decision for each vendor."""


class ListTuningLogResponse(TypedDict):
    count: int
    """Number of rows in this response."""
    entries: list[TuningEntry]
    """Newest first."""


class ListCrawlsResponse(TypedDict):
    count: int
    """Number of rows in this response."""
    crawls: list[Crawl]
    """Newest first."""
    next: str | None
    """`after` for the next page; null on the last page."""


class CreateExportRequest(TypedDict):
    """What to export, and how."""
    format: Literal["ndjson", "csv", "geojsonseq", "flatgeobuf", "geoparquet", "geopackage"]
    """`geojsonseq`: GeoJSON text sequence (RFC 8142). `geoparquet`: GeoParquet 1.1 with zstd and rows in Hilbert
    order. `csv` has boundaries as well-known text, and lists separated by semicolons.
    """
    gzip: NotRequired[bool]
    """Compresses a text format with gzip. Not allowed for binary formats."""
    fields: NotRequired[list[str]]
    """The fields of each parcel, in addition to `id`, `source` and `source_parcel_id`: lon, lat, acreage,
    owner_name, owner_names_all, owner_mailing_address, situs_address, situs_city, situs_state, situs_zip,
    land_use_class, zoning_code, zoning_description, is_agricultural, assessed_value, value_land,
    value_improvement, state, county_name, scraped_at, ingested_at, updated_at, retired_at, accounts. Omitted:
    all except `accounts`. Accounts are a JSON array in every format.
    """
    geometry: NotRequired[Literal["full", "simplified", "none"]]
    """The boundary. `simplified` leaves out corners that are closer than about two meters to the line between
    their neighbors.
    """
    filter: NotRequired[ExportFilter]
    within: NotRequired[Area]
    relation: NotRequired[Literal["intersects", "within"]]
    """`intersects`: the boundary and the area share a point. `within`: the whole parcel is in the area."""
    delivery: NotRequired[Literal["file", "stream"]]
    """`file`: the export is queued, and its file is kept for 7 days. `stream`: the response is the file, for at
    most 100,000 parcels as ndjson, csv, geojsonseq, flatgeobuf.
    """


class ListExportsResponse(TypedDict):
    count: int
    """Number of rows in this response."""
    exports: list[Export]
    """Newest first."""
    next: str | None
    """`after` for the next page; null on the last page."""


class ListWorkResponse(TypedDict):
    count: int
    """Number of rows in this response."""
    work: list[Work]
    """Newest first."""
    next: str | None
    """`after` for the next page; null on the last page."""


class ListLoadsResponse(TypedDict):
    count: int
    """Number of rows in this response."""
    loads: list[Load]
    """Newest first."""
    next: str | None
    """`after` for the next page; null on the last page."""


class AddLoadRequest(TypedDict):
    """The file, and the source that it is loaded into."""
    source: SourceSlug
    file: NotRequired[str]
    """The id of an uploaded file."""
    address: NotRequired[str]
    """The https URL of the file."""
    settings: NotRequired[FileSettings]
    as_of: NotRequired[str]
    """The date of the data."""


class PreviewLoadRequest(TypedDict):
    """The file. It has either `file` or `address`."""
    file: NotRequired[str]
    """The id of an uploaded file."""
    address: NotRequired[str]
    """The https URL of the file."""
    settings: NotRequired[FileSettings]


class AddFileRequest(TypedDict):
    """The file."""
    name: str
    """Name of the file."""
    size_bytes: int
    """Size of the file."""


class ListFilesResponse(TypedDict):
    count: int
    """Number of rows in this response."""
    files: list[File]
    """Newest first."""
    next: str | None
    """`after` for the next page; null on the last page."""


class ListWatchesResponse(TypedDict):
    count: int
    """Number of rows in this response."""
    watches: list[Watch]
    """Newest first."""
    next: str | None
    """`after` for the next page; null on the last page."""


class AddWatchRequest(TypedDict):
    """What to watch. Which fields of the target are required depends on `kind`."""
    kind: Literal["parcel", "owner", "polygon", "source", "alerts"]
    """What the watch follows: one parcel, the parcels of an owner, the parcels that intersect a polygon, all
    parcels of a source, or the alerts of the service (for admins).
    """
    source: NotRequired[SourceSlug]
    source_parcel_id: NotRequired[SourceParcelId]
    owner_name: NotRequired[str]
    """For kind `owner`: the name of an owner. Case, punctuation, accents and the spelling of company forms do
    not matter. Changes match if this was the owner before or after the change.
    """
    polygon: NotRequired[WatchPolygon]
    fields: NotRequired[list[str] | None]
    """Only changes of one of these fields match. Parcels that are created, retired, returned or deleted always
    match. At most 50 names of fields: those of a parcel, `geom` for the boundary, `retired_at`, and
    `scrape_data` or `scrape_data.NAME` for the scrape data. Null or empty: all changes match.
    """
    webhook_url: NotRequired[str | None]
    """The https URL that receives the changes. It must be on the public internet. Null: no webhook. The changes
    are in the watch's log and on `/v1/events` either way.
    """


class ChangeWatchRequest(TypedDict):
    """Fields to change."""
    active: NotRequired[bool]
    """Whether the watch is active. An inactive watch sends nothing, and misses the changes that are made in the
    meantime.
    """
    fields: NotRequired[list[str] | None]
    """Only changes of one of these fields match. Parcels that are created, retired, returned or deleted always
    match. At most 50 names of fields: those of a parcel, `geom` for the boundary, `retired_at`, and
    `scrape_data` or `scrape_data.NAME` for the scrape data. Null or empty: all changes match.
    """
    webhook_url: NotRequired[str | None]
    """The https URL that receives the changes. It must be on the public internet. Null: no webhook. The changes
    are in the watch's log and on `/v1/events` either way.
    """
    new_secret: NotRequired[Literal[True]]
    """Replaces the secret of the webhook. The next request is signed with the new one."""


class ListWatchDeliveriesResponse(TypedDict):
    count: int
    """Number of rows in this response."""
    deliveries: list[WatchDelivery]
    """Newest first."""
    next: str | None
    """`after` for the next page; null on the last page."""


class ListMatchesResponse(TypedDict):
    count: int
    """Number of rows in this response."""
    matches: list[Match]
    """Newest first."""
    next: str | None
    """`after` for the next page; null on the last page."""


class AddMatchRequest(TypedDict):
    """The upload to match. Instead of this object, the body can be the list itself, as CSV or NDJSON. These
    fields as query parameters are refused.
    """
    upload: str
    """The id of one of your uploads."""
    columns: NotRequired[dict[str, Any]]
    """Maps each column of the list to what it contains: parcel_id, address, unit, city, state, zip, county,
    source, owner, lon, lat. Other columns are returned unchanged. If an address is in several columns, such
    as a house number and a street, map each of them to "address". Default: guessed from the names of the
    columns.
    """
    state: NotRequired[str]
    """Only parcels of this state."""
    county: NotRequired[str]
    """Only parcels of this county."""
    source: NotRequired[SourceSlug]


class ListMatchRowsResponse(TypedDict):
    count: int
    """Number of rows in this response."""
    rows: list[MatchRow]
    """In the order of the list."""
    next: int | None
    """`after` for the next page; null on the last page."""


class RetryMatchRequest(TypedDict):
    """Which rows, and other columns."""
    outcomes: NotRequired[list[Literal["matched", "tie", "no_match", "invalid"]]]
    """Rows with these outcomes. Default: `no_match` and `invalid`."""
    columns: NotRequired[dict[str, Any]]
    """Maps each column of the list to what it contains: parcel_id, address, unit, city, state, zip, county,
    source, owner, lon, lat. Other columns are returned unchanged. If an address is in several columns, such
    as a house number and a street, map each of them to "address". Default: guessed from the names of the
    columns.
    """


class ListPortfoliosResponse(TypedDict):
    count: int
    """Number of rows in this response."""
    portfolios: list[Portfolio]
    """Newest first."""
    next: str | None
    """`after` for the next page; null on the last page."""


class AddPortfolioRequest(TypedDict):
    """A portfolio."""
    name: str
    """Its name."""


class RenamePortfolioRequest(TypedDict):
    """The new name."""
    name: str
    """Its name."""


class PutPortfolioParcelRequest(TypedDict):
    """A parcel, with its note and tags. Omitted: empty."""
    source: SourceSlug
    source_parcel_id: SourceParcelId
    note: NotRequired[str]
    """A note about the parcel. Empty if there is none."""
    tags: NotRequired[list[str]]
    """At most 20 tags to find it by."""


class ListSavedSearchesResponse(TypedDict):
    count: int
    """Number of rows in this response."""
    searches: list[SavedSearch]
    """Newest first."""
    next: str | None
    """`after` for the next page; null on the last page."""


class AddSavedSearchRequest(TypedDict):
    """A search."""
    name: str
    """Its name."""
    query: str
    """The query string of the search page. Append it to `/app/search?` to open the search."""


class ListTileBuildsResponse(TypedDict):
    manifest: TileArchive | None
    """The archive that maps use; null before the first build."""
    requested: TileBuildRequest | None
    """The requested build that has not started; null if there is none."""
    building: TileBuildProgress | None
    """The running build; null if there is none."""
    count: int
    """Number of rows in this response."""
    builds: list[TileBuild]
    """Newest first."""
    layers: list[str]
    """All layers that have been built or are requested."""


class BuildTilesRequest(TypedDict):
    """Which layer, and which parcels it draws."""
    layer: NotRequired[str]
    """Name of the layer, and of its archive."""
    filter: NotRequired[TileFilter]


class BuildTilesResponse(TypedDict):
    layer: str
    """The layer that will be built."""
    state: Literal["requested"]
    """The build has not started."""


class ListAccountKeysResponse(TypedDict):
    count: int
    """Number of rows in this response."""
    keys: list[Key]
    """Valid keys first, then revoked ones; newest first in each group."""


class IssueAccountKeyRequest(TypedDict):
    """Name and capabilities of the new key."""
    name: str
    """Purpose of the key."""
    capabilities: NotRequired[list[Literal["enqueue", "bulk-export"]]]
    """Capabilities in addition to `read`. They require a paid plan."""


class CheckSearchIndexRequest(TypedDict):
    """Which instance."""
    instance: NotRequired[str]
    """Host and port of one instance of Meilisearch. Default: all instances."""


class RebuildSearchIndexRequest(TypedDict):
    """Which instance."""
    instance: NotRequired[str]
    """Host and port of one instance of Meilisearch. Default: all instances."""


class ListAccountsResponse(TypedDict):
    count: int
    """Number of rows in this response."""
    accounts: list[AccountWithUse]
    """Newest first."""
    next: str | None
    """`after` for the next page; null on the last page."""


class ListAdminActionsResponse(TypedDict):
    count: int
    """Number of rows in this response."""
    actions: list[AdminAction]
    """Newest first."""
    next: str | None
    """`after` for the next page; null on the last page."""


class UpdateAccountRequest(TypedDict):
    """Fields to change."""
    role: NotRequired[Literal["member", "admin"]]
    """`admin` has every capability."""
    plan: NotRequired[Literal["free", "paid"]]
    """`paid` includes the capabilities `enqueue` (request scrapes) and `bulk-export` (export parcels)."""


class ListAlertsResponse(TypedDict):
    count: int
    """Number of rows in this response."""
    alerts: list[Alert]
    """Newest first."""
    next: str | None
    """`after` for the next page; null on the last page."""


class SilenceAlertRequest(TypedDict):
    """Until when, and why."""
    until: str
    """When the silence ends: at most 90 days from now."""
    reason: NotRequired[str]
    """Why, for the other admins."""


class ListAlertRulesResponse(TypedDict):
    count: int
    """Number of rows in this response."""
    rules: list[AlertRule]
    """All rules."""


class UpdateAlertRuleRequest(TypedDict):
    """Fields to change."""
    active: NotRequired[bool]
    """Whether the rule is checked. When it is switched off, its alerts end."""
    threshold: NotRequired[float | None]
    """The value at which an alert is raised. Null: the default."""
