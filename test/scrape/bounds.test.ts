import { beforeEach, describe, expect, test } from 'bun:test'
import type { ScrapedParcel } from '../../adapters/adapter'
import type { Scrape } from '../../adapters/scrape'
import { ScrapeError } from '../../adapters/scrape-error'
import {
  countCharacters,
  cutText,
  ENTITY_TEXT,
  FINDINGS,
  findOverlength,
  MAX_OWNER_NAMES,
  MESSAGE_CHARACTERS,
  SCRAPE_LIST,
  SCRAPE_TEXT,
} from '../../core/bounds'
import { PARCEL_TEXT, parcelFields } from '../../core/parcels/fields'
import { upsertEntities } from '../../drizzle/queries/entities/upsert-entities'
import { storeFindings } from '../../drizzle/queries/findings/store-findings'
import { upsertParcels } from '../../drizzle/queries/parcels/upsert-parcels'
import type { ParcelInput } from '../../drizzle/records'
import type { Finding } from '../../src/scrape/review/review'
import { storeScrape } from '../../src/scrape/store/store-scrape'
import { createTestApp } from '../http/test-app'
import { insertSource } from '../jobs/job-rows'
import { scraped } from '../jobs/test-adapter'
import { createTestDatabase } from '../support/servers'

const { sql } = await createTestDatabase()
await insertSource(sql, 'elm', 'test')
beforeEach(async () => {
  await sql`delete from parcels`
})

/** Characters of four bytes each, in a random order that does not compress. */
const long = (characters: number): string =>
  Array.from(crypto.getRandomValues(new Uint16Array(characters)), (place) =>
    String.fromCodePoint(0x20000 + place),
  ).join('')

const store = (result: ScrapedParcel, review: () => Finding[] = () => []) =>
  storeScrape(sql, { job: null, source: 'elm', sourceParcelId: '7', vendor: 'test', scraped: result, review })
const refusalOf = async (result: ScrapedParcel): Promise<string> => {
  const refusal = await store(result).catch((error) => error)
  expect(refusal).toBeInstanceOf(ScrapeError)
  expect(await sql`select from parcels`).toHaveLength(0)
  return `${refusal.code}: ${refusal.message}`
}
const toKey = (column: string) => column.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
const sqlState = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'no error',
    ({ code }) => code,
  )

describe('the schema', () => {
  for (const [column, most] of Object.entries(PARCEL_TEXT)) {
    test(`parcels.${column} takes ${most} characters of four bytes each, and no more`, async () => {
      const row = (length: number): ParcelInput => {
        const text = long(length)
        return { sourceParcelId: '7', [toKey(column)]: column === 'owner_names_all' ? [text] : text }
      }
      expect(await sqlState(upsertParcels(sql, 'elm', [row(most)]))).toBe('no error')
      if (column === 'owner_names_all') return
      expect(await sqlState(upsertParcels(sql, 'elm', [row(most + 1)]))).toBe('23514')
    })
  }

  test('parcels.owner_names_all takes the number of names and the amount of text in the table of bounds', async () => {
    const row = (ownerNamesAll: string[]): ParcelInput => ({ sourceParcelId: '7', ownerNamesAll })
    const names = Array.from({ length: MAX_OWNER_NAMES }, () => long(PARCEL_TEXT.owner_names_all))
    expect(await sqlState(upsertParcels(sql, 'elm', [row(names)]))).toBe('no error')
    expect(await sqlState(upsertParcels(sql, 'elm', [row([...names.slice(1), `${names[0]}x`])]))).toBe('23514')
    expect(await sqlState(upsertParcels(sql, 'elm', [row([...names.map(() => 'ADA'), 'BO'])]))).toBe('23514')
  })

  for (const [column, most] of Object.entries(ENTITY_TEXT)) {
    test(`entities.${column} takes ${most} characters of four bytes each, and no more`, async () => {
      const row = (length: number) => ({ registryNumber: '1', name: 'ELM LLC', [toKey(column)]: long(length) })
      expect(await sqlState(upsertEntities(sql, 'OR', [row(most)]))).toBe('no error')
      expect(await sqlState(upsertEntities(sql, 'OR', [row(most + 1)]))).toBe('23514')
    })
  }

  test('a name that grows when it is normalized is still indexed', async () => {
    for (const text of ['&', 'a&', '&é', 'İ']) {
      const ownerName = text.repeat(PARCEL_TEXT.owner_name).slice(0, PARCEL_TEXT.owner_name)
      await upsertParcels(sql, 'elm', [{ sourceParcelId: text, ownerName }])
    }
    const [row] = await sql<{ most: number }[]>`select max(octet_length(owner_name_normalized)) as most from parcels`
    expect(row?.most).toBeLessThan(2_704)
  })

  test('findings: subject and evidence', async () => {
    await upsertParcels(sql, 'elm', [{ sourceParcelId: '7' }])
    const [parcel] = await sql<{ id: string }[]>`select id from parcels`
    const put = (subject: string, evidence: Record<string, unknown>) =>
      sqlState(
        storeFindings(sql, [
          {
            parcelId: parcel?.id ?? '',
            findings: [{ rule: 'r', subject, severity: 'low', category: 'tax', evidence, suggestedAction: 'look' }],
          },
        ]),
      )
    expect(await put(long(FINDINGS.subject), {})).toBe('no error')
    expect(await put(long(FINDINGS.subject + 1), {})).toBe('23514')
    expect(await put('', { text: 'x'.repeat(600_000) })).toBe('23514')
  })
})

