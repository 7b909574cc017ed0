// Generated from openapi.json by `bun run clients:generate`. Do not edit.
export interface components {
  schemas: {
    /** @description A person who has signed in. */
    Account: {
      /**
       * Format: uuid
       * @description Id of the account.
       */
      id: string;
      /** @description Email from the identity provider, updated at each sign-in. */
      email: string;
      /** @description Name from the identity provider, updated at each sign-in. Null if the provider gives none. */
      name: string | null;
      /**
       * @description `admin` has every capability.
       * @enum {string}
       */
      role: "member" | "admin";
      /**
       * @description `paid` includes the capabilities `enqueue` (request scrapes) and `bulk-export` (export parcels).
       * @enum {string}
       */
      plan: "free" | "paid";
      /**
       * Format: date-time
       * @description Time of the first sign-in.
       */
      created_at: string;
    };
    /** @description A person who has signed in, with fields for admins. */
    AccountWithUse: {
      /**
       * Format: uuid
       * @description Id of the account.
       */
      id: string;
      /** @description Email from the identity provider, updated at each sign-in. */
      email: string;
      /** @description Name from the identity provider, updated at each sign-in. Null if the provider gives none. */
      name: string | null;
      /**
       * @description `admin` has every capability.
       * @enum {string}
       */
      role: "member" | "admin";
      /**
       * @description `paid` includes the capabilities `enqueue` (request scrapes) and `bulk-export` (export parcels).
       * @enum {string}
       */
      plan: "free" | "paid";
      /**
       * Format: date-time
       * @description Time of the first sign-in.
       */
      created_at: string;
      /**
       * Format: date-time
       * @description Time of the last visit; null if none was recorded.
       */
      last_seen_at: string | null;
      /** @description Number of valid keys. */
      keys: number;
    };
    /** @description A change that an admin made through the API. */
    AdminAction: {
      /**
       * Format: uuid
       * @description Id of the action.
       */
      id: string;
      /** @description Who did it: the first 8 characters of a key, or an account (its email for admins, a short name like `account 1a2b3c4d5e6f` for others). */
      actor: string;
      /** @description HTTP method. */
      method: string;
      /** @description Path of the request, without its query. */
      path: string;
      /** @description What was sent, with secrets replaced by `REDACTED`; null: nothing, or more than 4,000 characters. */
      body: unknown;
      /**
       * Format: date-time
       * @description Time of the change.
       */
      created_at: string;
    };
    /** @description An alert: one subject that a rule applies to. */
    Alert: {
      /**
       * Format: uuid
       * @description Id of the alert.
       */
      id: string;
      rule: components["schemas"]["AlertRuleName"];
      /** @description What the alert is about: a source, a vendor, a layer, a data folder or a receiver. Empty: the service. */
      subject: string;
      /**
       * @description `raised`, or `resolved` after it has ended.
       * @enum {string}
       */
      state: "raised" | "resolved";
      /** @description What was last measured, in words. */
      text: string;
      /** @description What was last measured. In the unit of the rule’s threshold: percent, minutes or hours. 1 for rules without a threshold. */
      value: number;
      /** @description The threshold when it was raised. In the unit of the rule’s threshold: percent, minutes or hours. Null: the rule has none. */
      threshold: number | null;
      /**
       * Format: date-time
       * @description When it was raised.
       */
      raised_at: string;
      /**
       * Format: date-time
       * @description When it ended; null while it is raised.
       */
      resolved_at: string | null;
      /**
       * Format: date-time
       * @description When the message about it was queued for the webhooks; null while it is silenced.
       */
      told_at: string | null;
      /**
       * Format: date-time
       * @description When the silence ends; null: it is not silenced.
       */
      silenced_until: string | null;
      /** @description Who silenced it: the first 8 characters of a key, or an account (its email for admins, a short name like `account 1a2b3c4d5e6f` for others). */
      silenced_by: string | null;
      /** @description Why it is silenced. */
      silence_reason: string | null;
      /** @description Its page in the console. */
      console_url: string;
    };
    /** @description A rule about the health of the service. */
    AlertRule: {
      rule: components["schemas"]["AlertRuleName"];
      /** @description Short name. */
      title: string;
      /** @description When an alert is raised. */
      means: string;
      /** @description What to do about it. */
      advice: string;
      /** @description Whether the rule is checked. */
      active: boolean;
      /**
       * @description Unit of the threshold. Null: the rule has no threshold.
       * @enum {string|null}
       */
      unit: "percent" | "minutes" | "hours" | null;
      /** @description The value at which an alert is raised. Null: the rule has no threshold. */
      threshold: number | null;
      /** @description The default threshold. Null: the rule has no threshold. */
      default_threshold: number | null;
      /** @description The lowest threshold that is accepted. */
      min_threshold: number | null;
      /** @description The highest threshold that is accepted. */
      max_threshold: number | null;
      /** @description Number of its alerts that are raised. */
      raised: number;
      /**
       * Format: date-time
       * @description When an admin last changed it; null: never.
       */
      updated_at: string | null;
      /** @description Who changed it: the first 8 characters of a key, or an account (its email for admins, a short name like `account 1a2b3c4d5e6f` for others). */
      updated_by: string | null;
    };
    /**
     * @description Name of a rule. `GET /v1/alert-rules` says what each means.
     * @enum {string}
     */
    AlertRuleName: "source_failing" | "source_unreachable" | "site_changed" | "source_overdue" | "queue_stuck" | "queue_old" | "search_lag" | "tiles_failed" | "load_held" | "disk_full" | "webhook_failing" | "webhook_gone";
    /** @description A GeoJSON Polygon or MultiPolygon with at most 10,000 positions. */
    Area: {
      /**
       * @description Type of the geometry.
       * @enum {string}
       */
      type: "Polygon" | "MultiPolygon";
      /** @description Rings of [longitude, latitude] in degrees, EPSG:4326. Holes are respected. */
      coordinates: unknown[];
      /** @description Bounding box of the geometry. It is ignored. */
      bbox?: number[];
    };
    /** @description Bonuses that are added to the text score. */
    Bonuses: {
      /** @description For a field that starts with the query. */
      exact_prefix: number;
      /** @description For an exact match of the parcel id. */
      exact_parcel_id: number;
      /** @description For being near `lat` and `lon`. */
      proximity: number;
    };
    /** @description One change of a parcel. */
    Change: {
      /** @description Version of the record. Later changes have higher ones. */
      version: number;
      /**
       * Format: date-time
       * @description Time of the change.
       */
      at: string;
      source: components["schemas"]["SourceSlug"];
      source_parcel_id: components["schemas"]["SourceParcelId"];
      /**
       * @description `retired`: the source no longer lists the parcel. `returned`: the source lists it again. `deleted`: an operator deleted it.
       * @enum {string}
       */
      action: "created" | "changed" | "retired" | "returned" | "deleted";
      /**
       * @description What led to the change. Null: it is older than the log.
       * @enum {string|null}
       */
      cause: "ingest" | "crawl" | "scrape" | "replay" | "review" | "undo" | "operator" | null;
      /**
       * Format: uuid
       * @description Id of the load, crawl, job, replay or undo.
       */
      cause_id: string | null;
      /** @description The fields that changed, by name. A value is null where the parcel had none. `geom` has hashes of the boundaries. `lon` and `lat` are always listed together, and also when a boundary replaces the point. `scrape_data.NAME` is a member of `scrape_data`. Empty for `created`: to get its values, take the record and reverse the later changes. */
      changes: Record<string, never>;
      /** @description Where the new values are from; null if unknown. */
      origin: components["schemas"]["ChangeOrigin"] | null;
    };
    /** @description Where new values are from: a row of a file, or a page of a portal. */
    ChangeOrigin: {
      /** @description Line of the loaded file. If there is a `place`, the number of the row in the load. */
      line?: number;
      /** @description Which row of the loaded files it was, if `line` alone does not say: `feature 12` or `lots.csv, line 7`. */
      place?: string;
      /** @description URL of the page at the portal. */
      page?: string;
      /** @description Hash of the kept page, if it was kept. */
      page_hash?: string;
      /**
       * Format: date-time
       * @description When the portal answered.
       */
      page_at?: string;
      /** @description The adapter that read the page. */
      adapter?: string;
      /** @description Version of the service that read it. */
      version?: string;
      /** @description How current the data was: a year or an ISO date. */
      as_of?: string;
    };
    /** @description What data the service has for a county. */
    CountyCoverage: {
      source: components["schemas"]["SourceSlug"];
      /** @description State of the county (2-letter code). */
      state: string;
      /** @description Name of the county. */
      county_name: string;
      /**
       * @description State of the source. `failing`: errors in the last 24 hours without a later success. `errors`: other errors in that time. `overdue`: its refresh is more than a day late. `inactive`: the service does not refresh it.
       * @enum {string}
       */
      status: "failing" | "errors" | "overdue" | "ok" | "inactive";
      /** @description Parcels that the source lists. */
      parcels: number;
      /** @description Parcels that the source no longer lists. */
      retired: number;
      /** @description For each field, the share of listed parcels that have a value. `geom` is the boundary. Null without parcels. */
      fill_rates: {
        /** @description Share of parcels that have `lon`. */
        lon: number;
        /** @description Share of parcels that have `lat`. */
        lat: number;
        /** @description Share of parcels that have `acreage`. */
        acreage: number;
        /** @description Share of parcels that have `owner_name`. */
        owner_name: number;
        /** @description Share of parcels that have `owner_names_all`. */
        owner_names_all: number;
        /** @description Share of parcels that have `owner_mailing_address`. */
        owner_mailing_address: number;
        /** @description Share of parcels that have `situs_address`. */
        situs_address: number;
        /** @description Share of parcels that have `situs_city`. */
        situs_city: number;
        /** @description Share of parcels that have `situs_state`. */
        situs_state: number;
        /** @description Share of parcels that have `situs_zip`. */
        situs_zip: number;
        /** @description Share of parcels that have `land_use_class`. */
        land_use_class: number;
        /** @description Share of parcels that have `zoning_code`. */
        zoning_code: number;
        /** @description Share of parcels that have `zoning_description`. */
        zoning_description: number;
        /** @description Share of parcels that have `is_agricultural`. */
        is_agricultural: number;
        /** @description Share of parcels that have `assessed_value`. */
        assessed_value: number;
        /** @description Share of parcels that have `value_land`. */
        value_land: number;
        /** @description Share of parcels that have `value_improvement`. */
        value_improvement: number;
        /** @description Share of parcels that have `geom`. */
        geom: number;
      } | null;
      /** @description Bounding box of the parcels: [west, south, east, north]. Null if no parcel has a boundary. */
      bbox: [
        number,
        number,
        number,
        number
      ] | null;
      /**
       * Format: date-time
       * @description Time of the last scrape, complete refresh or applied load; null if there was none. A load that is held, discarded or undone does not count.
       */
      last_refresh_at: string | null;
      /** @description How current the data is, as the source says: a year or a date; null if unknown. */
      data_as_of: string | null;
      /** @description Whether the data is older than two refresh intervals of the source. */
      data_is_stale: boolean;
      /** @description Parcels added, changed or retired in the last 30 days. A parcel counts once for each change. */
      changes_30d: number;
      /**
       * Format: date-time
       * @description Time when the parcels were counted; null: not counted yet.
       */
      counted_at: string | null;
    };
    /** @description Counties, how complete and current their data is, and response times. */
    Coverage: {
      /** @description Version of the data. */
      dataset_version: number;
      /**
       * Format: date-time
       * @description Time of these figures.
       */
      generated_at: string;
      /** @description Response times of `/v1` in the last hour, in the process that responds. Requests that wait for a portal or for changes are not measured. */
      api: {
        /** @description Requests that are measured. */
        requests: number;
        /** @description Half of the requests took at most this long, in ms; null without requests. */
        p50_ms: number | null;
        /** @description 95% of the requests took at most this long, in ms; null without requests. */
        p95_ms: number | null;
      };
      /** @description Number of rows in this response. */
      count: number;
      /** @description Ordered by slug. Inactive sources without parcels are left out. */
      sources: components["schemas"]["CountyCoverage"][];
    };
    /** @description A scrape of a whole layer, page by page. If the source has parcels, the pages are staged, and are compared and applied together after the last one. */
    Crawl: {
      /**
       * Format: uuid
       * @description Id of the crawl.
       */
      id: string;
      source: components["schemas"]["SourceSlug"];
      /** @description The vendor of the source. */
      vendor: string;
      /**
       * @description `done` and `error` are final. A crawl that is `done` may be held: `GET /v1/loads/{id}` with its id says whether it is applied.
       * @enum {string}
       */
      status: "queued" | "running" | "done" | "error";
      /** @description Who requested it: the first 8 characters of a key, or an account (its email for admins, a short name like `account 1a2b3c4d5e6f` for others); `operator` for the command line; null for the scheduler. */
      requested_by: string | null;
      /** @description How many times a worker has claimed it. */
      attempts: number;
      /** @description Pages read so far. */
      pages: number;
      /** @description Parcels that it adds. They are visible when the crawl is applied. */
      inserted: number;
      /** @description Parcels that it changes. */
      updated: number;
      /** @description Parcels that it does not change. */
      unchanged: number;
      /** @description Records rejected. */
      rejected: number;
      /** @description Number of records that the layer reports; null before the first page, or if the layer reports none. */
      total: number | null;
      /** @description Error code of the last failed attempt: `throttled`, `blocked`, `page_changed`, `worker_lost`, `cancelled` ... Cleared when a page is read. */
      error_code: string | null;
      /** @description Why the last attempt failed. A cancelled crawl has `cancelled by ...`. */
      error_message: string | null;
      /**
       * Format: date-time
       * @description When it was requested.
       */
      created_at: string;
      /**
       * Format: date-time
       * @description When it started; null if it has not started.
       */
      started_at: string | null;
      /**
       * Format: date-time
       * @description When it ended; null if it has not ended.
       */
      finished_at: string | null;
      /**
       * @description Why a queued one cannot start now: `retry` (its last attempt failed, or its portal takes no requests for a while), `load` (a load of its source has not ended), `pause` (its vendor is paused), `breaker` (most scrapes of its vendor fail, so one job or crawl a minute may start). Null if it only waits for a worker, or is not queued.
       * @enum {string|null}
       */
      waits_for: "retry" | "load" | "pause" | "breaker" | null;
      /**
       * Format: date-time
       * @description When it can start at the earliest; null if it does not wait, or if that is not known.
       */
      waits_until: string | null;
    };
    /** @description A rejected record. */
    CrawlReject: {
      /** @description The record, as the portal identifies it. */
      what: string;
      /** @description Why it was rejected. */
      reason: string;
    };
    /** @description A crawl, with its rejected records. */
    CrawlWithRejects: {
      /**
       * Format: uuid
       * @description Id of the crawl.
       */
      id: string;
      source: components["schemas"]["SourceSlug"];
      /** @description The vendor of the source. */
      vendor: string;
      /**
       * @description `done` and `error` are final. A crawl that is `done` may be held: `GET /v1/loads/{id}` with its id says whether it is applied.
       * @enum {string}
       */
      status: "queued" | "running" | "done" | "error";
      /** @description Who requested it: the first 8 characters of a key, or an account (its email for admins, a short name like `account 1a2b3c4d5e6f` for others); `operator` for the command line; null for the scheduler. */
      requested_by: string | null;
      /** @description How many times a worker has claimed it. */
      attempts: number;
      /** @description Pages read so far. */
      pages: number;
      /** @description Parcels that it adds. They are visible when the crawl is applied. */
      inserted: number;
      /** @description Parcels that it changes. */
      updated: number;
      /** @description Parcels that it does not change. */
      unchanged: number;
      /** @description Records rejected. */
      rejected: number;
      /** @description Number of records that the layer reports; null before the first page, or if the layer reports none. */
      total: number | null;
      /** @description Error code of the last failed attempt: `throttled`, `blocked`, `page_changed`, `worker_lost`, `cancelled` ... Cleared when a page is read. */
      error_code: string | null;
      /** @description Why the last attempt failed. A cancelled crawl has `cancelled by ...`. */
      error_message: string | null;
      /**
       * Format: date-time
       * @description When it was requested.
       */
      created_at: string;
      /**
       * Format: date-time
       * @description When it started; null if it has not started.
       */
      started_at: string | null;
      /**
       * Format: date-time
       * @description When it ended; null if it has not ended.
       */
      finished_at: string | null;
      /**
       * @description Why a queued one cannot start now: `retry` (its last attempt failed, or its portal takes no requests for a while), `load` (a load of its source has not ended), `pause` (its vendor is paused), `breaker` (most scrapes of its vendor fail, so one job or crawl a minute may start). Null if it only waits for a worker, or is not queued.
       * @enum {string|null}
       */
      waits_for: "retry" | "load" | "pause" | "breaker" | null;
      /**
       * Format: date-time
       * @description When it can start at the earliest; null if it does not wait, or if that is not known.
       */
      waits_until: string | null;
      /** @description The first 100 rejected records. */
      rejects: components["schemas"]["CrawlReject"][];
    };
    /** @description Only if an operator dismissed it and its evidence has not changed since. */
    Dismissal: {
      /**
       * Format: date-time
       * @description Time of the dismissal.
       */
      at: string;
      /** @description Who dismissed it: the first 8 characters of a key, or an account (its email for admins, a short name like `account 1a2b3c4d5e6f` for others). */
      by: string;
      /** @description Why it was dismissed. */
      reason: string;
    };
    /** @description The result of a scrape that was not stored, with the labels of its pages. */
    DryRun: {
      source: components["schemas"]["SourceSlug"];
      source_parcel_id: components["schemas"]["SourceParcelId"];
      /** @description A hash of what was read, for `POST /v1/sources/{source}/proof`; null if nothing was. */
      reading: string | null;
      /** @description Why the parcel could not be read; null if it was. */
      failure: {
        /** @description How it failed. */
        code: string;
        /** @description Why. */
        message: string;
      } | null;
      /** @description What was read. */
      values: {
        /** @description Name of the field. */
        field: string;
        /** @description Its value. */
        value: string;
      }[];
      /** @description Labels of the pages, in their order; at most 300. Pages in JSON have none. */
      labels: {
        /** @description A label or heading of the page. */
        label: string;
        /** @description The text beside or below it, at most 200 characters. */
        value: string;
        /** @description Whether the adapter read this text. */
        is_read: boolean;
        /** @description Fields whose value is this text or a part of it. */
        fields: string[];
      }[];
      /** @description Labels and headings that no field came from. */
      unread: string[];
      /** @description What looks wrong. */
      warnings: string[];
      /** @description Fields that the pages do not show. */
      absent: string[];
      /** @description What the portal sent, in the order of the requests. */
      answers: {
        /** @description The adapter's name for the page. */
        name: string;
        /** @description Its URL. */
        url: string;
        /** @description HTTP status. */
        status: number;
        /** @description Size. */
        size_bytes: number;
      }[];
    };
    /** @description A company or other entity of a business registry. */
    Entity: {
      /**
       * Format: uuid
       * @description Id of the entity.
       */
      id: string;
      /** @description State of the registry (2-letter code). */
      jurisdiction: string;
      /** @description Number in the registry. */
      registry_number: string;
      /** @description Name of the entity. */
      name: string;
      /** @description Kind of entity. */
      entity_type: string | null;
      /** @description Status in the registry. */
      status: string | null;
      /** @description Its registered agent. */
      registered_agent_name: string | null;
      /** @description Number of parcels whose owner has this name. */
      linked_parcel_count: number;
      /**
       * Format: date-time
       * @description Time of its last change.
       */
      updated_at: string;
    };
    /** @description With highlight=1: the fields that matched, as HTML. Matched parts are inside <mark>; the rest is escaped. Fields of the hit itself are plain text. */
    EntityHighlight: {
      /** @description `name` with its matched parts marked. */
      name?: string;
      /** @description `registered_agent_name` with its matched parts marked. */
      registered_agent_name?: string;
    };
    /** @description A registered entity that matches the query. */
    EntityHit: {
      /**
       * @description A company or other registered entity.
       * @enum {string}
       */
      kind: "entity";
      /**
       * Format: uuid
       * @description Id of the entity.
       */
      id: string;
      /** @description State of the registry (2-letter code). */
      jurisdiction: string;
      /** @description Number in the registry. */
      registry_number: string;
      /** @description Name of the entity. */
      name: string;
      /** @description Kind of entity. */
      entity_type: string | null;
      /** @description Status in the registry. */
      status: string | null;
      /** @description Its registered agent. */
      registered_agent_name: string | null;
      /** @description Number of parcels whose owner has this name. */
      linked_parcel_count: number;
      /** @description Total score. Results are ordered by it. */
      score: number;
      explain?: components["schemas"]["ScoreExplanation"];
      highlight?: components["schemas"]["EntityHighlight"];
    };
    /** @description The body of every error. */
    Error: {
      /** @description What went wrong. For invalid input, it names the field and the accepted values. */
      error: string;
    };
    /** @description A tax exemption. */
    Exemption: {
      /** @description Code of the exemption. */
      code?: string;
      /** @description What the exemption is for. */
      description?: string;
      /** @description Exempt amount, in whole dollars. */
      amount?: number;
      /** @description Tax year of the exemption. */
      year?: number;
    };
    /** @description An export of parcels to a file. */
    Export: {
      /**
       * Format: uuid
       * @description Id of the export.
       */
      id: string;
      /**
       * @description `done` and `error` are final.
       * @enum {string}
       */
      status: "queued" | "running" | "done" | "error";
      /**
       * @description `geojsonseq`: GeoJSON text sequence (RFC 8142). `geoparquet`: GeoParquet 1.1 with zstd and rows in Hilbert order. `csv` has boundaries as well-known text, and lists separated by semicolons.
       * @enum {string}
       */
      format: "ndjson" | "csv" | "geojsonseq" | "flatgeobuf" | "geoparquet" | "geopackage";
      /**
       * @description Compresses a text format with gzip. Not allowed for binary formats.
       * @default false
       */
      gzip: boolean;
      /** @description The fields of each parcel, in addition to `id`, `source` and `source_parcel_id`: lon, lat, acreage, owner_name, owner_names_all, owner_mailing_address, situs_address, situs_city, situs_state, situs_zip, land_use_class, zoning_code, zoning_description, is_agricultural, assessed_value, value_land, value_improvement, state, county_name, scraped_at, ingested_at, updated_at, retired_at, accounts. Omitted: all except `accounts`. Accounts are a JSON array in every format. */
      fields: string[];
      /**
       * @description The boundary. `simplified` leaves out corners that are closer than about two meters to the line between their neighbors.
       * @default full
       * @enum {string}
       */
      geometry: "full" | "simplified" | "none";
      filter: components["schemas"]["ExportFilter"];
      /** @description How `within` was compared; null if there was none. */
      relation: string | null;
      /** @description Bounding box of the area of `within`: west, south, east, north. Null: everywhere. */
      area_bbox: [
        number,
        number,
        number,
        number
      ] | null;
      /** @description Parcels written so far. */
      rows: number;
      /** @description Parcels to write; null until they are counted. */
      total: number | null;
      /**
       * Format: date-time
       * @description When it was requested.
       */
      created_at: string;
      /**
       * Format: date-time
       * @description When it started; null if it has not started.
       */
      started_at: string | null;
      /**
       * Format: date-time
       * @description When it ended; null if it has not ended.
       */
      finished_at: string | null;
      /**
       * Format: date-time
       * @description When its file is removed; null if there is no file.
       */
      expires_at: string | null;
      /** @description Size of the file; null if there is no file. */
      size_bytes: number | null;
      /** @description The file has every change up to this version; null if there is no file. */
      dataset_version: number | null;
      /** @description What the sources require from users of their data; null if there is no file. */
      licenses: components["schemas"]["LicensedSources"][] | null;
      /** @description Error code: `cancelled`, `worker_lost`, `exports_full` ... */
      error_code: string | null;
      /** @description Error message. */
      error_message: string | null;
      /** @description URL of the file, which needs no key. Get the export again for a new URL. Null if there is no file. */
      download_url: string | null;
      /**
       * Format: date-time
       * @description When this URL expires: after a day, or with the file.
       */
      download_expires_at: string | null;
    };
    /** @description Which parcels: the parameters of `GET /v1/parcels`. All conditions must hold. Empty or omitted: all parcels. */
    ExportFilter: {
      /** @description 2-letter code. */
      state?: string;
      source?: components["schemas"]["SourceSlug"];
      /** @description Name of the county, in upper or lower case, with or without "County". */
      county?: string;
      /** @description Prefix of `land_use_class`, in upper or lower case. */
      land_use?: string;
      /** @description Prefix of `zoning_code`, `zoning_description` or `land_use_class`. */
      zoning?: string;
      /** @description Lowest `assessed_value` in dollars. */
      min_value?: number;
      /** @description Highest `assessed_value` in dollars. */
      max_value?: number;
      /** @description Smallest `acreage`. */
      min_acres?: number;
      /** @description Largest `acreage`. */
      max_acres?: number;
      /** @description Whole name of the owner, in upper or lower case. Punctuation, accents and the spelling of company forms do not matter: `Acme Holdings, L.L.C.` and `ACME HOLDINGS LLC` are equal. Owners of accounts are found only by search. */
      owner?: string;
      /** @description Whole `source_parcel_id`, with or without punctuation, in upper or lower case. */
      parcel_id?: string;
      /** @description Whether `is_agricultural` is true or false. */
      agricultural?: boolean;
      /** @description Only parcels whose record changed at or after this time. Changes can appear out of order, so to poll a list, send the `complete_until` of the last poll, not its time. `/v1/changes` returns each change once, and retirements too. A date (UTC) or a time with its offset, in ISO 8601: 2026-01-02 or 2026-01-02T03:04:05Z. A date means the start of that day. */
      changed_since?: string;
      /** @description Whether the boundary is known. */
      has_geometry?: boolean;
      /** @description true: only retired parcels, which their source no longer lists. Each row then has `retired_at`. */
      retired?: boolean;
      /**
       * @description Includes retired parcels: those that their source no longer lists. Each row then has `retired_at`.
       * @enum {string}
       */
      include?: "retired";
      /** @description A box as four comma-separated numbers: west,south,east,north, in degrees (EPSG:4326). If west is greater than east, the box crosses the antimeridian. */
      bbox?: string;
    };
    /**
     * @description Why scrapes fail.
     * @enum {string}
     */
    FailureClass: "page_changed" | "redirected" | "page_missing" | "too_large" | "name_not_found" | "certificate" | "network" | "server_error" | "timeout" | "throttled" | "blocked" | "challenge" | "maintenance" | "not_found" | "wrong_parcel" | "bad_config" | "internal" | "server_unavailable" | "worker_lost" | "worker_stopped" | "vendor_paused" | "cancelled";
    /** @description How many scrapes failed for one reason. */
    FailureCount: {
      /** @description Why scrapes failed. */
      failure_class: string;
      /** @description How many. */
      count: number;
    };
    /** @description Where one field of a parcel came from. */
    FieldOrigin: {
      /** @description Name of the field in the full record. */
      field: string;
      /** @description Value of the field. Null for the boundary; get it from the full record. */
      value: unknown;
      /**
       * Format: date-time
       * @description Time when this value was first seen; null if it is older than the change log.
       */
      observed_at: string | null;
      /**
       * @description What led to the last change of the field. `replay`: a kept page was read again. `review`: the review engine derived it from a scrape. `unknown`: the value is older than the change log.
       * @enum {string}
       */
      origin: "ingest" | "crawl" | "scrape" | "replay" | "review" | "undo" | "operator" | "unknown";
      /**
       * Format: uuid
       * @description The job that scraped it, if any.
       */
      job_id: string | null;
      /**
       * Format: uuid
       * @description Id of the load, crawl, job, replay or undo, if any.
       */
      cause_id: string | null;
      /** @description Line of the loaded file. If there is a `place`, the number of the row in the load. */
      line: number | null;
      /** @description Which row of the loaded files it was, if `line` alone does not say: `feature 12` or `lots.csv, line 7`. */
      place: string | null;
      /** @description URL of the page at the portal. */
      page: string | null;
      /** @description Hash of the kept page, if it was kept: `/pages/{hash}` returns it to admins. */
      page_hash: string | null;
      /**
       * Format: date-time
       * @description When the portal answered, if the page was kept.
       */
      page_at: string | null;
      /** @description The adapter that read the page. */
      adapter: string | null;
      /** @description Version of the service that read the page. */
      version: string | null;
    };
    /** @description A file of parcels that is uploaded in parts. */
    File: {
      /**
       * Format: uuid
       * @description Id of the file.
       */
      id: string;
      /** @description Name of the file. */
      name: string;
      /** @description The size that was announced. */
      size_bytes: number;
      /** @description Bytes received so far. The next part begins there. */
      received_bytes: number;
      /** @description Who uploads it: the first 8 characters of a key, or an account (its email for admins, a short name like `account 1a2b3c4d5e6f` for others). */
      created_by: string;
      /**
       * Format: date-time
       * @description When it is deleted. Each part postpones this.
       */
      expires_at: string;
    };
    /** @description How the file is read: the `vendor_config` of a source with the vendor `file`. */
    FileSettings: {
      /** @description The column of each field. A field that is left out is read from the column of the same name. */
      map?: {
        /** @description Id of the parcel. A column of the file, or an expression of columns. */
        source_parcel_id?: string;
        /** @description Longitude of a point on the parcel, if its source has one. It locates a parcel whose boundary is unknown. A column of the file, or an expression of columns. */
        lon?: string;
        /** @description Latitude of that point. A parcel has both or neither. A column of the file, or an expression of columns. */
        lat?: string;
        /** @description Area in acres. A column of the file, or an expression of columns. */
        acreage?: string;
        /** @description The owner, as the source writes it. A column of the file, or an expression of columns. */
        owner_name?: string;
        /** @description All owners. A column of the file, or an expression of columns. */
        owner_names_all?: string;
        /** @description Mailing address of the owner. A column of the file, or an expression of columns. */
        owner_mailing_address?: string;
        /** @description Street address of the parcel. A column of the file, or an expression of columns. */
        situs_address?: string;
        /** @description City of the parcel. A column of the file, or an expression of columns. */
        situs_city?: string;
        /** @description State of the parcel. A column of the file, or an expression of columns. */
        situs_state?: string;
        /** @description ZIP code of the parcel. A column of the file, or an expression of columns. */
        situs_zip?: string;
        /** @description Land use, as the source classifies it. A column of the file, or an expression of columns. */
        land_use_class?: string;
        /** @description Zoning code. A column of the file, or an expression of columns. */
        zoning_code?: string;
        /** @description What the zoning code means. A column of the file, or an expression of columns. */
        zoning_description?: string;
        /** @description Whether it is farm land. A column of the file, or an expression of columns. */
        is_agricultural?: string;
        /** @description Assessed value, in whole dollars. A column of the file, or an expression of columns. */
        assessed_value?: string;
        /** @description Value of the land, in whole dollars. A column of the file, or an expression of columns. */
        value_land?: string;
        /** @description Value of the buildings, in whole dollars. A column of the file, or an expression of columns. */
        value_improvement?: string;
      };
      /**
       * @description Whether the file lists all parcels of the source. If so, a load retires the parcels that it lacks.
       * @default true
       */
      complete?: boolean;
      /**
       * @description Rows with the same id: `reject` all but the first (the default), `number` them, or `merge` them as parts of one parcel.
       * @enum {string}
       */
      duplicates?: "reject" | "number" | "merge";
      /** @description With `merge`: the fields that are added up, of acreage, assessed_value, value_land, value_improvement. */
      sum?: ("acreage" | "assessed_value" | "value_land" | "value_improvement")[];
      /**
       * @description A row with a broken boundary: `reject` it (the default), or load it without the boundary (`leave-out`).
       * @enum {string}
       */
      broken_geometry?: "reject" | "leave-out";
      /** @description The coordinate system, if the file does not say it or says a wrong one. */
      crs?: string;
      /**
       * @description The format. Default: by the content of the file.
       * @enum {string}
       */
      format?: "shapefile" | "dbf" | "geopackage" | "flatgeobuf" | "geoparquet" | "topojson" | "geojsonl" | "geojson" | "ogr" | "csv";
      /** @description The text encoding. Default: by the content of the file. */
      encoding?: string;
      /** @description The layer, table or file in an archive, if there are several. */
      layer?: string;
      /** @description The column with the boundaries of a CSV, as WKT or GeoJSON. */
      boundary_column?: string;
    };
    /** @description An issue that the review engine found in a parcel. */
    Finding: {
      /**
       * Format: uuid
       * @description Id of the finding.
       */
      id: string;
      /**
       * @description Severity.
       * @enum {string}
       */
      severity: "info" | "low" | "medium" | "high";
      /**
       * @description Category.
       * @enum {string}
       */
      category: "ownership" | "valuation" | "tax" | "exemption" | "geometry" | "data-quality";
      /** @description Observed values, by field. */
      evidence: {
        [key: string]: unknown;
      };
      /** @description Suggested next step. */
      suggested_action: string;
      /**
       * Format: date-time
       * @description Time when it first appeared.
       */
      generated_at: string;
      dismissed?: components["schemas"]["Dismissal"];
    };
    /** @description A building on the parcel. */
    Improvement: {
      /** @description Number of the building on the parcel. */
      number?: string;
      /** @description Type of building. */
      type?: string;
      /** @description The portal's description. */
      description?: string;
      /** @description Year built. */
      year_built?: number;
      /** @description Living area in square feet. */
      living_area_sq_ft?: number;
      /** @description Number of bedrooms. */
      bedrooms?: number;
      /** @description Number of bathrooms. */
      bathrooms?: number;
      /** @description Value of the building, in whole dollars. */
      value?: number;
    };
    /** @description A new API key. */
    IssuedKey: {
      /**
       * Format: uuid
       * @description Id of the key.
       */
      id: string;
      /** @description Purpose of the key. */
      name: string;
      /** @description Current capabilities. `enqueue` and `bulk-export` are missing while the plan is not paid. */
      capabilities: string[];
      /**
       * Format: date-time
       * @description Time of issue.
       */
      created_at: string;
      /** @description The key. It is shown only once. */
      key: string;
    };
    /** @description A scrape of one parcel. */
    Job: {
      /**
       * Format: uuid
       * @description Id of the job.
       */
      id: string;
      source: components["schemas"]["SourceSlug"];
      source_parcel_id: components["schemas"]["SourceParcelId"];
      /** @description The adapter that scrapes it. */
      vendor: string;
      /**
       * @description Status of the job. `done` and `error` are final.
       * @enum {string}
       */
      status: "queued" | "running" | "done" | "error";
      /**
       * @description A vendor's `high` priority jobs run first. `high` if a caller is waiting for the job, otherwise `normal`.
       * @enum {string}
       */
      priority: "high" | "normal";
      /** @description Why the last attempt failed. Starts with `cancelled by` if the job was cancelled. */
      error_message: string | null;
      /** @description Number of attempts. */
      attempts: number;
      /**
       * Format: date-time
       * @description Time when it was requested.
       */
      created_at: string;
      /**
       * Format: date-time
       * @description Time when it last changed or was requested again.
       */
      updated_at: string;
      /**
       * Format: date-time
       * @description Start of the last attempt; null if not started.
       */
      started_at: string | null;
      /**
       * Format: date-time
       * @description Time when it ended; null if not ended.
       */
      finished_at: string | null;
      /** @description Run time in milliseconds; null if it has not ended or never ran. */
      duration_ms: number | null;
    };
    /** @description One attempt of a job. */
    JobAttempt: {
      /** @description Number of the attempt. */
      attempt: number;
      /** @description `done`, or the kind of failure: `throttled`, `blocked`, `timeout`, `page_changed`, `worker_lost`, `cancelled` ...; null while running. */
      outcome: string | null;
      /** @description Why it failed. */
      error_message: string | null;
      /**
       * Format: date-time
       * @description Start time.
       */
      started_at: string | null;
      /**
       * Format: date-time
       * @description End time; null while running.
       */
      ended_at: string | null;
      /** @description Run time in milliseconds; null if it has not ended or never ran. */
      duration_ms: number | null;
    };
    /** @description Counts of jobs. */
    JobTotals: {
      /** @description Queued jobs. */
      queued: number;
      /** @description Running jobs. */
      running: number;
      /** @description Jobs that succeeded since `since`. */
      done: number;
      /** @description Jobs that failed since `since`, including cancelled ones. */
      failed: number;
      /**
       * Format: date-time
       * @description Start of the period in which ended jobs are counted.
       */
      since: string;
      /** @description Estimated seconds that the vendors need for all queued jobs, including those of other sources. Null: unknown, because a vendor is paused or has not been scraped in the last 30 days. */
      seconds_left: number | null;
    };
    /** @description The responses of a portal to one scrape. */
    KeptPage: {
      /** @description Identifies the responses: equal responses about a parcel have the same hash. */
      hash: string;
      /**
       * Format: date-time
       * @description When the portal last sent these responses, or said that they are unchanged.
       */
      fetched_at: string;
      /** @description `done`, or the code of the failure. */
      outcome: string;
      /** @description Why the scrape failed; null if it did not. */
      message: string | null;
      /** @description The adapter that requested the pages. */
      adapter: string;
      /** @description Version of the service that requested them. */
      version: string;
      /** @description Number of responses of the portal. */
      answers: number;
      /** @description Compressed size. */
      size_bytes: number;
    };
    /** @description An API key, without its secret. */
    Key: {
      /**
       * Format: uuid
       * @description Id of the key.
       */
      id: string;
      /** @description Purpose of the key. */
      name: string;
      /** @description Current capabilities. `enqueue` and `bulk-export` are missing while the plan is not paid. */
      capabilities: string[];
      /**
       * Format: date-time
       * @description Time of issue.
       */
      created_at: string;
      /**
       * Format: date-time
       * @description Time of last use; null if never used.
       */
      last_used_at: string | null;
      /**
       * Format: date-time
       * @description Time of revocation; null if valid.
       */
      revoked_at: string | null;
      /** @description Whether the key is older than 90 days and should be replaced. This is not enforced. */
      rotation_due: boolean;
    };
    /** @description Sources with the same license and attribution. */
    LicensedSources: {
      /** @description The license; null if unknown. */
      license: string | null;
      /** @description Whom to credit; null if unknown. */
      attribution: string | null;
      /** @description The sources. */
      sources: string[];
    };
    /** @description A parcel that has, or had, the land of another one. */
    LinkedParcel: {
      /**
       * @description `split`: the land of one parcel went to several. `merge`: the land of several went to one. `replaced`: one parcel replaced another with about the same boundary.
       * @enum {string}
       */
      kind: "split" | "merge" | "replaced";
      source: components["schemas"]["SourceSlug"];
      source_parcel_id: components["schemas"]["SourceParcelId"];
      /** @description Path of its record. */
      path: string;
    };
    /** @description A file or a crawl: what it changes, and whether it is visible. */
    Load: {
      /**
       * Format: uuid
       * @description Id of the load, and of the work that ran it. It is `cause_id` in the change log.
       */
      id: string;
      source: components["schemas"]["SourceSlug"];
      /**
       * @description A file that was ingested, or a crawl.
       * @enum {string}
       */
      kind: "ingest" | "crawl";
      /**
       * @description `staging`: it is being read. `held`: it would change too much and waits for an admin. `failed`: it stopped while it was applied, and a part of it is stored. `undone`: it was applied, and then undone.
       * @enum {string}
       */
      status: "staging" | "held" | "applying" | "applied" | "discarded" | "undone" | "failed";
      /** @description Whether it lists all parcels of the source. If so, the others are retired. */
      is_complete: boolean;
      /** @description The date of the data. */
      as_of: string | null;
      /** @description The name of the file. */
      file: string | null;
      /** @description Fields that are cleared if a record has no value for them. Other fields keep their values. */
      cleared: string[];
      /** @description Counts of records and parcels. For a held or failed load: what the whole load would change. Null while it is read. */
      counts: {
        /** @description Records read. */
        read: number;
        /** @description Records rejected. */
        rejected: number;
        /** @description New parcels. */
        inserted: number;
        /** @description Parcels that changed, or returned. */
        updated: number;
        /** @description Parcels that did not change. */
        unchanged: number;
        /** @description Parcels that were retired. */
        retired: number;
      } | null;
      /** @description The comparison with the parcels of the source. Null if the source had none, or while the load is read. */
      verdict: {
        /** @description Parcels of the source before the load. */
        parcels: number;
        /** @description Checks that count at least one parcel. */
        checks: {
          /**
           * @description `retired`: parcels that it retires, because it does not list them. `emptied`: parcels that lose the value of `field`. `owner`: parcels that get another owner.
           * @enum {string}
           */
          check: "retired" | "emptied" | "owner";
          /** @description The field. */
          field: string | null;
          /** @description How many parcels. */
          count: number;
          /** @description `count` as a share of the parcels of the source. */
          share: number;
          /** @description The limit of the source for the share. */
          limit: number;
          /** @description Whether the load was held because of this. */
          is_over: boolean;
          /** @description Up to 5 of the parcels, if the check is over its limit. */
          examples: {
            source_parcel_id: components["schemas"]["SourceParcelId"];
            /** @description The value before the load. */
            former: unknown;
            /** @description The value in the load. */
            new: unknown;
          }[];
        }[];
      } | null;
      /** @description What the undo did; null if it was not undone. */
      undo: {
        /** @description Parcels whose former values were restored. */
        restored: number;
        /** @description Parcels that were retired, because the load had created them. */
        retired: number;
        /** @description Parcels with fields that were changed again later. Those fields keep their values. */
        kept: number;
        /** @description The first 100 of `kept`. */
        kept_first: {
          source_parcel_id: components["schemas"]["SourceParcelId"];
          /** @description `created`: the whole parcel was left unchanged. */
          fields: string[];
        }[];
      } | null;
      /** @description Who started it: the first 8 characters of a key, or an account (its email for admins, a short name like `account 1a2b3c4d5e6f` for others); `operator` for the command line. */
      created_by: string | null;
      /** @description Whether it can be applied: it is held, or it failed while it was applied and no newer load of its source was compared since. It cannot if something was undone since it was compared. */
      can_apply: boolean;
      /** @description Who applied or discarded it, why it failed, or that its layer was cut short. */
      note: string | null;
      /**
       * Format: date-time
       * @description When it began.
       */
      created_at: string;
      /**
       * Format: date-time
       * @description When it was read to the end and compared.
       */
      judged_at: string | null;
      /**
       * Format: date-time
       * @description When it was applied.
       */
      applied_at: string | null;
      /**
       * Format: date-time
       * @description When it was discarded, undone or failed.
       */
      ended_at: string | null;
    };
    /** @description Only for admins: a load that changes more than these limits allow is held. The limit 1 never holds a load. In a request, omitted limits keep their values. */
    LoadLimits: {
      /** @description Largest share of the source's parcels that a load may retire; null: the default, 0.05. */
      retired?: number | null;
      /** @description Largest share of the source's parcels that may lose the value of one field; null: the default, 0.05. */
      emptied?: number | null;
      /** @description Largest share of the source's parcels that may get another owner; null: the default, 0.2. */
      owner?: number | null;
    };
    /** @description A list that is matched to the parcels. */
    Match: {
      /**
       * Format: uuid
       * @description Id of the match.
       */
      id: string;
      /**
       * @description The status. `done` and `error` are final.
       * @enum {string}
       */
      status: "queued" | "running" | "done" | "error";
      /**
       * Format: uuid
       * @description The uploaded list. Null: this match retries rows of another match.
       */
      upload: string | null;
      /**
       * Format: uuid
       * @description The match whose rows this one retries; null if it is not a retry.
       */
      retry_of: string | null;
      /** @description The columns that the request named; null if they were guessed. */
      columns: Record<string, never> | null;
      /** @description Only parcels of this state. */
      state: string | null;
      /** @description Only parcels of this county. */
      county: string | null;
      /** @description Only parcels of this source. */
      source: string | null;
      /** @description Rows of the list; null until it is read. */
      rows: number | null;
      /** @description Progress: parcels and rows that are done. */
      done: number;
      /** @description Expected final value of `done`; null until the list is read. */
      total: number | null;
      /** @description Rows by their outcome; null until the list is done. */
      counts: components["schemas"]["MatchCounts"] | null;
      /** @description Why it failed: `bad_input`, `not_found`, `cancelled` ... */
      error_code: string | null;
      /** @description Error message. */
      error_message: string | null;
      /**
       * Format: date-time
       * @description When it was requested.
       */
      created_at: string;
      /**
       * Format: date-time
       * @description When it started.
       */
      started_at: string | null;
      /**
       * Format: date-time
       * @description When it ended.
       */
      finished_at: string | null;
      /**
       * Format: date-time
       * @description When it is deleted, with its rows.
       */
      expires_at: string;
      /** @description Only in the response to a request with `wait`, if the list was done in time: its first 500 rows. */
      results?: components["schemas"]["MatchRow"][];
    };
    /** @description Rows of a list by their outcome. */
    MatchCounts: {
      /** @description Rows with one parcel. */
      matched: number;
      /** @description Rows with several parcels that match equally well. */
      tie: number;
      /** @description Rows without a parcel. */
      no_match: number;
      /** @description Rows that could not be read. */
      invalid: number;
    };
    /** @description A row of a list with its result. */
    MatchRow: {
      /** @description The line of the row in the list, from 1. */
      row: number;
      /**
       * @description `matched`: one parcel is clearly the best match. `tie`: several parcels match equally well, as the units of a condominium do. `no_match`: none is similar enough. `invalid`: the row could not be read.
       * @enum {string}
       */
      outcome: "matched" | "tie" | "no_match" | "invalid";
      /** @description Why it is not matched: `nothing_to_match`, `not_a_point`, `not_an_address`, `several_parcels`, `fields_disagree`, `unsure`, `no_such_id`, `no_such_street`, `no_such_number`, `parts_differ`, `no_such_owner`, `no_parcel_at_point`, `unreadable`. Null: it is matched. */
      reason: string | null;
      /** @description `reason` in words. */
      explanation: string | null;
      /**
       * @description The field that decided; null if none did.
       * @enum {string|null}
       */
      decided_by: "parcel_id" | "address" | "owner" | "point" | null;
      /** @description How similar the best parcel is: 1 if nothing differs. Null: none is similar. */
      score: number | null;
      /** @description Number of candidate parcels of the row. `parcels` has the first of them. */
      count: number;
      /** @description The parcel, or up to 20 candidates of a tie, or up to 3 similar parcels of a row without a match. */
      parcels: components["schemas"]["MatchedParcel"][];
      /** @description The row as it was sent. */
      input: Record<string, never>;
    };
    /** @description A candidate parcel for a row of a list. */
    MatchedParcel: {
      source: components["schemas"]["SourceSlug"];
      source_parcel_id: components["schemas"]["SourceParcelId"];
      /** @description Street address of the parcel. */
      situs_address: string | null;
      /** @description City of the parcel. */
      situs_city: string | null;
      /** @description ZIP code of the parcel. */
      situs_zip: string | null;
      /** @description The owner, as the source writes it. */
      owner_name: string | null;
      /** @description How similar it is, up to 1. */
      score: number;
    };
    /** @description GeoJSON (RFC 7946), EPSG:4326. */
    MultiPolygon: {
      /**
       * @description Always MultiPolygon.
       * @enum {string}
       */
      type: "MultiPolygon";
      /** @description An array of polygons, each an array of rings of [longitude, latitude] positions. */
      coordinates: [
        number,
        number
      ][][][];
    };
    /** @description A query word that was replaced. */
    Normalization: {
      /** @description The typed word. */
      from: string;
      /** @description The replacement. */
      to: string;
    };
    /** @description Work that was queued. */
    OrderedWork: {
      /** @description The work that does it. `GET /v1/work/{id}` shows its progress and result. */
      work_id: string;
    };
    /** @description One of the owners. */
    Owner: {
      /** @description Name of the owner. */
      name: string;
      /** @description Ownership share in percent. */
      ownership_pct?: number;
      /** @description Type of ownership. */
      type?: string;
    };
    /** @description With group=owner: the parcels with the same owner name, in any case. */
    OwnerGroup: {
      /**
       * @description Parcels with the same owner name.
       * @enum {string}
       */
      kind: "owner-group";
      /** @description The owner name, as written by the sources. */
      owner_name: string;
      /** @description Number of parcels with this owner name, in any case. `owner` of `GET /v1/parcels` also finds other spellings, so it can return more. */
      member_count: number;
      /** @description Up to 50 of them, best first. */
      members: components["schemas"]["ParcelHit"][];
      /** @description `after` for the other parcels of the owner, by source and id; null if `members` has all of them. */
      members_next: string | null;
      /** @description west, south, east, north; null if no member has a geometry. If west is greater than east, the box crosses the antimeridian. */
      bbox: [
        number,
        number,
        number,
        number
      ] | null;
      /** @description Total score. Results are ordered by it. */
      score: number;
      explain?: components["schemas"]["ScoreExplanation"];
      highlight?: components["schemas"]["OwnerHighlight"];
    };
    /** @description With highlight=1: the fields that matched, as HTML. Matched parts are inside <mark>; the rest is escaped. Fields of the hit itself are plain text. */
    OwnerHighlight: {
      /** @description `owner_name` with its matched parts marked. */
      owner_name?: string;
    };
    /** @description A parcel with all fields. */
    Parcel: {
      /**
       * Format: uuid
       * @description Id of the record.
       */
      id: string;
      source: components["schemas"]["SourceSlug"];
      source_parcel_id: components["schemas"]["SourceParcelId"];
      /** @description The boundary; null if unknown. Then `lon` and `lat` may have a point. */
      geom_geojson: components["schemas"]["MultiPolygon"] | null;
      /** @description Longitude of a point on the parcel, if its source has one. It locates a parcel whose boundary is unknown. */
      lon: number | null;
      /** @description Latitude of that point. A parcel has both or neither. */
      lat: number | null;
      /** @description Area in acres. */
      acreage: number | null;
      /** @description The owner, as the source writes it. */
      owner_name: string | null;
      /** @description All owners. */
      owner_names_all: string[];
      /** @description Mailing address of the owner. */
      owner_mailing_address: string | null;
      /** @description Street address of the parcel. */
      situs_address: string | null;
      /** @description City of the parcel. */
      situs_city: string | null;
      /** @description State of the parcel. */
      situs_state: string | null;
      /** @description ZIP code of the parcel. */
      situs_zip: string | null;
      /** @description Land use, as the source classifies it. */
      land_use_class: string | null;
      /** @description Zoning code. */
      zoning_code: string | null;
      /** @description What the zoning code means. */
      zoning_description: string | null;
      /** @description Whether it is farm land. */
      is_agricultural: boolean | null;
      /** @description Assessed value, in whole dollars. */
      assessed_value: number | null;
      /** @description Value of the land, in whole dollars. */
      value_land: number | null;
      /** @description Value of the buildings, in whole dollars. */
      value_improvement: number | null;
      /** @description The rows of the assessor's roll for this parcel, if a roll was loaded. Empty otherwise. */
      accounts: components["schemas"]["ParcelAccount"][];
      /** @description Data from the last scrape; {} until the first scrape. */
      scrape_data: components["schemas"]["Scrape"] | Record<string, never>;
      /**
       * Format: date-time
       * @description Time of the last scrape; null if never scraped.
       */
      scraped_at: string | null;
      /** @description The adapter that scraped it. */
      scraped_by: string | null;
      /** @description How current the scraped data is: a year or an ISO date. */
      scrape_data_as_of: string | null;
      /** @description Where `scrape_data_as_of` was read from; same values as `scrape_data.data_as_of_source`. */
      scrape_data_as_of_source: string | null;
      /**
       * Format: date-time
       * @description Time when the record was first stored.
       */
      ingested_at: string;
      /**
       * Format: date-time
       * @description Time of the last change.
       */
      updated_at: string;
      /**
       * Format: date-time
       * @description Time when the source stopped listing the parcel; null if it lists it.
       */
      retired_at: string | null;
      /** @description Retired parcels whose land this parcel now has. */
      predecessors: components["schemas"]["LinkedParcel"][];
      /** @description For a retired parcel: the parcels that have its land. */
      successors: components["schemas"]["LinkedParcel"][];
    };
    /** @description A row of the assessor's roll, such as a unit of a building. */
    ParcelAccount: {
      /** @description Id of the account in the roll. */
      account_id: string | null;
      /** @description Unit of a building. */
      unit: string | null;
      /** @description The owner, as the roll writes it. A search for it finds the parcel. */
      owner_name: string | null;
      /** @description Mailing address of the owner. */
      owner_mailing_address: string | null;
      /** @description Street address of the account. */
      situs_address: string | null;
      /** @description Land use, as the roll classifies it. */
      land_use_class: string | null;
      /** @description Assessed value, in whole dollars. */
      assessed_value: number | null;
      /** @description Value of the land, in whole dollars. */
      value_land: number | null;
      /** @description Value of the buildings, in whole dollars. */
      value_improvement: number | null;
    };
    /** @description A finding with its parcel. */
    ParcelFinding: {
      /**
       * Format: uuid
       * @description Id of the finding.
       */
      id: string;
      /**
       * @description Severity.
       * @enum {string}
       */
      severity: "info" | "low" | "medium" | "high";
      /**
       * @description Category.
       * @enum {string}
       */
      category: "ownership" | "valuation" | "tax" | "exemption" | "geometry" | "data-quality";
      /** @description Observed values, by field. */
      evidence: {
        [key: string]: unknown;
      };
      /** @description Suggested next step. */
      suggested_action: string;
      /**
       * Format: date-time
       * @description Time when it first appeared.
       */
      generated_at: string;
      dismissed?: components["schemas"]["Dismissal"];
      source: components["schemas"]["SourceSlug"];
      source_parcel_id: components["schemas"]["SourceParcelId"];
      /** @description Street address of the parcel. */
      situs_address: string | null;
    };
    /** @description With highlight=1: the fields that matched, as HTML. Matched parts are inside <mark>; the rest is escaped. Fields of the hit itself are plain text. */
    ParcelHighlight: {
      /** @description `owner_name` with its matched parts marked. */
      owner_name?: string;
      /** @description `situs_address` with its matched parts marked. */
      situs_address?: string;
      /** @description `situs_city` with its matched parts marked. */
      situs_city?: string;
      /** @description `source_parcel_id` with its matched parts marked. */
      source_parcel_id?: string;
    };
    /** @description A parcel that matches the query. */
    ParcelHit: {
      /**
       * @description A parcel.
       * @enum {string}
       */
      kind: "parcel";
      source: components["schemas"]["SourceSlug"];
      source_parcel_id: components["schemas"]["SourceParcelId"];
      /** @description State of the county (2-letter code). */
      state: string;
      /** @description Name of the county. */
      county_name: string;
      /** @description The owner, as the source writes it. */
      owner_name: string | null;
      /** @description Street address of the parcel. */
      situs_address: string | null;
      /** @description City of the parcel. */
      situs_city: string | null;
      /** @description State of the parcel. */
      situs_state: string | null;
      /** @description Assessed value, in whole dollars. */
      assessed_value: number | null;
      /** @description Total score. Results are ordered by it. */
      score: number;
      explain?: components["schemas"]["ScoreExplanation"];
      highlight?: components["schemas"]["ParcelHighlight"];
      /** @description With center=1: [lon, lat] of the center of the parcel's bounding box; null if it has no geometry. */
      center?: [
        number,
        number
      ] | null;
      /**
       * Format: date-time
       * @description With include=retired: when the source stopped listing the parcel; null if it lists it.
       */
      retired_at?: string | null;
    };
    /** @description A parcel with its main fields, or with the chosen ones. */
    ParcelRow: {
      /**
       * Format: uuid
       * @description Id of the record.
       */
      id: string;
      source: components["schemas"]["SourceSlug"];
      source_parcel_id: components["schemas"]["SourceParcelId"];
      /** @description Longitude of a point on the parcel, if its source has one. It locates a parcel whose boundary is unknown. */
      lon?: number | null;
      /** @description Latitude of that point. A parcel has both or neither. */
      lat?: number | null;
      /** @description Area in acres. */
      acreage?: number | null;
      /** @description The owner, as the source writes it. */
      owner_name?: string | null;
      /** @description All owners. */
      owner_names_all?: string[];
      /** @description Mailing address of the owner. */
      owner_mailing_address?: string | null;
      /** @description Street address of the parcel. */
      situs_address?: string | null;
      /** @description City of the parcel. */
      situs_city?: string | null;
      /** @description State of the parcel. */
      situs_state?: string | null;
      /** @description ZIP code of the parcel. */
      situs_zip?: string | null;
      /** @description Land use, as the source classifies it. */
      land_use_class?: string | null;
      /** @description Zoning code. */
      zoning_code?: string | null;
      /** @description What the zoning code means. */
      zoning_description?: string | null;
      /** @description Whether it is farm land. */
      is_agricultural?: boolean | null;
      /** @description Assessed value, in whole dollars. */
      assessed_value?: number | null;
      /** @description Value of the land, in whole dollars. */
      value_land?: number | null;
      /** @description Value of the buildings, in whole dollars. */
      value_improvement?: number | null;
      /** @description State of the source. */
      state?: string;
      /** @description County of the source. */
      county_name?: string;
      /** @description West, south, east, north of the boundary, or of the point if the boundary is unknown; null if neither is known. */
      bbox?: [
        number,
        number,
        number,
        number
      ] | null;
      /**
       * Format: date-time
       * @description Time of the last scrape; null if never scraped.
       */
      scraped_at?: string | null;
      /**
       * Format: date-time
       * @description Time when the record was first stored.
       */
      ingested_at?: string;
      /**
       * Format: date-time
       * @description Time of the last change.
       */
      updated_at?: string;
      /**
       * Format: date-time
       * @description Only with `include=retired` or `retired=true`, or if requested in `fields`: when the source stopped listing the parcel; null if it lists it.
       */
      retired_at?: string | null;
      /** @description Only if requested in `fields`: the rows of the assessor's roll for this parcel. */
      accounts?: components["schemas"]["ParcelAccount"][];
      /** @description Only with `near`, and for neighbors: distance in meters to the boundary, or to the point if there is no boundary. */
      distance_m?: number;
      /** @description Only for neighbors: length of the common border in meters. */
      shared_edge_m?: number;
      /** @description Only with `geometry`: the boundary; null if unknown. */
      geom_geojson?: components["schemas"]["MultiPolygon"] | null;
    };
    /** @description A named collection of parcels, without the parcels. */
    Portfolio: {
      /**
       * Format: uuid
       * @description Id of the portfolio.
       */
      id: string;
      /** @description Its name. */
      name: string;
      /**
       * Format: date-time
       * @description When it was added.
       */
      created_at: string;
      /** @description Number of its parcels. */
      parcel_count: number;
    };
    /** @description A parcel of a portfolio. */
    PortfolioParcel: {
      source: components["schemas"]["SourceSlug"];
      source_parcel_id: components["schemas"]["SourceParcelId"];
      /** @description A note about the parcel. Empty if there is none. */
      note: string;
      /** @description At most 20 tags to find it by. */
      tags: string[];
      /**
       * Format: date-time
       * @description When it was added.
       */
      added_at: string;
      /** @description State of the county (2-letter code). */
      state: string;
      /** @description Name of the county. */
      county_name: string;
      /** @description Owner, as in the record now. */
      owner_name: string | null;
      /** @description Address, as in the record now. */
      situs_address: string | null;
      /** @description City, as in the record now. */
      situs_city: string | null;
      /** @description Assessed value in dollars, as in the record now. */
      assessed_value: number | null;
      /** @description Acres, as in the record now. */
      acreage: number | null;
      /** @description Land use, as in the record now. */
      land_use_class: string | null;
      /** @description [lon, lat] of the center of the parcel's bounding box; null if it has no geometry. */
      center: [
        number,
        number
      ] | null;
      /**
       * Format: date-time
       * @description When its source stopped listing it; null if it lists it.
       */
      retired_at: string | null;
    };
    /** @description A portfolio and its parcels. */
    PortfolioWithParcels: {
      /**
       * Format: uuid
       * @description Id of the portfolio.
       */
      id: string;
      /** @description Its name. */
      name: string;
      /**
       * Format: date-time
       * @description When it was added.
       */
      created_at: string;
      /** @description Number of its parcels. */
      parcel_count: number;
      /** @description At most 2,000, most recently added first. */
      parcels: components["schemas"]["PortfolioParcel"][];
    };
    /** @description The job of a requested parcel. */
    QueuedJob: {
      /**
       * Format: uuid
       * @description Id of the job.
       */
      id: string;
      source: components["schemas"]["SourceSlug"];
      source_parcel_id: components["schemas"]["SourceParcelId"];
    };
    /** @description What a refresh would queue. */
    RefreshEstimate: {
      /** @description Parcels that would be queued. */
      parcels: number;
      /** @description Parcels that were scraped within their source's cadence. */
      skipped_fresh: number;
      /** @description Estimated seconds until the refresh is done, including jobs that are already waiting. Null: unknown, because a vendor is paused or has not been scraped in the last 30 days. */
      seconds: number | null;
    };
    /** @description What a refresh queued. */
    RefreshOrder: {
      /** @description Parcels of the filter that were examined. Examining stops when `limit` are queued. */
      considered: number;
      /** @description New jobs. */
      enqueued: number;
      /** @description Parcels that were scraped within their source's cadence. */
      skipped_fresh: number;
      /** @description Parcels that were already queued. */
      already_queued: number;
    };
    /** @description Refresh policy of a source. */
    RefreshPolicy: {
      source: components["schemas"]["SourceSlug"];
      /**
       * @description Refresh interval.
       * @enum {string}
       */
      cadence: "daily" | "weekly" | "monthly" | "quarterly" | "annual" | "tax-statement-window";
      /**
       * Format: date-time
       * @description Due time of the next refresh.
       */
      next_due_at: string;
      /** @description Whether only agricultural parcels are refreshed. */
      agricultural_only: boolean;
    };
    /** @description A recorded sale. */
    Sale: {
      /** @description When the parcel was sold (YYYY-MM-DD). */
      sold_on?: string;
      /** @description Price, in whole dollars. */
      price?: number;
      /** @description Type of deed. */
      deed_type?: string;
      /** @description Seller. */
      grantor?: string;
      /** @description Buyer. */
      grantee?: string;
      /** @description Number of the recorded document. */
      document_number?: string;
      /** @description Book in which the document is recorded. */
      book?: string;
      /** @description Page on which the document is recorded. */
      page?: string;
      /** @description Address of the recorded document, where the portal has a link to it. */
      document_url?: string;
    };
    /** @description A saved search. */
    SavedSearch: {
      /**
       * Format: uuid
       * @description Id of the saved search.
       */
      id: string;
      /** @description Its name. */
      name: string;
      /** @description The query string of the search page. Append it to `/app/search?` to open the search. */
      query: string;
      /**
       * Format: date-time
       * @description When it was saved.
       */
      created_at: string;
    };
    /** @description With explain=1: the parts of the score. `text.score` and the bonuses add up to `score`, rounded to 6 decimals. */
    ScoreExplanation: {
      text: components["schemas"]["TextScore"];
      bonuses: components["schemas"]["Bonuses"];
      /** @description Query words that were replaced, for example to correct a typo. */
      normalizations: components["schemas"]["Normalization"][];
    };
    /** @description What one scrape found. A field that the portal does not show is absent. */
    Scrape: {
      /** @description Parcel number, as the portal writes it. */
      parcel_number: string;
      /** @description Owner, as the portal writes it. */
      owner_name?: string;
      /** @description All owners. */
      owners?: components["schemas"]["Owner"][];
      /** @description Tax statements, newest first: one a year, or one for each numbered bill. */
      statements?: components["schemas"]["TaxStatement"][];
      /** @description Valuations, one a year, newest first. */
      valuation_history?: components["schemas"]["Valuation"][];
      /** @description Recorded sales, newest first. */
      sale_history?: components["schemas"]["Sale"][];
      /** @description Tax exemptions. */
      exemptions?: components["schemas"]["Exemption"][];
      /** @description Buildings. */
      improvements?: components["schemas"]["Improvement"][];
      /**
       * Format: date-time
       * @description Time of the scrape: ISO 8601, UTC, always three decimals.
       */
      fetched_at: string;
      /** @description How current the portal's data is: a year or an ISO date. */
      data_as_of?: string;
      /**
       * @description What `data_as_of` was read from.
       * @enum {string}
       */
      data_as_of_source?: "header" | "page-marker" | "feature-server" | "latest-tax-year" | "page-footer" | "etag";
      /** @description ETag of the page. */
      http_etag?: string;
      /** @description Last-Modified of the page. */
      http_last_modified?: string;
      /**
       * Format: date-time
       * @description When the sales were last read.
       */
      sale_history_observed_at?: string;
      /** @description Findings of the review engine when this scrape was stored. */
      review_findings?: components["schemas"]["ScrapeFinding"][];
    };
    /** @description A finding of the review engine about one scrape. */
    ScrapeFinding: {
      /** @description Severity of the finding. */
      severity: string;
      /** @description Subject of the finding. */
      category: string;
      /** @description The values that led to the finding. */
      evidence: unknown;
      /** @description Suggested action. */
      suggested_action?: string;
    };
    /** @description A parcel to scrape. */
    ScrapeOrder: {
      source: components["schemas"]["SourceSlug"];
      /** @description Id of the parcel, in the notation of its source. It has at least one letter or digit. */
      source_parcel_id: string;
    };
    /** @description Needed only if the portal's key cannot be derived from source_parcel_id. May be omitted or {}. */
    ScrapeOverrides: {
      /** @description The portal's own key for the parcel. If it leads to the page of another parcel, the scrape fails (`wrong_parcel`). */
      vendorKey?: string;
      /** @description Property id in PACS. */
      pacsPropId?: number;
      /** @description Owner name, for portals that search by owner. */
      ownerName?: string;
      /** @description Address, for portals that search by address. */
      situsAddress?: string;
    };
    /** @description State of the search index: of all instances together, and of each. */
    SearchIndex: {
      /** @description Documents in the index; null without an index, or while Meilisearch is unavailable. */
      documents: number | null;
      /** @description Changes not yet sent to the index. */
      outbox_depth: number;
      /** @description Age of the oldest change not yet sent; 0 if there is none. */
      outbox_age_seconds: number;
      /** @description The differences that the last check found. They were sent again. Null before the first check. */
      drift: components["schemas"]["SearchIndexDrift"] | null;
      /** @description The running check, or the last one; null before the first. */
      check: components["schemas"]["SearchIndexWork"] | null;
      /** @description The running rebuild, or the last one; null before the first. */
      rebuild: components["schemas"]["SearchIndexRebuild"] | null;
      /** @description The instances of Meilisearch. Each has the parcels and entities of its states. */
      instances: components["schemas"]["SearchIndexInstance"][];
    };
    /** @description How the index and the database differed. */
    SearchIndexDrift: {
      /**
       * Format: date-time
       * @description When the comparison ended.
       */
      checked_at: string;
      /** @description Documents that were missing from the index. */
      missing: number;
      /** @description Documents without a row in the database. */
      extra: number;
      /** @description Documents that differed from their row. */
      different: number;
    };
    /** @description An instance of Meilisearch. */
    SearchIndexInstance: {
      /** @description Its host and port. */
      instance: string;
      /** @description The states that it holds. */
      states: string;
      /** @description Documents in the index; null without an index, or while Meilisearch is unavailable. */
      documents: number | null;
      /** @description Changes not yet sent to the index. */
      outbox_depth: number;
      /** @description Age of the oldest change not yet sent; 0 if there is none. */
      outbox_age_seconds: number;
      /** @description The differences that the last check found. They were sent again. Null before the first check. */
      drift: components["schemas"]["SearchIndexDrift"] | null;
      /** @description The running check, or the last one; null before the first. */
      check: components["schemas"]["SearchIndexWork"] | null;
      /** @description The running rebuild, or the last one; null before the first. */
      rebuild: components["schemas"]["SearchIndexRebuild"] | null;
    };
    /** @description A rebuild of the search index. */
    SearchIndexRebuild: {
      /** @description Whether it is running. */
      running: boolean;
      /**
       * @description Its state.
       * @enum {string}
       */
      state: "requested" | "running" | "done" | "failed";
      /** @description Who requested it: the first 8 characters of a key, or an account (its email for admins, a short name like `account 1a2b3c4d5e6f` for others); null if it was due or was run on the command line. */
      requested_by: string | null;
      /**
       * Format: date-time
       * @description When it was requested; null if nobody requested it.
       */
      requested_at: string | null;
      /**
       * Format: date-time
       * @description When it started; null if it has not started.
       */
      started_at: string | null;
      /**
       * Format: date-time
       * @description When it ended; null if it has not ended.
       */
      finished_at: string | null;
      /** @description Why it failed. */
      error: string | null;
      /** @description Documents sent so far. */
      done: number;
      /** @description Documents to send. */
      total: number;
    };
    /** @description Requested work on the search index. */
    SearchIndexRequest: {
      /**
       * @description The requested work.
       * @enum {string}
       */
      work: "check" | "rebuild";
      /**
       * @description The work has not started.
       * @enum {string}
       */
      state: "requested";
    };
    /** @description A check of the search index. */
    SearchIndexWork: {
      /** @description Whether it is running. */
      running: boolean;
      /**
       * @description Its state.
       * @enum {string}
       */
      state: "requested" | "running" | "done" | "failed";
      /** @description Who requested it: the first 8 characters of a key, or an account (its email for admins, a short name like `account 1a2b3c4d5e6f` for others); null if it was due or was run on the command line. */
      requested_by: string | null;
      /**
       * Format: date-time
       * @description When it was requested; null if nobody requested it.
       */
      requested_at: string | null;
      /**
       * Format: date-time
       * @description When it started; null if it has not started.
       */
      started_at: string | null;
      /**
       * Format: date-time
       * @description When it ended; null if it has not ended.
       */
      finished_at: string | null;
      /** @description Why it failed. */
      error: string | null;
    };
    /** @description A county portal. */
    Source: {
      source: components["schemas"]["SourceSlug"];
      /** @description State of the county (2-letter code). */
      state: string;
      /** @description Name of the county. */
      county_name: string;
      /** @description The adapter that scrapes it; `file` if its parcels come from files. */
      vendor: string;
      /** @description URL of the portal. With the vendor `file`, the URL of the file; empty if files are loaded by hand. Only admins see tokens in it. */
      base_url: string;
      /** @description Whether the scheduler may scrape it. */
      active: boolean;
      /**
       * @description Refresh interval.
       * @enum {string}
       */
      cadence: "daily" | "weekly" | "monthly" | "quarterly" | "annual" | "tax-statement-window";
      /**
       * Format: date-time
       * @description Due time of the next refresh.
       */
      next_due_at: string;
      /**
       * Format: date-time
       * @description Time of the last complete refresh: a crawl, a refresh of all parcels, or a complete file. Null if there was none.
       */
      last_full_scrape_at: string | null;
      /** @description How current its data is, often a year; null if unknown. */
      last_known_data_as_of: string | null;
      /** @description License of the data, preferably as an SPDX id; null if unknown. Exports name it. */
      license: string | null;
      /** @description Whom to credit for the data; null if unknown. Exports name it. */
      attribution: string | null;
      /**
       * Format: date-time
       * @description When an admin compared a parcel with the portal and proved the source; null if nobody did.
       */
      proved_at: string | null;
      /**
       * Format: date-time
       * @description When an admin retired the source; null if it is not retired.
       */
      retired_at: string | null;
      /**
       * @description How well the vendor's pages in this state are known: `A` from whole pages, `B` from excerpts or several projects, `C` from one project; null if the vendor has no adapter.
       * @enum {string|null}
       */
      vendor_grade: "A" | "B" | "C" | null;
    };
    /** @description Finished and failed jobs of one day. */
    SourceDay: {
      /** @description Day in UTC. */
      day: string;
      /** @description Jobs and crawls that ended. */
      finished: number;
      /** @description How many of them failed. */
      errors: number;
    };
    /** @description A county portal with all fields. */
    SourceDetails: {
      source: components["schemas"]["SourceSlug"];
      /** @description State of the county (2-letter code). */
      state: string;
      /** @description Name of the county. */
      county_name: string;
      /** @description The adapter that scrapes it; `file` if its parcels come from files. */
      vendor: string;
      /** @description URL of the portal. With the vendor `file`, the URL of the file; empty if files are loaded by hand. Only admins see tokens in it. */
      base_url: string;
      /** @description Whether the scheduler may scrape it. */
      active: boolean;
      /**
       * @description Refresh interval.
       * @enum {string}
       */
      cadence: "daily" | "weekly" | "monthly" | "quarterly" | "annual" | "tax-statement-window";
      /**
       * Format: date-time
       * @description Due time of the next refresh.
       */
      next_due_at: string;
      /**
       * Format: date-time
       * @description Time of the last complete refresh: a crawl, a refresh of all parcels, or a complete file. Null if there was none.
       */
      last_full_scrape_at: string | null;
      /** @description How current its data is, often a year; null if unknown. */
      last_known_data_as_of: string | null;
      /** @description License of the data, preferably as an SPDX id; null if unknown. Exports name it. */
      license: string | null;
      /** @description Whom to credit for the data; null if unknown. Exports name it. */
      attribution: string | null;
      /**
       * Format: date-time
       * @description When an admin compared a parcel with the portal and proved the source; null if nobody did.
       */
      proved_at: string | null;
      /**
       * Format: date-time
       * @description When an admin retired the source; null if it is not retired.
       */
      retired_at: string | null;
      /**
       * @description How well the vendor's pages in this state are known: `A` from whole pages, `B` from excerpts or several projects, `C` from one project; null if the vendor has no adapter.
       * @enum {string|null}
       */
      vendor_grade: "A" | "B" | "C" | null;
      /** @description Whether only agricultural parcels are refreshed. */
      agricultural_only: boolean;
      /** @description Only for admins: the vendor's settings for this county. */
      vendor_config?: {
        [key: string]: unknown;
      };
      load_limits?: components["schemas"]["LoadLimits"];
      /** @description Whether the source can be crawled. This requires a vendor that serves whole layers. */
      can_crawl: boolean;
      /** @description Only for admins: the JSON Schema of `vendor_config`; null if the vendor has no adapter. */
      vendor_config_schema?: {
        [key: string]: unknown;
      } | null;
      /** @description Only for admins: what to look up before the source is activated, and where. Absent: nothing. */
      look_up?: string;
    };
    /** @description Finished and failed jobs of a source by day. */
    SourceErrorHistory: {
      source_slug: components["schemas"]["SourceSlug"];
      /** @description One entry per day, oldest first. */
      days: components["schemas"]["SourceDay"][];
    };
    /** @description Health of a source. */
    SourceHealth: {
      source: components["schemas"]["SourceSlug"];
      /** @description State of the county (2-letter code). */
      state: string;
      /** @description Name of the county. */
      county_name: string;
      /** @description The adapter that scrapes it; `file` if its parcels come from files. */
      vendor: string;
      /** @description Whether the scheduler may scrape it. */
      active: boolean;
      /** @description Stored parcels. */
      parcel_count: number;
      /** @description Queued jobs. */
      queued: number;
      /** @description Running jobs. */
      running: number;
      /** @description Jobs and crawls that failed in the last 24 hours. */
      errors_24h: number;
      /** @description How many scrapes `recent_failed` counts: the last 50, or fewer if there were no more. */
      recent_runs: number;
      /** @description How many of the last scrapes failed. */
      recent_failed: number;
      /**
       * Format: date-time
       * @description Time when a job last succeeded; null if none did.
       */
      last_success_at: string | null;
      /**
       * Format: date-time
       * @description Time when a job last failed; null if none did.
       */
      last_error_at: string | null;
      /**
       * @description Refresh interval.
       * @enum {string}
       */
      cadence: "daily" | "weekly" | "monthly" | "quarterly" | "annual" | "tax-statement-window";
      /**
       * Format: date-time
       * @description Due time of the next refresh.
       */
      next_due_at: string;
      /**
       * @description Why its last scrapes failed in a row. `site_changed`: the portal answers differently than before. `fetch_failed`: its pages cannot be fetched. Null: no problem.
       * @enum {string|null}
       */
      problem: "site_changed" | "fetch_failed" | null;
      /** @description The most frequent class of these failures; null: no problem. */
      failure_class: string | null;
      /**
       * Format: date-time
       * @description Time of the first of these failures; null: no problem.
       */
      since: string | null;
    };
    /** @description A source was retired or restored. */
    SourceOrder: {
      source: components["schemas"]["SourceSlug"];
      /** @description The load that retires its parcels; null if it has none. Its undo brings them back. */
      load_id: string | null;
      /** @description The work that this request queued. `GET /v1/work/{id}` shows its progress. Null: there was nothing to do. */
      work_id: string | null;
    };
    /** @description Id of the parcel, in the notation of its source. */
    SourceParcelId: string;
    /** @description Who compared a parcel of the source with the portal, and when. */
    SourceProof: {
      source: components["schemas"]["SourceSlug"];
      source_parcel_id: components["schemas"]["SourceParcelId"];
      /**
       * Format: date-time
       * @description When the source was proved.
       */
      proved_at: string;
      /** @description Who proved it: the first 8 characters of a key, or an account (its email for admins, a short name like `account 1a2b3c4d5e6f` for others), or `operator` for the command. */
      proved_by: string;
      adapter: components["schemas"]["VendorName"];
      /** @description Version of the service that read the page. */
      version: string;
      /** @description SHA-256 of the golden page. */
      page_hash: string;
      /** @description Version that last read the golden page again; null if the settings have changed since, and it will be read soon. */
      checked_version: string | null;
      /** @description How the golden page is read differently with that version or these settings; null if it is not. The source stays active. */
      difference: string | null;
    };
    /** @description A job or a crawl of a source that has ended. */
    SourceRun: {
      /**
       * Format: uuid
       * @description Null: it was a crawl.
       */
      job_id: string | null;
      /**
       * Format: uuid
       * @description The crawl; null: it was a job.
       */
      crawl_id: string | null;
      /** @description The parcel; null: it was a crawl. */
      source_parcel_id: string | null;
      /** @description Why it failed; null if it succeeded. */
      failure_class: string | null;
      /**
       * Format: date-time
       * @description Time when it ended.
       */
      finished_at: string;
    };
    /** @description The last runs of a source, and why they failed. */
    SourceRuns: {
      source: components["schemas"]["SourceSlug"];
      /**
       * Format: date-time
       * @description Time of the last good scrape; null if there was none.
       */
      last_success_at: string | null;
      /**
       * @description Why its last scrapes failed in a row. `site_changed`: the portal answers differently than before. `fetch_failed`: its pages cannot be fetched. Null: no problem.
       * @enum {string|null}
       */
      problem: "site_changed" | "fetch_failed" | null;
      /** @description The most frequent class of these failures; null: no problem. */
      failure_class: string | null;
      /**
       * Format: date-time
       * @description Time of the first of these failures; null: no problem.
       */
      since: string | null;
      /** @description Number of last runs, 50 at most. */
      runs_counted: number;
      /** @description How many of the last runs failed, by class. */
      failures: components["schemas"]["FailureCount"][];
      /** @description Runs that failed after the last good scrape. At most 1,000 are counted. */
      failed_since_success: number;
      /** @description The same by class. */
      failures_since_success: components["schemas"]["FailureCount"][];
      /** @description Newest first. */
      runs: components["schemas"]["SourceRun"][];
    };
    /** @description Slug of a source. */
    SourceSlug: string;
    /** @description A county portal, with its settings. */
    SourceWithConfig: {
      source: components["schemas"]["SourceSlug"];
      /** @description State of the county (2-letter code). */
      state: string;
      /** @description Name of the county. */
      county_name: string;
      /** @description The adapter that scrapes it; `file` if its parcels come from files. */
      vendor: string;
      /** @description URL of the portal. With the vendor `file`, the URL of the file; empty if files are loaded by hand. Only admins see tokens in it. */
      base_url: string;
      /** @description Whether the scheduler may scrape it. */
      active: boolean;
      /**
       * @description Refresh interval.
       * @enum {string}
       */
      cadence: "daily" | "weekly" | "monthly" | "quarterly" | "annual" | "tax-statement-window";
      /**
       * Format: date-time
       * @description Due time of the next refresh.
       */
      next_due_at: string;
      /**
       * Format: date-time
       * @description Time of the last complete refresh: a crawl, a refresh of all parcels, or a complete file. Null if there was none.
       */
      last_full_scrape_at: string | null;
      /** @description How current its data is, often a year; null if unknown. */
      last_known_data_as_of: string | null;
      /** @description License of the data, preferably as an SPDX id; null if unknown. Exports name it. */
      license: string | null;
      /** @description Whom to credit for the data; null if unknown. Exports name it. */
      attribution: string | null;
      /**
       * Format: date-time
       * @description When an admin compared a parcel with the portal and proved the source; null if nobody did.
       */
      proved_at: string | null;
      /**
       * Format: date-time
       * @description When an admin retired the source; null if it is not retired.
       */
      retired_at: string | null;
      /** @description The vendor's settings for this county. */
      vendor_config: {
        [key: string]: unknown;
      };
      load_limits: components["schemas"]["LoadLimits"];
    };
    /** @description A change to the target. */
    TargetChange: {
      /**
       * Format: date-time
       * @description Time of the change.
       */
      at: string;
      /** @description Target before the change. */
      previous_target: number;
      /** @description Target after the change. */
      new_target: number;
      /** @description Reason in words. */
      reason: string;
      /** @description Who made the change: `auto` (the tuner), the first 8 characters of a key, or an account (its email for admins, a short name like `account 1a2b3c4d5e6f` for others). */
      actor: string;
    };
    /** @description The tax of one year. */
    TaxStatement: {
      /** @description Tax year of the statement. */
      tax_year: number;
      /** @description Number of the bill. */
      bill_number?: string;
      /** @description Tax billed, in whole dollars. */
      billed?: number;
      /** @description Tax paid, in whole dollars. */
      paid?: number;
      /** @description Tax still due, in whole dollars. */
      due?: number;
      /** @description When the tax is due (YYYY-MM-DD). */
      due_on?: string;
      /** @description When the tax was paid (YYYY-MM-DD). */
      paid_on?: string;
      /**
       * @description Payment status.
       * @enum {string}
       */
      status?: "paid" | "unpaid" | "partial" | "delinquent";
    };
    /** @description Score of the text match. */
    TextScore: {
      /** @description Score of the text match. */
      score: number;
      /** @description Share of the query that matched, 0 to 1. */
      coverage: number;
      /** @description Words of the interpretation of the query that matched best. */
      words: components["schemas"]["WordScore"][];
    };
    /** @description A PMTiles archive. */
    TileArchive: {
      /** @description URL of the archive. */
      url: string;
      /** @description The same URL with the `pmtiles://` scheme, for map libraries. */
      pmtiles_url: string;
      /**
       * Format: date-time
       * @description Time of publication.
       */
      updated_at: string;
      /** @description Size in bytes. */
      size_bytes: number;
      /** @description The archive has every change up to this version; null if it is older than the change log. */
      dataset_version: number | null;
    };
    /** @description A build of a tile archive. */
    TileBuild: {
      /**
       * Format: uuid
       * @description Id of the build.
       */
      id: string;
      /** @description The layer that was built. */
      layer: string;
      /**
       * @description `published`: maps use this archive. `retired`: a newer archive replaced it. `unchanged`: the result was the same as the published archive.
       * @enum {string}
       */
      state: "building" | "published" | "retired" | "failed" | "unchanged";
      /**
       * Format: date-time
       * @description When it started.
       */
      started_at: string;
      /**
       * Format: date-time
       * @description When it ended; null if it has not ended.
       */
      finished_at: string | null;
      /** @description Who requested it: the first 8 characters of a key, or an account (its email for admins, a short name like `account 1a2b3c4d5e6f` for others). Null if it was due or was started on the command line. */
      requested_by: string | null;
      /** @description Which parcels are drawn, by the parameters of `GET /v1/parcels`. Empty: all. */
      filter: Record<string, never>;
      /** @description Progress from 0 to 1; null until the first progress report. */
      share: number | null;
      /** @description Parcels drawn so far. */
      parcels: number | null;
      /** @description Tiles created so far. */
      tiles: number | null;
      /** @description Size of the archive. */
      bytes: number | null;
      /** @description URL of the archive; null if it is not stored. */
      url: string | null;
      /** @description Why it failed. */
      error: string | null;
    };
    /** @description A running build. */
    TileBuildProgress: {
      /**
       * Format: uuid
       * @description Id of the build.
       */
      id: string;
      /**
       * Format: date-time
       * @description When it started.
       */
      started_at: string;
      /** @description Progress from 0 to 1; null until the first progress report. */
      share: number | null;
      /** @description Parcels drawn so far. */
      parcels: number | null;
      /** @description Tiles created so far. */
      tiles: number | null;
    };
    /** @description A requested build that has not started. */
    TileBuildRequest: {
      /**
       * Format: date-time
       * @description When it was requested.
       */
      requested_at: string;
      /** @description Who requested it: the first 8 characters of a key, or an account (its email for admins, a short name like `account 1a2b3c4d5e6f` for others). */
      requested_by: string;
      /** @description Which parcels are drawn, by the parameters of `GET /v1/parcels`. Empty: all. */
      filter: Record<string, never>;
    };
    /** @description Which parcels are drawn: the parameters of `GET /v1/parcels` without a place. All conditions must hold. */
    TileFilter: {
      /** @description 2-letter code. */
      state?: string;
      source?: components["schemas"]["SourceSlug"];
      /** @description Name of the county, in upper or lower case, with or without "County". */
      county?: string;
      /** @description Prefix of `land_use_class`, in upper or lower case. */
      land_use?: string;
      /** @description Prefix of `zoning_code`, `zoning_description` or `land_use_class`. */
      zoning?: string;
      /** @description Lowest `assessed_value` in dollars. */
      min_value?: number;
      /** @description Highest `assessed_value` in dollars. */
      max_value?: number;
      /** @description Smallest `acreage`. */
      min_acres?: number;
      /** @description Largest `acreage`. */
      max_acres?: number;
      /** @description Whole name of the owner, in upper or lower case. Punctuation, accents and the spelling of company forms do not matter: `Acme Holdings, L.L.C.` and `ACME HOLDINGS LLC` are equal. Owners of accounts are found only by search. */
      owner?: string;
      /** @description Whole `source_parcel_id`, with or without punctuation, in upper or lower case. */
      parcel_id?: string;
      /** @description Whether `is_agricultural` is true or false. */
      agricultural?: boolean;
      /** @description Only parcels whose record changed at or after this time. Changes can appear out of order, so to poll a list, send the `complete_until` of the last poll, not its time. `/v1/changes` returns each change once, and retirements too. A date (UTC) or a time with its offset, in ISO 8601: 2026-01-02 or 2026-01-02T03:04:05Z. A date means the start of that day. */
      changed_since?: string;
      /** @description Whether the boundary is known. */
      has_geometry?: boolean;
      /** @description true: only retired parcels, which their source no longer lists. Each row then has `retired_at`. */
      retired?: boolean;
      /**
       * @description Includes retired parcels: those that their source no longer lists. Each row then has `retired_at`.
       * @enum {string}
       */
      include?: "retired";
    };
    /** @description TileJSON 3.0.0. */
    TileJson: {
      /**
       * @description TileJSON version.
       * @enum {string}
       */
      tilejson: "3.0.0";
      /** @description URL template of the tiles. */
      tiles: string[];
      /** @description Lowest zoom. */
      minzoom: number;
      /** @description Highest zoom. */
      maxzoom: number;
      /** @description west, south, east, north */
      bounds: [
        number,
        number,
        number,
        number
      ];
      /** @description Layers and their fields. */
      vector_layers: {
        [key: string]: unknown;
      }[];
    } & {
      [key: string]: unknown;
    };
    /** @description The archive of each layer. */
    TileManifest: {
      parcels: components["schemas"]["TileArchive"];
    };
    /** @description The tuner's decision for a vendor. */
    TunerDecision: {
      vendor: components["schemas"]["VendorName"];
      /**
       * @description `auto`: the tuner changes the target. `manual`: the target stays as set.
       * @enum {string}
       */
      mode: "auto" | "manual";
      /** @description Target before the change. */
      previous_target: number;
      /** @description Target after the change. */
      new_target: number;
      /** @description Whether the tuner changed the target. Changes are also in the tuning log. */
      changed: boolean;
      /** @description Reason in words. */
      reason: string;
      /** @description Figures that the decision is based on. */
      signals: {
        [key: string]: unknown;
      };
    };
    /** @description A change to a vendor's settings. */
    TuningEntry: {
      /**
       * Format: uuid
       * @description Id of the entry.
       */
      id: string;
      vendor: components["schemas"]["VendorName"];
      /** @description Target before the change. */
      previous_target: number;
      /** @description Target after the change. */
      new_target: number;
      /** @description Reason in words. */
      reason: string;
      /** @description Figures that the decision is based on. */
      signals: {
        [key: string]: unknown;
      };
      /** @description Who made the change: `auto` (the tuner), the first 8 characters of a key, or an account (its email for admins, a short name like `account 1a2b3c4d5e6f` for others). */
      actor: string;
      /**
       * Format: date-time
       * @description Time of the change.
       */
      created_at: string;
    };
    /** @description A label that no field was read from. */
    UnreadLabel: {
      /** @description The label or heading, as the page shows it. */
      label: string;
      /** @description How many of these scrapes have it. */
      scrapes: number;
      /**
       * Format: date-time
       * @description Time when it was first seen.
       */
      first_seen_at: string;
      /**
       * Format: date-time
       * @description Time when it was last seen.
       */
      last_seen_at: string;
      /** @description Whether an operator has marked it as having nothing to read. */
      is_known: boolean;
    };
    /** @description Labels of the pages of a source that no field was read from. */
    UnreadLabels: {
      source: components["schemas"]["SourceSlug"];
      /** @description Number of recent scrapes that are counted. */
      scrapes: number;
      /** @description Number of rows in this response. */
      count: number;
      /** @description Most frequent first. */
      labels: components["schemas"]["UnreadLabel"][];
    };
    /** @description An uploaded list. */
    Upload: {
      /**
       * Format: uuid
       * @description Id of the upload.
       */
      id: string;
      /**
       * @description Format of the list.
       * @enum {string}
       */
      format: "csv" | "ndjson";
      /** @description Lines of the list. */
      lines: number;
      /** @description The columns, in their order. */
      columns: {
        /** @description The name of the column. */
        name: string;
        /**
         * @description What the column most likely contains, guessed from its name; null if unknown.
         * @enum {string|null}
         */
        field: "parcel_id" | "address" | "unit" | "city" | "state" | "zip" | "county" | "source" | "owner" | "lon" | "lat" | null;
        /** @description Its values in the first rows. */
        samples: string[];
      }[];
      /**
       * Format: date-time
       * @description When it is deleted.
       */
      expires_at: string;
    };
    /** @description A parcel's value in one year. */
    Valuation: {
      /** @description Valuation year. */
      year: number;
      /** @description Value of the land, in whole dollars. */
      land?: number;
      /** @description Value of the buildings, in whole dollars. */
      improvement?: number;
      /** @description Value of land and buildings, in whole dollars. */
      total?: number;
      /** @description Assessed value, in whole dollars. */
      assessed?: number;
      /** @description Taxable value, in whole dollars. */
      taxable?: number;
    };
    /** @description Concurrency settings of a vendor. */
    VendorConcurrency: {
      vendor: components["schemas"]["VendorName"];
      /** @description Lowest allowed target. */
      min_concurrency: number;
      /** @description Highest allowed target. */
      max_concurrency: number;
      /** @description Current number of concurrent scrapes. */
      target_concurrency: number;
      /**
       * @description `auto`: the tuner changes the target. `manual`: the target stays as set.
       * @enum {string}
       */
      mode: "auto" | "manual";
      /** @description The tuner lowers the target when p95 is above this. */
      slow_threshold_ms: number;
      /** @description The tuner may raise the target when p95 is below this. */
      fast_threshold_ms: number;
      /** @description Smallest change of the target in one step. */
      step_size: number;
      /** @description Length of the window that the tuner evaluates. It takes at most one step per window. */
      signal_window_minutes: number;
      /** @description Reason for the tuner's last change; null if there was none. */
      last_signal: string | null;
      /**
       * Format: date-time
       * @description Time of the tuner's last change; null if there was none.
       */
      last_tuned_at: string | null;
      /**
       * Format: date-time
       * @description Time of the last change to the row.
       */
      updated_at: string;
      /** @description Who made the change: `auto` (the tuner), the first 8 characters of a key, or an account (its email for admins, a short name like `account 1a2b3c4d5e6f` for others). Null before the first change. */
      updated_by: string | null;
      /** @description While the vendor is paused, none of its scrapes run, whatever its target is. Null: not paused. */
      pause: components["schemas"]["VendorPause"] | null;
    };
    /** @description History of a vendor's scrapes and target. */
    VendorHistory: {
      vendor: components["schemas"]["VendorName"];
      /** @description Oldest first. */
      points: components["schemas"]["VendorHistoryPoint"][];
      /** @description Changes to the target from the tuning log, oldest first. */
      changes: components["schemas"]["TargetChange"][];
    };
    /** @description Five minutes of scrapes of a vendor. */
    VendorHistoryPoint: {
      /**
       * Format: date-time
       * @description Start of the five-minute interval.
       */
      at: string;
      /** @description Target at the end of the interval. */
      target: number;
      /** @description 95th percentile of the duration of successful scrapes; null if there were none. */
      p95_seconds: number | null;
      /** @description Failed attempts. An unknown parcel does not count as a failure. */
      errors: number;
      /** @description Finished attempts, including failed ones. */
      finished: number;
    };
    /** @description Name of a vendor. */
    VendorName: string;
    /** @description A pause of a vendor. */
    VendorPause: {
      /**
       * Format: date-time
       * @description When it was paused.
       */
      since: string;
      /**
       * Format: date-time
       * @description When it resumes automatically; null: only when somebody resumes it.
       */
      until: string | null;
      /** @description Why the vendor is paused. */
      reason: string;
      /** @description Who paused it: the first 8 characters of a key, or an account (its email for admins, a short name like `account 1a2b3c4d5e6f` for others). */
      by: string;
    };
    /** @description A watch, without its polygon. */
    Watch: {
      /**
       * Format: uuid
       * @description Id of the watch.
       */
      id: string;
      /**
       * @description What the watch follows: one parcel, the parcels of an owner, the parcels that intersect a polygon, all parcels of a source, or the alerts of the service (for admins).
       * @enum {string}
       */
      kind: "parcel" | "owner" | "polygon" | "source" | "alerts";
      /** @description For kinds `parcel` and `source`: the source. */
      source: (string & components["schemas"]["SourceSlug"]) | null;
      /** @description For kind `parcel`: the id of the parcel, in the notation of its source. */
      source_parcel_id: (string & components["schemas"]["SourceParcelId"]) | null;
      /** @description For kind `owner`: the name of the owner. */
      owner_name: string | null;
      /** @description Only changes of one of these fields match. Parcels that are created, retired, returned or deleted always match. At most 50 names of fields: those of a parcel, `geom` for the boundary, `retired_at`, and `scrape_data` or `scrape_data.NAME` for the scrape data. Null or empty: all changes match. */
      fields: string[] | null;
      /** @description Whether the watch is active. An inactive watch sends nothing, and misses the changes that are made in the meantime. */
      active: boolean;
      /** @description The https URL that receives the changes. It must be on the public internet. Null: no webhook. The changes are in the watch's log and on `/v1/events` either way. */
      webhook_url: string | null;
      /** @description `unused`: nothing was sent yet. `working`: the last request succeeded. `failing`: the last request failed and will be repeated. `failed`: at least one change was given up after 3 days, and none was delivered since. Null: no webhook. */
      webhook_state: string | null;
      /** @description Why the last request to the webhook failed; null if it succeeded. */
      last_error: string | null;
      /**
       * Format: date-time
       * @description When a request last succeeded, to within 5 s.
       */
      last_delivered_at: string | null;
      /**
       * Format: date-time
       * @description When a change was last given up.
       */
      last_failed_at: string | null;
      /** @description Number of changes that were left out because 250,000 webhooks were waiting, or because 50 older watches of the same owner got the change. It is reset to 0 when the URL changes or the watch becomes active again. */
      missed: number;
      /** @description The version before the first change that was left out; null if there was none. `GET /v1/changes?after=` has all changes after it. */
      missed_after: number | null;
      /**
       * Format: date-time
       * @description After several failures in a row, nothing is sent until then; null if requests are sent.
       */
      held_until: string | null;
      /** @description Who the watch belongs to: the first 8 characters of a key, or an account (its email for admins, a short name like `account 1a2b3c4d5e6f` for others). */
      created_by: string;
      /**
       * Format: date-time
       * @description When it was added.
       */
      created_at: string;
    };
    /** @description A change or a message about alerts that a watch matched, or a test of its webhook. */
    WatchDelivery: {
      /**
       * Format: uuid
       * @description Id of the delivery. All its requests have it as `webhook-id`.
       */
      id: string;
      /**
       * @description `pending`: not delivered yet. `failed`: given up. `recorded`: the watch had no webhook, so nothing is sent.
       * @enum {string}
       */
      status: "pending" | "delivered" | "failed" | "recorded";
      /** @description Version of the change; null for a test or a message about alerts. */
      version: number | null;
      /** @description Source of the parcel; null without a change. */
      source: string | null;
      /** @description Id of the parcel; null without a change. */
      source_parcel_id: string | null;
      /**
       * @description What happened to the parcel; null without a change.
       * @enum {string|null}
       */
      action: "created" | "changed" | "retired" | "returned" | "deleted" | null;
      /** @description Fields that changed; null without a change. */
      fields: string[] | null;
      /** @description The rule of a message about alerts; otherwise null. */
      alert_rule: string | null;
      /**
       * @description Whether the message says that alerts were raised or that they ended; null for other deliveries.
       * @enum {string|null}
       */
      alert_state: "raised" | "resolved" | null;
      /** @description How many alerts the message is about; null for other deliveries. */
      alert_count: number | null;
      /** @description Requests sent, as far as their results are known. */
      attempts: number;
      /**
       * Format: date-time
       * @description Earliest time of the next request; null if none follows. Changes of one parcel are sent in order, so it may be later.
       */
      next_attempt_at: string | null;
      /** @description Status of the last response; null if there was none. */
      response_status: number | null;
      /** @description The beginning of the last response. */
      response: string | null;
      /** @description Duration of the last request. */
      duration_ms: number | null;
      /** @description Why the last request failed. */
      error: string | null;
      /**
       * Format: date-time
       * @description When the change was matched.
       */
      created_at: string;
      /**
       * Format: date-time
       * @description When it was delivered or given up.
       */
      finished_at: string | null;
    };
    /** @description For kind `polygon`: a GeoJSON Polygon or MultiPolygon with at most 1,000 positions. A parcel matches if its boundary, or its point if the boundary is unknown, intersects the polygon before or after the change. */
    WatchPolygon: {
      /**
       * @description Type of the geometry.
       * @enum {string}
       */
      type: "Polygon" | "MultiPolygon";
      /** @description Rings of [longitude, latitude] in degrees, EPSG:4326. Holes are respected. */
      coordinates: unknown[];
      /** @description Bounding box of the geometry. It is ignored. */
      bbox?: number[];
    };
    /** @description A watch. */
    WatchWithPolygon: {
      /**
       * Format: uuid
       * @description Id of the watch.
       */
      id: string;
      /**
       * @description What the watch follows: one parcel, the parcels of an owner, the parcels that intersect a polygon, all parcels of a source, or the alerts of the service (for admins).
       * @enum {string}
       */
      kind: "parcel" | "owner" | "polygon" | "source" | "alerts";
      /** @description For kinds `parcel` and `source`: the source. */
      source: (string & components["schemas"]["SourceSlug"]) | null;
      /** @description For kind `parcel`: the id of the parcel, in the notation of its source. */
      source_parcel_id: (string & components["schemas"]["SourceParcelId"]) | null;
      /** @description For kind `owner`: the name of the owner. */
      owner_name: string | null;
      /** @description Only changes of one of these fields match. Parcels that are created, retired, returned or deleted always match. At most 50 names of fields: those of a parcel, `geom` for the boundary, `retired_at`, and `scrape_data` or `scrape_data.NAME` for the scrape data. Null or empty: all changes match. */
      fields: string[] | null;
      /** @description Whether the watch is active. An inactive watch sends nothing, and misses the changes that are made in the meantime. */
      active: boolean;
      /** @description The https URL that receives the changes. It must be on the public internet. Null: no webhook. The changes are in the watch's log and on `/v1/events` either way. */
      webhook_url: string | null;
      /** @description `unused`: nothing was sent yet. `working`: the last request succeeded. `failing`: the last request failed and will be repeated. `failed`: at least one change was given up after 3 days, and none was delivered since. Null: no webhook. */
      webhook_state: string | null;
      /** @description Why the last request to the webhook failed; null if it succeeded. */
      last_error: string | null;
      /**
       * Format: date-time
       * @description When a request last succeeded, to within 5 s.
       */
      last_delivered_at: string | null;
      /**
       * Format: date-time
       * @description When a change was last given up.
       */
      last_failed_at: string | null;
      /** @description Number of changes that were left out because 250,000 webhooks were waiting, or because 50 older watches of the same owner got the change. It is reset to 0 when the URL changes or the watch becomes active again. */
      missed: number;
      /** @description The version before the first change that was left out; null if there was none. `GET /v1/changes?after=` has all changes after it. */
      missed_after: number | null;
      /**
       * Format: date-time
       * @description After several failures in a row, nothing is sent until then; null if requests are sent.
       */
      held_until: string | null;
      /** @description Who the watch belongs to: the first 8 characters of a key, or an account (its email for admins, a short name like `account 1a2b3c4d5e6f` for others). */
      created_by: string;
      /**
       * Format: date-time
       * @description When it was added.
       */
      created_at: string;
      /** @description For kind `polygon`: the polygon, as a MultiPolygon. */
      polygon: components["schemas"]["WatchPolygon"] | null;
    };
    /** @description A watch, with the secret of its webhook if that is new. */
    WatchWithSecret: {
      /**
       * Format: uuid
       * @description Id of the watch.
       */
      id: string;
      /**
       * @description What the watch follows: one parcel, the parcels of an owner, the parcels that intersect a polygon, all parcels of a source, or the alerts of the service (for admins).
       * @enum {string}
       */
      kind: "parcel" | "owner" | "polygon" | "source" | "alerts";
      /** @description For kinds `parcel` and `source`: the source. */
      source: (string & components["schemas"]["SourceSlug"]) | null;
      /** @description For kind `parcel`: the id of the parcel, in the notation of its source. */
      source_parcel_id: (string & components["schemas"]["SourceParcelId"]) | null;
      /** @description For kind `owner`: the name of the owner. */
      owner_name: string | null;
      /** @description Only changes of one of these fields match. Parcels that are created, retired, returned or deleted always match. At most 50 names of fields: those of a parcel, `geom` for the boundary, `retired_at`, and `scrape_data` or `scrape_data.NAME` for the scrape data. Null or empty: all changes match. */
      fields: string[] | null;
      /** @description Whether the watch is active. An inactive watch sends nothing, and misses the changes that are made in the meantime. */
      active: boolean;
      /** @description The https URL that receives the changes. It must be on the public internet. Null: no webhook. The changes are in the watch's log and on `/v1/events` either way. */
      webhook_url: string | null;
      /** @description `unused`: nothing was sent yet. `working`: the last request succeeded. `failing`: the last request failed and will be repeated. `failed`: at least one change was given up after 3 days, and none was delivered since. Null: no webhook. */
      webhook_state: string | null;
      /** @description Why the last request to the webhook failed; null if it succeeded. */
      last_error: string | null;
      /**
       * Format: date-time
       * @description When a request last succeeded, to within 5 s.
       */
      last_delivered_at: string | null;
      /**
       * Format: date-time
       * @description When a change was last given up.
       */
      last_failed_at: string | null;
      /** @description Number of changes that were left out because 250,000 webhooks were waiting, or because 50 older watches of the same owner got the change. It is reset to 0 when the URL changes or the watch becomes active again. */
      missed: number;
      /** @description The version before the first change that was left out; null if there was none. `GET /v1/changes?after=` has all changes after it. */
      missed_after: number | null;
      /**
       * Format: date-time
       * @description After several failures in a row, nothing is sent until then; null if requests are sent.
       */
      held_until: string | null;
      /** @description Who the watch belongs to: the first 8 characters of a key, or an account (its email for admins, a short name like `account 1a2b3c4d5e6f` for others). */
      created_by: string;
      /**
       * Format: date-time
       * @description When it was added.
       */
      created_at: string;
      /** @description For kind `polygon`: the polygon, as a MultiPolygon. */
      polygon: components["schemas"]["WatchPolygon"] | null;
      /** @description Signs the requests to the webhook. It is shown only once. Null: there is no webhook, or the secret is the same as before. */
      webhook_secret: string | null;
    };
    /** @description Match of one word. */
    WordScore: {
      /** @description A word of the query, after correction. */
      word: string;
      /** @description Field in which the word was found; null if not found. */
      field: string | null;
      /** @description Similarity of this word to the one in the field, 0 to 1. */
      similarity: number;
      /** @description Weight of the field. */
      weight: number;
    };
    /** @description Long-running work, such as a crawl, a load of a file, an export or a tile build. */
    Work: {
      /**
       * Format: uuid
       * @description Id of the work.
       */
      id: string;
      /** @description A kind of work: `crawl`, `load`, `ingest`, `preview`, `tile_build`, `search_check`, `search_rebuild`, `webhooks`, `export`, `match`. */
      kind: string;
      /** @description The source, layer or index to work on. */
      subject: string | null;
      /** @description The source that the work belongs to, if any. */
      source: string | null;
      /**
       * @description The status. `done` and `error` are final.
       * @enum {string}
       */
      status: "queued" | "running" | "done" | "error";
      /** @description Who requested it: the first 8 characters of a key, or an account (its email for admins, a short name like `account 1a2b3c4d5e6f` for others); null if it was due or was started on the command line. */
      requested_by: string | null;
      /** @description How many times a process has started it. */
      attempts: number;
      /** @description Progress: records of a crawl, parcels of a tile build, documents of a rebuild. */
      done: number;
      /** @description Expected final value of `done`; null if it is not known. */
      total: number | null;
      /** @description What was requested. Its members depend on the kind. */
      payload: {
        /** @description The portal's URL when the crawl was requested. */
        base_url: string;
        /** @description The vendor's settings for the county when the crawl was requested. */
        vendor_config: Record<string, never>;
      } | {
        /**
         * @description `ingest`: a file is read, compared and applied.
         * @enum {string}
         */
        action: "ingest" | "apply" | "undo";
        /** @description The load. An undo can also be of a crawl, a scrape job, a replay or another undo. */
        cause_id: string;
        /**
         * @description Of an undo: what `cause_id` is. Missing in older work; null if it is not known.
         * @enum {string|null}
         */
        cause?: "ingest" | "crawl" | "scrape" | "replay" | "review" | "undo" | "operator" | null;
      } | {
        /** @description The uploaded file; null: it is at `address`. */
        file_id: string | null;
        /** @description The https URL of the file; null: it was uploaded. */
        address: string | null;
        /** @description How it is read, as in `vendor_config` of a source with the vendor `file`. */
        settings: Record<string, never>;
        /** @description The date of the data. */
        as_of: string | null;
        /** @description Whether the schedule requested it. If so, a file that has not changed is not loaded again. */
        is_due: boolean;
      } | {
        /** @description The uploaded file; null: it is at `address`. */
        file_id: string | null;
        /** @description The https URL of the file; null: it was uploaded. */
        address: string | null;
        /** @description How it is read, as in `vendor_config` of a source with the vendor `file`. */
        settings: Record<string, never>;
      } | {
        /** @description Which parcels, by the parameters of `GET /v1/parcels`. Missing: all. */
        filter?: Record<string, never>;
        /** @description The same, as the service reads it. */
        parcel_filter?: Record<string, never>;
      } | Record<string, never> | Record<string, never> | Record<string, never> | {
        /** @description The format of the file. */
        format: string;
        /** @description Whether the file is compressed with gzip. */
        gzip: boolean;
        /** @description The fields of each parcel. */
        fields: string[];
        /** @description `full`, `simplified` or `none`. */
        geometry: string;
        /** @description Which parcels, as requested. */
        filter: Record<string, never>;
        /** @description The same, as the service reads it. */
        parcel_filter: Record<string, never>;
        /** @description Only parcels in this area. */
        place?: {
          /** @description The area as GeoJSON. Responses leave it out, because it can be large. */
          area?: unknown;
          /** @description Its bounding box: west, south, east, north. */
          bbox: number[];
          /** @description `intersects` or `within`. */
          relation: string;
        };
      } | Record<string, never>;
      /** @description The result so far. Its members depend on the kind. */
      result: {
        /** @description Pages read. */
        pages: number;
        /** @description New parcels. */
        inserted: number;
        /** @description Parcels that changed. */
        updated: number;
        /** @description Parcels that did not change. */
        unchanged: number;
        /** @description Records that were rejected. */
        rejected: number;
      } | {
        /** @description The status of the load. */
        status?: string;
        /** @description Undo: parcels that have their former values again. */
        restored?: number;
        /** @description Undo: parcels that it retired, because the load had created them. */
        retired?: number;
        /** @description Undo: parcels with a field that was changed again later. These fields were left. */
        kept?: number;
        /** @description Undo: the first 100 of `kept`. */
        kept_first?: {
          /** @description The parcel. */
          source_parcel_id: string;
          /** @description The fields that were left. `created`: the whole parcel was left. */
          fields: string[];
        }[];
      } | {
        /** @description `fetching`, then `reading`. */
        step?: string;
        /** @description The status of the load, or `unchanged`: the file is the one that was loaded last. */
        status?: string;
        /** @description The load. */
        load_id?: string;
        /** @description Rows read. */
        rows?: number;
        /** @description Rows rejected. */
        rejected?: number;
        /** @description New parcels. */
        inserted?: number;
        /** @description Parcels that changed, or returned. */
        updated?: number;
        /** @description Parcels that did not change. */
        unchanged?: number;
        /** @description Parcels that were retired. */
        retired?: number;
        /** @description Why rows were rejected, the most frequent reason first. */
        rejects?: {
          /** @description Rows. */
          count: number;
          /** @description Some of them. */
          examples: {
            /** @description Where the row is. */
            place: string;
            /** @description Its id, if it has one. */
            id: string;
            /** @description Why it was rejected. */
            reason: string;
          }[];
        }[];
        /** @description What to check. */
        warnings?: string[];
        /** @description How it was read. */
        notes?: string[];
      } | {
        /** @description `fetching`, then `reading`. */
        step?: string;
        /** @description The format, columns with samples, the field map (given or guessed), the first parcels, and why rows would be rejected. */
        preview?: Record<string, never>;
      } | {
        /** @description How far the build is, from 0 to 1. */
        share?: number;
        /** @description Tiles made so far. */
        tiles?: number;
        /** @description Names the archive. */
        hash?: string;
        /** @description False: the published archive was already the same. */
        is_new?: boolean;
      } | {
        /** @description Documents that the index lacked. */
        missing?: number;
        /** @description Documents without a row. */
        extra?: number;
        /** @description Documents that differed from their rows. */
        different?: number;
      } | Record<string, never> | {
        /** @description Requests that the receiver accepted. */
        delivered?: number;
        /** @description Requests that failed. They are repeated later. */
        failed?: number;
      } | {
        /** @description Name of the file in the store. */
        file?: string;
        /** @description Its media type. */
        media_type?: string;
        /** @description Size of the file. */
        size_bytes?: number;
        /** @description SHA-256 of the file, in hex. */
        sha256?: string;
        /** @description The file has every change up to this version. */
        dataset_version?: number;
        /** @description The sources, grouped by license and attribution. */
        licenses?: components["schemas"]["LicensedSources"][];
      } | {
        /** @description Rows of the list. */
        rows?: number;
        counts?: components["schemas"]["MatchCounts"];
      };
      /** @description Error code of the last failed attempt: `throttled`, `worker_lost`, `cancelled` ... */
      error_code: string | null;
      /** @description Error message of the last failed attempt. */
      error_message: string | null;
      /**
       * Format: date-time
       * @description When it was requested.
       */
      created_at: string;
      /**
       * Format: date-time
       * @description When it started; null if it has not started.
       */
      started_at: string | null;
      /**
       * Format: date-time
       * @description When it ended; null if it has not ended.
       */
      finished_at: string | null;
      /**
       * @description Why a queued one cannot start now: `retry` (its last attempt failed, or its portal takes no requests for a while), `load` (a load of its source has not ended), `pause` (its vendor is paused), `breaker` (most scrapes of its vendor fail, so one job or crawl a minute may start). Null if it only waits for a worker, or is not queued.
       * @enum {string|null}
       */
      waits_for: "retry" | "load" | "pause" | "breaker" | null;
      /**
       * Format: date-time
       * @description When it can start at the earliest; null if it does not wait, or if that is not known.
       */
      waits_until: string | null;
    };
  };
  responses: never;
  parameters: {
    /** @description Makes the request safe to retry. Within 24 hours it takes effect once; a repeated request gets the first response again, with `Idempotent-Replayed: true`. The service keeps the last 5,000 keys of a caller. */
    "Idempotency-Key": string;
    /** @description ETag of the response that you have. If it has not changed, the response is 304 without a body. */
    "If-None-Match": string;
    /** @description A dataset version that you have seen. The response has every change up to it, if there is such a version. */
    "X-Dataset-Version": string;
    /** @description `next` of the previous page. */
    after: string;
    /** @description Whether `is_agricultural` is true or false. */
    agricultural: "true" | "false";
    /** @description Only parcels whose record changed at or after this time. Changes can appear out of order, so to poll a list, send the `complete_until` of the last poll, not its time. `/v1/changes` returns each change once, and retirements too. A date (UTC) or a time with its offset, in ISO 8601: 2026-01-02 or 2026-01-02T03:04:05Z. A date means the start of that day. */
    changed_since: string;
    /** @description Adds `total`, the number of parcels on all pages. `exact` counts every parcel. `estimate` counts up to 10,000 parcels, and estimates larger numbers from a sample. */
    count: "exact" | "estimate";
    /** @description Name of the county, in upper or lower case, with or without "County". */
    county: string;
    /** @description `true`: only dismissed findings. `any`: all findings. By default, dismissed ones are left out. */
    dismissed: "false" | "true" | "any";
    /** @description Comma-separated fields of each row, in addition to `id`, `source` and `source_parcel_id`: lon, lat, acreage, owner_name, owner_names_all, owner_mailing_address, situs_address, situs_city, situs_state, situs_zip, land_use_class, zoning_code, zoning_description, is_agricultural, assessed_value, value_land, value_improvement, state, county_name, bbox, scraped_at, ingested_at, updated_at, retired_at, accounts. `all` means all of them except `accounts`. */
    fields: string;
    /** @description `full` adds the boundary as `geom_geojson`. `simplified` leaves out corners that are closer than about two meters to the line between their neighbors. */
    geometry: "full" | "simplified" | "none";
    /** @description Whether the boundary is known. */
    has_geometry: "true" | "false";
    /** @description The source_parcel_id, in the notation of its source (percent-encoded). */
    id: string;
    /** @description Includes retired parcels: those that their source no longer lists. Each row then has `retired_at`. */
    include: "retired";
    /** @description Prefix of `land_use_class`, in upper or lower case. */
    land_use: string;
    /** @description Name of the layer. */
    layer: string;
    /** @description Maximum number of rows. */
    limit: number;
    /** @description Largest `acreage`. */
    max_acres: number;
    /** @description Highest `assessed_value` in dollars. */
    max_value: number;
    /** @description Smallest `acreage`. */
    min_acres: number;
    /** @description Lowest `assessed_value` in dollars. */
    min_value: number;
    /** @description Only rows with one of these outcomes: a comma-separated subset of matched, tie, no_match, invalid. */
    outcome: string;
    /** @description Whole name of the owner, in upper or lower case. Punctuation, accents and the spelling of company forms do not matter: `Acme Holdings, L.L.C.` and `ACME HOLDINGS LLC` are equal. Owners of accounts are found only by search. */
    owner: string;
    /** @description Whole `source_parcel_id`, with or without punctuation, in upper or lower case. */
    parcel_id: string;
    /** @description true: only retired parcels, which their source no longer lists. Each row then has `retired_at`. */
    retired: "true" | "false";
    /** @description Order of the rows. A leading `-` sorts in descending order. `source_parcel_id` sorts by source, then by parcel id. Parcels without a value come last. Default: `id` with `bbox`, otherwise `source_parcel_id`. */
    sort: "id" | "source_parcel_id" | "assessed_value" | "-assessed_value" | "acreage" | "-acreage" | "updated_at" | "-updated_at";
    /** @description Slug of a source. */
    source: string;
    /** @description 2-letter code. */
    state: string;
    /** @description Name of a vendor. */
    vendor: string;
    /** @description Prefix of `zoning_code`, `zoning_description` or `land_use_class`. */
    zoning: string;
  };
  requestBodies: never;
  headers: never;
  pathItems: never;
}
export interface operations {
  openApi: {
    parameters: {
      query?: never;
      header?: {
        /** @description ETag of the response that you have. If it has not changed, the response is 304 without a body. */
        "If-None-Match"?: components["parameters"]["If-None-Match"];
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Get this document. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": {
            /** @description OpenAPI version. */
            openapi: string;
          } & {
            [key: string]: unknown;
          };
        };
      };
    };
  };
  docsReference: {
    parameters: {
      query?: never;
      header?: {
        /** @description ETag of the response that you have. If it has not changed, the response is 304 without a body. */
        "If-None-Match"?: components["parameters"]["If-None-Match"];
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The API reference, for people */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "text/html": string;
        };
      };
    };
  };
  llmsText: {
    parameters: {
      query?: never;
      header?: {
        /** @description ETag of the response that you have. If it has not changed, the response is 304 without a body. */
        "If-None-Match"?: components["parameters"]["If-None-Match"];
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Summary of the API for language models */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "text/plain": string;
        };
      };
    };
  };
  pluginManifest: {
    parameters: {
      query?: never;
      header?: {
        /** @description ETag of the response that you have. If it has not changed, the response is 304 without a body. */
        "If-None-Match"?: components["parameters"]["If-None-Match"];
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Plugin manifest. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": {
            /** @description Manifest version. */
            schema_version: string;
          } & {
            [key: string]: unknown;
          };
        };
      };
    };
  };
  health: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Check the service and its database. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": {
            /**
             * @description The service and its database are up.
             * @enum {string}
             */
            status: "ok";
            /**
             * Format: date-time
             * @description Time of the response.
             */
            time: string;
            /** @description The states whose searches run on PostgreSQL. Present together with `search`. */
            degraded_states?: string;
            /**
             * @description Present while Meilisearch is unavailable and searches run on PostgreSQL.
             * @enum {string}
             */
            search?: "degraded";
          };
        };
      };
    };
  };
  tileManifest: {
    parameters: {
      query?: never;
      header?: {
        /** @description ETag of the response that you have. If it has not changed, the response is 304 without a body. */
        "If-None-Match"?: components["parameters"]["If-None-Match"];
        /** @description A dataset version that you have seen. The response has every change up to it, if there is such a version. */
        "X-Dataset-Version"?: components["parameters"]["X-Dataset-Version"];
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Get the URL of the current tile archive. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["TileManifest"];
        };
      };
    };
  };
  docs: {
    parameters: {
      query?: never;
      header?: {
        /** @description ETag of the response that you have. If it has not changed, the response is 304 without a body. */
        "If-None-Match"?: components["parameters"]["If-None-Match"];
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "text/html": string;
        };
      };
    };
  };
  map: {
    parameters: {
      query?: never;
      header?: {
        /** @description ETag of the response that you have. If it has not changed, the response is 304 without a body. */
        "If-None-Match"?: components["parameters"]["If-None-Match"];
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "text/html": string;
        };
      };
    };
  };
  webApp: {
    parameters: {
      query?: never;
      header?: {
        /** @description ETag of the response that you have. If it has not changed, the response is 304 without a body. */
        "If-None-Match"?: components["parameters"]["If-None-Match"];
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "text/html": string;
        };
      };
    };
  };
  signIn: {
    parameters: {
      query?: {
        /** @description Path of this service to open after sign-in. */
        return_to?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: never;
  };
  signInCallback: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: never;
  };
  signOut: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Signed out. */
      204: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
    };
  };
  listSources: {
    parameters: {
      query?: {
        /** @description Only sources of this state (2-letter code). */
        state?: string;
        /** @description Only sources of this vendor. An unknown vendor returns no sources. */
        vendor?: string;
        /** @description `true`: only sources that the scheduler may scrape. `false`: only the others. */
        active?: boolean;
        /** @description `true`: only retired sources. `false`: only the others. */
        retired?: boolean;
        /** @description Maximum number of rows; all rows if omitted. */
        limit?: number;
        /** @description `next` of the previous page. */
        after?: string;
      };
      header?: {
        /** @description ETag of the response that you have. If it has not changed, the response is 304 without a body. */
        "If-None-Match"?: components["parameters"]["If-None-Match"];
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description List sources with their cadence. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": {
            /** @description Number of rows in this response. */
            count: number;
            /** @description Ordered by slug. */
            sources: components["schemas"]["Source"][];
            /** @description Only if `limit` is given: `after` for the next page; null on the last page. */
            next?: string | null;
          };
        };
      };
    };
  };
  addSource: {
    parameters: {
      query?: never;
      header?: {
        /** @description Makes the request safe to retry. Within 24 hours it takes effect once; a repeated request gets the first response again, with `Idempotent-Replayed: true`. The service keeps the last 5,000 keys of a caller. */
        "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
      };
      path?: never;
      cookie?: never;
    };
    /** @description The source. */
    requestBody: {
      content: {
        "application/json": {
          /** @description Slug of the source. It is part of the URLs of its parcels and cannot be changed. */
          source: string;
          /**
           * @description State of the county.
           * @enum {string}
           */
          state: "AL" | "AK" | "AZ" | "AR" | "CA" | "CO" | "CT" | "DE" | "DC" | "FL" | "GA" | "HI" | "ID" | "IL" | "IN" | "IA" | "KS" | "KY" | "LA" | "ME" | "MD" | "MA" | "MI" | "MN" | "MS" | "MO" | "MT" | "NE" | "NV" | "NH" | "NJ" | "NM" | "NY" | "NC" | "ND" | "OH" | "OK" | "OR" | "PA" | "RI" | "SC" | "SD" | "TN" | "TX" | "UT" | "VT" | "VA" | "WA" | "WV" | "WI" | "WY" | "AS" | "GU" | "MP" | "PR" | "VI";
          /** @description Name of the county. */
          county_name: string;
          vendor: components["schemas"]["VendorName"];
          /** @description URL of the portal (http or https). With the vendor `file`, the https URL of the file, or empty. */
          base_url?: string;
          /** @description The vendor's settings for this county. If omitted, set them before you activate the source. */
          vendor_config?: {
            [key: string]: unknown;
          };
          /** @description License of the data, preferably as an SPDX id; null if unknown. Exports name it. */
          license?: string | null;
          /** @description Whom to credit for the data; null if unknown. Exports name it. */
          attribution?: string | null;
        };
      };
    };
    responses: {
      /** @description Add a source. */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["SourceWithConfig"];
        };
      };
    };
  };
  getSource: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description Slug of a source. */
        source: components["parameters"]["source"];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Get one source. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["SourceDetails"];
        };
      };
    };
  };
  retireSource: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description Slug of a source. */
        source: components["parameters"]["source"];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Retire a source. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["SourceOrder"];
        };
      };
    };
  };
  updateSource: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description Slug of a source. */
        source: components["parameters"]["source"];
      };
      cookie?: never;
    };
    /** @description Fields to change. */
    requestBody: {
      content: {
        "application/json": {
          vendor?: components["schemas"]["VendorName"];
          /** @description URL of the portal (http or https). With the vendor `file`, the https URL of the file, or empty. */
          base_url?: string;
          /**
           * @description State of the county.
           * @enum {string}
           */
          state?: "AL" | "AK" | "AZ" | "AR" | "CA" | "CO" | "CT" | "DE" | "DC" | "FL" | "GA" | "HI" | "ID" | "IL" | "IN" | "IA" | "KS" | "KY" | "LA" | "ME" | "MD" | "MA" | "MI" | "MN" | "MS" | "MO" | "MT" | "NE" | "NV" | "NH" | "NJ" | "NM" | "NY" | "NC" | "ND" | "OH" | "OK" | "OR" | "PA" | "RI" | "SC" | "SD" | "TN" | "TX" | "UT" | "VT" | "VA" | "WA" | "WV" | "WI" | "WY" | "AS" | "GU" | "MP" | "PR" | "VI";
          /** @description Name of the county. */
          county_name?: string;
          /** @description Whether the scheduler may scrape it. */
          active?: boolean;
          /** @description Replaces the whole `vendor_config`. It must match the vendor's schema. */
          vendor_config?: {
            [key: string]: unknown;
          };
          load_limits?: components["schemas"]["LoadLimits"];
          /** @description License of the data, preferably as an SPDX id; null if unknown. Exports name it. */
          license?: string | null;
          /** @description Whom to credit for the data; null if unknown. Exports name it. */
          attribution?: string | null;
        };
      };
    };
    responses: {
      /** @description Change, activate or deactivate a source. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["SourceWithConfig"];
        };
      };
    };
  };
  getSourceRuns: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description Slug of a source. */
        source: components["parameters"]["source"];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Get the last runs of a source, and why they failed. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["SourceRuns"];
        };
      };
    };
  };
  listUnreadLabels: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description Slug of a source. */
        source: components["parameters"]["source"];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description List labels on the pages of a source that are not read. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["UnreadLabels"];
        };
      };
    };
  };
  markUnreadLabel: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description Slug of a source. */
        source: components["parameters"]["source"];
      };
      cookie?: never;
    };
    /** @description The label. */
    requestBody: {
      content: {
        "application/json": {
          /** @description The label or heading, as the page shows it. */
          label: string;
          /** @description Whether an operator has marked it as having nothing to read. */
          is_known: boolean;
        };
      };
    };
    responses: {
      /** @description Mark a label as known: there is nothing to read there. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["UnreadLabels"];
        };
      };
    };
  };
  restoreSource: {
    parameters: {
      query?: never;
      header?: {
        /** @description Makes the request safe to retry. Within 24 hours it takes effect once; a repeated request gets the first response again, with `Idempotent-Replayed: true`. The service keeps the last 5,000 keys of a caller. */
        "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
      };
      path: {
        /** @description Slug of a source. */
        source: components["parameters"]["source"];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Restore a retired source. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["SourceOrder"];
        };
      };
    };
  };
  updateRefreshPolicy: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description Slug of a source. */
        source: components["parameters"]["source"];
      };
      cookie?: never;
    };
    /** @description Fields to change. */
    requestBody: {
      content: {
        "application/json": {
          /**
           * @description Refresh interval.
           * @enum {string}
           */
          cadence?: "daily" | "weekly" | "monthly" | "quarterly" | "annual" | "tax-statement-window";
          /** @description Due time of the next refresh: an ISO 8601 time in the years 2000 to 9999, for example 2026-01-02T03:04:05.678Z. */
          next_due_at?: string;
          /** @description Whether only agricultural parcels are refreshed. */
          agricultural_only?: boolean;
        };
      };
    };
    responses: {
      /** @description Change the refresh policy of a source. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["RefreshPolicy"];
        };
      };
    };
  };
  dryRunSource: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description Slug of a source. */
        source: components["parameters"]["source"];
      };
      cookie?: never;
    };
    /** @description The parcel to scrape. */
    requestBody: {
      content: {
        "application/json": {
          /** @description Id of the parcel, in the notation of its source. It has at least one letter or digit. */
          source_parcel_id: string;
          /** @description Settings to try in place of the stored ones. */
          vendor_config?: {
            [key: string]: unknown;
          };
          overrides?: components["schemas"]["ScrapeOverrides"];
        };
      };
    };
    responses: {
      /** @description Scrape one parcel without storing it. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["DryRun"];
        };
      };
    };
  };
  getSourceProof: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description Slug of a source. */
        source: components["parameters"]["source"];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Get the proof of a source. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["SourceProof"];
        };
      };
    };
  };
  proveSource: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description Slug of a source. */
        source: components["parameters"]["source"];
      };
      cookie?: never;
    };
    /** @description The parcel of a dry run, and its `reading`. */
    requestBody: {
      content: {
        "application/json": {
          source_parcel_id: components["schemas"]["SourceParcelId"];
          /** @description A hash of what a dry run read. */
          reading: string;
          overrides?: components["schemas"]["ScrapeOverrides"];
        };
      };
    };
    responses: {
      /** @description Prove a source: confirm that a dry run is right. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["SourceProof"];
        };
      };
    };
  };
  getGoldenPage: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description Slug of a source. */
        source: components["parameters"]["source"];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The responses of the portal, each after a line with its name, URL and status. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "text/plain": string;
        };
      };
    };
  };
  exportGoldenPage: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description Slug of a source. */
        source: components["parameters"]["source"];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Export the golden page of a source without names, addresses and numbers. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": {
            /** @description The source. */
            source: string;
            /** @description The vendor whose adapter reads it. */
            vendor: string;
            /** @description What was scraped. */
            target: {
              [key: string]: unknown;
            };
            /** @description The settings of the source, without secrets. */
            vendorConfig: {
              [key: string]: unknown;
            };
            /** @description In the order of the responses. */
            answeredAt: string[];
            /** @description What the portal sent. */
            set: {
              /** @description The source. */
              source: string;
              /** @description The parcel. */
              sourceParcelId: string;
              /** @description The responses of the portal, in the order of the requests. */
              answers: {
                /** @description The adapter's name for the response. */
                name: string;
                /** @description The URL after redirects. */
                url: string;
                /** @description HTTP status. */
                status: number;
                /** @description The headers that adapters read. */
                headers: Record<string, never>;
                /** @description The body of the response. */
                body: string;
                /** @description The request that it answered. */
                asked: {
                  /** @description HTTP method. */
                  method: string;
                  /** @description The URL that was requested. */
                  url: string;
                };
              }[];
            };
            /** @description What the adapter reads from the responses. */
            read: {
              [key: string]: unknown;
            };
          };
        };
      };
    };
  };
  listErrorHistory: {
    parameters: {
      query?: {
        /** @description Number of days, including today. */
        days?: number;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Get the error history of all sources by day. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": {
            /**
             * Format: date-time
             * @description Jobs that ended after this time are not counted yet.
             */
            counted_up_to: string;
            /** @description Number of rows in this response. */
            count: number;
            /** @description Ordered by slug. */
            sources: components["schemas"]["SourceErrorHistory"][];
          };
        };
      };
    };
  };
  listSourceHealth: {
    parameters: {
      query?: {
        /** @description Maximum number of rows; all rows if omitted. */
        limit?: number;
        /** @description `next` of the previous page. */
        after?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Get the health of sources: parcels, jobs, errors. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": {
            /** @description Number of rows in this response. */
            count: number;
            /** @description Ordered by slug. */
            sources: components["schemas"]["SourceHealth"][];
            /** @description Only if `limit` is given: `after` for the next page; null on the last page. */
            next?: string | null;
          };
        };
      };
    };
  };
  listParcels: {
    parameters: {
      query?: {
        /** @description A box as four comma-separated numbers: west,south,east,north, in degrees (EPSG:4326). If west is greater than east, the box crosses the antimeridian. */
        bbox?: string;
        /** @description Parcels whose boundary contains this point, the smallest first, because lots can be stacked. A point is two comma-separated numbers: lon,lat, in degrees (EPSG:4326). */
        at?: string;
        /** @description Parcels near this point, the nearest first, with `distance_m`. Needs `within`. A point is two comma-separated numbers: lon,lat, in degrees (EPSG:4326). */
        near?: string;
        /** @description With `near`: how far away a boundary may be. It must be a distance above 0 with its unit: m, km, ft or mi, like 500m or 1.5km. */
        within?: string;
        /** @description 2-letter code. */
        state?: components["parameters"]["state"];
        /** @description Slug of a source. */
        source?: string;
        /** @description Name of the county, in upper or lower case, with or without "County". */
        county?: components["parameters"]["county"];
        /** @description Prefix of `land_use_class`, in upper or lower case. */
        land_use?: components["parameters"]["land_use"];
        /** @description Prefix of `zoning_code`, `zoning_description` or `land_use_class`. */
        zoning?: components["parameters"]["zoning"];
        /** @description Lowest `assessed_value` in dollars. */
        min_value?: components["parameters"]["min_value"];
        /** @description Highest `assessed_value` in dollars. */
        max_value?: components["parameters"]["max_value"];
        /** @description Smallest `acreage`. */
        min_acres?: components["parameters"]["min_acres"];
        /** @description Largest `acreage`. */
        max_acres?: components["parameters"]["max_acres"];
        /** @description Whole name of the owner, in upper or lower case. Punctuation, accents and the spelling of company forms do not matter: `Acme Holdings, L.L.C.` and `ACME HOLDINGS LLC` are equal. Owners of accounts are found only by search. */
        owner?: components["parameters"]["owner"];
        /** @description Whole `source_parcel_id`, with or without punctuation, in upper or lower case. */
        parcel_id?: components["parameters"]["parcel_id"];
        /** @description Whether `is_agricultural` is true or false. */
        agricultural?: components["parameters"]["agricultural"];
        /** @description Only parcels whose record changed at or after this time. Changes can appear out of order, so to poll a list, send the `complete_until` of the last poll, not its time. `/v1/changes` returns each change once, and retirements too. A date (UTC) or a time with its offset, in ISO 8601: 2026-01-02 or 2026-01-02T03:04:05Z. A date means the start of that day. */
        changed_since?: components["parameters"]["changed_since"];
        /** @description Whether the boundary is known. */
        has_geometry?: components["parameters"]["has_geometry"];
        /** @description true: only retired parcels, which their source no longer lists. Each row then has `retired_at`. */
        retired?: components["parameters"]["retired"];
        /** @description Includes retired parcels: those that their source no longer lists. Each row then has `retired_at`. */
        include?: components["parameters"]["include"];
        /** @description Comma-separated fields of each row, in addition to `id`, `source` and `source_parcel_id`: lon, lat, acreage, owner_name, owner_names_all, owner_mailing_address, situs_address, situs_city, situs_state, situs_zip, land_use_class, zoning_code, zoning_description, is_agricultural, assessed_value, value_land, value_improvement, state, county_name, bbox, scraped_at, ingested_at, updated_at, retired_at, accounts. `all` means all of them except `accounts`. */
        fields?: components["parameters"]["fields"];
        /** @description `full` adds the boundary as `geom_geojson`. `simplified` leaves out corners that are closer than about two meters to the line between their neighbors. */
        geometry?: components["parameters"]["geometry"];
        /** @description Order of the rows. A leading `-` sorts in descending order. `source_parcel_id` sorts by source, then by parcel id. Parcels without a value come last. Default: `id` with `bbox`, otherwise `source_parcel_id`. */
        sort?: components["parameters"]["sort"];
        /** @description Adds `total`, the number of parcels on all pages. `exact` counts every parcel. `estimate` counts up to 10,000 parcels, and estimates larger numbers from a sample. */
        count?: components["parameters"]["count"];
        /** @description Maximum number of rows. */
        limit?: number;
        /** @description `next` of the previous page, with the same filters and order. */
        after?: string;
        /** @description The parcels that were in the box then, with their values at that time. Only with `bbox`, `source`, `include`, `limit` and `after`. A date (UTC) or a time with its offset, in ISO 8601: 2026-01-02 or 2026-01-02T03:04:05Z. A date means the start of that day. */
        as_of?: string;
      };
      header?: {
        /** @description A dataset version that you have seen. The response has every change up to it, if there is such a version. */
        "X-Dataset-Version"?: components["parameters"]["X-Dataset-Version"];
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description List parcels by place or filter. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": {
            /** @description Number of rows in this response. */
            count: number;
            /** @description In the order of the list. */
            parcels: components["schemas"]["ParcelRow"][];
            /** @description `after` for the next page; null on the last page. Its format depends on the order. A page with large boundaries or accounts, or of a thin area, can have fewer rows than `limit` even if it is not the last. */
            next: string | null;
            /** @description Only with `count`: number of parcels on all pages. */
            total?: number;
            /** @description Only with `count`: false if `total` is an estimate. At a place other than a box, it is always exact. */
            total_is_exact?: boolean;
            /**
             * Format: date-time
             * @description Only with `changed_since`: changes before this time are in the list. To poll, send the one of the first page as the next `changed_since`.
             */
            complete_until?: string;
          };
        };
      };
    };
  };
  listParcelsWithin: {
    parameters: {
      query?: {
        /** @description `intersects`: the boundary and the area share a point. `within`: the whole parcel is in the area. */
        relation?: "intersects" | "within";
        /** @description 2-letter code. */
        state?: components["parameters"]["state"];
        /** @description Slug of a source. */
        source?: string;
        /** @description Name of the county, in upper or lower case, with or without "County". */
        county?: components["parameters"]["county"];
        /** @description Prefix of `land_use_class`, in upper or lower case. */
        land_use?: components["parameters"]["land_use"];
        /** @description Prefix of `zoning_code`, `zoning_description` or `land_use_class`. */
        zoning?: components["parameters"]["zoning"];
        /** @description Lowest `assessed_value` in dollars. */
        min_value?: components["parameters"]["min_value"];
        /** @description Highest `assessed_value` in dollars. */
        max_value?: components["parameters"]["max_value"];
        /** @description Smallest `acreage`. */
        min_acres?: components["parameters"]["min_acres"];
        /** @description Largest `acreage`. */
        max_acres?: components["parameters"]["max_acres"];
        /** @description Whole name of the owner, in upper or lower case. Punctuation, accents and the spelling of company forms do not matter: `Acme Holdings, L.L.C.` and `ACME HOLDINGS LLC` are equal. Owners of accounts are found only by search. */
        owner?: components["parameters"]["owner"];
        /** @description Whole `source_parcel_id`, with or without punctuation, in upper or lower case. */
        parcel_id?: components["parameters"]["parcel_id"];
        /** @description Whether `is_agricultural` is true or false. */
        agricultural?: components["parameters"]["agricultural"];
        /** @description Only parcels whose record changed at or after this time. Changes can appear out of order, so to poll a list, send the `complete_until` of the last poll, not its time. `/v1/changes` returns each change once, and retirements too. A date (UTC) or a time with its offset, in ISO 8601: 2026-01-02 or 2026-01-02T03:04:05Z. A date means the start of that day. */
        changed_since?: components["parameters"]["changed_since"];
        /** @description Whether the boundary is known. */
        has_geometry?: components["parameters"]["has_geometry"];
        /** @description true: only retired parcels, which their source no longer lists. Each row then has `retired_at`. */
        retired?: components["parameters"]["retired"];
        /** @description Includes retired parcels: those that their source no longer lists. Each row then has `retired_at`. */
        include?: components["parameters"]["include"];
        /** @description Comma-separated fields of each row, in addition to `id`, `source` and `source_parcel_id`: lon, lat, acreage, owner_name, owner_names_all, owner_mailing_address, situs_address, situs_city, situs_state, situs_zip, land_use_class, zoning_code, zoning_description, is_agricultural, assessed_value, value_land, value_improvement, state, county_name, bbox, scraped_at, ingested_at, updated_at, retired_at, accounts. `all` means all of them except `accounts`. */
        fields?: components["parameters"]["fields"];
        /** @description `full` adds the boundary as `geom_geojson`. `simplified` leaves out corners that are closer than about two meters to the line between their neighbors. */
        geometry?: components["parameters"]["geometry"];
        /** @description Order of the rows. A leading `-` sorts in descending order. `source_parcel_id` sorts by source, then by parcel id. Parcels without a value come last. Default: `id` with `bbox`, otherwise `source_parcel_id`. */
        sort?: components["parameters"]["sort"];
        /** @description Adds `total`, the number of parcels on all pages. `exact` counts every parcel. `estimate` counts up to 10,000 parcels, and estimates larger numbers from a sample. */
        count?: components["parameters"]["count"];
        /** @description Maximum number of rows. */
        limit?: number;
        /** @description `next` of the previous page, with the same filters and order. */
        after?: string;
      };
      header?: {
        /** @description A dataset version that you have seen. The response has every change up to it, if there is such a version. */
        "X-Dataset-Version"?: components["parameters"]["X-Dataset-Version"];
      };
      path?: never;
      cookie?: never;
    };
    /** @description A GeoJSON Polygon or MultiPolygon with at most 10,000 positions. */
    requestBody: {
      content: {
        "application/json": components["schemas"]["Area"];
      };
    };
    responses: {
      /** @description List parcels in an area. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": {
            /** @description Number of rows in this response. */
            count: number;
            /** @description In the order of the list. */
            parcels: components["schemas"]["ParcelRow"][];
            /** @description `after` for the next page; null on the last page. Its format depends on the order. A page with large boundaries or accounts, or of a thin area, can have fewer rows than `limit` even if it is not the last. */
            next: string | null;
            /** @description Only with `count`: number of parcels on all pages. */
            total?: number;
            /** @description Only with `count`: false if `total` is an estimate. At a place other than a box, it is always exact. */
            total_is_exact?: boolean;
            /**
             * Format: date-time
             * @description Only with `changed_since`: changes before this time are in the list. To poll, send the one of the first page as the next `changed_since`.
             */
            complete_until?: string;
          };
        };
      };
    };
  };
  getParcel: {
    parameters: {
      query?: {
        /** @description The record as the service knew it then. A date (UTC) or a time with its offset, in ISO 8601: 2026-01-02 or 2026-01-02T03:04:05Z. A date means the start of that day. */
        as_of?: string;
      };
      header?: {
        /** @description ETag of the response that you have. If it has not changed, the response is 304 without a body. */
        "If-None-Match"?: components["parameters"]["If-None-Match"];
        /** @description A dataset version that you have seen. The response has every change up to it, if there is such a version. */
        "X-Dataset-Version"?: components["parameters"]["X-Dataset-Version"];
      };
      path: {
        /** @description Slug of a source. */
        source: components["parameters"]["source"];
        /** @description The source_parcel_id, in the notation of its source (percent-encoded). */
        id: components["parameters"]["id"];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Get one parcel with all fields. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Parcel"];
        };
      };
    };
  };
  listNeighbors: {
    parameters: {
      query?: {
        /** @description Parcels that are at most this far away, up to 1 km, instead of those that share an edge. It must be a distance above 0 with its unit: m, km, ft or mi, like 500m or 1.5km. */
        within?: string;
        /** @description 2-letter code. */
        state?: components["parameters"]["state"];
        /** @description Name of the county, in upper or lower case, with or without "County". */
        county?: components["parameters"]["county"];
        /** @description Prefix of `land_use_class`, in upper or lower case. */
        land_use?: components["parameters"]["land_use"];
        /** @description Prefix of `zoning_code`, `zoning_description` or `land_use_class`. */
        zoning?: components["parameters"]["zoning"];
        /** @description Lowest `assessed_value` in dollars. */
        min_value?: components["parameters"]["min_value"];
        /** @description Highest `assessed_value` in dollars. */
        max_value?: components["parameters"]["max_value"];
        /** @description Smallest `acreage`. */
        min_acres?: components["parameters"]["min_acres"];
        /** @description Largest `acreage`. */
        max_acres?: components["parameters"]["max_acres"];
        /** @description Whole name of the owner, in upper or lower case. Punctuation, accents and the spelling of company forms do not matter: `Acme Holdings, L.L.C.` and `ACME HOLDINGS LLC` are equal. Owners of accounts are found only by search. */
        owner?: components["parameters"]["owner"];
        /** @description Whole `source_parcel_id`, with or without punctuation, in upper or lower case. */
        parcel_id?: components["parameters"]["parcel_id"];
        /** @description Whether `is_agricultural` is true or false. */
        agricultural?: components["parameters"]["agricultural"];
        /** @description Only parcels whose record changed at or after this time. Changes can appear out of order, so to poll a list, send the `complete_until` of the last poll, not its time. `/v1/changes` returns each change once, and retirements too. A date (UTC) or a time with its offset, in ISO 8601: 2026-01-02 or 2026-01-02T03:04:05Z. A date means the start of that day. */
        changed_since?: components["parameters"]["changed_since"];
        /** @description Whether the boundary is known. */
        has_geometry?: components["parameters"]["has_geometry"];
        /** @description true: only retired parcels, which their source no longer lists. Each row then has `retired_at`. */
        retired?: components["parameters"]["retired"];
        /** @description Includes retired parcels: those that their source no longer lists. Each row then has `retired_at`. */
        include?: components["parameters"]["include"];
        /** @description Comma-separated fields of each row, in addition to `id`, `source` and `source_parcel_id`: lon, lat, acreage, owner_name, owner_names_all, owner_mailing_address, situs_address, situs_city, situs_state, situs_zip, land_use_class, zoning_code, zoning_description, is_agricultural, assessed_value, value_land, value_improvement, state, county_name, bbox, scraped_at, ingested_at, updated_at, retired_at, accounts. `all` means all of them except `accounts`. */
        fields?: components["parameters"]["fields"];
        /** @description `full` adds the boundary as `geom_geojson`. `simplified` leaves out corners that are closer than about two meters to the line between their neighbors. */
        geometry?: components["parameters"]["geometry"];
        /** @description Maximum number of rows. */
        limit?: number;
        /** @description `next` of the previous page, with the same filters and order. */
        after?: string;
      };
      header?: {
        /** @description A dataset version that you have seen. The response has every change up to it, if there is such a version. */
        "X-Dataset-Version"?: components["parameters"]["X-Dataset-Version"];
      };
      path: {
        /** @description Slug of a source. */
        source: components["parameters"]["source"];
        /** @description The source_parcel_id, in the notation of its source (percent-encoded). */
        id: components["parameters"]["id"];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description List the neighbors of a parcel. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": {
            /** @description Number of rows in this response. */
            count: number;
            /** @description In the order of the list. */
            parcels: components["schemas"]["ParcelRow"][];
            /** @description `after` for the next page; null on the last page. Its format depends on the order. A page with large boundaries or accounts, or of a thin area, can have fewer rows than `limit` even if it is not the last. */
            next: string | null;
            /** @description Only with `count`: number of parcels on all pages. */
            total?: number;
            /** @description Only with `count`: false if `total` is an estimate. At a place other than a box, it is always exact. */
            total_is_exact?: boolean;
            /**
             * Format: date-time
             * @description Only with `changed_since`: changes before this time are in the list. To poll, send the one of the first page as the next `changed_since`.
             */
            complete_until?: string;
          };
        };
      };
    };
  };
  listParcelHistory: {
    parameters: {
      query?: {
        /** @description `next` of the previous page. */
        after?: number;
        /** @description Maximum number of rows. */
        limit?: components["parameters"]["limit"];
      };
      header?: {
        /** @description A dataset version that you have seen. The response has every change up to it, if there is such a version. */
        "X-Dataset-Version"?: components["parameters"]["X-Dataset-Version"];
      };
      path: {
        /** @description Slug of a source. */
        source: components["parameters"]["source"];
        /** @description The source_parcel_id, in the notation of its source (percent-encoded). */
        id: components["parameters"]["id"];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description List the changes of a parcel, newest first. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": {
            /** @description Number of rows in this response. */
            count: number;
            /** @description Newest first. */
            changes: components["schemas"]["Change"][];
            /** @description `after` for the next page; null on the last page. */
            next: number | null;
          };
        };
      };
    };
  };
  listProvenance: {
    parameters: {
      query?: never;
      header?: {
        /** @description ETag of the response that you have. If it has not changed, the response is 304 without a body. */
        "If-None-Match"?: components["parameters"]["If-None-Match"];
        /** @description A dataset version that you have seen. The response has every change up to it, if there is such a version. */
        "X-Dataset-Version"?: components["parameters"]["X-Dataset-Version"];
      };
      path: {
        /** @description Slug of a source. */
        source: components["parameters"]["source"];
        /** @description The source_parcel_id, in the notation of its source (percent-encoded). */
        id: components["parameters"]["id"];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Get the origin of each field of a parcel. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": {
            /** @description Number of rows in this response. */
            count: number;
            /** @description All fields that have a value. */
            fields: components["schemas"]["FieldOrigin"][];
          };
        };
      };
    };
  };
  listPages: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description Slug of a source. */
        source: components["parameters"]["source"];
        /** @description The source_parcel_id, in the notation of its source (percent-encoded). */
        id: components["parameters"]["id"];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description List the kept pages of a parcel. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": {
            /** @description Number of rows in this response. */
            count: number;
            /** @description Newest first. */
            pages: components["schemas"]["KeptPage"][];
          };
        };
      };
    };
  };
  getPage: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description Slug of a source. */
        source: components["parameters"]["source"];
        /** @description The source_parcel_id, in the notation of its source (percent-encoded). */
        id: components["parameters"]["id"];
        /** @description `hash` of a kept page. */
        hash: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The responses of the portal, each after a line with its name, URL and status. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "text/plain": string;
        };
      };
    };
  };
  listChanges: {
    parameters: {
      query?: {
        /** @description Changes after this version: `next` of the last response. */
        after?: number;
        /** @description Starts with the changes at this time. Use it instead of `after`. A date (UTC) or a time with its offset, in ISO 8601: 2026-01-02 or 2026-01-02T03:04:05Z. A date means the start of that day. */
        since?: string;
        /** @description Slug of a source. */
        source?: string;
        /** @description Only changes of parcels whose bounding box intersects this one before or after the change. A box as four comma-separated numbers: west,south,east,north, in degrees (EPSG:4326). If west is greater than east, the box crosses the antimeridian. */
        bbox?: string;
        /** @description Only changes of these fields, comma-separated. `scrape_data` stands for all its members. */
        fields?: string;
        /** @description Only parcels of this owner, before or after the change. Case, punctuation and forms such as `L.L.C.` do not matter. */
        owner?: string;
        /** @description If there is no change, wait for one, for up to this many seconds. */
        wait?: number;
        /** @description Maximum number of rows. */
        limit?: number;
      };
      header?: {
        /** @description A dataset version that you have seen. The response has every change up to it, if there is such a version. */
        "X-Dataset-Version"?: components["parameters"]["X-Dataset-Version"];
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Follow the changes of parcels. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": {
            /** @description In order of their versions. */
            changes: components["schemas"]["Change"][];
            /** @description `after` for the next request. It advances even if no change passed the filters. */
            next: number;
            /** @description The log is complete up to this version. If `next` equals it, you have read everything. */
            watermark: number;
          };
        };
      };
    };
  };
  search: {
    parameters: {
      query: {
        /** @description An owner, address, company or parcel id, or the start of one. Typos are tolerated. 2 to 200 characters. A state at the end limits the search to that state. */
        q: string;
        /** @description Maximum number of rows. */
        limit?: number;
        /** @description Comma-separated subset of parcels and entities. */
        types?: string;
        /** @description 2-letter code. Filters parcels by state and entities by jurisdiction. */
        state?: string;
        /** @description Slug of a source. Filters parcels, but not entities. */
        source?: string;
        /** @description Name of the county, in upper or lower case, with or without "County". Returns parcels only. */
        county?: string;
        /** @description Prefix of `land_use_class`, in upper or lower case. Returns parcels only. */
        land_use?: string;
        /** @description Prefix of `zoning_code`, `zoning_description` or `land_use_class`. Filters parcels, but not entities. */
        zoning?: string;
        /** @description Lowest `assessed_value` in dollars. */
        min_value?: components["parameters"]["min_value"];
        /** @description Highest `assessed_value` in dollars. */
        max_value?: components["parameters"]["max_value"];
        /** @description Smallest `acreage`. */
        min_acres?: components["parameters"]["min_acres"];
        /** @description Largest `acreage`. */
        max_acres?: components["parameters"]["max_acres"];
        /** @description A box as four comma-separated numbers: west,south,east,north, in degrees (EPSG:4326). If west is greater than east, the box crosses the antimeridian. Returns only parcels whose bounding box intersects this one. */
        bbox?: string;
        /** @description Includes retired parcels: those that their source no longer lists. Each row then has `retired_at`. */
        include?: components["parameters"]["include"];
        /** @description Degrees; requires `lon`. Nearer parcels rank higher; none are filtered out. */
        lat?: number;
        /** @description Degrees; requires `lat`. */
        lon?: number;
        /** @description Radius of the proximity bonus in kilometers. */
        proximity_km?: number;
        /** @description Merges parcels with the same owner name, in any case. */
        group?: "owner";
        /** @description `next` of the previous page, or `members_next` of a group for the other parcels of its owner. Only `limit`, `total`, `explain`, `highlight` and `center` may differ from its request. */
        after?: string;
        /** @description 1 counts all hits, up to 1,000, and ranks all of them for the first page too. This takes longer for common words. */
        total?: "1" | "0" | "true" | "false";
        /** @description 1 adds the parts of the score to each hit. */
        explain?: "1" | "0" | "true" | "false";
        /** @description 1 adds the matching fields to each hit, as HTML with the matched parts marked. */
        highlight?: "1" | "0" | "true" | "false";
        /** @description 1 adds the center of the parcel to each parcel hit. */
        center?: "1" | "0" | "true" | "false";
      };
      header?: {
        /** @description A dataset version that you have seen. The response has every change up to it, if there is such a version. */
        "X-Dataset-Version"?: components["parameters"]["X-Dataset-Version"];
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Search parcels and business entities. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": {
            /** @description Number of rows in this response. */
            count: number;
            /** @description Best first. `kind` is the type of the hit. */
            results: (components["schemas"]["ParcelHit"] | components["schemas"]["EntityHit"] | components["schemas"]["OwnerGroup"])[];
            /** @description Number of hits on all pages, at most 1,000. On pages of `members_next`: the number of all parcels of the owner. */
            total: number;
            /** @description false: there may be more than `total`. `total=1` and later pages count all hits; more than 1,000 are never counted. */
            total_is_exact: boolean;
            /** @description `after` for the next page; null on the last page. Pages end after 1,000 hits. */
            next: string | null;
            /** @description The corrected query. Present only if words that are in no record were treated as typos. */
            corrected?: string;
          };
        };
      };
    };
  };
  listEntities: {
    parameters: {
      query: {
        /** @description Name of the entity, such as the `owner_name` of a parcel. Case, punctuation and forms such as `L.L.C.` do not matter. */
        name: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Find registry entities by their name. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": {
            /** @description The first 100, by state and registry number. */
            entities: components["schemas"]["Entity"][];
          };
        };
      };
    };
  };
  getEntity: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description Id of the entity. */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Get one registry entity. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Entity"];
        };
      };
    };
  };
  listFindings: {
    parameters: {
      query?: {
        /** @description `true`: only dismissed findings. `any`: all findings. By default, dismissed ones are left out. */
        dismissed?: components["parameters"]["dismissed"];
        /** @description Maximum number of rows. */
        limit?: components["parameters"]["limit"];
      };
      header?: never;
      path: {
        /** @description Slug of a source. */
        source: components["parameters"]["source"];
        /** @description The source_parcel_id, in the notation of its source (percent-encoded). */
        id: components["parameters"]["id"];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description List the findings of one parcel. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": {
            /** @description Number of rows in this response. */
            count: number;
            /** @description Most severe first. */
            findings: components["schemas"]["Finding"][];
          };
        };
      };
    };
  };
  listAllFindings: {
    parameters: {
      query?: {
        /** @description `true`: only dismissed findings. `any`: all findings. By default, dismissed ones are left out. */
        dismissed?: components["parameters"]["dismissed"];
        /** @description Severity. */
        severity?: "info" | "low" | "medium" | "high";
        /** @description Category. */
        category?: "ownership" | "valuation" | "tax" | "exemption" | "geometry" | "data-quality";
        /** @description Slug of a source. */
        source?: string;
        /** @description Maximum number of rows. */
        limit?: components["parameters"]["limit"];
        /** @description `next` of the previous page. */
        after?: components["parameters"]["after"];
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description List the findings of all parcels, newest first. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": {
            /** @description Number of rows in this response. */
            count: number;
            /** @description Newest first. */
            findings: components["schemas"]["ParcelFinding"][];
            /** @description `after` for the next page; null on the last page. */
            next: string | null;
          };
        };
      };
    };
  };
  dismissFinding: {
    parameters: {
      query?: never;
      header?: {
        /** @description Makes the request safe to retry. Within 24 hours it takes effect once; a repeated request gets the first response again, with `Idempotent-Replayed: true`. The service keeps the last 5,000 keys of a caller. */
        "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
      };
      path: {
        /** @description Id of the finding. */
        id: string;
      };
      cookie?: never;
    };
    /** @description The reason. */
    requestBody: {
      content: {
        "application/json": {
          /** @description Why the finding needs no action. */
          reason: string;
        };
      };
    };
    responses: {
      /** @description Dismiss a finding. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ParcelFinding"];
        };
      };
    };
  };
  reopenFinding: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description Id of the finding. */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Reopen a dismissed finding. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ParcelFinding"];
        };
      };
    };
  };
  listScrapeJobs: {
    parameters: {
      query?: {
        /** @description Status of the job. `done` and `error` are final. */
        status?: "queued" | "running" | "done" | "error";
        /** @description Slug of a source. */
        source?: string;
        /** @description A source_parcel_id. Matches parcels of all sources unless `source` is given. */
        parcel_id?: string;
        /** @description Only failed jobs of this class. Needs `source`. */
        failure_class?: "page_changed" | "redirected" | "page_missing" | "too_large" | "name_not_found" | "certificate" | "network" | "server_error" | "timeout" | "throttled" | "blocked" | "challenge" | "maintenance" | "not_found" | "wrong_parcel" | "bad_config" | "internal" | "server_unavailable" | "worker_lost" | "worker_stopped" | "vendor_paused" | "cancelled";
        /** @description Maximum number of rows. */
        limit?: components["parameters"]["limit"];
        /** @description `next` of the previous page. */
        after?: components["parameters"]["after"];
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description List scrape jobs, newest first. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": {
            /** @description Number of rows in this response. */
            count: number;
            /** @description Newest first. */
            jobs: components["schemas"]["Job"][];
            /** @description `after` for the next page; null on the last page. */
            next: string | null;
          };
        };
      };
    };
  };
  enqueueScrapes: {
    parameters: {
      query?: never;
      header?: {
        /** @description Makes the request safe to retry. Within 24 hours it takes effect once; a repeated request gets the first response again, with `Idempotent-Replayed: true`. The service keeps the last 5,000 keys of a caller. */
        "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
      };
      path?: never;
      cookie?: never;
    };
    /** @description One parcel, or an array of 1 to 1,000. */
    requestBody: {
      content: {
        "application/json": components["schemas"]["ScrapeOrder"] | components["schemas"]["ScrapeOrder"][];
      };
    };
    responses: {
      /** @description Queue scrapes of parcels. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": {
            /** @description Number of rows in this response. */
            count: number;
            /** @description One job for each parcel. */
            jobs: components["schemas"]["QueuedJob"][];
          };
        };
      };
    };
  };
  getJobTotals: {
    parameters: {
      query?: {
        /** @description Slug of a source. */
        source?: string;
        /** @description Name of a vendor. */
        vendor?: string;
        /** @description Start of the period in which ended jobs are counted. Default: one hour ago. A date (UTC) or a time with its offset, in ISO 8601: 2026-01-02 or 2026-01-02T03:04:05Z. A date means the start of that day. */
        since?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Count jobs, and estimate the time left. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["JobTotals"];
        };
      };
    };
  };
  getScrapeJob: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description A job id (UUID). */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Get one scrape job. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Job"];
        };
      };
    };
  };
  cancelScrapeJob: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description A job id (UUID). */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Cancel a queued or running job. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Job"];
        };
      };
    };
  };
  listScrapeAttempts: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description A job id (UUID). */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description List the attempts of one scrape job. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": {
            /** @description Only for admins. Who requested the job: the first 8 characters of a key, or an account (its email for admins, a short name like `account 1a2b3c4d5e6f` for others). Null for the scheduler. */
            requested_by?: string | null;
            /** @description Oldest first. */
            attempts: components["schemas"]["JobAttempt"][];
          };
        };
      };
    };
  };
  retryScrapeJob: {
    parameters: {
      query?: never;
      header?: {
        /** @description Makes the request safe to retry. Within 24 hours it takes effect once; a repeated request gets the first response again, with `Idempotent-Replayed: true`. The service keeps the last 5,000 keys of a caller. */
        "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
      };
      path: {
        /** @description A job id (UUID). */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Retry a finished job. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Job"];
        };
      };
    };
  };
  retryFailedJobs: {
    parameters: {
      query?: never;
      header?: {
        /** @description Makes the request safe to retry. Within 24 hours it takes effect once; a repeated request gets the first response again, with `Idempotent-Replayed: true`. The service keeps the last 5,000 keys of a caller. */
        "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
      };
      path?: never;
      cookie?: never;
    };
    /** @description Which jobs: of a source or of a vendor, and why they failed. */
    requestBody: {
      content: {
        "application/json": {
          source?: components["schemas"]["SourceSlug"];
          vendor?: components["schemas"]["VendorName"];
          failure_class: components["schemas"]["FailureClass"];
          /**
           * @description Maximum number of parcels to queue.
           * @default 10000
           */
          limit?: number;
        };
      };
    };
    responses: {
      /** @description Retry failed jobs by the class of their failure. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": {
            /** @description Parcels whose last job failed for this reason, and sources whose last crawl did. */
            failed: number;
            /** @description New jobs and crawls. */
            queued: number;
            /** @description Parcels and crawls that were already queued or running. */
            already_queued: number;
            /** @description Parcels beyond `limit`. Repeat the request to queue them. */
            left: number;
          };
        };
      };
    };
  };
  enqueueAgCounty: {
    parameters: {
      query?: never;
      header?: {
        /** @description Makes the request safe to retry. Within 24 hours it takes effect once; a repeated request gets the first response again, with `Idempotent-Replayed: true`. The service keeps the last 5,000 keys of a caller. */
        "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
      };
      path?: never;
      cookie?: never;
    };
    /** @description The county and the number of parcels. */
    requestBody: {
      content: {
        "application/json": {
          source: components["schemas"]["SourceSlug"];
          /**
           * @description Maximum number of parcels to queue.
           * @default 100000
           */
          limit?: number;
          /**
           * @description Skip parcels that were scraped within the source's cadence.
           * @default true
           */
          skip_existing?: boolean;
        };
      };
    };
    responses: {
      /** @description Queue scrapes of a county's agricultural parcels. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": {
            source: components["schemas"]["SourceSlug"];
            /** @description Agricultural parcels considered. */
            considered: number;
            /** @description New jobs. */
            enqueued: number;
            /** @description Skipped because they were scraped within the source's cadence. */
            skipped_fresh: number;
            /** @description Skipped because they were already queued. */
            already_queued: number;
          };
        };
      };
    };
  };
  orderRefresh: {
    parameters: {
      query?: never;
      header?: {
        /** @description Makes the request safe to retry. Within 24 hours it takes effect once; a repeated request gets the first response again, with `Idempotent-Replayed: true`. The service keeps the last 5,000 keys of a caller. */
        "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
      };
      path?: never;
      cookie?: never;
    };
    /** @description Which parcels. */
    requestBody: {
      content: {
        "application/json": {
          filter: components["schemas"]["ExportFilter"];
          /**
           * @description Maximum number of parcels to queue.
           * @default 100000
           */
          limit?: number;
          /**
           * @description Skip parcels that were scraped within their source's cadence.
           * @default true
           */
          skip_fresh?: boolean;
          /**
           * @description Only counts the parcels and estimates the time.
           * @default false
           */
          dry_run?: boolean;
        };
      };
    };
    responses: {
      /** @description Queue scrapes of the parcels of a filter. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["RefreshOrder"] | components["schemas"]["RefreshEstimate"];
        };
      };
    };
  };
  cancelScrapeJobs: {
    parameters: {
      query?: never;
      header?: {
        /** @description Makes the request safe to retry. Within 24 hours it takes effect once; a repeated request gets the first response again, with `Idempotent-Replayed: true`. The service keeps the last 5,000 keys of a caller. */
        "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
      };
      path?: never;
      cookie?: never;
    };
    /** @description Which jobs: of a source or of a vendor. */
    requestBody: {
      content: {
        "application/json": {
          source?: components["schemas"]["SourceSlug"];
          vendor?: components["schemas"]["VendorName"];
          /**
           * @description Omitted: both.
           * @enum {string}
           */
          status?: "queued" | "running";
          /**
           * @description Maximum number of jobs to cancel.
           * @default 10000
           */
          limit?: number;
        };
      };
    };
    responses: {
      /** @description Cancel the jobs of a source or a vendor. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": {
            /** @description Jobs that were cancelled. */
            cancelled: number;
            /** @description Matching jobs that are still queued or running. Repeat the request to cancel them. */
            left: number;
          };
        };
      };
    };
  };
  listConcurrency: {
    parameters: {
      query?: {
        /** @description Maximum number of rows; all rows if omitted. */
        limit?: number;
        /** @description `next` of the previous page. */
        after?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description List the concurrency settings of vendors. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": {
            /** @description Number of rows in this response. */
            count: number;
            /** @description Ordered by name. */
            vendors: components["schemas"]["VendorConcurrency"][];
            /** @description Only if `limit` is given: `after` for the next page; null on the last page. */
            next?: string | null;
          };
        };
      };
    };
  };
  getConcurrencyHistory: {
    parameters: {
      query?: {
        /** @description Length of the history in hours. */
        hours?: number;
      };
      header?: never;
      path: {
        /** @description Name of a vendor. */
        vendor: components["parameters"]["vendor"];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Get the history of a vendor's scrapes and target. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["VendorHistory"];
        };
      };
    };
  };
  updateConcurrency: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description Name of a vendor. */
        vendor: components["parameters"]["vendor"];
      };
      cookie?: never;
    };
    /** @description Fields to change. */
    requestBody: {
      content: {
        "application/json": {
          /** @description Lowest allowed target. */
          min_concurrency?: number;
          /** @description Highest allowed target. */
          max_concurrency?: number;
          /** @description Current number of concurrent scrapes. */
          target_concurrency?: number;
          /**
           * @description `auto`: the tuner changes the target. `manual`: the target stays as set.
           * @enum {string}
           */
          mode?: "auto" | "manual";
          /** @description The tuner lowers the target when p95 is above this. */
          slow_threshold_ms?: number;
          /** @description The tuner may raise the target when p95 is below this. */
          fast_threshold_ms?: number;
          /** @description Smallest change of the target in one step. */
          step_size?: number;
          /** @description Length of the window that the tuner evaluates. It takes at most one step per window. */
          signal_window_minutes?: number;
        };
      };
    };
    responses: {
      /** @description Change a vendor's concurrency settings. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["VendorConcurrency"];
        };
      };
    };
  };
  pauseVendor: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description Name of a vendor. */
        vendor: components["parameters"]["vendor"];
      };
      cookie?: never;
    };
    /** @description Why, and until when. */
    requestBody: {
      content: {
        "application/json": {
          /** @description Why the vendor is paused. */
          reason: string;
          /** @description When to resume automatically. Omitted or null: only when somebody resumes it. */
          until?: string | null;
        };
      };
    };
    responses: {
      /** @description Pause a vendor. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["VendorConcurrency"];
        };
      };
    };
  };
  resumeVendor: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description Name of a vendor. */
        vendor: components["parameters"]["vendor"];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Resume a paused vendor. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["VendorConcurrency"];
        };
      };
    };
  };
  runTuner: {
    parameters: {
      query?: never;
      header?: {
        /** @description Makes the request safe to retry. Within 24 hours it takes effect once; a repeated request gets the first response again, with `Idempotent-Replayed: true`. The service keeps the last 5,000 keys of a caller. */
        "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Run one tuner cycle now. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": {
            /** @description Number of rows in this response. */
            count: number;
            /** @description One decision for each vendor. */
            decisions: components["schemas"]["TunerDecision"][];
          };
        };
      };
    };
  };
  listTuningLog: {
    parameters: {
      query?: {
        /** @description Name of a vendor. */
        vendor?: string;
        /** @description Maximum number of rows. */
        limit?: number;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description List changes to concurrency settings, newest first. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": {
            /** @description Number of rows in this response. */
            count: number;
            /** @description Newest first. */
            entries: components["schemas"]["TuningEntry"][];
          };
        };
      };
    };
  };
  listCrawls: {
    parameters: {
      query?: {
        /** @description Maximum number of rows. */
        limit?: components["parameters"]["limit"];
        /** @description `next` of the previous page. */
        after?: components["parameters"]["after"];
      };
      header?: never;
      path: {
        /** @description Slug of a source. */
        source: components["parameters"]["source"];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description List the crawls of a source. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": {
            /** @description Number of rows in this response. */
            count: number;
            /** @description Newest first. */
            crawls: components["schemas"]["Crawl"][];
            /** @description `after` for the next page; null on the last page. */
            next: string | null;
          };
        };
      };
    };
  };
  startCrawl: {
    parameters: {
      query?: never;
      header?: {
        /** @description Makes the request safe to retry. Within 24 hours it takes effect once; a repeated request gets the first response again, with `Idempotent-Replayed: true`. The service keeps the last 5,000 keys of a caller. */
        "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
      };
      path: {
        /** @description Slug of a source. */
        source: components["parameters"]["source"];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Crawl a source now. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["CrawlWithRejects"];
        };
      };
    };
  };
  getCrawl: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description Slug of a source. */
        source: components["parameters"]["source"];
        /** @description A crawl id (UUID). */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Get one crawl of a source, with its rejected records. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["CrawlWithRejects"];
        };
      };
    };
  };
  cancelCrawl: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description Slug of a source. */
        source: components["parameters"]["source"];
        /** @description A crawl id (UUID). */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Cancel a queued or running crawl. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Crawl"];
        };
      };
    };
  };
  listExports: {
    parameters: {
      query?: {
        /** @description Maximum number of rows. */
        limit?: components["parameters"]["limit"];
        /** @description `next` of the previous page. */
        after?: components["parameters"]["after"];
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description List exports. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": {
            /** @description Number of rows in this response. */
            count: number;
            /** @description Newest first. */
            exports: components["schemas"]["Export"][];
            /** @description `after` for the next page; null on the last page. */
            next: string | null;
          };
        };
      };
    };
  };
  createExport: {
    parameters: {
      query?: never;
      header?: {
        /** @description Makes the request safe to retry. Within 24 hours it takes effect once; a repeated request gets the first response again, with `Idempotent-Replayed: true`. The service keeps the last 5,000 keys of a caller. */
        "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
        /** @description A dataset version that you have seen. The response has every change up to it, if there is such a version. */
        "X-Dataset-Version"?: components["parameters"]["X-Dataset-Version"];
      };
      path?: never;
      cookie?: never;
    };
    /** @description What to export, and how. */
    requestBody: {
      content: {
        "application/json": {
          /**
           * @description `geojsonseq`: GeoJSON text sequence (RFC 8142). `geoparquet`: GeoParquet 1.1 with zstd and rows in Hilbert order. `csv` has boundaries as well-known text, and lists separated by semicolons.
           * @enum {string}
           */
          format: "ndjson" | "csv" | "geojsonseq" | "flatgeobuf" | "geoparquet" | "geopackage";
          /**
           * @description Compresses a text format with gzip. Not allowed for binary formats.
           * @default false
           */
          gzip?: boolean;
          /** @description The fields of each parcel, in addition to `id`, `source` and `source_parcel_id`: lon, lat, acreage, owner_name, owner_names_all, owner_mailing_address, situs_address, situs_city, situs_state, situs_zip, land_use_class, zoning_code, zoning_description, is_agricultural, assessed_value, value_land, value_improvement, state, county_name, scraped_at, ingested_at, updated_at, retired_at, accounts. Omitted: all except `accounts`. Accounts are a JSON array in every format. */
          fields?: string[];
          /**
           * @description The boundary. `simplified` leaves out corners that are closer than about two meters to the line between their neighbors.
           * @default full
           * @enum {string}
           */
          geometry?: "full" | "simplified" | "none";
          filter?: components["schemas"]["ExportFilter"];
          within?: components["schemas"]["Area"];
          /**
           * @description `intersects`: the boundary and the area share a point. `within`: the whole parcel is in the area.
           * @default intersects
           * @enum {string}
           */
          relation?: "intersects" | "within";
          /**
           * @description `file`: the export is queued, and its file is kept for 7 days. `stream`: the response is the file, for at most 100,000 parcels as ndjson, csv, geojsonseq, flatgeobuf.
           * @default file
           * @enum {string}
           */
          delivery?: "file" | "stream";
        };
      };
    };
    responses: {
      /** @description With `delivery` `stream`: the parcels. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/x-ndjson": string;
          "text/csv": string;
          "application/geo+json-seq": string;
          "application/vnd.flatgeobuf": string;
          "application/gzip": string;
        };
      };
      /** @description Export parcels. */
      202: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Export"];
        };
      };
    };
  };
  getExport: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description An export id (UUID). */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Get an export, with the URL of its file. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Export"];
        };
      };
    };
  };
  cancelExport: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description An export id (UUID). */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Cancel a queued or running export. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Export"];
        };
      };
    };
  };
  downloadExport: {
    parameters: {
      query: {
        /** @description When the URL expires, in Unix seconds. */
        expires: string;
        /** @description The signature of the URL. */
        signature: string;
      };
      header?: never;
      path: {
        /** @description An export id (UUID). */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The whole file. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/x-ndjson": string;
          "text/csv": string;
          "application/geo+json-seq": string;
          "application/vnd.flatgeobuf": string;
          "application/vnd.apache.parquet": string;
          "application/geopackage+sqlite3": string;
          "application/gzip": string;
        };
      };
      /** @description The requested range. */
      206: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/x-ndjson": string;
          "text/csv": string;
          "application/geo+json-seq": string;
          "application/vnd.flatgeobuf": string;
          "application/vnd.apache.parquet": string;
          "application/geopackage+sqlite3": string;
          "application/gzip": string;
        };
      };
    };
  };
  listWork: {
    parameters: {
      query?: {
        /** @description A kind of work: `crawl`, `load`, `ingest`, `preview`, `tile_build`, `search_check`, `search_rebuild`, `webhooks`, `export`, `match`. */
        kind?: "crawl" | "load" | "ingest" | "preview" | "tile_build" | "search_check" | "search_rebuild" | "webhooks" | "export" | "match";
        /** @description The status. `done` and `error` are final. */
        status?: "queued" | "running" | "done" | "error";
        /** @description Slug of a source. */
        source?: string;
        /** @description Maximum number of rows. */
        limit?: components["parameters"]["limit"];
        /** @description `next` of the previous page. */
        after?: components["parameters"]["after"];
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description List long-running work. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": {
            /** @description Number of rows in this response. */
            count: number;
            /** @description Newest first. */
            work: components["schemas"]["Work"][];
            /** @description `after` for the next page; null on the last page. */
            next: string | null;
          };
        };
      };
    };
  };
  getWork: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description A work id (UUID). */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Get one long-running piece of work. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Work"];
        };
      };
    };
  };
  cancelWork: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description A work id (UUID). */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Cancel queued or running work. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Work"];
        };
      };
    };
  };
  getWorkRejects: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description A work id (UUID). */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The rejected records. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "text/csv": string;
        };
      };
    };
  };
  listLoads: {
    parameters: {
      query?: {
        /** @description Slug of a source. */
        source?: string;
        /** @description `staging`: it is being read. `held`: it would change too much and waits for an admin. `failed`: it stopped while it was applied, and a part of it is stored. `undone`: it was applied, and then undone. */
        status?: "staging" | "held" | "applying" | "applied" | "discarded" | "undone" | "failed";
        /** @description Maximum number of rows. */
        limit?: components["parameters"]["limit"];
        /** @description `next` of the previous page. */
        after?: components["parameters"]["after"];
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description List loads. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": {
            /** @description Number of rows in this response. */
            count: number;
            /** @description Newest first. */
            loads: components["schemas"]["Load"][];
            /** @description `after` for the next page; null on the last page. */
            next: string | null;
          };
        };
      };
    };
  };
  addLoad: {
    parameters: {
      query?: never;
      header?: {
        /** @description Makes the request safe to retry. Within 24 hours it takes effect once; a repeated request gets the first response again, with `Idempotent-Replayed: true`. The service keeps the last 5,000 keys of a caller. */
        "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
      };
      path?: never;
      cookie?: never;
    };
    /** @description The file, and the source that it is loaded into. */
    requestBody: {
      content: {
        "application/json": {
          source: components["schemas"]["SourceSlug"];
          /**
           * Format: uuid
           * @description The id of an uploaded file.
           */
          file?: string;
          /** @description The https URL of the file. */
          address?: string;
          settings?: components["schemas"]["FileSettings"];
          /** @description The date of the data. */
          as_of?: string;
        };
      };
    };
    responses: {
      /** @description Load a file of parcels into a source. */
      202: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["OrderedWork"];
        };
      };
    };
  };
  previewLoad: {
    parameters: {
      query?: never;
      header?: {
        /** @description Makes the request safe to retry. Within 24 hours it takes effect once; a repeated request gets the first response again, with `Idempotent-Replayed: true`. The service keeps the last 5,000 keys of a caller. */
        "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
      };
      path?: never;
      cookie?: never;
    };
    /** @description The file. It has either `file` or `address`. */
    requestBody: {
      content: {
        "application/json": {
          /**
           * Format: uuid
           * @description The id of an uploaded file.
           */
          file?: string;
          /** @description The https URL of the file. */
          address?: string;
          settings?: components["schemas"]["FileSettings"];
        };
      };
    };
    responses: {
      /** @description Preview a file of parcels before it is loaded. */
      202: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["OrderedWork"];
        };
      };
    };
  };
  getLoad: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description A load id (UUID). */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Get one load. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Load"];
        };
      };
    };
  };
  applyLoad: {
    parameters: {
      query?: never;
      header?: {
        /** @description Makes the request safe to retry. Within 24 hours it takes effect once; a repeated request gets the first response again, with `Idempotent-Replayed: true`. The service keeps the last 5,000 keys of a caller. */
        "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
      };
      path: {
        /** @description A load id (UUID). */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Apply a held load. */
      202: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["OrderedWork"];
        };
      };
    };
  };
  discardLoad: {
    parameters: {
      query?: never;
      header?: {
        /** @description Makes the request safe to retry. Within 24 hours it takes effect once; a repeated request gets the first response again, with `Idempotent-Replayed: true`. The service keeps the last 5,000 keys of a caller. */
        "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
      };
      path: {
        /** @description A load id (UUID). */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Discard a held load. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Load"];
        };
      };
    };
  };
  undoLoad: {
    parameters: {
      query?: never;
      header?: {
        /** @description Makes the request safe to retry. Within 24 hours it takes effect once; a repeated request gets the first response again, with `Idempotent-Replayed: true`. The service keeps the last 5,000 keys of a caller. */
        "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
      };
      path: {
        /** @description A load id (UUID). */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Undo a load, a crawl or a scrape job. */
      202: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["OrderedWork"];
        };
      };
    };
  };
  listFiles: {
    parameters: {
      query?: {
        /** @description Maximum number of rows. */
        limit?: components["parameters"]["limit"];
        /** @description `next` of the previous page. */
        after?: components["parameters"]["after"];
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description List uploaded files of parcels. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": {
            /** @description Number of rows in this response. */
            count: number;
            /** @description Newest first. */
            files: components["schemas"]["File"][];
            /** @description `after` for the next page; null on the last page. */
            next: string | null;
          };
        };
      };
    };
  };
  addFile: {
    parameters: {
      query?: never;
      header?: {
        /** @description Makes the request safe to retry. Within 24 hours it takes effect once; a repeated request gets the first response again, with `Idempotent-Replayed: true`. The service keeps the last 5,000 keys of a caller. */
        "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
      };
      path?: never;
      cookie?: never;
    };
    /** @description The file. */
    requestBody: {
      content: {
        "application/json": {
          /** @description Name of the file. */
          name: string;
          /** @description Size of the file. */
          size_bytes: number;
        };
      };
    };
    responses: {
      /** @description Begin the upload of a file of parcels. */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["File"];
        };
      };
    };
  };
  getFile: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description A file id (UUID). */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Get one uploaded file. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["File"];
        };
      };
    };
  };
  removeFile: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description A file id (UUID). */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Delete an uploaded file. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["File"];
        };
      };
    };
  };
  addFilePart: {
    parameters: {
      query: {
        /** @description Where the part begins: `received_bytes` of the file. */
        offset: number;
      };
      header?: never;
      path: {
        /** @description A file id (UUID). */
        id: string;
      };
      cookie?: never;
    };
    /** @description The next bytes of the file. */
    requestBody: {
      content: {
        "application/octet-stream": string;
      };
    };
    responses: {
      /** @description Send the next part of a file. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["File"];
        };
      };
    };
  };
  scrapeParcelNow: {
    parameters: {
      query?: never;
      header?: {
        /** @description Makes the request safe to retry. Within 24 hours it takes effect once; a repeated request gets the first response again, with `Idempotent-Replayed: true`. The service keeps the last 5,000 keys of a caller. */
        "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
      };
      path: {
        /** @description Slug of a source. */
        source: components["parameters"]["source"];
        /** @description The source_parcel_id, in the notation of its source (percent-encoded). It has at least one letter or digit. */
        id: string;
      };
      cookie?: never;
    };
    /** @description Needed only if the portal's key cannot be derived from source_parcel_id. May be omitted or {}. */
    requestBody?: {
      content: {
        "application/json": components["schemas"]["ScrapeOverrides"];
      };
    };
    responses: {
      /** @description Scrape a parcel now and wait for the result. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Parcel"];
        };
      };
    };
  };
  streamEvents: {
    parameters: {
      query?: {
        /** @description Event types to receive, a comma-separated subset of job, crawl, reindex, tile_build, work, watch, load, source. */
        types?: string;
        /** @description Same as `Last-Event-ID`, for clients that cannot set that header on their first request. */
        after?: string;
      };
      header?: {
        /** @description Id of the last event that you received. */
        "Last-Event-ID"?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The event stream. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "text/event-stream": string;
        };
      };
    };
  };
  listWatches: {
    parameters: {
      query?: {
        /** @description `true`: admins, too, get only the watches of their own account or key. */
        mine?: "true" | "false";
        /** @description Maximum number of rows. */
        limit?: components["parameters"]["limit"];
        /** @description `next` of the previous page. */
        after?: components["parameters"]["after"];
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description List your watches. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": {
            /** @description Number of rows in this response. */
            count: number;
            /** @description Newest first. */
            watches: components["schemas"]["Watch"][];
            /** @description `after` for the next page; null on the last page. */
            next: string | null;
          };
        };
      };
    };
  };
  addWatch: {
    parameters: {
      query?: never;
      header?: {
        /** @description Makes the request safe to retry. Within 24 hours it takes effect once; a repeated request gets the first response again, with `Idempotent-Replayed: true`. The service keeps the last 5,000 keys of a caller. */
        "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
      };
      path?: never;
      cookie?: never;
    };
    /** @description What to watch. Which fields of the target are required depends on `kind`. */
    requestBody: {
      content: {
        "application/json": {
          /**
           * @description What the watch follows: one parcel, the parcels of an owner, the parcels that intersect a polygon, all parcels of a source, or the alerts of the service (for admins).
           * @enum {string}
           */
          kind: "parcel" | "owner" | "polygon" | "source" | "alerts";
          source?: components["schemas"]["SourceSlug"];
          source_parcel_id?: components["schemas"]["SourceParcelId"];
          /** @description For kind `owner`: the name of an owner. Case, punctuation, accents and the spelling of company forms do not matter. Changes match if this was the owner before or after the change. */
          owner_name?: string;
          polygon?: components["schemas"]["WatchPolygon"];
          /** @description Only changes of one of these fields match. Parcels that are created, retired, returned or deleted always match. At most 50 names of fields: those of a parcel, `geom` for the boundary, `retired_at`, and `scrape_data` or `scrape_data.NAME` for the scrape data. Null or empty: all changes match. */
          fields?: string[] | null;
          /** @description The https URL that receives the changes. It must be on the public internet. Null: no webhook. The changes are in the watch's log and on `/v1/events` either way. */
          webhook_url?: string | null;
        };
      };
    };
    responses: {
      /** @description Add a watch. */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["WatchWithSecret"];
        };
      };
    };
  };
  getWatch: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description A watch id (UUID). */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Get one of your watches. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["WatchWithPolygon"];
        };
      };
    };
  };
  deleteWatch: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description A watch id (UUID). */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Delete one of your watches. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["WatchWithPolygon"];
        };
      };
    };
  };
  changeWatch: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description A watch id (UUID). */
        id: string;
      };
      cookie?: never;
    };
    /** @description Fields to change. */
    requestBody: {
      content: {
        "application/json": {
          /** @description Whether the watch is active. An inactive watch sends nothing, and misses the changes that are made in the meantime. */
          active?: boolean;
          /** @description Only changes of one of these fields match. Parcels that are created, retired, returned or deleted always match. At most 50 names of fields: those of a parcel, `geom` for the boundary, `retired_at`, and `scrape_data` or `scrape_data.NAME` for the scrape data. Null or empty: all changes match. */
          fields?: string[] | null;
          /** @description The https URL that receives the changes. It must be on the public internet. Null: no webhook. The changes are in the watch's log and on `/v1/events` either way. */
          webhook_url?: string | null;
          /**
           * @description Replaces the secret of the webhook. The next request is signed with the new one.
           * @enum {boolean}
           */
          new_secret?: true;
        };
      };
    };
    responses: {
      /** @description Change one of your watches. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["WatchWithSecret"];
        };
      };
    };
  };
  listWatchDeliveries: {
    parameters: {
      query?: {
        /** @description Only deliveries with this status. */
        status?: "pending" | "delivered" | "failed" | "recorded";
        /** @description Maximum number of rows. */
        limit?: components["parameters"]["limit"];
        /** @description `next` of the previous page. */
        after?: components["parameters"]["after"];
      };
      header?: never;
      path: {
        /** @description A watch id (UUID). */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description List the changes that a watch matched. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": {
            /** @description Number of rows in this response. */
            count: number;
            /** @description Newest first. */
            deliveries: components["schemas"]["WatchDelivery"][];
            /** @description `after` for the next page; null on the last page. */
            next: string | null;
          };
        };
      };
    };
  };
  replayWatchDelivery: {
    parameters: {
      query?: never;
      header?: {
        /** @description Makes the request safe to retry. Within 24 hours it takes effect once; a repeated request gets the first response again, with `Idempotent-Replayed: true`. The service keeps the last 5,000 keys of a caller. */
        "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
      };
      path: {
        /** @description A watch id (UUID). */
        id: string;
        /** @description A delivery id (UUID). */
        delivery: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Send a delivery again. */
      202: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["WatchDelivery"];
        };
      };
    };
  };
  sendWatch: {
    parameters: {
      query?: never;
      header?: {
        /** @description Makes the request safe to retry. Within 24 hours it takes effect once; a repeated request gets the first response again, with `Idempotent-Replayed: true`. The service keeps the last 5,000 keys of a caller. */
        "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
      };
      path: {
        /** @description A watch id (UUID). */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Send the pending changes of a watch now. */
      202: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["WatchWithPolygon"];
        };
      };
    };
  };
  testWatch: {
    parameters: {
      query?: never;
      header?: {
        /** @description Makes the request safe to retry. Within 24 hours it takes effect once; a repeated request gets the first response again, with `Idempotent-Replayed: true`. The service keeps the last 5,000 keys of a caller. */
        "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
      };
      path: {
        /** @description A watch id (UUID). */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Test the webhook of a watch. */
      202: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["WatchDelivery"];
        };
      };
    };
  };
  addUpload: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** @description The list. */
    requestBody: {
      content: {
        "text/csv": string;
        "text/tab-separated-values": string;
        "application/x-ndjson": string;
        "application/jsonl": string;
      };
    };
    responses: {
      /** @description Upload a list. */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Upload"];
        };
      };
    };
  };
  listMatches: {
    parameters: {
      query?: {
        /** @description Maximum number of rows. */
        limit?: components["parameters"]["limit"];
        /** @description `next` of the previous page. */
        after?: components["parameters"]["after"];
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description List your matches. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": {
            /** @description Number of rows in this response. */
            count: number;
            /** @description Newest first. */
            matches: components["schemas"]["Match"][];
            /** @description `after` for the next page; null on the last page. */
            next: string | null;
          };
        };
      };
    };
  };
  addMatch: {
    parameters: {
      query?: {
        /** @description Wait up to this many seconds. If the list is done by then, the response is 200 and has its rows. Each key or account can have 10 waiting matches per process. */
        wait?: number;
      };
      header?: {
        /** @description Makes the request safe to retry. Within 24 hours it takes effect once; a repeated request gets the first response again, with `Idempotent-Replayed: true`. The service keeps the last 5,000 keys of a caller. */
        "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
      };
      path?: never;
      cookie?: never;
    };
    /** @description The upload to match. Instead of this object, the body can be the list itself, as CSV or NDJSON. These fields as query parameters are refused. */
    requestBody: {
      content: {
        "application/json": {
          /**
           * Format: uuid
           * @description The id of one of your uploads.
           */
          upload: string;
          /** @description Maps each column of the list to what it contains: parcel_id, address, unit, city, state, zip, county, source, owner, lon, lat. Other columns are returned unchanged. If an address is in several columns, such as a house number and a street, map each of them to "address". Default: guessed from the names of the columns. */
          columns?: Record<string, never>;
          /** @description Only parcels of this state. */
          state?: string;
          /** @description Only parcels of this county. */
          county?: string;
          source?: components["schemas"]["SourceSlug"];
        };
        "text/csv": string;
        "text/tab-separated-values": string;
        "application/x-ndjson": string;
        "application/jsonl": string;
      };
    };
    responses: {
      /** @description Match a list to the parcels. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Match"];
        };
      };
      /** @description Match a list to the parcels. */
      202: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Match"];
        };
      };
    };
  };
  getMatch: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description A match id (UUID). */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Get one of your matches. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Match"];
        };
      };
    };
  };
  deleteMatch: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description A match id (UUID). */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Cancel or delete one of your matches. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Match"];
        };
      };
    };
  };
  listMatchRows: {
    parameters: {
      query?: {
        /** @description Only rows with one of these outcomes: a comma-separated subset of matched, tie, no_match, invalid. */
        outcome?: components["parameters"]["outcome"];
        /** @description Maximum number of rows. */
        limit?: number;
        /** @description `next` of the previous page. */
        after?: number;
      };
      header?: never;
      path: {
        /** @description A match id (UUID). */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description List the rows of a match with their results. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": {
            /** @description Number of rows in this response. */
            count: number;
            /** @description In the order of the list. */
            rows: components["schemas"]["MatchRow"][];
            /** @description `after` for the next page; null on the last page. */
            next: number | null;
          };
        };
      };
    };
  };
  getMatchResults: {
    parameters: {
      query?: {
        /** @description Only rows with one of these outcomes: a comma-separated subset of matched, tie, no_match, invalid. */
        outcome?: components["parameters"]["outcome"];
        /** @description Format of the file. */
        format?: "csv" | "ndjson";
      };
      header?: never;
      path: {
        /** @description A match id (UUID). */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The rows of the match. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "text/csv": string;
          "application/x-ndjson": string;
        };
      };
    };
  };
  retryMatch: {
    parameters: {
      query?: never;
      header?: {
        /** @description Makes the request safe to retry. Within 24 hours it takes effect once; a repeated request gets the first response again, with `Idempotent-Replayed: true`. The service keeps the last 5,000 keys of a caller. */
        "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
      };
      path: {
        /** @description A match id (UUID). */
        id: string;
      };
      cookie?: never;
    };
    /** @description Which rows, and other columns. */
    requestBody?: {
      content: {
        "application/json": {
          /** @description Rows with these outcomes. Default: `no_match` and `invalid`. */
          outcomes?: ("matched" | "tie" | "no_match" | "invalid")[];
          /** @description Maps each column of the list to what it contains: parcel_id, address, unit, city, state, zip, county, source, owner, lon, lat. Other columns are returned unchanged. If an address is in several columns, such as a house number and a street, map each of them to "address". Default: guessed from the names of the columns. */
          columns?: Record<string, never>;
        };
      };
    };
    responses: {
      /** @description Match the failed rows of a list again. */
      202: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Match"];
        };
      };
    };
  };
  listPortfolios: {
    parameters: {
      query?: {
        /** @description Maximum number of rows. */
        limit?: components["parameters"]["limit"];
        /** @description `next` of the previous page. */
        after?: components["parameters"]["after"];
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description List your portfolios. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": {
            /** @description Number of rows in this response. */
            count: number;
            /** @description Newest first. */
            portfolios: components["schemas"]["Portfolio"][];
            /** @description `after` for the next page; null on the last page. */
            next: string | null;
          };
        };
      };
    };
  };
  addPortfolio: {
    parameters: {
      query?: never;
      header?: {
        /** @description Makes the request safe to retry. Within 24 hours it takes effect once; a repeated request gets the first response again, with `Idempotent-Replayed: true`. The service keeps the last 5,000 keys of a caller. */
        "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
      };
      path?: never;
      cookie?: never;
    };
    /** @description A portfolio. */
    requestBody: {
      content: {
        "application/json": {
          /** @description Its name. */
          name: string;
        };
      };
    };
    responses: {
      /** @description Add a portfolio. */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["PortfolioWithParcels"];
        };
      };
    };
  };
  getPortfolio: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description A portfolio id (UUID). */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Get one of your portfolios. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["PortfolioWithParcels"];
        };
      };
    };
  };
  deletePortfolio: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description A portfolio id (UUID). */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Delete one of your portfolios. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["PortfolioWithParcels"];
        };
      };
    };
  };
  renamePortfolio: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description A portfolio id (UUID). */
        id: string;
      };
      cookie?: never;
    };
    /** @description The new name. */
    requestBody: {
      content: {
        "application/json": {
          /** @description Its name. */
          name: string;
        };
      };
    };
    responses: {
      /** @description Rename one of your portfolios. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["PortfolioWithParcels"];
        };
      };
    };
  };
  putPortfolioParcel: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description A portfolio id (UUID). */
        id: string;
      };
      cookie?: never;
    };
    /** @description A parcel, with its note and tags. Omitted: empty. */
    requestBody: {
      content: {
        "application/json": {
          source: components["schemas"]["SourceSlug"];
          source_parcel_id: components["schemas"]["SourceParcelId"];
          /** @description A note about the parcel. Empty if there is none. */
          note?: string;
          /** @description At most 20 tags to find it by. */
          tags?: string[];
        };
      };
    };
    responses: {
      /** @description Add a parcel to one of your portfolios. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["PortfolioWithParcels"];
        };
      };
    };
  };
  removePortfolioParcel: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description A portfolio id (UUID). */
        id: string;
        /** @description Slug of a source. */
        source: components["parameters"]["source"];
        /** @description Id of the parcel, in the notation of its source. */
        parcel: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Remove a parcel from one of your portfolios. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["PortfolioWithParcels"];
        };
      };
    };
  };
  listSavedSearches: {
    parameters: {
      query?: {
        /** @description Maximum number of rows. */
        limit?: components["parameters"]["limit"];
        /** @description `next` of the previous page. */
        after?: components["parameters"]["after"];
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description List your saved searches. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": {
            /** @description Number of rows in this response. */
            count: number;
            /** @description Newest first. */
            searches: components["schemas"]["SavedSearch"][];
            /** @description `after` for the next page; null on the last page. */
            next: string | null;
          };
        };
      };
    };
  };
  addSavedSearch: {
    parameters: {
      query?: never;
      header?: {
        /** @description Makes the request safe to retry. Within 24 hours it takes effect once; a repeated request gets the first response again, with `Idempotent-Replayed: true`. The service keeps the last 5,000 keys of a caller. */
        "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
      };
      path?: never;
      cookie?: never;
    };
    /** @description A search. */
    requestBody: {
      content: {
        "application/json": {
          /** @description Its name. */
          name: string;
          /** @description The query string of the search page. Append it to `/app/search?` to open the search. */
          query: string;
        };
      };
    };
    responses: {
      /** @description Save a search. */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["SavedSearch"];
        };
      };
    };
  };
  deleteSavedSearch: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description A saved search id (UUID). */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Delete one of your saved searches. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["SavedSearch"];
        };
      };
    };
  };
  listTileBuilds: {
    parameters: {
      query?: {
        /** @description Name of the layer, and of its archive. */
        layer?: string;
        /** @description Maximum number of rows. */
        limit?: number;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Get the published archive, the running build and earlier builds of a layer. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": {
            /** @description The archive that maps use; null before the first build. */
            manifest: components["schemas"]["TileArchive"] | null;
            /** @description The requested build that has not started; null if there is none. */
            requested: components["schemas"]["TileBuildRequest"] | null;
            /** @description The running build; null if there is none. */
            building: components["schemas"]["TileBuildProgress"] | null;
            /** @description Number of rows in this response. */
            count: number;
            /** @description Newest first. */
            builds: components["schemas"]["TileBuild"][];
            /** @description All layers that have been built or are requested. */
            layers: string[];
          };
        };
      };
    };
  };
  buildTiles: {
    parameters: {
      query?: never;
      header?: {
        /** @description Makes the request safe to retry. Within 24 hours it takes effect once; a repeated request gets the first response again, with `Idempotent-Replayed: true`. The service keeps the last 5,000 keys of a caller. */
        "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
      };
      path?: never;
      cookie?: never;
    };
    /** @description Which layer, and which parcels it draws. */
    requestBody?: {
      content: {
        "application/json": {
          /**
           * @description Name of the layer, and of its archive.
           * @default parcels
           */
          layer?: string;
          filter?: components["schemas"]["TileFilter"];
        };
      };
    };
    responses: {
      /** @description Build the tiles now. */
      202: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": {
            /** @description The layer that will be built. */
            layer: string;
            /**
             * @description The build has not started.
             * @enum {string}
             */
            state: "requested";
          };
        };
      };
    };
  };
  getAccount: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Get your account. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Account"];
        };
      };
    };
  };
  listAccountKeys: {
    parameters: {
      query?: {
        /** @description Maximum number of rows. */
        limit?: components["parameters"]["limit"];
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description List your keys. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": {
            /** @description Number of rows in this response. */
            count: number;
            /** @description Valid keys first, then revoked ones; newest first in each group. */
            keys: components["schemas"]["Key"][];
          };
        };
      };
    };
  };
  issueAccountKey: {
    parameters: {
      query?: never;
      header?: {
        /** @description Makes the request safe to retry. Within 24 hours it takes effect once; a repeated request gets the first response again, with `Idempotent-Replayed: true`. The service keeps the last 5,000 keys of a caller. */
        "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
      };
      path?: never;
      cookie?: never;
    };
    /** @description Name and capabilities of the new key. */
    requestBody: {
      content: {
        "application/json": {
          /** @description Purpose of the key. */
          name: string;
          /**
           * @description Capabilities in addition to `read`. They require a paid plan.
           * @default []
           */
          capabilities?: ("enqueue" | "bulk-export")[];
        };
      };
    };
    responses: {
      /** @description Issue a key. */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["IssuedKey"];
        };
      };
    };
  };
  revokeAccountKey: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description Id of a key. */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Revoke one of your keys. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Key"];
        };
      };
    };
  };
  getSearchIndex: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Get the delay of the search index, and its last check and rebuild. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["SearchIndex"];
        };
      };
    };
  };
  checkSearchIndex: {
    parameters: {
      query?: never;
      header?: {
        /** @description Makes the request safe to retry. Within 24 hours it takes effect once; a repeated request gets the first response again, with `Idempotent-Replayed: true`. The service keeps the last 5,000 keys of a caller. */
        "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
      };
      path?: never;
      cookie?: never;
    };
    /** @description Which instance. */
    requestBody?: {
      content: {
        "application/json": {
          /** @description Host and port of one instance of Meilisearch. Default: all instances. */
          instance?: string;
        };
      };
    };
    responses: {
      /** @description Compare the search index with the database now. */
      202: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["SearchIndexRequest"];
        };
      };
    };
  };
  rebuildSearchIndex: {
    parameters: {
      query?: never;
      header?: {
        /** @description Makes the request safe to retry. Within 24 hours it takes effect once; a repeated request gets the first response again, with `Idempotent-Replayed: true`. The service keeps the last 5,000 keys of a caller. */
        "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
      };
      path?: never;
      cookie?: never;
    };
    /** @description Which instance. */
    requestBody?: {
      content: {
        "application/json": {
          /** @description Host and port of one instance of Meilisearch. Default: all instances. */
          instance?: string;
        };
      };
    };
    responses: {
      /** @description Rebuild the search index. */
      202: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["SearchIndexRequest"];
        };
      };
    };
  };
  listAccounts: {
    parameters: {
      query?: {
        /** @description Part of an email or name, case-insensitive. */
        q?: string;
        /** @description Maximum number of rows. */
        limit?: components["parameters"]["limit"];
        /** @description `next` of the previous page. */
        after?: components["parameters"]["after"];
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description List accounts, newest first. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": {
            /** @description Number of rows in this response. */
            count: number;
            /** @description Newest first. */
            accounts: components["schemas"]["AccountWithUse"][];
            /** @description `after` for the next page; null on the last page. */
            next: string | null;
          };
        };
      };
    };
  };
  listAdminActions: {
    parameters: {
      query?: {
        /** @description Only actions of this key (its first 8 characters) or account (its short name). */
        actor?: string;
        /** @description Maximum number of rows. */
        limit?: components["parameters"]["limit"];
        /** @description `next` of the previous page. */
        after?: components["parameters"]["after"];
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description List what admins changed, newest first. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": {
            /** @description Number of rows in this response. */
            count: number;
            /** @description Newest first. */
            actions: components["schemas"]["AdminAction"][];
            /** @description `after` for the next page; null on the last page. */
            next: string | null;
          };
        };
      };
    };
  };
  removeAccount: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description Id of an account. */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Remove an account with its sessions and keys. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["AccountWithUse"];
        };
      };
    };
  };
  updateAccount: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description Id of an account. */
        id: string;
      };
      cookie?: never;
    };
    /** @description Fields to change. */
    requestBody: {
      content: {
        "application/json": {
          /**
           * @description `admin` has every capability.
           * @enum {string}
           */
          role?: "member" | "admin";
          /**
           * @description `paid` includes the capabilities `enqueue` (request scrapes) and `bulk-export` (export parcels).
           * @enum {string}
           */
          plan?: "free" | "paid";
        };
      };
    };
    responses: {
      /** @description Change a person's role or plan. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["AccountWithUse"];
        };
      };
    };
  };
  getCoverage: {
    parameters: {
      query?: never;
      header?: {
        /** @description ETag of the response that you have. If it has not changed, the response is 304 without a body. */
        "If-None-Match"?: components["parameters"]["If-None-Match"];
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Get the coverage: counties, their parcels, and how current they are. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Coverage"];
        };
      };
    };
  };
  listAlerts: {
    parameters: {
      query?: {
        /** @description Only current alerts, or only past ones. */
        state?: "raised" | "resolved";
        /** @description Name of a rule. `GET /v1/alert-rules` says what each means. */
        rule?: "source_failing" | "source_unreachable" | "site_changed" | "source_overdue" | "queue_stuck" | "queue_old" | "search_lag" | "tiles_failed" | "load_held" | "disk_full" | "webhook_failing" | "webhook_gone";
        /** @description Maximum number of rows. */
        limit?: components["parameters"]["limit"];
        /** @description `next` of the previous page. */
        after?: components["parameters"]["after"];
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description List alerts, newest first. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": {
            /** @description Number of rows in this response. */
            count: number;
            /** @description Newest first. */
            alerts: components["schemas"]["Alert"][];
            /** @description `after` for the next page; null on the last page. */
            next: string | null;
          };
        };
      };
    };
  };
  silenceAlert: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description An alert id (UUID). */
        id: string;
      };
      cookie?: never;
    };
    /** @description Until when, and why. */
    requestBody: {
      content: {
        "application/json": {
          /** @description When the silence ends: at most 90 days from now. */
          until: string;
          /** @description Why, for the other admins. */
          reason?: string;
        };
      };
    };
    responses: {
      /** @description Silence an alert. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Alert"];
        };
      };
    };
  };
  endAlertSilence: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description An alert id (UUID). */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description End the silence of an alert. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Alert"];
        };
      };
    };
  };
  listAlertRules: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description List the alert rules. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": {
            /** @description Number of rows in this response. */
            count: number;
            /** @description All rules. */
            rules: components["schemas"]["AlertRule"][];
          };
        };
      };
    };
  };
  updateAlertRule: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description Name of a rule. `GET /v1/alert-rules` says what each means. */
        rule: "source_failing" | "source_unreachable" | "site_changed" | "source_overdue" | "queue_stuck" | "queue_old" | "search_lag" | "tiles_failed" | "load_held" | "disk_full" | "webhook_failing" | "webhook_gone";
      };
      cookie?: never;
    };
    /** @description Fields to change. */
    requestBody: {
      content: {
        "application/json": {
          /** @description Whether the rule is checked. When it is switched off, its alerts end. */
          active?: boolean;
          /** @description The value at which an alert is raised. Null: the default. */
          threshold?: number | null;
        };
      };
    };
    responses: {
      /** @description Change the threshold of a rule, or switch it on or off. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["AlertRule"];
        };
      };
    };
  };
  tileArchive: {
    parameters: {
      query?: never;
      header?: {
        /** @description Requested bytes (RFC 9110, 14.2). */
        Range?: string;
      };
      path: {
        /** @description Name of the layer. */
        layer: components["parameters"]["layer"];
        /** @description First 16 hex digits of the SHA-256 of the archive's bytes. */
        hash: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The whole archive. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/vnd.pmtiles": string;
        };
      };
      /** @description The requested range. */
      206: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/vnd.pmtiles": string;
        };
      };
    };
  };
  tileJson: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description Name of the layer. */
        layer: components["parameters"]["layer"];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description TileJSON of the newest archive. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["TileJson"];
        };
      };
    };
  };
  tile: {
    parameters: {
      query?: {
        /** @description Hash of the archive to read. TileJSON includes it, so tiles can be cached forever. */
        v?: string;
      };
      header?: never;
      path: {
        /** @description Name of the layer. */
        layer: components["parameters"]["layer"];
        /** @description Zoom. */
        z: number;
        /** @description Column, from the west. */
        x: number;
        /** @description Row, from the north. */
        y: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The tile. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/vnd.mapbox-vector-tile": string;
        };
      };
      /** @description The tile has no parcels. */
      204: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
    };
  };
}

