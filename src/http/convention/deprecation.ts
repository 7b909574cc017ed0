/** The forms of the API's paths without /v1 were deprecated when the service first shipped, and go six months later. */
const DEPRECATED_AT = new Date('2026-11-21T00:00:00Z')
const SUNSET_AT = new Date('2027-05-21T00:00:00Z')

const RESOURCES = [
  'sources',
  'source-refresh-policies',
  'parcels',
  'search',
  'findings',
  'scrape-jobs',
  'account',
  'admin',
  'events',
] as const

const DEPRECATION = `@${DEPRECATED_AT.getTime() / 1000}`
const SUNSET = SUNSET_AT.toUTCString()
const UNVERSIONED = new RegExp(`^/(${RESOURCES.join('|')})(/|$)`)

/**
 * Headers for every answer of a path without /v1, errors included: Deprecation (RFC 9745), Sunset (RFC 8594) and the
 * successor (RFC 8288). Null for every other path.
 */
export const deprecationHeaders = (path: string): Record<string, string> | null =>
  UNVERSIONED.test(path)
    ? {
        deprecation: DEPRECATION,
        sunset: SUNSET,
        link: `</v1${path.replace(/[<>"\s]/g, encodeURIComponent)}>; rel="successor-version"`,
      }
    : null
