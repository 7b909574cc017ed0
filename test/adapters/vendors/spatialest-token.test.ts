import { expect, test } from 'bun:test'
import { checkConfig } from '../../../adapters/check-config'
import { readScrape } from '../../../adapters/read-scrape'
import { ScrapeError } from '../../../adapters/scrape-error'
import { spatialest } from '../../../adapters/vendors/spatialest/adapter'
import { openClient, startPortal } from '../portal'

/** A portal that requires its cookie and the page's latest token. */
const startRecords = ({ token }: { token: string }) =>
  startPortal((request) => {
    const { pathname } = new URL(request.url)
    if (pathname === '/co/larkspur/') {
      return new Response(`<html><head><meta name="csrf-token" content="${token}"></head><body></body></html>`, {
        headers: { 'content-type': 'text/html', 'set-cookie': 'session=s1; Path=/' },
      })
    }
    if (!pathname.startsWith('/co/larkspur/api/')) return new Response('', { status: 404 })
    const { headers } = request
    const isKnown = headers.get('x-csrf-token') === 't1' && headers.get('cookie') === 'session=s1'
    if (!isKnown) return Response.json({ message: 'Page token mismatch' }, { status: 419 })
    if (pathname.endsWith('/search')) return Response.json({ id: 88120 })
    return Response.json({ parcel: { header: { par: '74123', OwnerName: 'HOLLOWAY MARIGOLD' }, sections: [] } })
  })

const scrape = async (url: string) => {
  const signal = AbortSignal.timeout(20_000)
  const target = {
    source: 'elm',
    sourceParcelId: '74123',
    baseUrl: `${url}/co/larkspur`,
    state: 'CO',
    countyName: 'Larkspur',
    overrides: {},
    storedNumber: null,
    otherSpelling: null,
    validators: { etag: null, lastModified: null },
  }
  const config = checkConfig(spatialest.config, {}, { allowPrivate: true })
  const fetched = await spatialest.fetch(target, config, { http: openClient({}, signal), openPage: null, signal })
  return 'documents' in fetched ? readScrape(spatialest, fetched.documents, target, config) : null
}

test('a page token that the portal misses is taken from its page, and sent with the cookie', async () => {
  const portal = startRecords({ token: 't1' })
  expect((await scrape(portal.url))?.fields.ownerName).toBe('HOLLOWAY MARIGOLD')
})

test('a token that is refused twice is not tried again', async () => {
  const portal = startRecords({ token: 'stale' })
  await expect(scrape(portal.url)).rejects.toBeInstanceOf(ScrapeError)
  expect(portal.asked.filter(({ path }) => path.includes('/api/'))).toHaveLength(2)
})