describe('a scrape', () => {
  const texts = parcelFields.filter((field) => 'maxLength' in field)
  for (const { name: column, key, type, maxLength: most } of texts) {
    const fields = (text: string) => ({ [key]: type === 'list' ? [text] : text })
    test(`with a ${column} of 2 MB is refused, naming the column and the bound; a text at its bound is stored`, async () => {
      const says = `page_changed: ${column} has 2,000,000 characters, more than ${most.toLocaleString('en-US')}`
      expect(await refusalOf(scraped('7', { fields: fields('x'.repeat(2_000_000)) }))).toBe(says)
      expect(await store(scraped('7', { fields: fields(long(most)) }))).toBe('stored')
    })
  }

  test('with too many owners is refused', async () => {
    const ownerNamesAll = Array.from({ length: 201 }, (_, index) => `OWNER ${index}`)
    expect(await refusalOf(scraped('7', { fields: { ownerNamesAll } }))).toBe(
      'page_changed: owner_names_all has 201 names, more than 200',
    )
  })

  const withData = (data: Partial<Scrape>): ScrapedParcel => {
    const { fields, scrape } = scraped('7')
    return { fields, scrape: { ...scrape, ...data } }
  }

  test('with a text in its data beyond its bound is refused, in any field', async () => {
    const text = 'x'.repeat(2_001)
    const cases: [Partial<Scrape>, string][] = [
      [{ parcel_number: text }, 'parcel_number has 2,001 characters, more than 256'],
      [{ owner_name: text }, 'owner_name has 2,001 characters, more than 500'],
      [{ owners: [{ name: text }] }, 'name has 2,001 characters, more than 500'],
      [{ owners: [{ name: 'ADA', type: text }] }, 'type has 2,001 characters, more than 250'],
      [{ sale_history: [{ price: 1 }, { grantor: text }] }, 'grantor has 2,001 characters, more than 500'],
      [{ statements: [{ tax_year: 2025, bill_number: text }] }, 'bill_number has 2,001 characters, more than 100'],
      [{ exemptions: [{ description: text }] }, 'description has 2,001 characters, more than 2,000'],
      [{ http_etag: text }, 'http_etag has 2,001 characters, more than 2,000'],
    ]
    for (const [data, says] of cases) expect(await refusalOf(withData(data))).toBe(`page_changed: ${says}`)
  })

  test('with a list that is too long, or too large, is refused; five full lists are stored together', async () => {
    const improvements = Array.from({ length: SCRAPE_LIST.entries + 1 }, (_, number) => ({ number: `${number}` }))
    expect(await refusalOf(withData({ improvements }))).toBe(
      'page_changed: improvements has 1001 entries, more than 1000',
    )
    const sales = Array.from({ length: 200 }, () => ({
      grantor: 'x'.repeat(SCRAPE_TEXT.grantor),
      grantee: 'y'.repeat(500),
    }))
    expect(await refusalOf(withData({ sale_history: sales }))).toMatch(
      /^page_changed: sale_history has \d+ bytes, more than 131072$/,
    )
    const fitting = <Entry>(entry: Entry) => {
      const most = Math.min(
        SCRAPE_LIST.entries,
        Math.floor((SCRAPE_LIST.bytes - 2) / (JSON.stringify(entry).length + 1)),
      )
      return Array.from({ length: most }, () => entry)
    }
    const full = withData({
      owners: fitting({ name: 'x'.repeat(100), ownership_pct: 1 }),
      statements: fitting({ tax_year: 2025, billed: 1, paid: 1, due: 1 }),
      valuation_history: fitting({ year: 2025, land: 1, improvement: 1, total: 1, assessed: 1, taxable: 1 }),
      sale_history: fitting({ price: 1 }),
      improvements: fitting({ type: 'x'.repeat(100), year_built: 1999 }),
    })
    expect(await store(full)).toBe('stored')
  })

  test('control characters become blanks and unpaired surrogates U+FFFD, because PostgreSQL accepts neither', async () => {
    await store(
      scraped('7', { fields: { ownerName: 'ADA\u0000ELM', situsAddress: '1 \ud800 ST', situsCity: '\u0001' } }),
    )
    const [row] = await sql`select owner_name, situs_address, situs_city from parcels`
    expect(row).toEqual({ owner_name: 'ADA ELM', situs_address: '1 \ufffd ST', situs_city: null })
  })

  test('its findings, and the lists in their evidence, are bounded', async () => {
    const finding = (subject: string, evidence: Record<string, unknown>): Finding => ({
      ...{ rule: 'r', subject, severity: 'low', category: 'tax', evidence, suggestedAction: 'look' },
    })
    await store(scraped('7'), () => Array.from({ length: 500 }, (_, n) => finding(`${n}`, { list: Array(50).fill(n) })))
    const rows = await sql`select jsonb_array_length(evidence -> 'list') as entries from findings`
    expect(rows).toHaveLength(FINDINGS.most)
    expect(new Set(rows.map(({ entries }) => entries))).toEqual(new Set([FINDINGS.entries]))
    await store(scraped('7'), () =>
      Array.from({ length: 100 }, (_, n) => finding(`${n}`, { text: 'x'.repeat(10_000) })),
    )
    expect(await sql`select from findings`).toHaveLength(13)
  })
})

