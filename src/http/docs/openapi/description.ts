import { version } from '../../../../package.json'

const DESCRIPTION = `US land parcels from hundreds of county portals: typo-tolerant search, lookups, bounding boxes, scrapes and boundary tiles. Send your key as \`X-Service-Key\`.

Every \`/v1\` route also works without the prefix. Those paths are deprecated and not listed here. Their responses have the headers \`Deprecation\` (RFC 9745), \`Sunset\` (RFC 8594) and \`Link\` with \`rel="successor-version"\`.

GIS programs find the parcels at \`/ogc\` (OGC API - Features). Its document is \`/ogc/api\`.

Every response has \`X-Request-Id\`, and every 429 and 503 has \`Retry-After\`. Query parameters that a route does not list are ignored, except those that it says are refused. Unknown body fields are rejected.`

export const INFO = {
  title: 'Parcel Data Service',
  description: DESCRIPTION,
  version,
  license: { name: 'MIT', url: 'https://opensource.org/license/mit' },
}

export const TAGS = [
  { name: 'search', description: 'Typeahead search over owners, addresses, parcel ids and companies.' },
  { name: 'parcels', description: 'One parcel, or parcels by place or filter.' },
  { name: 'exports', description: 'All parcels of a filter, as a file or a stream.' },
  { name: 'changes', description: 'Every change of every parcel, in order.' },
  { name: 'findings', description: 'Issues that the review engine found in parcels.' },
  { name: 'scrape-jobs', description: 'Queued, running and finished scrapes.' },
  { name: 'events', description: 'Live updates.' },
  { name: 'watches', description: 'Changes of parcels, owners, areas and sources, sent to you.' },
  { name: 'portfolios', description: 'Parcels and searches that you keep, with notes and tags.' },
  { name: 'matches', description: 'The parcel of each row of your list.' },
  { name: 'work', description: 'Crawls, tile builds and all other long-running work, in one list.' },
  { name: 'loads', description: 'Loads of files and crawls: changes, held loads, and undo.' },
  { name: 'sources', description: 'County portals and their refresh policies.' },
  {
    name: 'concurrency',
    description: "Each vendor's number of concurrent scrapes, and the tuner that sets it.",
  },
  { name: 'alerts', description: 'Problems of the service: rules, current and past alerts.' },
  { name: 'account', description: 'The signed-in person and their keys.' },
  { name: 'tiles', description: 'Parcel boundaries for maps.' },
  { name: 'system', description: 'Health, documentation and pages of the service.' },
]

export const SECURITY_SCHEMES = {
  ServiceKey: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Service-Key',
    description:
      'An API key. Every key can read. Some keys also have the capability `enqueue`, `bulk-export` or `admin`.',
  },
  Session: {
    type: 'apiKey',
    in: 'cookie',
    name: 'pds_session',
    description:
      'Session of a signed-in browser (`/auth/sign-in`). Over HTTPS the name is `__Host-pds_session`. It has the capability of the account: `read`; `enqueue` and `bulk-export` with a paid plan; `admin` with that role. Requests that change something must have the Origin of this service. A key in the header takes precedence.',
  },
}
