import { afterAll, describe, expect, test } from 'bun:test'
import { createPortalAccess } from '../../../../adapters/http/http-client'
import { findAdapter } from '../../../../adapters/registry'
import { listCases } from '../../../../dev/adapter-cases/list-cases'
import { serveCase } from '../../../../dev/adapter-cases/serve-case'
import { checkProofs } from '../../../../src/scrape/prove/check-proofs'
import type { GoldenFile } from '../../../../src/scrape/prove/golden-file'
import { findDifference } from '../../../../src/scrape/prove/read-golden-page'
import { readHere } from '../../../../src/scrape/readers/readers'
import { createTestApp, insertCounty } from '../../test-app'

/** A vendor of grade C whose pages are requested without a browser. */
const VENDOR = 'gsa-catalis'
const full = listCases(VENDOR).find(({ name }) => name === 'full')
if (full === undefined) throw new Error(`${VENDOR} has no full case`)
const portal = serveCase(full)
afterAll(() => portal.stop())
const portals = createPortalAccess({ userAgent: 'ParcelDataService/0', ownOrigins: new Set([portal.origin]) })
const { sql, call, readKey } = await createTestApp({
  scraper: {
    findAdapter,
    createContext: (source, signal) => ({ http: portals.clientFor(source, signal), openPage: null, signal }),
  },
})
await insertCounty(sql)
const { pathname, search } = new URL(full.target.baseUrl)
await sql`
  update sources set vendor = ${VENDOR}, base_url = ${portal.origin + pathname + search},
    vendor_config = ${sql.json((full.config ?? {}) as never)}`
const id = full.target.sourceParcelId

const dryRun = (body: unknown = { source_parcel_id: id }, source = 'elm') =>
  call(`/v1/sources/${source}/dry-run`, { method: 'POST', body })
const prove = (body: unknown) => call('/v1/sources/elm/proof', { method: 'POST', body })
const activate = () => call('/v1/sources/elm', { method: 'PATCH', body: { active: true } })

describe('a dry run', () => {
  test('200: shows what was read beside the labels of the page, and stores nothing', async () => {
    const { status, body } = await dryRun()
    expect(status).toBe(200)
    expect(body).toMatchObject({ source: 'elm', source_parcel_id: id, failure: null })
    expect(body.reading).toMatch(/^[0-9a-f]{64}$/)
    const { fields } = full.expect as { fields: { situsAddress: string } }
    expect(body.values).toContainEqual({ field: 'situs_address', value: fields.situsAddress })
    const location = body.labels.find(({ label }: { label: string }) => label.startsWith('Location'))
    expect(location).toMatchObject({ is_read: true, fields: expect.arrayContaining(['situs_address']) })
    expect(body.answers[0]).toMatchObject({ status: 200, size_bytes: expect.any(Number) })
    expect((await sql`select count(*)::int as n from parcels`)[0]?.n).toBe(0)
    expect((await dryRun()).body.reading).toBe(body.reading)
  })

  test('200: the reason why the parcel could not be read', async () => {
    const { status, body } = await dryRun({ source_parcel_id: 'other' })
    expect(status).toBe(200)
    expect(body).toMatchObject({ reading: null, values: [], failure: { code: expect.any(String) } })
  })

  test('400: settings that the vendor does not accept are not tried; 404: an unknown source; 403: without admin', async () => {
    const asked = portal.asked.length
    const { status, body } = await dryRun({ source_parcel_id: id, vendor_config: { colour: 1 } })
    expect(status).toBe(400)
    expect(body.error).toContain('unknown field "colour"')
    expect((await dryRun(undefined, 'nowhere')).status).toBe(404)
    const key = await readKey()
    const refused = { method: 'POST', key, body: { source_parcel_id: id } }
    expect((await call('/v1/sources/elm/dry-run', refused)).status).toBe(403)
    expect((await call('/v1/sources/elm/proof', { key })).status).toBe(403)
    expect(portal.asked).toHaveLength(asked)
  })

  test('409: a vendor that needs a browser is tried with the command', async () => {
    await insertCounty(sql, 'oak')
    await sql`update sources set vendor = 'grant-street-taxsys', vendor_config = '{}' where source = 'oak'`
    const { status, body } = await dryRun(undefined, 'oak')
    expect(status).toBe(409)
    expect(body.error).toContain('bun run adapter prove oak --parcel ID')
  })
})

test('429: a caller with two running dry runs must wait for one to end', async () => {
  const answers = await Promise.all([dryRun(), dryRun(), dryRun()])
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 200, 429])
})

