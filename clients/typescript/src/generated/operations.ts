// Generated from openapi.json by `bun run clients:generate`. Do not edit.
import { Connection, type RequestOptions, segment, type TextBody } from '../connection.js'
import type { Pages } from '../pages.js'
import type { Body, Query, Result } from '../operation-types.js'
import type { Account, AccountWithUse, AdminAction, Alert, AlertRule, Area, Change, Coverage, Crawl, CrawlWithRejects, DryRun, Entity, Export, File, IssuedKey, Job, JobTotals, Key, Load, Match, MatchRow, OrderedWork, Parcel, ParcelFinding, ParcelRow, Portfolio, PortfolioWithParcels, RefreshPolicy, SavedSearch, ScrapeOverrides, SearchIndex, SearchIndexRequest, Source, SourceDetails, SourceHealth, SourceOrder, SourceProof, SourceRuns, SourceWithConfig, TileJson, TileManifest, UnreadLabels, Upload, VendorConcurrency, VendorHistory, Watch, WatchDelivery, WatchWithPolygon, WatchWithSecret, Work } from './openapi.js'

/** The operations of the API, by their names in `/docs`. */
export class Operations extends Connection {
  /**
   * Check the service and its database.
   *
   * Returns 200 even while Meilisearch is unavailable: searches then run on PostgreSQL.
   *
   * `GET /health`
   */
  health(options?: RequestOptions): Promise<Result<'health'>> {
    return this.json({ method: 'GET', path: `/health`, repeat: 'safe' }, options)
  }

  /**
   * Get the URL of the current tile archive.
   *
   * The URL changes with each build. Cached for five minutes at the edge.
   *
   * `GET /tiles/manifest.json`
   */
  tileManifest(options?: RequestOptions): Promise<TileManifest> {
    return this.json({ method: 'GET', path: `/tiles/manifest.json`, repeat: 'safe' }, options)
  }

  /**
   * List sources with their cadence.
   *
   * Returns all sources except retired ones, or one page of them if `limit` is given. Filters can be combined.
   *
   * `await` gets one page; `for await` reads the rows of all pages.
   *
   * `GET /v1/sources`
   */
  listSources(query?: Query<'listSources'>, options?: RequestOptions): Pages<Source, Result<'listSources'>> {
    return this.list('sources', { method: 'GET', path: `/v1/sources`, query, repeat: 'safe' }, options)
  }

  /**
   * Add a source.
   *
   * The source is inactive, so nothing is scraped. `base_url` can be left out only with the vendor `file`. 409: the slug is taken, also by a retired source.
   *
   * `POST /v1/sources`
   */
  addSource(body: Body<'addSource'>, options?: RequestOptions): Promise<SourceWithConfig> {
    return this.json({ method: 'POST', path: `/v1/sources`, body, repeat: 'key' }, options)
  }

  /**
   * Get one source.
   *
   * Admins also get `vendor_config`, its schema and `load_limits`.
   *
   * `GET /v1/sources/{source}`
   */
  getSource(source: string, options?: RequestOptions): Promise<SourceDetails> {
    return this.json({ method: 'GET', path: `/v1/sources/${segment('source', source)}`, repeat: 'safe' }, options)
  }

  /**
   * Change, activate or deactivate a source.
   *
   * Omitted fields keep their values. The slug never changes. If the vendor changes, `vendor_config` must fit the new one. A source can be activated only if its `vendor_config` is valid; the error lists all problems, one per line. 409: the source is retired. 409 `not_proved`: the vendor has grade C, and the source must be proved first (`POST /v1/sources/{source}/proof`).
   *
   * `PATCH /v1/sources/{source}`
   */
  updateSource(source: string, body: Body<'updateSource'>, options?: RequestOptions): Promise<SourceWithConfig> {
    return this.json({ method: 'PATCH', path: `/v1/sources/${segment('source', source)}`, body, repeat: 'never' }, options)
  }

  /**
   * Retire a source.
   *
   * It is no longer scraped or listed, and its queued and running jobs are cancelled. A worker retires its parcels: they disappear from search, tiles and lists, and stay in the history. Nothing is deleted: `POST /v1/sources/{source}/restore` brings all of it back. Repeating the request changes nothing. 409: a load of the source is running.
   *
   * `DELETE /v1/sources/{source}`
   */
  retireSource(source: string, options?: RequestOptions): Promise<SourceOrder> {
    return this.json({ method: 'DELETE', path: `/v1/sources/${segment('source', source)}`, repeat: 'safe' }, options)
  }

  /**
   * Get the last runs of a source, and why they failed.
   *
   * A run is a job or a crawl that has ended. Ended jobs are kept for 30 days. A crawl without a single record failed with `not_found`, and one whose records were all rejected with `page_changed`. One failed crawl is a problem; for jobs, three failures in a row are. This is evaluated every minute.
   *
   * `GET /v1/sources/{source}/runs`
   */
  getSourceRuns(source: string, options?: RequestOptions): Promise<SourceRuns> {
    return this.json({ method: 'GET', path: `/v1/sources/${segment('source', source)}/runs`, repeat: 'safe' }, options)
  }

  /**
   * List labels on the pages of a source that are not read.
   *
   * Labels and table headings that no field was read from, in the last 100 to 200 scrapes, without their values. At most 100 are stored.
   *
   * `GET /v1/sources/{source}/unread-labels`
   */
  listUnreadLabels(source: string, options?: RequestOptions): Promise<UnreadLabels> {
    return this.json({ method: 'GET', path: `/v1/sources/${segment('source', source)}/unread-labels`, repeat: 'safe' }, options)
  }

  /**
   * Mark a label as known: there is nothing to read there.
   *
   * A known label is no longer reported. Returns the list.
   *
   * `PATCH /v1/sources/{source}/unread-labels`
   */
  markUnreadLabel(source: string, body: Body<'markUnreadLabel'>, options?: RequestOptions): Promise<UnreadLabels> {
    return this.json({ method: 'PATCH', path: `/v1/sources/${segment('source', source)}/unread-labels`, body, repeat: 'never' }, options)
  }

  /**
   * Restore a retired source.
   *
   * The source is listed again, inactive, and a worker brings its parcels back. Cancelled jobs stay cancelled. Repeating the request changes nothing. 409: a load of the source is running, such as the one that retires its parcels.
   *
   * `POST /v1/sources/{source}/restore`
   */
  restoreSource(source: string, options?: RequestOptions): Promise<SourceOrder> {
    return this.json({ method: 'POST', path: `/v1/sources/${segment('source', source)}/restore`, repeat: 'key' }, options)
  }

  /**
   * Change the refresh policy of a source.
   *
   * Omitted fields keep their values.
   *
   * `PATCH /v1/source-refresh-policies/{source}`
   */
  updateRefreshPolicy(source: string, body: Body<'updateRefreshPolicy'>, options?: RequestOptions): Promise<RefreshPolicy> {
    return this.json({ method: 'PATCH', path: `/v1/source-refresh-policies/${segment('source', source)}`, body, repeat: 'never' }, options)
  }

  /**
   * Scrape one parcel without storing it.
   *
   * Requests the parcel from the portal, with the same spacing as jobs, and stores nothing. A failure of the portal is a result: see `failure`. 409: the vendor is paused, or needs a browser (use `bun run adapter prove`).
   *
   * `POST /v1/sources/{source}/dry-run`
   */
  dryRunSource(source: string, body: Body<'dryRunSource'>, options?: RequestOptions): Promise<DryRun> {
    return this.json({ method: 'POST', path: `/v1/sources/${segment('source', source)}/dry-run`, body, repeat: 'never' }, options)
  }

  /**
   * Get the proof of a source.
   *
   * 404: there is no such source, or it is not proved.
   *
   * `GET /v1/sources/{source}/proof`
   */
  getSourceProof(source: string, options?: RequestOptions): Promise<SourceProof> {
    return this.json({ method: 'GET', path: `/v1/sources/${segment('source', source)}/proof`, repeat: 'safe' }, options)
  }

