import { describe, expect, test } from 'bun:test'
import { storeProof } from '../../../../drizzle/queries/sources/source-proofs'
import { createTestApp, insertCounty } from '../../test-app'

const { sql, call, readKey } = await createTestApp()
for (const source of ['elm', 'ash', 'oak']) await insertCounty(sql, source)
await sql`update sources set vendor = 'pacs-property-access', vendor_config = '{}' where source = 'ash'`

const ash = {
  source: 'ash',
  state: 'OR',
  county_name: 'Elm',
  vendor: 'pacs-property-access',
  base_url: 'https://elm.example',
  active: false,
  cadence: 'annual',
  next_due_at: '2027-01-01T00:00:00.000Z',
  last_full_scrape_at: null,
  last_known_data_as_of: null,
  license: null,
  attribution: null,
  proved_at: null,
  retired_at: null,
}
/** In Texas, this vendor has a better grade. */
const vendor_grade = 'B'

const byDefault = { retired: null, emptied: null, owner: null }

describe('GET sources', () => {
  test('200: every source with its cadence, by slug, without vendor_config', async () => {
    const { body } = await call('/v1/sources')
    expect(body.count).toBe(3)
    expect(body).not.toHaveProperty('next')
    expect(body.sources[0]).toEqual({ ...ash, vendor_grade })
  })

  test('200: the grade of the vendor in the state of the source; null without an adapter', async () => {
    const gradeOf = async (source: string) => (await call(`/v1/sources/${source}`)).body.vendor_grade
    await sql`update sources set state = 'TX' where source = 'ash'`
    expect(await gradeOf('ash')).toBe('A')
    await sql`update sources set state = 'OR', vendor = 'nobody' where source = 'ash'`
    expect(await gradeOf('ash')).toBeNull()
    await sql`update sources set vendor = 'pacs-property-access' where source = 'ash'`
  })

  test('200: only admins see the tokens in the URL of a file', async () => {
    const url = 'https://elm.example/a"b/parcels.zip?layer=7&token=s3cret'
    await sql`update sources set base_url = ${url} where source = 'oak'`
    const read = async (options: { key?: string }) => {
      const { sources } = (await call('/v1/sources', options)).body
      const listed = sources.find(({ source }: { source: string }) => source === 'oak')
      return [listed.base_url, (await call('/v1/sources/oak', options)).body.base_url]
    }
    expect(await read({})).toEqual([url, url])
    const shown = url.replace('s3cret', 'REDACTED')
    expect(await read({ key: await readKey() })).toEqual([shown, shown])
    await sql`update sources set base_url = 'https://elm.example' where source = 'oak'`
  })

  test('200: in pages when a limit is given', async () => {
    const first = (await call('/v1/sources?limit=2')).body
    expect(first.sources.map((row: { source: string }) => row.source)).toEqual(['ash', 'elm'])
    expect(first.next).toBe('elm')
    expect((await call('/v1/sources?limit=2&after=elm')).body).toMatchObject({ count: 1, next: null })
  })
})

describe('GET sources with filters', () => {
  const slugs = async (query: string, options = {}) => {
    const { status, body } = await call(`/v1/sources?${query}`, options)
    expect(status).toBe(200)
    return body.sources.map(({ source }: { source: string }) => source)
  }

  test('200: filtered by state in any case, vendor and active, also combined and in pages', async () => {
    await sql`update sources set state = 'WA' where source = 'elm'`
    await sql`update sources set active = true where source = 'oak'`
    expect(await slugs('state=or')).toEqual(['ash', 'oak'])
    expect(await slugs('vendor=arcgis-rest')).toEqual(['elm', 'oak'])
    expect(await slugs('active=true')).toEqual(['oak'])
    expect(await slugs('active=false')).toEqual(['ash', 'elm'])
    expect(await slugs('state=WA&vendor=arcgis-rest&active=false')).toEqual(['elm'])
    expect(await slugs('vendor=arcgis-rest&limit=1&after=elm')).toEqual(['oak'])
    expect(await slugs('vendor=nobody-knows-it')).toEqual([])
    expect(await slugs('state=PR')).toEqual([])
    await sql`update sources set state = 'OR', active = false`
  })

  test('400: an invalid state, vendor name or boolean', async () => {
    for (const [query, error] of [
      ['state=XX', 'state must be the 2-letter code of a US state, DC or a territory'],
      ['state=', 'state must be the 2-letter code of a US state, DC or a territory'],
      ['vendor=a%20b', 'vendor must be the name of a vendor: 1 to 100 letters, digits, - or _'],
      ['active=1', 'active must be true or false'],
      ['active=', 'active must be true or false'],
    ]) {
      expect(await call(`/v1/sources?${query}`)).toMatchObject({ status: 400, body: { error } })
    }
  })
})