describe('a proof', () => {
  test('a source of a C vendor is activated after an admin has proved it, and not before', async () => {
    expect((await activate()).status).toBe(409)
    expect((await call('/v1/sources/elm/proof')).status).toBe(404)
    const { reading } = (await dryRun()).body
    const refused = await prove({ source_parcel_id: id, reading: '0'.repeat(64) })
    expect(refused).toMatchObject({ status: 409, body: { error: expect.stringContaining('other values') } })

    const { status, body } = await prove({ source_parcel_id: id, reading })
    expect(status).toBe(200)
    expect(body).toMatchObject({
      ...{ source: 'elm', source_parcel_id: id, proved_by: 'test-adm', adapter: VENDOR },
      ...{ version: expect.any(String), page_hash: expect.stringMatching(/^[0-9a-f]{64}$/), difference: null },
    })
    expect((await call('/v1/sources/elm')).body.proved_at).toBe(body.proved_at)
    expect((await call('/v1/sources')).body.sources[0].proved_at).toBe(body.proved_at)
    expect(await activate()).toMatchObject({ status: 200, body: { active: true } })
  })

  test('200: the golden page as text that no browser renders, and its export without the names of the parcel', async () => {
    const page = await call('/v1/sources/elm/proof/page')
    expect(page.status).toBe(200)
    expect(page.headers.get('content-type')).toBe('text/plain; charset=utf-8')
    expect(page.headers.get('content-security-policy')).toContain('sandbox')
    expect(page.text).toContain(id)
    const { fields } = full.expect as { fields: { ownerName: string; situsAddress: string } }
    expect(page.text).toContain(fields.ownerName)

    const exported = await call('/v1/sources/elm/proof/export')
    expect(exported.status).toBe(200)
    expect(exported.headers.get('content-disposition')).toBe('attachment; filename="elm.json"')
    expect(exported.text).not.toContain(fields.ownerName)
    expect(exported.text).not.toContain(fields.situsAddress)
    const file = exported.body as GoldenFile
    const adapter = findAdapter(VENDOR)
    expect(adapter && (await findDifference(readHere, adapter, file))).toBeNull()
    const key = await readKey()
    for (const path of ['page', 'export']) {
      expect((await call(`/v1/sources/elm/proof/${path}`, { key })).status).toBe(403)
      expect((await call(`/v1/sources/nowhere/proof/${path}`)).status).toBe(404)
    }
  })

  test('409: a golden page that today’s settings do not read is not exported, and the reason is named', async () => {
    const [was] = await sql`select vendor_config from sources where source = 'elm'`
    await sql`update sources set vendor = 'vgsi', vendor_config = '{}' where source = 'elm'`
    const { status, body } = await call('/v1/sources/elm/proof/export')
    await sql`update sources set vendor = ${VENDOR}, vendor_config = ${sql.json(was?.vendor_config)} where source = 'elm'`
    expect(status).toBe(409)
    expect(body.error).toStartWith('the golden page cannot be read: ')
  })

  test('409: a parcel that cannot be read proves nothing', async () => {
    const { status, body } = await prove({ source_parcel_id: 'other', reading: '0'.repeat(64) })
    expect(status).toBe(409)
    expect(body.error).toContain('the parcel was not read')
  })

  test('after an update or a change of the settings the golden page is read again, and a difference is reported; the source stays active', async () => {
    const warned: unknown[] = []
    const check = () =>
      checkProofs({ sql, readers: readHere, findAdapter, log: { warn: (about: unknown) => void warned.push(about) } })
    const proof = async () => (await call('/v1/sources/elm/proof')).body
    const asked = portal.asked.length
    await sql`update source_proofs set checked_version = '0.0.1'`
    await check()
    expect(await proof()).toMatchObject({ checked_version: (await proof()).version, difference: null })

    // As if this version read another owner than the one that was accepted.
    await sql`update source_proofs set read = jsonb_set(read, '{fields,situsAddress}', '"1 OTHER ST"'), checked_version = '0.0.1'`
    await check()
    expect((await proof()).difference).toBe('other values in situsAddress')
    expect(warned).toEqual([{ source: 'elm', difference: 'other values in situsAddress' }])
    await check()
    expect(warned).toHaveLength(1)

    await call('/v1/sources/elm', { method: 'PATCH', body: { vendor_config: full.config ?? {} } })
    expect((await proof()).checked_version).toBeNull()
    await check()
    expect(await proof()).toMatchObject({ checked_version: (await proof()).version })
    expect((await call('/v1/sources/elm')).body.active).toBe(true)
    expect(portal.asked).toHaveLength(asked)
  })
})
