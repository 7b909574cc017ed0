import type { ErrorCode } from '../service-error'

/**
 * What a failed scrape says.
 *
 * - `site_changed`: the portal answers, but differently than before
 * - `fetch_failed`: no page was received
 * - `parcel`: the portal works; the problem is in this parcel
 * - `service`: the reason is this service or its settings
 */
export type FailureCause = 'site_changed' | 'fetch_failed' | 'parcel' | 'service'

/** Codes that jobs store in addition to those of errors. */
type FailureCode = ErrorCode | 'internal' | 'worker_lost' | 'worker_stopped'

export interface FailureClass {
  /** Stored in `scrape_jobs.failure_class`, unless it equals the code. */
  name: string
  /** The code of the error. Classes without their own code are a part of this code's failures. Null: several codes. */
  code: FailureCode | null
  cause: FailureCause
  title: string
  /** What to do about it. */
  advice: string
}

/** All classes of failed scrapes, in the order in which they are shown. The symptoms in docs/operate.md are tested against this table. */
export const FAILURE_CLASSES = [
  {
    name: 'page_changed',
    code: 'page_changed',
    cause: 'site_changed',
    title: 'Changed page',
    advice: 'Look at the kept page of a parcel. Correct the adapter, then replay the kept pages.',
  },
  {
    name: 'redirected',
    code: null,
    cause: 'site_changed',
    title: 'Redirected elsewhere',
    advice: 'Open the portal in a browser. If the county has a new portal, change the source.',
  },
  {
    name: 'page_missing',
    code: 'not_found',
    cause: 'site_changed',
    title: 'Page missing (404)',
    advice:
      'Open the URL in a browser. If other parcels work, this parcel does not exist. Otherwise correct the URL in the settings of the source.',
  },
  {
    name: 'too_large',
    code: 'too_large',
    cause: 'site_changed',
    title: 'Too large',
    advice: 'Open the page in a browser. It takes more time or memory to read than the service allows.',
  },
  {
    name: 'name_not_found',
    code: 'network',
    cause: 'fetch_failed',
    title: 'Name does not resolve',
    advice: 'Check the host name of the portal. If it exists, check DNS on the workers.',
  },
  {
    name: 'certificate',
    code: 'network',
    cause: 'fetch_failed',
    title: 'Invalid certificate',
    advice:
      'Open the portal in a browser. If it warns, tell the county. If not, name a file with the missing certificate in NODE_EXTRA_CA_CERTS.',
  },
  {
    name: 'network',
    code: 'network',
    cause: 'fetch_failed',
    title: 'Connection failed',
    advice: 'Open the portal in a browser. If it works there, the portal may refuse the network of the workers.',
  },
  {
    name: 'server_error',
    code: 'network',
    cause: 'fetch_failed',
    title: 'Server error',
    advice: 'Wait: the portal has a fault. Retry the failed jobs when it works again.',
  },
  {
    name: 'timeout',
    code: 'timeout',
    cause: 'fetch_failed',
    title: 'Timeout',
    advice: 'The portal is slow. Lower the concurrency of the vendor, then retry the failed jobs.',
  },
  {
    name: 'throttled',
    code: 'throttled',
    cause: 'fetch_failed',
    title: 'Throttled',
    advice: 'Wait: the service slows down by itself. Retry the failed jobs later.',
  },
  {
    name: 'blocked',
    code: 'blocked',
    cause: 'fetch_failed',
    title: 'Refused',
    advice: 'Ask the county for permission. The service does not try to get around a refusal.',
  },
  {
    name: 'challenge',
    code: 'blocked',
    cause: 'fetch_failed',
    title: 'Bot check',
    advice: 'Ask the county for permission. The service does not try to get around a bot check.',
  },
  {
    name: 'maintenance',
    code: 'maintenance',
    cause: 'fetch_failed',
    title: 'Maintenance',
    advice: 'Wait until the portal is back, then retry the failed jobs.',
  },
  {
    name: 'not_found',
    code: 'not_found',
    cause: 'parcel',
    title: 'Nothing found',
    advice: 'Load the list of parcels again. If the portal finds no parcel at all, its search has changed.',
  },
  {
    name: 'wrong_parcel',
    code: 'wrong_parcel',
    cause: 'parcel',
    title: 'Other parcel',
    advice: 'Compare the parcel number of the page with that of the source. The number may have another form.',
  },
  {
    name: 'bad_config',
    code: 'bad_config',
    cause: 'service',
    title: 'Wrong settings',
    advice: 'Correct the settings of the source. The message names the setting.',
  },
  {
    name: 'internal',
    code: 'internal',
    cause: 'service',
    title: 'Error in the service',
    advice: "Look for the error in the worker's log, and report it.",
  },
  {
    name: 'server_unavailable',
    code: 'server_unavailable',
    cause: 'service',
    title: 'Database busy',
    advice: 'Retry the failed jobs. If it happens again, check the load and the locks of PostgreSQL.',
  },
  {
    name: 'worker_lost',
    code: 'worker_lost',
    cause: 'service',
    title: 'Worker lost',
    advice: 'See why workers ended: look at their logs and their memory. Then retry the failed jobs.',
  },
  {
    name: 'worker_stopped',
    code: 'worker_stopped',
    cause: 'service',
    title: 'Worker stopped',
    advice: 'Nothing to do: a newer job of the parcel takes its place.',
  },
  {
    name: 'vendor_paused',
    code: 'vendor_paused',
    cause: 'service',
    title: 'Vendor paused',
    advice: 'Nothing to do: a newer job of the parcel runs when the vendor is resumed.',
  },
  {
    name: 'cancelled',
    code: 'cancelled',
    cause: 'service',
    title: 'Cancelled',
    advice: 'Nothing to do, or retry the jobs.',
  },
] as const satisfies readonly FailureClass[]

export type FailureClassName = (typeof FAILURE_CLASSES)[number]['name']

const BY_NAME: ReadonlyMap<string, FailureClass> = new Map(FAILURE_CLASSES.map((one) => [one.name, one]))

export const failureClass = (name: string): FailureClass | null => BY_NAME.get(name) ?? null

export const classesOfCause = (cause: FailureCause): FailureClassName[] =>
  FAILURE_CLASSES.filter((one) => one.cause === cause).map(({ name }) => name)