test('an error that quotes a page is cut to the length of a message', () => {
  const { message } = new ScrapeError('wrong_parcel', `the page is of parcel "${'x'.repeat(2_000_000)}"`)
  expect(message).toHaveLength(MESSAGE_CHARACTERS)
})

test('characters are counted as in PostgreSQL, and a text is never cut within one', () => {
  expect([countCharacters('aé😀'), countCharacters('\ud800'), countCharacters('')]).toEqual([3, 1, 0])
  expect(findOverlength('😀'.repeat(5), 5, 'name')).toBeNull()
  expect(findOverlength('😀'.repeat(6), 5, 'name')).toBe('name has 6 characters, more than 5')
  expect([cutText('abcd', 4), cutText('abcde', 4), cutText('ab😀d', 4)]).toEqual(['abcd', 'abc…', 'ab…'])
})

test('the largest response of a box query is bounded: a row at its bounds has 6,200 bytes at most, 5,000 of them 31 MB', async () => {
  const { call, sql } = await createTestApp()
  await insertSource(sql, 'elm', 'test')
  const square = [[0, 0], [1, 0], [1, 1], [0, 0]] // biome-ignore format: a ring
  const rows = Array.from({ length: 100 }, (_, index): ParcelInput => {
    const number = `${index}`
    return {
      sourceParcelId: number + long(PARCEL_TEXT.source_parcel_id - number.length),
      ownerName: long(PARCEL_TEXT.owner_name),
      situsAddress: long(PARCEL_TEXT.situs_address),
      landUseClass: long(PARCEL_TEXT.land_use_class),
      assessedValue: Number.MIN_SAFE_INTEGER,
      geom: { type: 'MultiPolygon', coordinates: [[square]] },
      bbox: [0, 0, 1, 1],
    }
  })
  await upsertParcels(sql, 'elm', rows)
  const { text, body } = await call('/v1/parcels?bbox=0,0,1,1&limit=5000')
  expect(body).toMatchObject({ count: rows.length })
  expect(Buffer.byteLength(text) / rows.length).toBeLessThan(6_200)
})