  /**
   * Prove a source: confirm that a dry run is right.
   *
   * Requests the parcel again with the stored settings, and stores its pages as the source's golden page. A source whose vendor has grade C can be activated only after that. 409: the portal shows other values than the dry run, or the parcel cannot be read.
   *
   * `POST /v1/sources/{source}/proof`
   */
  proveSource(source: string, body: Body<'proveSource'>, options?: RequestOptions): Promise<SourceProof> {
    return this.json({ method: 'POST', path: `/v1/sources/${segment('source', source)}/proof`, body, repeat: 'never' }, options)
  }

  /**
   * Get the golden page of a source as text.
   *
   * The source text of all responses that were read when the source was proved, as `text/plain`. 404: there is no such source, or it is not proved.
   *
   * `GET /v1/sources/{source}/proof/page`
   */
  getGoldenPage(source: string, options?: RequestOptions): Promise<string> {
    return this.text({ method: 'GET', path: `/v1/sources/${segment('source', source)}/proof/page`, repeat: 'safe' }, options)
  }

  /**
   * Export the golden page of a source without names, addresses and numbers.
   *
   * A file for `GOLDEN_PAGES` of `bun run adapter check`. The adapter has read it again and found the same fields. Each export uses different replacements. 409: the page cannot be exported; the error says why. 404: there is no such source, or it is not proved.
   *
   * `GET /v1/sources/{source}/proof/export`
   */
  exportGoldenPage(source: string, options?: RequestOptions): Promise<Result<'exportGoldenPage'>> {
    return this.json({ method: 'GET', path: `/v1/sources/${segment('source', source)}/proof/export`, repeat: 'safe' }, options)
  }

  /**
   * Get the error history of all sources by day.
   *
   * Counts finished and failed jobs and crawls. Sources without any are omitted. Updated every five minutes.
   *
   * `GET /v1/admin/sources/error-history`
   */
  listErrorHistory(query?: Query<'listErrorHistory'>, options?: RequestOptions): Promise<Result<'listErrorHistory'>> {
    return this.json({ method: 'GET', path: `/v1/admin/sources/error-history`, query, repeat: 'safe' }, options)
  }

  /**
   * Get the health of sources: parcels, jobs, errors.
   *
   * Returns all sources unless `limit` is given.
   *
   * `await` gets one page; `for await` reads the rows of all pages.
   *
   * `GET /v1/admin/sources/health`
   */
  listSourceHealth(query?: Query<'listSourceHealth'>, options?: RequestOptions): Pages<SourceHealth, Result<'listSourceHealth'>> {
    return this.list('sources', { method: 'GET', path: `/v1/admin/sources/health`, query, repeat: 'safe' }, options)
  }

  /**
   * List parcels by place or filter.
   *
   * Returns the parcels that meet every filter, with their main fields or those of `fields`. A place is `bbox`, `at`, or `near` with `within`; boundaries are compared, not boxes. A parcel whose boundary is unknown is found at its point, if it has one, except by `at`. With `bbox`, returns parcels whose boundary intersects the box. A place or a filter is required. Use `after` to get the next page. A filter or order that has no index is refused unless a narrower filter is added; the error says which. With `as_of`, returns what the service knew then, including parcels whose boundary has moved or that were retired later.
   *
   * `await` gets one page; `for await` reads the rows of all pages.
   *
   * `GET /v1/parcels`
   */
  listParcels(query?: Query<'listParcels'>, options?: RequestOptions): Pages<ParcelRow, Result<'listParcels'>> {
    return this.list('parcels', { method: 'GET', path: `/v1/parcels`, query, repeat: 'safe' }, options)
  }

  /**
   * List parcels in an area.
   *
   * The body is a GeoJSON Polygon or MultiPolygon. Returns the parcels whose boundary (or point, if the boundary is unknown) intersects the area; with `relation=within`, only those that are entirely inside. For the next page, send the same body with `after`. A page of a thin area can have fewer parcels than `limit`, or none, before the last page. There is no limit to the size of the area. `bbox`, `at`, `near`, `within` and `as_of` are refused.
   *
   * `await` gets one page; `for await` reads the rows of all pages.
   *
   * `POST /v1/parcels/within`
   */
  listParcelsWithin(body: Area, query?: Query<'listParcelsWithin'>, options?: RequestOptions): Pages<ParcelRow, Result<'listParcelsWithin'>> {
    return this.list('parcels', { method: 'POST', path: `/v1/parcels/within`, body, query, repeat: 'safe' }, options)
  }

  /**
   * Get one parcel with all fields.
   *
   * Returns the stored record, also of a retired parcel. To fetch it from the portal, use `scrape-now`. With `as_of`, returns what the service knew then. If the parcel was first known later, the 404 says when.
   *
   * `GET /v1/parcels/{source}/{id}`
   */
  getParcel(source: string, id: string, query?: Query<'getParcel'>, options?: RequestOptions): Promise<Parcel> {
    return this.json({ method: 'GET', path: `/v1/parcels/${segment('source', source)}/${segment('id', id)}`, query, repeat: 'safe' }, options)
  }

  /**
   * List the neighbors of a parcel.
   *
   * Lists the parcels of any source that share an edge with this one. With `within`, lists the parcels within that distance instead. The nearest come first. Each row has `distance_m`, and `shared_edge_m`, the length of the common border. Borders that are within ten centimeters of each other count as common. A parcel without a boundary has no neighbors. `bbox`, `at`, `near`, `as_of` and a second `source` are refused.
   *
   * `await` gets one page; `for await` reads the rows of all pages.
   *
   * `GET /v1/parcels/{source}/{id}/neighbors`
   */
  listNeighbors(source: string, id: string, query?: Query<'listNeighbors'>, options?: RequestOptions): Pages<ParcelRow, Result<'listNeighbors'>> {
    return this.list('parcels', { method: 'GET', path: `/v1/parcels/${segment('source', source)}/${segment('id', id)}/neighbors`, query, repeat: 'safe' }, options)
  }

  /**
   * List the changes of a parcel, newest first.
   *
   * All changes since the service first knew the parcel, with former and new values, the cause, and where the new values are from. Pages with very large changes have fewer than `limit`.
   *
   * `await` gets one page; `for await` reads the rows of all pages.
   *
   * `GET /v1/parcels/{source}/{id}/history`
   */
  listParcelHistory(source: string, id: string, query?: Query<'listParcelHistory'>, options?: RequestOptions): Pages<Change, Result<'listParcelHistory'>> {
    return this.list('changes', { method: 'GET', path: `/v1/parcels/${segment('source', source)}/${segment('id', id)}/history`, query, repeat: 'safe' }, options)
  }

  /**
   * Get the origin of each field of a parcel.
   *
   * The origin of a field is its last change in the change log: when, why, and from which page or row of a file the value is.
   *
   * `GET /v1/parcels/{source}/{id}/provenance`
   */
  listProvenance(source: string, id: string, options?: RequestOptions): Promise<Result<'listProvenance'>> {
    return this.json({ method: 'GET', path: `/v1/parcels/${segment('source', source)}/${segment('id', id)}/provenance`, repeat: 'safe' }, options)
  }

  /**
   * List the kept pages of a parcel.
   *
   * The pages of the last two different good scrapes, and those of failed scrapes of the last 30 days, as long as there is space. Also works for a parcel that is not stored. Admins only.
   *
   * `GET /v1/parcels/{source}/{id}/pages`
   */
  listPages(source: string, id: string, options?: RequestOptions): Promise<Result<'listPages'>> {
    return this.json({ method: 'GET', path: `/v1/parcels/${segment('source', source)}/${segment('id', id)}/pages`, repeat: 'safe' }, options)
  }

  /**
   * Get a kept page as text.
   *
   * The source text of all responses that one scrape received, as `text/plain`. Passwords, tokens and session ids are removed from URLs. Admins only.
   *
   * `GET /v1/parcels/{source}/{id}/pages/{hash}`
   */
  getPage(source: string, id: string, hash: string, options?: RequestOptions): Promise<string> {
    return this.text({ method: 'GET', path: `/v1/parcels/${segment('source', source)}/${segment('id', id)}/pages/${segment('hash', hash)}`, repeat: 'safe' }, options)
  }