describe('GET a source', () => {
  test('200: a read-only key gets the source without vendor_config and the limits of loads', async () => {
    const { status, body } = await call('/v1/sources/ash', { key: await readKey() })
    expect(status).toBe(200)
    expect(body).toEqual({ ...ash, vendor_grade, agricultural_only: false, can_crawl: false })
  })

  test('200: an admin also gets vendor_config, its schema and the limits of loads', async () => {
    const { vendor_config_schema, ...rest } = (await call('/v1/sources/ash')).body
    expect(rest).toEqual({
      ...ash,
      vendor_grade,
      agricultural_only: false,
      vendor_config: {},
      load_limits: byDefault,
      can_crawl: false,
    })
    expect(vendor_config_schema).toMatchObject({ type: 'object', additionalProperties: false })
    expect(vendor_config_schema.properties).toHaveProperty('cid')
  })

  test('200: an admin gets what to look up before a seeded source is activated, unless it has another vendor now', async () => {
    await sql`
      update sources set source = 'ut-summit-tyler-eagleweb-treasurer', vendor = 'tyler-eagleweb-treasurer' where source = 'ash'`
    const get = (key?: string) =>
      call('/v1/sources/ut-summit-tyler-eagleweb-treasurer', key === undefined ? {} : { key })
    expect((await get()).body.look_up).toContain('source_parcel_id must be the account')
    expect((await get(await readKey())).body).not.toHaveProperty('look_up')
    await sql`update sources set vendor = 'pacs-property-access' where source = 'ut-summit-tyler-eagleweb-treasurer'`
    expect((await get()).body).not.toHaveProperty('look_up')
    await sql`update sources set source = 'ash' where source = 'ut-summit-tyler-eagleweb-treasurer'`
  })

  test('400: a seeded source that is activated without its settings says what to look up', async () => {
    const name = 'oh-stark-tyler-iasworld'
    await sql`update sources set source = ${name}, vendor = 'tyler-iasworld', active = false where source = 'ash'`
    const { status, body } = await call(`/v1/sources/${name}`, { method: 'PATCH', body: { active: true } })
    await sql`
      update sources set source = 'ash', vendor = 'pacs-property-access', active = false where source = ${name}`
    expect(status).toBe(400)
    expect(body.error).toContain('vendor_config.modes is missing')
    expect(body.error).toContain('Set modes: open a parcel in the portal')
  })

  test('404: an unknown source', async () => {
    expect(await call('/v1/sources/nowhere')).toMatchObject({ status: 404, body: { error: 'not found' } })
  })
})

