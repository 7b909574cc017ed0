import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findAdapter, VENDORS } from '../../adapters/registry'
import { listCases } from '../../dev/adapter-cases/list-cases'
import { readVocabulary } from '../../dev/adapter-cases/read-vocabulary'
import { replay } from '../../dev/adapter-cases/replay'
import { configOf, fetchCase, targetOf } from '../../dev/adapter-cases/run-case'
import { compressPageSet, encodePageSet } from '../../src/scrape/pages/page-set'
import { recordAnswers } from '../../src/scrape/pages/record-answers'
import { anonymizeGoldenPage } from '../../src/scrape/prove/anonymize-golden-page'
import { comparable } from '../../src/scrape/prove/compare-with-page'
import { type ExportDeps, exportGoldenPage } from '../../src/scrape/prove/export-golden-page'
import { readGoldenFiles, writeGoldenFile } from '../../src/scrape/prove/golden-file'
import { findDifference, readGoldenPage } from '../../src/scrape/prove/read-golden-page'
import { createReaderPool } from '../../src/scrape/readers/reader-pool'
import { readHere } from '../../src/scrape/readers/readers'
import { commandOf } from '../runner/programs'

const folder = mkdtempSync(join(tmpdir(), 'golden-'))
afterAll(() => rmSync(folder, { recursive: true }))

const HERE: ExportDeps = {
  anonymize: (...golden) => anonymizeGoldenPage(readHere, ...golden),
  ...{ findAdapter, readVocabulary },
}

/** The full case of a vendor as a golden page. */
const goldenOf = async (vendor: string) => {
  const adapter = findAdapter(vendor)
  const one = listCases(vendor).find(({ name }) => name === 'full')
  if (adapter === null || one === undefined) throw new Error(`${vendor} has no full case`)
  const signal = AbortSignal.timeout(10_000)
  const recording = recordAnswers(
    { ...adapter, fetch: async () => fetchCase(adapter, one) },
    {
      ...{ http: replay(one), openPage: null, signal },
    },
  )
  const target = targetOf(one)
  const config = configOf(adapter, one)
  if (adapter.needsBrowser) await recording.adapter.fetch(target, config, recording.context)
  else await adapter.fetch(target, config, recording.context)
  const { answers, answeredAt } = recording.list()
  const set = { source: target.source, sourceParcelId: target.sourceParcelId, answers }
  const encoded = encodePageSet(set)
  if (encoded === null) throw new Error('too large')
  const vendorConfig = (one.config ?? {}) as Record<string, unknown>
  const kept = { ...target, validators: undefined }
  const read = comparable(await readGoldenPage(readHere, adapter, { target: kept, set, answeredAt, vendorConfig }))
  const page = await compressPageSet(encoded.bytes)
  return {
    adapter,
    golden: {
      ...{ source: 'case', vendor, adapter: vendor, target: kept, pageHash: encoded.hash, page, answeredAt },
      ...{ vendorConfig, read: read as Record<string, unknown> },
    },
  }
}

const listTexts = (value: unknown): string[] => {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(listTexts) : []
}

const C_VENDORS = VENDORS.filter(({ grade }) => grade === 'C').map(({ vendor }) => vendor)

test.each(C_VENDORS)(
  '%s: an exported golden page has no name, address or number of the parcel, and reads in the same fields',
  async (vendor) => {
    const { adapter, golden } = await goldenOf(vendor)
    const file = await exportGoldenPage(HERE, golden)
    const text = JSON.stringify(file)
    const { fields, scrape } = golden.read as {
      fields: Record<string, unknown>
      scrape: { owners?: { name: string }[]; parcel_number: string }
    }
    const { ownerName, ownerNamesAll, ownerMailingAddress, situsAddress } = fields
    for (const secret of listTexts([ownerName, ownerNamesAll, ownerMailingAddress, situsAddress, scrape.owners])) {
      expect(text).not.toContain(secret)
    }
    if (/\d{3}/.test(scrape.parcel_number)) expect(text).not.toContain(scrape.parcel_number)
    expect(await findDifference(readHere, adapter, file)).toBeNull()
  },
)

test('the golden pages of a folder are read again, and the report names the fields that differ', async () => {
  const { adapter, golden } = await goldenOf('gsa-catalis')
  const place = writeGoldenFile(folder, await exportGoldenPage(HERE, golden))
  const [file] = readGoldenFiles(folder)
  if (file === undefined) throw new Error('no file')
  expect(await findDifference(readHere, adapter, file)).toBeNull()

  const check = async () => {
    const command = Bun.spawn(commandOf('src/cli/adapter.ts', 'check', 'gsa-catalis'), {
      stdout: 'pipe',
      env: { ...process.env, GOLDEN_PAGES: folder },
    })
    return { out: await new Response(command.stdout).text(), code: await command.exited }
  }
  expect(await check()).toMatchObject({
    code: 0,
    out: expect.stringContaining('1 golden page read, 0 of them differently.'),
  })
  const changed = JSON.parse(readFileSync(place, 'utf8'))
  writeFileSync(
    place,
    JSON.stringify({ ...changed, read: { ...changed.read, fields: { ...changed.read.fields, ownerName: 'OTHER' } } }),
  )
  expect(await check()).toMatchObject({
    code: 1,
    out: expect.stringContaining('golden page of case: other values in ownerName'),
  })
})

test('a reader process removes the names; if its page takes too long, it is killed and the error says why', async () => {
  const { adapter, golden } = await goldenOf('gsa-catalis')
  const readers = createReaderPool({ mostReaders: 1 })
  afterAll(() => readers.stop())
  const deps = { ...HERE, anonymize: readers.anonymize }
  const file = await exportGoldenPage(deps, golden)
  expect(file.set.answers).toHaveLength(golden.answeredAt.length)
  expect(await findDifference(readHere, adapter, file)).toBeNull()

  const endless = encodePageSet({
    ...{ source: 'case', sourceParcelId: '1' },
    answers: [
      {
        ...{ name: 'property', url: 'https://portal.example/', status: 200, headers: {}, body: '<!--'.repeat(500_000) },
        asked: { method: 'GET', url: 'https://portal.example/' },
      },
    ],
  })
  if (endless === null) throw new Error('too large')
  const hostile = { ...golden, pageHash: endless.hash, page: await compressPageSet(endless.bytes) }
  await expect(exportGoldenPage(deps, hostile)).rejects.toMatchObject({
    code: 'conflict',
    message: expect.stringContaining('takes more than'),
  })
})