  /**
   * Follow the changes of parcels.
   *
   * Every change since the log began, in the order of versions. Begin with `after=0`, `since`, or the `X-Dataset-Version` of a response that you have. Then request again with `after` = `next`. You get each change exactly once, also while others write. If `after` is above the newest version, the response is 400: the database was restored from a backup, so request the parcels again. With filters, a page reads a limited part of the log, so it can be empty although `next` is below `watermark`. Pages with very large changes have fewer than `limit`. Each key or account can have 10 waiting requests per process.
   *
   * `await` gets one page; `for await` reads the rows of all pages.
   *
   * `GET /v1/changes`
   */
  listChanges(query?: Query<'listChanges'>, options?: RequestOptions): Pages<Change, Result<'listChanges'>> {
    return this.list('changes', { method: 'GET', path: `/v1/changes`, query, repeat: 'safe' }, options)
  }

  /**
   * Search parcels and business entities.
   *
   * Typeahead search that tolerates typos. While Meilisearch is unavailable, searches run on PostgreSQL and the response has a `Warning` header; searches are then slower and may return fewer hits.
   *
   * `await` gets one page; `for await` reads the rows of all pages.
   *
   * `GET /v1/search`
   */
  search(query: Query<'search'>, options?: RequestOptions): Pages<Result<'search'>['results'][number], Result<'search'>> {
    return this.list('results', { method: 'GET', path: `/v1/search`, query, repeat: 'safe' }, options)
  }

  /**
   * Find registry entities by their name.
   *
   * Finds the company that owns a parcel: returns the entities with exactly this name, in any usual spelling. For similar names, search with `types=entities`.
   *
   * `GET /v1/entities`
   */
  listEntities(query: Query<'listEntities'>, options?: RequestOptions): Promise<Result<'listEntities'>> {
    return this.json({ method: 'GET', path: `/v1/entities`, query, repeat: 'safe' }, options)
  }

  /**
   * Get one registry entity.
   *
   * The record of a company in the business registry. To list its parcels, send its `name` to `GET /v1/parcels?owner=`: it returns those whose owner has this name, in any usual spelling.
   *
   * `GET /v1/entities/{id}`
   */
  getEntity(id: string, options?: RequestOptions): Promise<Entity> {
    return this.json({ method: 'GET', path: `/v1/entities/${segment('id', id)}`, repeat: 'safe' }, options)
  }

  /**
   * List the findings of one parcel.
   *
   * Often empty. A finding keeps its id as long as its cause persists. Dismissed findings are left out unless `dismissed` is given.
   *
   * `GET /v1/findings/{source}/{id}`
   */
  listFindings(source: string, id: string, query?: Query<'listFindings'>, options?: RequestOptions): Promise<Result<'listFindings'>> {
    return this.json({ method: 'GET', path: `/v1/findings/${segment('source', source)}/${segment('id', id)}`, query, repeat: 'safe' }, options)
  }

  /**
   * List the findings of all parcels, newest first.
   *
   * Filters can be combined. Use `after` to get the next page.
   *
   * `await` gets one page; `for await` reads the rows of all pages.
   *
   * `GET /v1/admin/findings`
   */
  listAllFindings(query?: Query<'listAllFindings'>, options?: RequestOptions): Pages<ParcelFinding, Result<'listAllFindings'>> {
    return this.list('findings', { method: 'GET', path: `/v1/admin/findings`, query, repeat: 'safe' }, options)
  }

  /**
   * Dismiss a finding.
   *
   * Lists leave it out until its evidence changes. It stays dismissed even if it disappears and comes back with the same evidence.
   *
   * `POST /v1/findings/{id}/dismiss`
   */
  dismissFinding(id: string, body: Body<'dismissFinding'>, options?: RequestOptions): Promise<ParcelFinding> {
    return this.json({ method: 'POST', path: `/v1/findings/${segment('id', id)}/dismiss`, body, repeat: 'key' }, options)
  }

  /**
   * Reopen a dismissed finding.
   *
   * Lists show it again. Does nothing if it is not dismissed.
   *
   * `DELETE /v1/findings/{id}/dismiss`
   */
  reopenFinding(id: string, options?: RequestOptions): Promise<ParcelFinding> {
    return this.json({ method: 'DELETE', path: `/v1/findings/${segment('id', id)}/dismiss`, repeat: 'safe' }, options)
  }

  /**
   * List scrape jobs, newest first.
   *
   * Filters can be combined. Finished jobs are kept for 30 days.
   *
   * `await` gets one page; `for await` reads the rows of all pages.
   *
   * `GET /v1/scrape-jobs`
   */
  listScrapeJobs(query?: Query<'listScrapeJobs'>, options?: RequestOptions): Pages<Job, Result<'listScrapeJobs'>> {
    return this.list('jobs', { method: 'GET', path: `/v1/scrape-jobs`, query, repeat: 'safe' }, options)
  }

  /**
   * Queue scrapes of parcels.
   *
   * Each parcel gets one job, even if it is listed twice or already queued; repeating the request only changes `updated_at`. Jobs from a request of up to 100 parcels have `high` priority and run before refreshes and larger requests; jobs that are already queued are raised to `high`. If any source is unknown, nothing is queued.
   *
   * `POST /v1/scrape-jobs`
   */
  enqueueScrapes(body: Body<'enqueueScrapes'>, options?: RequestOptions): Promise<Result<'enqueueScrapes'>> {
    return this.json({ method: 'POST', path: `/v1/scrape-jobs`, body, repeat: 'key' }, options)
  }

  /**
   * Count jobs, and estimate the time left.
   *
   * The jobs of a source, of a vendor, or all of them. Without `source`, `vendor` selects its sources.
   *
   * `GET /v1/scrape-jobs/totals`
   */
  getJobTotals(query?: Query<'getJobTotals'>, options?: RequestOptions): Promise<JobTotals> {
    return this.json({ method: 'GET', path: `/v1/scrape-jobs/totals`, query, repeat: 'safe' }, options)
  }

  /**
   * Get one scrape job.
   *
   * `/v1/events` sends every status change as it happens.
   *
   * `GET /v1/scrape-jobs/{id}`
   */
  getScrapeJob(id: string, options?: RequestOptions): Promise<Job> {
    return this.json({ method: 'GET', path: `/v1/scrape-jobs/${segment('id', id)}`, repeat: 'safe' }, options)
  }

  /**
   * Cancel a queued or running job.
   *
   * A running job is stopped and its result is discarded. Returns 404 for a job that has ended.
   *
   * `DELETE /v1/scrape-jobs/{id}`
   */
  cancelScrapeJob(id: string, options?: RequestOptions): Promise<Job> {
    return this.json({ method: 'DELETE', path: `/v1/scrape-jobs/${segment('id', id)}`, repeat: 'safe' }, options)
  }

  /**
   * List the attempts of one scrape job.
   *
   * Oldest first. Empty if the job was cancelled before a worker claimed it, and for failures before attempts were recorded.
   *
   * `GET /v1/scrape-jobs/{id}/attempts`
   */
  listScrapeAttempts(id: string, options?: RequestOptions): Promise<Result<'listScrapeAttempts'>> {
    return this.json({ method: 'GET', path: `/v1/scrape-jobs/${segment('id', id)}/attempts`, repeat: 'safe' }, options)
  }

  /**
   * Retry a finished job.
   *
   * Queues the parcel again with the same overrides and returns the new job. If the parcel is already queued, it returns that job. Returns 409 if the job has not ended.
   *
   * `POST /v1/scrape-jobs/{id}/retry`
   */
  retryScrapeJob(id: string, options?: RequestOptions): Promise<Job> {
    return this.json({ method: 'POST', path: `/v1/scrape-jobs/${segment('id', id)}/retry`, repeat: 'key' }, options)
  }

  /**
   * Retry failed jobs by the class of their failure.
   *
   * Queues again each parcel whose last job failed for this reason, with the same overrides, and restarts each crawl whose last run failed for this reason. Give either `source` or `vendor`. A repeated request queues nothing twice.
   *
   * `POST /v1/scrape-jobs/retry`
   */
  retryFailedJobs(body: Body<'retryFailedJobs'>, options?: RequestOptions): Promise<Result<'retryFailedJobs'>> {
    return this.json({ method: 'POST', path: `/v1/scrape-jobs/retry`, body, repeat: 'key' }, options)
  }

