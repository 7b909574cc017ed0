import { expect, test } from 'bun:test'
import type { Exemption } from '../../../adapters/scrape'
import { compareStreets } from '../../../src/scrape/review/street-addresses'
import { findBy, severitiesBy } from './review-input'

const HOMESTEAD = { code: 'HS', description: 'HOMESTEAD', amount: 25_000 }
const judge = (ownerMailingAddress: string | null, exemption: Exemption = HOMESTEAD) =>
  severitiesBy('exemption-elsewhere', { parcel: { ownerMailingAddress }, scrape: { exemptions: [exemption] } })

test("a homestead whose owner's mail goes elsewhere is a finding", () => {
  const away = '77 BAY RD, PORTLAND OR 97201'
  expect(
    findBy('exemption-elsewhere', { parcel: { ownerMailingAddress: away }, scrape: { exemptions: [HOMESTEAD] } }),
  ).toEqual([
    {
      subject: '',
      severity: 'medium',
      evidence: { exemptions: [HOMESTEAD], owner_mailing_address: away, situs_address: '123 N ALDER ST' },
    },
  ])
  expect(judge(away, { code: 'X7' })).toEqual(['low'])
  expect(judge(away, { description: 'COUNTY HOMESTEAD' })).toEqual(['medium'])
})

test('a post office box is only an info finding', () => {
  expect(judge('P.O. BOX 12, ELM OR 97001')).toEqual(['info'])
})

test('exemptions that do not require living there, and those of past years, are not findings', () => {
  const away = '77 BAY RD, PORTLAND OR 97201'
  for (const description of ['AGRICULTURAL USE', 'RELIGIOUS', 'GOVERNMENT OWNED', 'OPEN SPACE', 'CHARITABLE']) {
    expect(judge(away, { description })).toEqual([])
  }
  expect(judge(away, { ...HOMESTEAD, year: 2025 })).toEqual(['medium'])
  expect(judge(away, { ...HOMESTEAD, year: 2024 })).toEqual([])
  expect(judge(null)).toEqual([])
})

test('streets are compared by number and name', () => {
  const cases: [string, string, ReturnType<typeof compareStreets>][] = [
    ['123 N ALDER ST', '123 NORTH ALDER STREET APT 4, ELM OR 97001', 'same'],
    ['123 N ALDER ST', 'C/O BANK, 123 Alder St., Elm', 'same'],
    ['123 N ALDER ST', '125 N ALDER ST', 'other'],
    ['123 N ALDER ST', '123 BAY RD', 'other'],
    ['12 COURT ST', '12 Court Street, Elm', 'same'],
    ['ALDER RD', '77 BAY RD', 'unknown'],
    ['123 ALDER ST', 'GENERAL DELIVERY', 'unknown'],
    ['123 ALDER ST', 'PO BOX 123, ELM', 'post-box'],
    ['123 ALDER ST', 'POST OFFICE DRAWER 12, ELM', 'post-box'],
    ['123 ALDER ST', '1 BAY RD # 123, ELM', 'other'],
  ]
  for (const [situs, mailing, expected] of cases) expect(compareStreets(situs, mailing), mailing).toBe(expected)
})
