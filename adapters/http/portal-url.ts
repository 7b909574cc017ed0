import type { ScrapeTarget } from '../adapter'

/**
 * A URL of the portal: `path` in the folder of the source's base_url, with `parameters` as the query. A base_url
 * may be the portal's folder (`https://portal.example/clientdb`) or a page in it (`.../clientdb/PropertySearch.aspx?cid=7`).
 */
export const portalUrl = (
  baseUrl: string,
  path: string,
  parameters: Readonly<Record<string, string | number | undefined>> = {},
): string => {
  const folder = new URL(baseUrl)
  folder.search = ''
  folder.hash = ''
  folder.pathname = folder.pathname.replace(/\/[^/]*\.[a-z]{2,5}$/i, '').replace(/\/*$/, '/')
  const url = new URL(path, folder)
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== undefined) url.searchParams.set(name, String(value))
  }
  return url.href
}

/** Headers that request the page only if it changed since the last scrape (RFC 9110, 13.1). */
export const conditionalHeaders = ({ validators }: ScrapeTarget): Record<string, string> => ({
  ...(validators.etag === null ? {} : { 'if-none-match': validators.etag }),
  ...(validators.lastModified === null ? {} : { 'if-modified-since': validators.lastModified }),
})