  /**
   * Queue scrapes of a county's agricultural parcels.
   *
   * Parcels that were scraped within the source's cadence are skipped unless `skip_existing` is false.
   *
   * `POST /v1/scrape-jobs/enqueue-ag-county`
   */
  enqueueAgCounty(body: Body<'enqueueAgCounty'>, options?: RequestOptions): Promise<Result<'enqueueAgCounty'>> {
    return this.json({ method: 'POST', path: `/v1/scrape-jobs/enqueue-ag-county`, body, repeat: 'key' }, options)
  }

  /**
   * Queue scrapes of the parcels of a filter.
   *
   * The filter needs `source`, `county`, `owner`, `parcel_id` or `bbox`. Jobs have `normal` priority. With `dry_run`, nothing is queued, and the response says how many parcels would be queued and how long they would take.
   *
   * `POST /v1/scrape-jobs/refresh`
   */
  orderRefresh(body: Body<'orderRefresh'>, options?: RequestOptions): Promise<Result<'orderRefresh'>> {
    return this.json({ method: 'POST', path: `/v1/scrape-jobs/refresh`, body, repeat: 'key' }, options)
  }

  /**
   * Cancel the jobs of a source or a vendor.
   *
   * Ends queued and running jobs as errors, like `DELETE /scrape-jobs/{id}`. Crawls are not cancelled. Give either `source` or `vendor`.
   *
   * `POST /v1/scrape-jobs/cancel`
   */
  cancelScrapeJobs(body: Body<'cancelScrapeJobs'>, options?: RequestOptions): Promise<Result<'cancelScrapeJobs'>> {
    return this.json({ method: 'POST', path: `/v1/scrape-jobs/cancel`, body, repeat: 'key' }, options)
  }

  /**
   * List the concurrency settings of vendors.
   *
   * Returns all vendors unless `limit` is given.
   *
   * `await` gets one page; `for await` reads the rows of all pages.
   *
   * `GET /v1/admin/concurrency`
   */
  listConcurrency(query?: Query<'listConcurrency'>, options?: RequestOptions): Pages<VendorConcurrency, Result<'listConcurrency'>> {
    return this.list('vendors', { method: 'GET', path: `/v1/admin/concurrency`, query, repeat: 'safe' }, options)
  }

  /**
   * Get the history of a vendor's scrapes and target.
   *
   * Each point covers five minutes. Intervals in which no attempt ended have no point; neither has the current interval.
   *
   * `GET /v1/admin/concurrency/{vendor}/history`
   */
  getConcurrencyHistory(vendor: string, query?: Query<'getConcurrencyHistory'>, options?: RequestOptions): Promise<VendorHistory> {
    return this.json({ method: 'GET', path: `/v1/admin/concurrency/${segment('vendor', vendor)}/history`, query, repeat: 'safe' }, options)
  }

  /**
   * Change a vendor's concurrency settings.
   *
   * The whole resulting row must be valid, not only the fields that you send. Mode `manual` with a target freezes the target.
   *
   * `PATCH /v1/admin/concurrency/{vendor}`
   */
  updateConcurrency(vendor: string, body: Body<'updateConcurrency'>, options?: RequestOptions): Promise<VendorConcurrency> {
    return this.json({ method: 'PATCH', path: `/v1/admin/concurrency/${segment('vendor', vendor)}`, body, repeat: 'never' }, options)
  }

  /**
   * Pause a vendor.
   *
   * No scrape of the vendor starts, and running ones stop and are queued again. New jobs wait. `scrape-now` and dry runs return 409. The target stays as it is. Pause it again to change the reason or the end.
   *
   * `PUT /v1/admin/concurrency/{vendor}/pause`
   */
  pauseVendor(vendor: string, body: Body<'pauseVendor'>, options?: RequestOptions): Promise<VendorConcurrency> {
    return this.json({ method: 'PUT', path: `/v1/admin/concurrency/${segment('vendor', vendor)}/pause`, body, repeat: 'never' }, options)
  }

  /**
   * Resume a paused vendor.
   *
   * Its jobs start again, up to its target. A vendor that is not paused stays as it is.
   *
   * `DELETE /v1/admin/concurrency/{vendor}/pause`
   */
  resumeVendor(vendor: string, options?: RequestOptions): Promise<VendorConcurrency> {
    return this.json({ method: 'DELETE', path: `/v1/admin/concurrency/${segment('vendor', vendor)}/pause`, repeat: 'safe' }, options)
  }

  /**
   * Run one tuner cycle now.
   *
   * The tuner also runs automatically every minute. No body.
   *
   * `POST /v1/admin/concurrency/run-tuner`
   */
  runTuner(options?: RequestOptions): Promise<Result<'runTuner'>> {
    return this.json({ method: 'POST', path: `/v1/admin/concurrency/run-tuner`, repeat: 'key' }, options)
  }

  /**
   * List changes to concurrency settings, newest first.
   *
   * Changes by the tuner and by people. Entries are kept for 90 days.
   *
   * `GET /v1/admin/tuning-log`
   */
  listTuningLog(query?: Query<'listTuningLog'>, options?: RequestOptions): Promise<Result<'listTuningLog'>> {
    return this.json({ method: 'GET', path: `/v1/admin/tuning-log`, query, repeat: 'safe' }, options)
  }

  /**
   * List the crawls of a source.
   *
   * Newest first. A source can be crawled if its vendor serves whole layers. At most one crawl of a source is queued or running. Finished ones are kept for 30 days.
   *
   * `await` gets one page; `for await` reads the rows of all pages.
   *
   * `GET /v1/admin/sources/{source}/crawls`
   */
  listCrawls(source: string, query?: Query<'listCrawls'>, options?: RequestOptions): Pages<Crawl, Result<'listCrawls'>> {
    return this.list('crawls', { method: 'GET', path: `/v1/admin/sources/${segment('source', source)}/crawls`, query, repeat: 'safe' }, options)
  }

  /**
   * Crawl a source now.
   *
   * The source need not be active. A worker runs the crawl; `/v1/events` reports its progress. If a crawl of the source is already queued or running, that one is returned. 409: the vendor does not serve whole layers.
   *
   * `POST /v1/admin/sources/{source}/crawls`
   */
  startCrawl(source: string, options?: RequestOptions): Promise<CrawlWithRejects> {
    return this.json({ method: 'POST', path: `/v1/admin/sources/${segment('source', source)}/crawls`, repeat: 'key' }, options)
  }

  /**
   * Get one crawl of a source, with its rejected records.
   *
   * `/v1/events` sends an event for each page.
   *
   * `GET /v1/admin/sources/{source}/crawls/{id}`
   */
  getCrawl(source: string, id: string, options?: RequestOptions): Promise<CrawlWithRejects> {
    return this.json({ method: 'GET', path: `/v1/admin/sources/${segment('source', source)}/crawls/${segment('id', id)}`, repeat: 'safe' }, options)
  }

  /**
   * Cancel a queued or running crawl.
   *
   * The worker reads no more pages. Staged pages are discarded. What is already visible stays: pages of a first crawl, and parcels that were written while the crawl was being applied; undo the crawl to revert them. It does not count as a complete refresh of the source. 404 if the crawl has ended.
   *
   * `DELETE /v1/admin/sources/{source}/crawls/{id}`
   */
  cancelCrawl(source: string, id: string, options?: RequestOptions): Promise<Crawl> {
    return this.json({ method: 'DELETE', path: `/v1/admin/sources/${segment('source', source)}/crawls/${segment('id', id)}`, repeat: 'safe' }, options)
  }

  /**
   * List exports.
   *
   * Exports to files of your key or account, newest first; admins get all. They are listed for 30 days.
   *
   * `await` gets one page; `for await` reads the rows of all pages.
   *
   * `GET /v1/exports`
   */
  listExports(query?: Query<'listExports'>, options?: RequestOptions): Pages<Export, Result<'listExports'>> {
    return this.list('exports', { method: 'GET', path: `/v1/exports`, query, repeat: 'safe' }, options)
  }

