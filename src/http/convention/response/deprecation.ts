/** Paths of the API without /v1 were deprecated when the service first shipped. They are removed six months later. */
const DEPRECATED_AT = new Date('2026-11-21T00:00:00Z')
const SUNSET_AT = new Date('2027-05-21T00:00:00Z')

const DEPRECATION = `@${DEPRECATED_AT.getTime() / 1000}`
const SUNSET = SUNSET_AT.toUTCString()

/**
 * Headers for every response of an API path without /v1, including errors: Deprecation (RFC 9745), Sunset (RFC 8594) and a link to the
 * successor (RFC 8288). Empty for other paths. A path is an API path if a /v1 route starts with the same segment.
 */
export const createDeprecation = (listRoutes: () => readonly { path: string }[]) => {
  let resources: Set<string> | null = null
  return (path: string): [name: string, value: string][] => {
    if (path.startsWith('/v1/')) return []
    resources ??= new Set(
      listRoutes()
        .filter((route) => route.path.startsWith('/v1/'))
        .map((route) => firstSegment(route.path.slice('/v1'.length))),
    )
    if (!resources.has(firstSegment(path))) return []
    return [
      ['deprecation', DEPRECATION],
      ['sunset', SUNSET],
      ['link', `</v1${path.replace(/[<>"\s]/g, encodeURIComponent)}>; rel="successor-version"`],
    ]
  }
}

/** `/parcels/elm/1` → `parcels` */
const firstSegment = (path: string): string => {
  const end = path.indexOf('/', 1)
  return end === -1 ? path.slice(1) : path.slice(1, end)
}