describe('PATCH a source', () => {
  test('200: license and attribution are set, kept and cleared', async () => {
    const patch = async (body: object) => {
      const answer = await call('/v1/sources/elm', { method: 'PATCH', body })
      return [answer.status, answer.body.license, answer.body.attribution]
    }
    expect(await patch({ license: 'CC-BY-4.0', attribution: 'Elm County' })).toEqual([200, 'CC-BY-4.0', 'Elm County'])
    expect(await patch({ license: null })).toEqual([200, null, 'Elm County'])
    expect((await call('/v1/sources/elm')).body).toMatchObject({ license: null, attribution: 'Elm County' })
    expect(await patch({ attribution: null })).toEqual([200, null, null])
    expect((await patch({ license: '' }))[0]).toBe(400)
    expect((await patch({ attribution: 'x'.repeat(501) }))[0]).toBe(400)
  })

  test('200: the given fields change; vendor_config is replaced as a whole and returned', async () => {
    const patch = (body: unknown) => call('/v1/sources/ash', { method: 'PATCH', body }).then((answer) => answer.body)
    expect(await patch({ active: true, vendor_config: { cid: 7 } })).toEqual({
      ...ash,
      active: true,
      vendor_config: { cid: 7 },
      load_limits: byDefault,
    })
    expect(await patch({ vendor_config: { parcel_id: 'property' } })).toEqual({
      ...ash,
      active: true,
      vendor_config: { parcel_id: 'property' },
      load_limits: byDefault,
    })
    expect(await patch({ active: false })).toMatchObject({ active: false, vendor_config: { parcel_id: 'property' } })
  })

  test('400: an invalid vendor_config, naming each field; nothing changes', async () => {
    const patch = (vendor_config: unknown, source = 'ash') =>
      call(`/v1/sources/${source}`, { method: 'PATCH', body: { active: true, vendor_config } })
    const before = (await call('/v1/sources')).text
    for (const [config, error] of [
      [{ cid: '7' }, 'vendor_config.cid must be a whole number of at least 0'],
      [{ parcel_id: 'owner' }, 'vendor_config.parcel_id must be one of geographic, property'],
      [{ sid: 7 }, 'vendor_config: unknown field "sid"; known are cid, parcel_id, search_type'],
      [
        { cid: -1, parcel_id: 'owner', sid: 7 },
        'vendor_config.cid must be a whole number of at least 0\n' +
          'vendor_config.parcel_id must be one of geographic, property\n' +
          'vendor_config: unknown field "sid"; known are cid, parcel_id, search_type',
      ],
    ]) {
      expect(await patch(config)).toMatchObject({ status: 400, body: { error } })
    }
    expect((await patch({}, 'none')).status).toBe(404)
    expect((await call('/v1/sources')).text).toBe(before)
  })

  test('400: a source with an invalid vendor_config cannot be activated; activating and deactivating leaves the rest unchanged', async () => {
    await sql`update sources set active = false, vendor_config = '{"sid":7}' where source = 'ash'`
    expect(await call('/v1/sources/ash', { method: 'PATCH', body: { active: true } })).toMatchObject({
      status: 400,
      body: { error: 'vendor_config: unknown field "sid"; known are cid, parcel_id, search_type' },
    })
    expect((await call('/v1/sources/ash', { method: 'PATCH', body: { active: false } })).status).toBe(200)
  })

  test('200: the given limits of loads change; null is the default', async () => {
    const patch = async (load_limits: unknown) => {
      const { status, body } = await call('/v1/sources/elm', { method: 'PATCH', body: { load_limits } })
      expect(status).toBe(200)
      expect((await call('/v1/sources/elm')).body.load_limits).toEqual(body.load_limits)
      return body.load_limits
    }
    expect(await patch({ retired: 0.1, owner: 1 })).toEqual({ retired: 0.1, emptied: null, owner: 1 })
    expect(await patch({ emptied: 0, owner: null })).toEqual({ retired: 0.1, emptied: 0, owner: null })
    expect([...(await sql`select load_limits from sources where source = 'elm'`)]).toEqual([
      { load_limits: { retired: 0.1, emptied: 0 } },
    ])
    expect(await patch({ retired: null, emptied: null })).toEqual(byDefault)
  })

  test('400: a limit of loads that is not a share, or has no such name', async () => {
    for (const load_limits of [{ retired: 1.1 }, { retired: -0.1 }, { owner: '0.1' }, { renamed: 0.1 }, null]) {
      const { status, body } = await call('/v1/sources/elm', { method: 'PATCH', body: { load_limits } })
      expect([status, body.error]).toEqual([400, expect.stringContaining('load_limits')])
    }
    expect((await call('/v1/sources/elm')).body.load_limits).toEqual(byDefault)
  })

  test('409: a source of a C vendor cannot be activated before it is proved; the error names the command', async () => {
    await insertCounty(sql, 'fir')
    await sql`update sources set vendor = 'iowa-treasurers', vendor_config = '{}' where source = 'fir'`
    const activate = () => call('/v1/sources/fir', { method: 'PATCH', body: { active: true } })
    const refused = await activate()
    expect(refused.status).toBe(409)
    expect(refused.body.error).toStartWith('not_proved: ')
    expect(refused.body.error).toContain('bun run adapter prove fir --parcel ID')
    expect((await call('/v1/sources/fir')).body).toMatchObject({ active: false, proved_at: null })

    const proof = {
      ...{ source: 'fir', target: { sourceParcelId: '1' }, pageHash: 'a', page: new Uint8Array([1]) },
      ...{ answeredAt: [], read: {}, version: '1', by: 'ada' },
    }
    await storeProof(sql, { ...proof, adapter: 'oktaxrolls' })
    expect((await activate()).status).toBe(409)
    await storeProof(sql, { ...proof, adapter: 'iowa-treasurers' })
    const { status, body } = await activate()
    expect(status).toBe(200)
    expect(body).toMatchObject({ active: true, proved_at: expect.stringMatching(/^20/) })
  })

  test('200: a source of a C vendor that is active already stays active, and its other settings change', async () => {
    await insertCounty(sql, 'yew')
    await sql`update sources set vendor = 'iowa-treasurers', vendor_config = '{}', active = true where source = 'yew'`
    const patch = (body: unknown) => call('/v1/sources/yew', { method: 'PATCH', body })
    expect((await patch({ active: true, vendor_config: {} })).body).toMatchObject({ active: true, proved_at: null })
    expect((await patch({ active: false })).status).toBe(200)
    expect((await patch({ active: true })).status).toBe(409)
  })

  test('404: an unknown source', async () => {
    expect(await call('/v1/sources/none', { method: 'PATCH', body: { active: true } })).toMatchObject({
      status: 404,
      body: { error: 'not found' },
    })
  })
})