  /**
   * Get an export, with the URL of its file.
   *
   * Finds exports of your key or account; admins find all. `/v1/events?types=work` sends an event for each step to admins.
   *
   * `GET /v1/exports/{id}`
   */
  getExport(id: string, options?: RequestOptions): Promise<Export> {
    return this.json({ method: 'GET', path: `/v1/exports/${segment('id', id)}`, repeat: 'safe' }, options)
  }

  /**
   * Cancel a queued or running export.
   *
   * A running export stops within seconds. 404 if the export has ended.
   *
   * `DELETE /v1/exports/{id}`
   */
  cancelExport(id: string, options?: RequestOptions): Promise<Export> {
    return this.json({ method: 'DELETE', path: `/v1/exports/${segment('id', id)}`, repeat: 'safe' }, options)
  }

  /**
   * List long-running work.
   *
   * All long-running work except scrape jobs, newest first. Finished work is kept for 30 days. `/v1/events?types=work` sends an event for each step.
   *
   * `await` gets one page; `for await` reads the rows of all pages.
   *
   * `GET /v1/work`
   */
  listWork(query?: Query<'listWork'>, options?: RequestOptions): Pages<Work, Result<'listWork'>> {
    return this.list('work', { method: 'GET', path: `/v1/work`, query, repeat: 'safe' }, options)
  }

  /**
   * Get one long-running piece of work.
   *
   * Finds work of every kind. Scrape jobs have their own route.
   *
   * `GET /v1/work/{id}`
   */
  getWork(id: string, options?: RequestOptions): Promise<Work> {
    return this.json({ method: 'GET', path: `/v1/work/${segment('id', id)}`, repeat: 'safe' }, options)
  }

  /**
   * Cancel queued or running work.
   *
   * Running work stops within seconds. Results that it has stored stay. 404 if the work has ended.
   *
   * `DELETE /v1/work/{id}`
   */
  cancelWork(id: string, options?: RequestOptions): Promise<Work> {
    return this.json({ method: 'DELETE', path: `/v1/work/${segment('id', id)}`, repeat: 'safe' }, options)
  }

  /**
   * Download the records that work rejected.
   *
   * A CSV with the line, the reason and the id of each rejected row of a file, or of each record of a crawl. Only the first ones are stored: 10,000 of a file.
   *
   * `GET /v1/work/{id}/rejects`
   */
  getWorkRejects(id: string, options?: RequestOptions): Promise<ReadableStream<Uint8Array<ArrayBuffer>>> {
    return this.stream({ method: 'GET', path: `/v1/work/${segment('id', id)}/rejects`, repeat: 'safe' }, options)
  }

  /**
   * List loads.
   *
   * Files that were ingested and crawls, newest first. `status=held` lists the loads that wait for an admin. `/v1/events?types=load` sends an event when a load is held, applied, discarded or undone.
   *
   * `await` gets one page; `for await` reads the rows of all pages.
   *
   * `GET /v1/loads`
   */
  listLoads(query?: Query<'listLoads'>, options?: RequestOptions): Pages<Load, Result<'listLoads'>> {
    return this.list('loads', { method: 'GET', path: `/v1/loads`, query, repeat: 'safe' }, options)
  }

  /**
   * Load a file of parcels into a source.
   *
   * A worker fetches and reads the file. The file lists all parcels of the source unless `settings.complete` is false. A load that would change too much is held. Without `file` and `address`, the file at the `base_url` of a source with the vendor `file` is loaded; without `settings`, its `vendor_config` is used. `result.load_id` of the work is the load. 409: the source is retired, the upload is incomplete, or another file of the source is being loaded.
   *
   * `POST /v1/loads`
   */
  addLoad(body: Body<'addLoad'>, options?: RequestOptions): Promise<OrderedWork> {
    return this.json({ method: 'POST', path: `/v1/loads`, body, repeat: 'key' }, options)
  }

  /**
   * Preview a file of parcels before it is loaded.
   *
   * A worker reads the first 10,000 rows and stores nothing. `result.preview` of the work has the columns with samples, the field map (guessed where `settings.map` does not say it), the first parcels, and why rows would be rejected.
   *
   * `POST /v1/loads/preview`
   */
  previewLoad(body: Body<'previewLoad'>, options?: RequestOptions): Promise<OrderedWork> {
    return this.json({ method: 'POST', path: `/v1/loads/preview`, body, repeat: 'key' }, options)
  }

  /**
   * Get one load.
   *
   * The verdict says what the load changes, and why it is held, with examples.
   *
   * `GET /v1/loads/{id}`
   */
  getLoad(id: string, options?: RequestOptions): Promise<Load> {
    return this.json({ method: 'GET', path: `/v1/loads/${segment('id', id)}`, repeat: 'safe' }, options)
  }

  /**
   * Apply a held load.
   *
   * A worker applies it. A load that failed while it was applied continues where it stopped, unless a newer load of its source exists (`can_apply`). 409: the load is not held, something was undone since it was compared, or another load or a crawl of its source is running.
   *
   * `POST /v1/loads/{id}/apply`
   */
  applyLoad(id: string, options?: RequestOptions): Promise<OrderedWork> {
    return this.json({ method: 'POST', path: `/v1/loads/${segment('id', id)}/apply`, repeat: 'key' }, options)
  }

  /**
   * Discard a held load.
   *
   * Nothing of it becomes visible. 409: the load is not held.
   *
   * `POST /v1/loads/{id}/discard`
   */
  discardLoad(id: string, options?: RequestOptions): Promise<Load> {
    return this.json({ method: 'POST', path: `/v1/loads/${segment('id', id)}/discard`, repeat: 'key' }, options)
  }

  /**
   * Undo a load, a crawl or a scrape job.
   *
   * Restores the former value of every field that it changed, as new changes. Parcels that it created are retired, and parcels that it retired return. A field that was changed again later keeps its value; the result of the work counts and lists these fields. `id` can also be that of a crawl, a scrape job, a replay or the work of an undo: an undo of an undo brings the changes back, and the load is applied again. 409: the load is not applied, its changes are undone already or compacted (`CHANGES_KEEP`), its source is retired, or another load or a crawl of its source is running.
   *
   * `POST /v1/loads/{id}/undo`
   */
  undoLoad(id: string, options?: RequestOptions): Promise<OrderedWork> {
    return this.json({ method: 'POST', path: `/v1/loads/${segment('id', id)}/undo`, repeat: 'key' }, options)
  }

  /**
   * Begin the upload of a file of parcels.
   *
   * Announces a file. Then send its parts in order (`PATCH /v1/files/{id}`), each of at most 8 MiB. `UPLOADS_MAX_MB` limits the size of all files together: a larger file returns 400, and 409 means that other files use up the space. A file is deleted 2 days after its last part.
   *
   * `POST /v1/files`
   */
  addFile(body: Body<'addFile'>, options?: RequestOptions): Promise<File> {
    return this.json({ method: 'POST', path: `/v1/files`, body, repeat: 'key' }, options)
  }

  /**
   * List uploaded files of parcels.
   *
   * Complete files and files that are still being uploaded, newest first.
   *
   * `await` gets one page; `for await` reads the rows of all pages.
   *
   * `GET /v1/files`
   */
  listFiles(query?: Query<'listFiles'>, options?: RequestOptions): Pages<File, Result<'listFiles'>> {
    return this.list('files', { method: 'GET', path: `/v1/files`, query, repeat: 'safe' }, options)
  }

  /**
   * Send the next part of a file.
   *
   * If the upload was interrupted, get the file and continue at `received_bytes`. The last part can be sent again. 409: `offset` is not where the next part begins.
   *
   * `PATCH /v1/files/{id}`
   */
  addFilePart(id: string, body: TextBody, query: Query<'addFilePart'>, options?: RequestOptions): Promise<File> {
    return this.json({ method: 'PATCH', path: `/v1/files/${segment('id', id)}`, body, query, repeat: 'never' }, options)
  }

