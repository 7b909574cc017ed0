import { Type } from '@sinclair/typebox'
import type { Adapter } from '../../../adapters/adapter'
import { ScrapeError } from '../../../adapters/scrape-error'

/** A portal on this machine with a search and a page per parcel. It counts its requests. */
export const startPagePortal = () => {
  const pages = new Map<string, string>()
  let requests = 0
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: (request) => {
      const { pathname, searchParams } = new URL(request.url)
      if (pathname === '/robots.txt') return new Response('', { status: 404 })
      requests++
      const id = searchParams.get('id') ?? ''
      const headers = { 'content-type': 'text/html; charset=utf-8', 'set-cookie': 'session=cookie-secret; Path=/' }
      if (pathname === '/search') return new Response(`<a>found ${id}</a>`, { headers })
      return new Response(pages.get(id) ?? '<p>No such parcel</p>', { headers })
    },
  })
  return {
    url: `http://127.0.0.1:${server.port}`,
    pages,
    requests: () => requests,
    stop: () => server.stop(true),
  }
}

export const pageOf = (id: string, { owner = `OWNER OF ${id}`, zoning = 'R1' } = {}): string =>
  `<html><p>Parcel: ${id}</p><p>Owner: ${owner} / 12 MAIN ST</p><p>Zoning: ${zoning}</p></html>`

const read = (page: string, label: string): string | undefined =>
  new RegExp(`${label}: ([^<]*)<`).exec(page)?.[1]?.trim()

/** Reads the pages of `startPagePortal`. `swallowsAddress`: a bug that adds the address to the owner. */
export const createPageAdapter = ({
  swallowsAddress = false,
  ownerLabel = 'Owner',
}: {
  swallowsAddress?: boolean
  ownerLabel?: string
} = {}): Adapter => ({
  vendor: 'test',
  grade: 'C',
  needsBrowser: false,
  config: Type.Object({}, { additionalProperties: true }),
  async fetch({ baseUrl, sourceParcelId: id }, _, { http }) {
    const query = `id=${encodeURIComponent(id)}&access_token=url-secret`
    const search = await http.request({ name: 'search', url: `${baseUrl}/search?${query}` })
    const property = await http.request({ name: 'property', url: `${baseUrl}/property?${query}` })
    return { documents: [search, property] }
  },
  parse([, property]) {
    const page = property?.body ?? ''
    const id = read(page, 'Parcel')
    if (id === undefined) throw new ScrapeError('not_found', 'the portal has no such parcel')
    const owner = read(page, ownerLabel)
    if (owner === undefined) throw new ScrapeError('page_changed', `no "${ownerLabel}"`)
    const zoningCode = read(page, 'Zoning')
    const ownerName = swallowsAddress ? owner : owner.split(' / ')[0]
    return {
      shownIds: [id],
      fields: { ...(ownerName && { ownerName }), ...(zoningCode && { zoningCode }) },
      scrape: { parcel_number: id, fetched_at: property?.fetchedAt ?? '', ...(ownerName && { owner_name: ownerName }) },
    }
  },
})