export type Account = components['schemas']['Account']
export type AccountWithUse = components['schemas']['AccountWithUse']
export type AdminAction = components['schemas']['AdminAction']
export type Alert = components['schemas']['Alert']
export type AlertRule = components['schemas']['AlertRule']
export type AlertRuleName = components['schemas']['AlertRuleName']
export type Area = components['schemas']['Area']
export type Bonuses = components['schemas']['Bonuses']
export type Change = components['schemas']['Change']
export type ChangeOrigin = components['schemas']['ChangeOrigin']
export type CountyCoverage = components['schemas']['CountyCoverage']
export type Coverage = components['schemas']['Coverage']
export type Crawl = components['schemas']['Crawl']
export type CrawlReject = components['schemas']['CrawlReject']
export type CrawlWithRejects = components['schemas']['CrawlWithRejects']
export type Dismissal = components['schemas']['Dismissal']
export type DryRun = components['schemas']['DryRun']
export type Entity = components['schemas']['Entity']
export type EntityHighlight = components['schemas']['EntityHighlight']
export type EntityHit = components['schemas']['EntityHit']
export type Exemption = components['schemas']['Exemption']
export type Export = components['schemas']['Export']
export type ExportFilter = components['schemas']['ExportFilter']
export type FailureClass = components['schemas']['FailureClass']
export type FailureCount = components['schemas']['FailureCount']
export type FieldOrigin = components['schemas']['FieldOrigin']
export type File = components['schemas']['File']
export type FileSettings = components['schemas']['FileSettings']
export type Finding = components['schemas']['Finding']
export type Improvement = components['schemas']['Improvement']
export type IssuedKey = components['schemas']['IssuedKey']
export type Job = components['schemas']['Job']
export type JobAttempt = components['schemas']['JobAttempt']
export type JobTotals = components['schemas']['JobTotals']
export type KeptPage = components['schemas']['KeptPage']
export type Key = components['schemas']['Key']
export type LicensedSources = components['schemas']['LicensedSources']
export type LinkedParcel = components['schemas']['LinkedParcel']
export type Load = components['schemas']['Load']
export type LoadLimits = components['schemas']['LoadLimits']
export type Match = components['schemas']['Match']
export type MatchCounts = components['schemas']['MatchCounts']
export type MatchRow = components['schemas']['MatchRow']
export type MatchedParcel = components['schemas']['MatchedParcel']
export type MultiPolygon = components['schemas']['MultiPolygon']
export type Normalization = components['schemas']['Normalization']
export type OrderedWork = components['schemas']['OrderedWork']
export type Owner = components['schemas']['Owner']
export type OwnerGroup = components['schemas']['OwnerGroup']
export type OwnerHighlight = components['schemas']['OwnerHighlight']
export type Parcel = components['schemas']['Parcel']
export type ParcelAccount = components['schemas']['ParcelAccount']
export type ParcelFinding = components['schemas']['ParcelFinding']
export type ParcelHighlight = components['schemas']['ParcelHighlight']
export type ParcelHit = components['schemas']['ParcelHit']
export type ParcelRow = components['schemas']['ParcelRow']
export type Portfolio = components['schemas']['Portfolio']
export type PortfolioParcel = components['schemas']['PortfolioParcel']
export type PortfolioWithParcels = components['schemas']['PortfolioWithParcels']
export type QueuedJob = components['schemas']['QueuedJob']
export type RefreshEstimate = components['schemas']['RefreshEstimate']
export type RefreshOrder = components['schemas']['RefreshOrder']
export type RefreshPolicy = components['schemas']['RefreshPolicy']
export type Sale = components['schemas']['Sale']
export type SavedSearch = components['schemas']['SavedSearch']
export type ScoreExplanation = components['schemas']['ScoreExplanation']
export type Scrape = components['schemas']['Scrape']
export type ScrapeFinding = components['schemas']['ScrapeFinding']
export type ScrapeOrder = components['schemas']['ScrapeOrder']
export type ScrapeOverrides = components['schemas']['ScrapeOverrides']
export type SearchIndex = components['schemas']['SearchIndex']
export type SearchIndexDrift = components['schemas']['SearchIndexDrift']
export type SearchIndexInstance = components['schemas']['SearchIndexInstance']
export type SearchIndexRebuild = components['schemas']['SearchIndexRebuild']
export type SearchIndexRequest = components['schemas']['SearchIndexRequest']
export type SearchIndexWork = components['schemas']['SearchIndexWork']
export type Source = components['schemas']['Source']
export type SourceDay = components['schemas']['SourceDay']
export type SourceDetails = components['schemas']['SourceDetails']
export type SourceErrorHistory = components['schemas']['SourceErrorHistory']
export type SourceHealth = components['schemas']['SourceHealth']
export type SourceOrder = components['schemas']['SourceOrder']
export type SourceParcelId = components['schemas']['SourceParcelId']
export type SourceProof = components['schemas']['SourceProof']
export type SourceRun = components['schemas']['SourceRun']
export type SourceRuns = components['schemas']['SourceRuns']
export type SourceSlug = components['schemas']['SourceSlug']
export type SourceWithConfig = components['schemas']['SourceWithConfig']
export type TargetChange = components['schemas']['TargetChange']
export type TaxStatement = components['schemas']['TaxStatement']
export type TextScore = components['schemas']['TextScore']
export type TileArchive = components['schemas']['TileArchive']
export type TileBuild = components['schemas']['TileBuild']
export type TileBuildProgress = components['schemas']['TileBuildProgress']
export type TileBuildRequest = components['schemas']['TileBuildRequest']
export type TileFilter = components['schemas']['TileFilter']
export type TileJson = components['schemas']['TileJson']
export type TileManifest = components['schemas']['TileManifest']
export type TunerDecision = components['schemas']['TunerDecision']
export type TuningEntry = components['schemas']['TuningEntry']
export type UnreadLabel = components['schemas']['UnreadLabel']
export type UnreadLabels = components['schemas']['UnreadLabels']
export type Upload = components['schemas']['Upload']
export type Valuation = components['schemas']['Valuation']
export type VendorConcurrency = components['schemas']['VendorConcurrency']
export type VendorHistory = components['schemas']['VendorHistory']
export type VendorHistoryPoint = components['schemas']['VendorHistoryPoint']
export type VendorName = components['schemas']['VendorName']
export type VendorPause = components['schemas']['VendorPause']
export type Watch = components['schemas']['Watch']
export type WatchDelivery = components['schemas']['WatchDelivery']
export type WatchPolygon = components['schemas']['WatchPolygon']
export type WatchWithPolygon = components['schemas']['WatchWithPolygon']
export type WatchWithSecret = components['schemas']['WatchWithSecret']
export type WordScore = components['schemas']['WordScore']
export type Work = components['schemas']['Work']