  /**
   * Get one uploaded file.
   *
   * Shows how much of it has been received.
   *
   * `GET /v1/files/{id}`
   */
  getFile(id: string, options?: RequestOptions): Promise<File> {
    return this.json({ method: 'GET', path: `/v1/files/${segment('id', id)}`, repeat: 'safe' }, options)
  }

  /**
   * Delete an uploaded file.
   *
   * Parcels that were loaded from it stay.
   *
   * `DELETE /v1/files/{id}`
   */
  removeFile(id: string, options?: RequestOptions): Promise<File> {
    return this.json({ method: 'DELETE', path: `/v1/files/${segment('id', id)}`, repeat: 'safe' }, options)
  }

  /**
   * Scrape a parcel now and wait for the result.
   *
   * Concurrent requests for one parcel share one scrape. 409: an operator has paused the vendor. 502: the portal or the network failed, or the scrape took more than 60 s; the error starts with the kind of failure. 503 with `enqueued`: the portal needs a browser, so a job was queued; poll the parcel until `scrape_data` is filled.
   *
   * `POST /v1/parcels/{source}/{id}/scrape-now`
   */
  scrapeParcelNow(source: string, id: string, body?: ScrapeOverrides, options?: RequestOptions): Promise<Parcel> {
    return this.json({ method: 'POST', path: `/v1/parcels/${segment('source', source)}/${segment('id', id)}/scrape-now`, body, repeat: 'key' }, options)
  }

  /**
   * List your watches.
   *
   * The watches of your account, or of your key if it has no account, newest first. Admins get the watches of all callers.
   *
   * `await` gets one page; `for await` reads the rows of all pages.
   *
   * `GET /v1/watches`
   */
  listWatches(query?: Query<'listWatches'>, options?: RequestOptions): Pages<Watch, Result<'listWatches'>> {
    return this.list('watches', { method: 'GET', path: `/v1/watches`, query, repeat: 'safe' }, options)
  }

  /**
   * Add a watch.
   *
   * Changes of parcels that match from now on are in the watch's log, are sent to `/v1/events` as `watch`, and are delivered to the webhook, if there is one (Standard Webhooks 1.0). The secret of the webhook is shown only once. A watch of kind `alerts` needs `admin`: its webhook gets a message when the service raises an alert and when the alert ends. An account, or a key without an account, can have at most 1,000 watches.
   *
   * `POST /v1/watches`
   */
  addWatch(body: Body<'addWatch'>, options?: RequestOptions): Promise<WatchWithSecret> {
    return this.json({ method: 'POST', path: `/v1/watches`, body, repeat: 'key' }, options)
  }

  /**
   * Get one of your watches.
   *
   * With its polygon and the state of its webhook, and without its secret.
   *
   * `GET /v1/watches/{id}`
   */
  getWatch(id: string, options?: RequestOptions): Promise<WatchWithPolygon> {
    return this.json({ method: 'GET', path: `/v1/watches/${segment('id', id)}`, repeat: 'safe' }, options)
  }

  /**
   * Change one of your watches.
   *
   * Omitted fields keep their values. The target of a watch cannot be changed: delete the watch and add another. Pending changes are sent to a new `webhook_url`; without a webhook they are not sent. A watch that becomes active again sends what was pending, but misses changes made while it was inactive.
   *
   * `PATCH /v1/watches/{id}`
   */
  changeWatch(id: string, body: Body<'changeWatch'>, options?: RequestOptions): Promise<WatchWithSecret> {
    return this.json({ method: 'PATCH', path: `/v1/watches/${segment('id', id)}`, body, repeat: 'never' }, options)
  }

  /**
   * Delete one of your watches.
   *
   * Its log is deleted too, and pending changes are not sent. Returns the watch as it was.
   *
   * `DELETE /v1/watches/{id}`
   */
  deleteWatch(id: string, options?: RequestOptions): Promise<WatchWithPolygon> {
    return this.json({ method: 'DELETE', path: `/v1/watches/${segment('id', id)}`, repeat: 'safe' }, options)
  }

  /**
   * List the changes that a watch matched.
   *
   * Newest first, with the results of their delivery. They are kept for 30 days after they were delivered or given up.
   *
   * `await` gets one page; `for await` reads the rows of all pages.
   *
   * `GET /v1/watches/{id}/deliveries`
   */
  listWatchDeliveries(id: string, query?: Query<'listWatchDeliveries'>, options?: RequestOptions): Pages<WatchDelivery, Result<'listWatchDeliveries'>> {
    return this.list('deliveries', { method: 'GET', path: `/v1/watches/${segment('id', id)}/deliveries`, query, repeat: 'safe' }, options)
  }

  /**
   * Send a delivery again.
   *
   * It is sent soon, with the same `webhook-id`, and retried for 3 days from now. Returns 409 if it is still queued, or if the watch has no webhook or is not active.
   *
   * `POST /v1/watches/{id}/deliveries/{delivery}/replay`
   */
  replayWatchDelivery(id: string, delivery: string, options?: RequestOptions): Promise<WatchDelivery> {
    return this.json({ method: 'POST', path: `/v1/watches/${segment('id', id)}/deliveries/${segment('delivery', delivery)}/replay`, repeat: 'key' }, options)
  }

  /**
   * Send the pending changes of a watch now.
   *
   * Use this after a receiver was repaired: changes that wait for a retry are sent soon, and a pause of the watch ends. Returns 409 if the watch has no webhook or is not active.
   *
   * `POST /v1/watches/{id}/send`
   */
  sendWatch(id: string, options?: RequestOptions): Promise<WatchWithPolygon> {
    return this.json({ method: 'POST', path: `/v1/watches/${segment('id', id)}/send`, repeat: 'key' }, options)
  }

  /**
   * Test the webhook of a watch.
   *
   * Sends a signed request with the type `watch.test` soon, and retries it like a change. Its result is in the log of the watch. Returns 409 if the watch has no webhook or is not active.
   *
   * `POST /v1/watches/{id}/test`
   */
  testWatch(id: string, options?: RequestOptions): Promise<WatchDelivery> {
    return this.json({ method: 'POST', path: `/v1/watches/${segment('id', id)}/test`, repeat: 'key' }, options)
  }

  /**
   * Upload a list.
   *
   * A CSV with a header (also with tabs, semicolons or vertical bars), or NDJSON, of at most 16 MiB. Returns its columns and what each most likely contains. The same list has the same id. It is kept for 7 days, or until its last match is deleted. An account, or a key without an account, can have at most 100 uploads, of 512 MiB in total; beyond that, the response is 409.
   *
   * `POST /v1/uploads`
   */
  addUpload(body: TextBody, options?: RequestOptions): Promise<Upload> {
    return this.json({ method: 'POST', path: `/v1/uploads`, body, repeat: 'safe' }, options)
  }

  /**
   * List your matches.
   *
   * Those of your account, or of your key if it has no account, newest first. Admins get all of them.
   *
   * `await` gets one page; `for await` reads the rows of all pages.
   *
   * `GET /v1/matches`
   */
  listMatches(query?: Query<'listMatches'>, options?: RequestOptions): Pages<Match, Result<'listMatches'>> {
    return this.list('matches', { method: 'GET', path: `/v1/matches`, query, repeat: 'safe' }, options)
  }

  /**
   * Match a list to the parcels.
   *
   * Finds the parcel of each row by its parcel id, address, owner or point. Text is interpreted as in search, with other spellings, typos, missing parts, and values in the wrong columns. A row is `matched` only if one parcel is clearly the best match. Lists of more than 500 rows need the capability `enqueue`; the maximum is 100,000.
   *
   * `POST /v1/matches`
   */
  addMatch(body: Body<'addMatch'> | TextBody, query?: Query<'addMatch'>, options?: RequestOptions): Promise<Match> {
    return this.json({ method: 'POST', path: `/v1/matches`, body, query, repeat: 'key' }, options)
  }

  /**
   * Get one of your matches.
   *
   * Its progress, and the number of rows by outcome when it is done.
   *
   * `GET /v1/matches/{id}`
   */
  getMatch(id: string, options?: RequestOptions): Promise<Match> {
    return this.json({ method: 'GET', path: `/v1/matches/${segment('id', id)}`, repeat: 'safe' }, options)
  }