describe('PATCH a refresh policy', () => {
  const patch = (body: unknown, source = 'oak') =>
    call(`/v1/source-refresh-policies/${source}`, { method: 'PATCH', body })

  test('200: the changed policy', async () => {
    expect((await patch({ cadence: 'tax-statement-window' })).body).toEqual({
      source: 'oak',
      cadence: 'tax-statement-window',
      next_due_at: '2027-01-01T00:00:00.000Z',
      agricultural_only: false,
    })
    expect((await patch({ next_due_at: '2026-12-31T23:30:00-01:00', agricultural_only: true })).body).toMatchObject({
      next_due_at: '2027-01-01T00:30:00.000Z',
      agricultural_only: true,
    })
  })

  test('400: an unknown cadence, day or field', async () => {
    expect((await patch({ cadence: 'hourly' })).body).toEqual({
      error: 'cadence must be one of daily, weekly, monthly, quarterly, annual, tax-statement-window',
    })
    for (const next_due_at of ['2026-02-30T00:00:00Z', '2026-01-01', 'soon', '2026-01-01T25:00:00Z', 5]) {
      expect((await patch({ next_due_at })).body).toEqual({
        error: 'next_due_at must be an ISO 8601 time in the years 2000 to 9999, for example 2026-01-02T03:04:05.678Z',
      })
    }
    expect((await patch({ every: 'day' })).status).toBe(400)
  })

  test('404: an unknown source', async () => {
    expect((await patch({ cadence: 'daily' }, 'none')).status).toBe(404)
  })
})
