import { afterAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Type } from '@sinclair/typebox'
import type { Adapter } from '../../../adapters/adapter'
import { captureAnswer, visit } from '../../../adapters/browser/visit'
import { ADAPTERS, findAdapter } from '../../../adapters/registry'
import { ScrapeError } from '../../../adapters/scrape-error'
import { grantStreetTaxsys } from '../../../adapters/vendors/grant-street-taxsys/adapter'
import type { Case } from '../../../dev/adapter-cases/case'
import { createCaseBrowser } from '../../../dev/adapter-cases/fetch-in-browser'
import { listCases } from '../../../dev/adapter-cases/list-cases'
import { REPLAYED_AT } from '../../../dev/adapter-cases/replay'
import { parseCase } from '../../../dev/adapter-cases/run-case'
import { findChromium } from '../../web/browser/chromium'

const executablePath = findChromium()
const browser = createCaseBrowser(executablePath ?? '')
afterAll(() => browser.stop())

const outcomeOf = async (adapter: Adapter, one: Case) => {
  try {
    const { fetched, asked } = await browser.fetchCase(adapter, one)
    expect(asked.filter((address) => /\.(?:png|woff2|pdf)\b/.test(address))).toEqual([])
    return 'notModified' in fetched ? fetched : parseCase(adapter, one, fetched.documents)
  } catch (error) {
    if (error instanceof ScrapeError) return { refusal: error.code }
    throw error
  }
}

describe.skipIf(executablePath === null)('in a real browser', () => {
  for (const adapter of ADAPTERS.filter(({ needsBrowser }) => needsBrowser)) {
    for (const one of listCases(adapter.vendor)) {
      test(`${adapter.vendor}, ${one.name}: ${one.about}`, async () => {
        const outcome = await outcomeOf(adapter, one)
        if ('refusal' in one.expect) expect(outcome).toEqual({ refusal: one.expect.refusal })
        else expect(outcome).toMatchObject(one.expect as object)
      })
    }
  }

  for (const [typed, refusal] of [
    ['0417003', 'bad_config'],
    ['9', 'not_found'],
  ] as const) {
    test(`grant-street-taxsys, a number without exactly one suggestion: ${refusal}`, async () => {
      const full = listCases('grant-street-taxsys').find(({ name }) => name === 'full') as Case
      const target = { ...full.target, sourceParcelId: typed }
      const one: Case = { ...full, target, expect: { refusal } }
      expect(await outcomeOf(grantStreetTaxsys, one)).toEqual({ refusal })
    })
  }

  test('a search page without its search box is a changed page, not a slow one', async () => {
    for (const vendor of ['grant-street-taxsys', 'aumentum-public-access']) {
      const full = listCases(vendor).find(({ name }) => name === 'full') as Case
      // Remove the portal's content and keep only its shell.
      const exchanges = full.exchanges.filter(({ file }) => !/(?:portal|search)\.(?:js|html)$/.test(file))
      const shell = { name: 'shell', url: full.target.baseUrl, file: 'account.html', browser: 'loads' as const }
      const one: Case = { ...full, exchanges: [shell, ...exchanges], expect: { refusal: 'page_changed' } }
      expect(await outcomeOf(findAdapter(vendor) as Adapter, one)).toEqual({
        refusal: 'page_changed',
      })
    }
  })

  test("a case's pages and scripts come from its own server, whatever their host", async () => {
    const folder = mkdtempSync(join(tmpdir(), 'case-'))
    afterAll(() => rmSync(folder, { recursive: true }))
    writeFileSync(join(folder, 'shell.html'), '<script src="http://cdn.larkspur.example/app.js"></script>')
    writeFileSync(
      join(folder, 'app.js'),
      "fetch('/api/owner?id=7').then((answer) => answer.json()).then(({ owner }) => document.body.append(owner))",
    )
    writeFileSync(join(folder, 'owner.json'), '{"owner": "MARLOWE ROSE"}')
    const base = 'http://portal.larkspur.example'
    const one: Case = {
      ...{ vendor: 'elm', name: 'full', folder, about: 'A page that its script fills in.' },
      target: { sourceParcelId: '7', baseUrl: base },
      exchanges: [
        { name: 'shell', url: `${base}/parcel?id=7`, file: 'shell.html', browser: 'loads' },
        { name: 'app', url: 'http://cdn.larkspur.example/app.js', file: 'app.js', browser: 'loads' },
        { name: 'owner', url: `${base}/api/owner?id=7`, file: 'owner.json' },
      ],
      expect: { notModified: true },
    }
    const adapter: Adapter = {
      ...{ vendor: 'elm', grade: 'A', needsBrowser: true, config: Type.Object({}) },
      async fetch({ baseUrl, sourceParcelId }, _, { openPage }) {
        const page = await openPage?.()
        if (page === undefined) throw new Error('no browser')
        const owner = captureAnswer(page, 'owner', ({ pathname }) => pathname === '/api/owner')
        const shown = await visit(page, { name: 'shown', url: `${baseUrl}/parcel?id=${sourceParcelId}` })
        return { documents: [shown, await owner] }
      },
      parse: () => ({ shownIds: ['7'], fields: {}, scrape: { parcel_number: '7', fetched_at: REPLAYED_AT } }),
    }
    const { fetched } = await browser.fetchCase(adapter, one)
    expect(fetched).toMatchObject({
      documents: [
        { name: 'shown', url: `${base}/parcel?id=7`, fetchedAt: REPLAYED_AT },
        { name: 'owner', url: `${base}/api/owner?id=7`, status: 200, body: '{"owner": "MARLOWE ROSE"}' },
      ],
    })
  })
})