  /**
   * Cancel or delete one of your matches.
   *
   * A queued or running match is cancelled. One that has ended is deleted with its rows, and is returned as it was. Its upload is deleted if no other match has it.
   *
   * `DELETE /v1/matches/{id}`
   */
  deleteMatch(id: string, options?: RequestOptions): Promise<Match> {
    return this.json({ method: 'DELETE', path: `/v1/matches/${segment('id', id)}`, repeat: 'safe' }, options)
  }

  /**
   * List the rows of a match with their results.
   *
   * With `outcome=no_match,invalid`, returns only the rows that failed. The list is empty until the match is nearly done.
   *
   * `await` gets one page; `for await` reads the rows of all pages.
   *
   * `GET /v1/matches/{id}/rows`
   */
  listMatchRows(id: string, query?: Query<'listMatchRows'>, options?: RequestOptions): Pages<MatchRow, Result<'listMatchRows'>> {
    return this.list('rows', { method: 'GET', path: `/v1/matches/${segment('id', id)}/rows`, query, repeat: 'safe' }, options)
  }

  /**
   * Download the rows of a match with their results.
   *
   * A CSV with the columns of the list and those of the result, or NDJSON with the rows as `/rows` returns them. 409: the match is not done.
   *
   * `GET /v1/matches/{id}/results`
   */
  getMatchResults(id: string, query?: Query<'getMatchResults'>, options?: RequestOptions): Promise<ReadableStream<Uint8Array<ArrayBuffer>>> {
    return this.stream({ method: 'GET', path: `/v1/matches/${segment('id', id)}/results`, query, repeat: 'safe' }, options)
  }

  /**
   * Match the failed rows of a list again.
   *
   * A new match of the rows that were not matched, for example after parcels were loaded, or with other columns. The rows keep their numbers.
   *
   * `POST /v1/matches/{id}/retry`
   */
  retryMatch(id: string, body?: Body<'retryMatch'>, options?: RequestOptions): Promise<Match> {
    return this.json({ method: 'POST', path: `/v1/matches/${segment('id', id)}/retry`, body, repeat: 'key' }, options)
  }

  /**
   * List your portfolios.
   *
   * Those of your account, or of your key if it has no account, newest first.
   *
   * `await` gets one page; `for await` reads the rows of all pages.
   *
   * `GET /v1/portfolios`
   */
  listPortfolios(query?: Query<'listPortfolios'>, options?: RequestOptions): Pages<Portfolio, Result<'listPortfolios'>> {
    return this.list('portfolios', { method: 'GET', path: `/v1/portfolios`, query, repeat: 'safe' }, options)
  }

  /**
   * Add a portfolio.
   *
   * A portfolio keeps parcels with notes and tags. Everyone with a key or session of your account can read and change it. An account, or a key without an account, can have at most 200.
   *
   * `POST /v1/portfolios`
   */
  addPortfolio(body: Body<'addPortfolio'>, options?: RequestOptions): Promise<PortfolioWithParcels> {
    return this.json({ method: 'POST', path: `/v1/portfolios`, body, repeat: 'key' }, options)
  }

  /**
   * Get one of your portfolios.
   *
   * With its parcels, their notes and tags, and the main fields of their records as they are now.
   *
   * `GET /v1/portfolios/{id}`
   */
  getPortfolio(id: string, options?: RequestOptions): Promise<PortfolioWithParcels> {
    return this.json({ method: 'GET', path: `/v1/portfolios/${segment('id', id)}`, repeat: 'safe' }, options)
  }

  /**
   * Rename one of your portfolios.
   *
   * Returns it with its parcels.
   *
   * `PATCH /v1/portfolios/{id}`
   */
  renamePortfolio(id: string, body: Body<'renamePortfolio'>, options?: RequestOptions): Promise<PortfolioWithParcels> {
    return this.json({ method: 'PATCH', path: `/v1/portfolios/${segment('id', id)}`, body, repeat: 'never' }, options)
  }

  /**
   * Delete one of your portfolios.
   *
   * Its notes and tags are deleted with it. Returns it as it was.
   *
   * `DELETE /v1/portfolios/{id}`
   */
  deletePortfolio(id: string, options?: RequestOptions): Promise<PortfolioWithParcels> {
    return this.json({ method: 'DELETE', path: `/v1/portfolios/${segment('id', id)}`, repeat: 'safe' }, options)
  }

  /**
   * Add a parcel to one of your portfolios.
   *
   * If the portfolio has the parcel already, its note and tags are replaced. Returns the portfolio. 404 if there is no such portfolio or parcel.
   *
   * `POST /v1/portfolios/{id}/parcels`
   */
  putPortfolioParcel(id: string, body: Body<'putPortfolioParcel'>, options?: RequestOptions): Promise<PortfolioWithParcels> {
    return this.json({ method: 'POST', path: `/v1/portfolios/${segment('id', id)}/parcels`, body, repeat: 'never' }, options)
  }

  /**
   * Remove a parcel from one of your portfolios.
   *
   * Its note and tags are deleted. Returns the portfolio.
   *
   * `DELETE /v1/portfolios/{id}/parcels/{source}/{parcel}`
   */
  removePortfolioParcel(id: string, source: string, parcel: string, options?: RequestOptions): Promise<PortfolioWithParcels> {
    return this.json({ method: 'DELETE', path: `/v1/portfolios/${segment('id', id)}/parcels/${segment('source', source)}/${segment('parcel', parcel)}`, repeat: 'safe' }, options)
  }

  /**
   * List your saved searches.
   *
   * Those of your account, or of your key if it has no account, newest first.
   *
   * `await` gets one page; `for await` reads the rows of all pages.
   *
   * `GET /v1/saved-searches`
   */
  listSavedSearches(query?: Query<'listSavedSearches'>, options?: RequestOptions): Pages<SavedSearch, Result<'listSavedSearches'>> {
    return this.list('searches', { method: 'GET', path: `/v1/saved-searches`, query, repeat: 'safe' }, options)
  }

  /**
   * Save a search.
   *
   * Everyone with a key or session of your account can use it. An account, or a key without an account, can have at most 200.
   *
   * `POST /v1/saved-searches`
   */
  addSavedSearch(body: Body<'addSavedSearch'>, options?: RequestOptions): Promise<SavedSearch> {
    return this.json({ method: 'POST', path: `/v1/saved-searches`, body, repeat: 'key' }, options)
  }

  /**
   * Delete one of your saved searches.
   *
   * Returns it as it was.
   *
   * `DELETE /v1/saved-searches/{id}`
   */
  deleteSavedSearch(id: string, options?: RequestOptions): Promise<SavedSearch> {
    return this.json({ method: 'DELETE', path: `/v1/saved-searches/${segment('id', id)}`, repeat: 'safe' }, options)
  }

  /**
   * Get the published archive, the running build and earlier builds of a layer.
   *
   * `/v1/events` reports the progress of a build.
   *
   * `GET /v1/admin/tiles`
   */
  listTileBuilds(query?: Query<'listTileBuilds'>, options?: RequestOptions): Promise<Result<'listTileBuilds'>> {
    return this.json({ method: 'GET', path: `/v1/admin/tiles`, query, repeat: 'safe' }, options)
  }

  /**
   * Build the tiles now.
   *
   * The tiles role runs the build; `/v1/events` reports its progress. Without a body it builds the layer `parcels`, which the maps of the app show and which always has all parcels. With a filter, it builds another layer with only those parcels. Its tiles are public, at `/tiles/{layer}.json`. The tiles role keeps only the layer `parcels` up to date: request others again when their data has changed. 409: a build of the layer is already requested or running.
   *
   * `POST /v1/admin/tiles/build`
   */
  buildTiles(body?: Body<'buildTiles'>, options?: RequestOptions): Promise<Result<'buildTiles'>> {
    return this.json({ method: 'POST', path: `/v1/admin/tiles/build`, body, repeat: 'key' }, options)
  }

  /**
   * Get your account.
   *
   * Requires a session. A key is not accepted.
   *
   * `GET /v1/account`
   */
  getAccount(options?: RequestOptions): Promise<Account> {
    return this.json({ method: 'GET', path: `/v1/account`, repeat: 'safe' }, options)
  }

  /**
   * List your keys.
   *
   * Valid keys first, then revoked ones; newest first in each group. The secrets are not included.
   *
   * `GET /v1/account/keys`
   */
  listAccountKeys(query?: Query<'listAccountKeys'>, options?: RequestOptions): Promise<Result<'listAccountKeys'>> {
    return this.json({ method: 'GET', path: `/v1/account/keys`, query, repeat: 'safe' }, options)
  }

  /**
   * Issue a key.
   *
   * The key is shown only once; the service stores only its hash. Returns 403 for a capability without a paid plan, and 409 if the account already has 50 valid keys. A repeated Idempotency-Key also returns 409; the error names the key that the first request issued.
   *
   * `POST /v1/account/keys`
   */
  issueAccountKey(body: Body<'issueAccountKey'>, options?: RequestOptions): Promise<IssuedKey> {
    return this.json({ method: 'POST', path: `/v1/account/keys`, body, repeat: 'key' }, options)
  }

  /**
   * Revoke one of your keys.
   *
   * The next request with the key is refused. Revoking a revoked key has no effect.
   *
   * `DELETE /v1/account/keys/{id}`
   */
  revokeAccountKey(id: string, options?: RequestOptions): Promise<Key> {
    return this.json({ method: 'DELETE', path: `/v1/account/keys/${segment('id', id)}`, repeat: 'safe' }, options)
  }

  /**
   * Get the delay of the search index, and its last check and rebuild.
   *
   * `/v1/events` reports the progress of a rebuild.
   *
   * `GET /v1/admin/search-index`
   */
  getSearchIndex(options?: RequestOptions): Promise<SearchIndex> {
    return this.json({ method: 'GET', path: `/v1/admin/search-index`, repeat: 'safe' }, options)
  }

  /**
   * Compare the search index with the database now.
   *
   * Differences are sent to the index again. The sync role runs the check; `/v1/events` reports when it ends. 409: a check is already requested or running.
   *
   * `POST /v1/admin/search-index/check`
   */
  checkSearchIndex(body?: Body<'checkSearchIndex'>, options?: RequestOptions): Promise<SearchIndexRequest> {
    return this.json({ method: 'POST', path: `/v1/admin/search-index/check`, body, repeat: 'key' }, options)
  }

  /**
   * Rebuild the search index.
   *
   * The rebuild creates a new index while searches use the old one. The sync role runs it, one instance of Meilisearch after the other; `/v1/events` reports its progress. 409: a rebuild is already requested or running.
   *
   * `POST /v1/admin/search-index/rebuild`
   */
  rebuildSearchIndex(body?: Body<'rebuildSearchIndex'>, options?: RequestOptions): Promise<SearchIndexRequest> {
    return this.json({ method: 'POST', path: `/v1/admin/search-index/rebuild`, body, repeat: 'key' }, options)
  }

  /**
   * List accounts, newest first.
   *
   * Use `after` to get the next page.
   *
   * `await` gets one page; `for await` reads the rows of all pages.
   *
   * `GET /v1/admin/accounts`
   */
  listAccounts(query?: Query<'listAccounts'>, options?: RequestOptions): Pages<AccountWithUse, Result<'listAccounts'>> {
    return this.list('accounts', { method: 'GET', path: `/v1/admin/accounts`, query, repeat: 'safe' }, options)
  }

  /**
   * List what admins changed, newest first.
   *
   * Successful requests that only admins can make, except reads. Kept for a year. What loads, crawls and jobs changed is in `GET /v1/changes`.
   *
   * `await` gets one page; `for await` reads the rows of all pages.
   *
   * `GET /v1/admin/actions`
   */
  listAdminActions(query?: Query<'listAdminActions'>, options?: RequestOptions): Pages<AdminAction, Result<'listAdminActions'>> {
    return this.list('actions', { method: 'GET', path: `/v1/admin/actions`, query, repeat: 'safe' }, options)
  }

  /**
   * Change a person's role or plan.
   *
   * Takes effect on the next request of the person or of their keys. Demoting the last admin returns 409.
   *
   * `PATCH /v1/admin/accounts/{id}`
   */
  updateAccount(id: string, body: Body<'updateAccount'>, options?: RequestOptions): Promise<AccountWithUse> {
    return this.json({ method: 'PATCH', path: `/v1/admin/accounts/${segment('id', id)}`, body, repeat: 'never' }, options)
  }

  /**
   * Remove an account with its sessions and keys.
   *
   * If the person signs in again, they get a new account as a member. Removing the last admin returns 409.
   *
   * `DELETE /v1/admin/accounts/{id}`
   */
  removeAccount(id: string, options?: RequestOptions): Promise<AccountWithUse> {
    return this.json({ method: 'DELETE', path: `/v1/admin/accounts/${segment('id', id)}`, repeat: 'safe' }, options)
  }

  /**
   * Get the coverage: counties, their parcels, and how current they are.
   *
   * Public. Updated once a minute, and when a load or an undo ends, which counts the parcels of its source if it changed at least 1% of them. After other changes, parcels are counted at most once an hour.
   *
   * `GET /v1/coverage`
   */
  getCoverage(options?: RequestOptions): Promise<Coverage> {
    return this.json({ method: 'GET', path: `/v1/coverage`, repeat: 'safe' }, options)
  }

  /**
   * List alerts, newest first.
   *
   * Current and past alerts. They are kept for 90 days after they ended. To get messages about them, add a watch of the kind `alerts` (`POST /v1/watches`).
   *
   * `await` gets one page; `for await` reads the rows of all pages.
   *
   * `GET /v1/alerts`
   */
  listAlerts(query?: Query<'listAlerts'>, options?: RequestOptions): Pages<Alert, Result<'listAlerts'>> {
    return this.list('alerts', { method: 'GET', path: `/v1/alerts`, query, repeat: 'safe' }, options)
  }

  /**
   * Silence an alert.
   *
   * Until the silence ends, webhooks get no message when the rule raises an alert for this subject. If an alert is still raised when the silence ends, they get the message at that time. If they got the message that an alert was raised, they also get the message that it ended.
   *
   * `PUT /v1/alerts/{id}/silence`
   */
  silenceAlert(id: string, body: Body<'silenceAlert'>, options?: RequestOptions): Promise<Alert> {
    return this.json({ method: 'PUT', path: `/v1/alerts/${segment('id', id)}/silence`, body, repeat: 'never' }, options)
  }

  /**
   * End the silence of an alert.
   *
   * If the alert is still raised and no message about it was sent, the webhooks get one within a minute.
   *
   * `DELETE /v1/alerts/{id}/silence`
   */
  endAlertSilence(id: string, options?: RequestOptions): Promise<Alert> {
    return this.json({ method: 'DELETE', path: `/v1/alerts/${segment('id', id)}/silence`, repeat: 'safe' }, options)
  }

  /**
   * List the alert rules.
   *
   * The rules are fixed. Each is checked once a minute.
   *
   * `GET /v1/alert-rules`
   */
  listAlertRules(options?: RequestOptions): Promise<Result<'listAlertRules'>> {
    return this.json({ method: 'GET', path: `/v1/alert-rules`, repeat: 'safe' }, options)
  }

  /**
   * Change the threshold of a rule, or switch it on or off.
   *
   * Takes effect within a minute. `threshold: null` restores the default.
   *
   * `PATCH /v1/alert-rules/{rule}`
   */
  updateAlertRule(rule: string, body: Body<'updateAlertRule'>, options?: RequestOptions): Promise<AlertRule> {
    return this.json({ method: 'PATCH', path: `/v1/alert-rules/${segment('rule', rule)}`, body, repeat: 'never' }, options)
  }

  /**
   * TileJSON of a layer.
   *
   * TileJSON 3.0.0, for clients that load single tiles instead of an archive.
   *
   * `GET /tiles/{layer}.json`
   */
  tileJson(layer: string, options?: RequestOptions): Promise<TileJson> {
    return this.json({ method: 'GET', path: `/tiles/${segment('layer', layer)}.json`, repeat: 'safe' }, options)
  }
}
