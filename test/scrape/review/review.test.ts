import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { FINDING_CATEGORIES, SEVERITIES } from '../../../drizzle/schema/values'
import { RULES, review } from '../../../src/scrape/review/review'
import { inputOf } from './review-input'

test('a normal parcel has no findings', () => {
  expect(review(inputOf())).toEqual([])
})

test('a parcel with almost no data has only the finding of its missing boundary', () => {
  const nothing = Object.fromEntries(Object.keys(inputOf().parcel).map((field) => [field, null]))
  const input = inputOf({ parcel: nothing, dataAsOf: null })
  expect(review(input).map(({ rule }) => rule)).toEqual(['missing-geometry'])
})

test('every rule has a unique name and an action, and the database accepts its category', () => {
  expect(new Set(RULES.map(({ name }) => name)).size).toBe(RULES.length)
  for (const { category, suggestedAction } of RULES) {
    expect(FINDING_CATEGORIES).toContain(category)
    expect(suggestedAction.length).toBeGreaterThan(20)
  }
})

test('a finding has its rule, subject, category, evidence and action', () => {
  const statements = [{ tax_year: 2025, status: 'delinquent' as const, due: 812 }]
  expect(review(inputOf({ scrape: { statements } }))).toEqual([
    {
      rule: 'unpaid-statement',
      subject: '2025',
      severity: 'high',
      category: 'tax',
      evidence: { tax_year: 2025, status: 'delinquent', due: 812 },
      suggestedAction: 'Ask the treasurer for the amount with interest, and whether a tax sale is set.',
    },
  ])
})

const dollars = fc.option(fc.integer({ min: 0, max: 5_000_000 }), { nil: undefined })
const year = fc.integer({ min: 2015, max: 2028 })
const word = fc.constantFrom(
  'ROSE',
  'MARLOWE',
  'LLC',
  '123',
  'N',
  'ALDER',
  'ST',
  'PO BOX',
  '',
  '%',
  'CONDO',
  'HOMESTEAD',
)
const words = fc.array(word, { maxLength: 5 }).map((parts) => parts.join(' '))
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null })
const ring = fc
  .array(fc.tuple(fc.double({ min: -1, max: 1, noNaN: true }), fc.double({ min: -1, max: 1, noNaN: true })), {
    minLength: 3,
    maxLength: 8,
  })
  .map((positions) => [...positions, positions[0] as [number, number]].map(([x, y]) => [x, y]))

test('for any portal data, the review ends, gives the same result twice, uses severities that the database accepts, and has no duplicates', () => {
  const inputs = fc.record({
    parcel: fc.record({
      geom: maybe(fc.array(fc.array(ring, { maxLength: 2 }), { maxLength: 2 })).map((coordinates) =>
        coordinates === null ? null : { type: 'MultiPolygon' as const, coordinates },
      ),
      acreage: maybe(fc.double({ min: 0, max: 1e6, noNaN: true })),
      ownerName: maybe(words),
      ownerMailingAddress: maybe(words),
      situsAddress: maybe(words),
      landUseClass: maybe(words),
      assessedValue: maybe(fc.integer({ min: 0, max: 1e7 })),
      valueLand: maybe(fc.integer({ min: 0, max: 1e7 })),
      valueImprovement: maybe(fc.integer({ min: 0, max: 1e7 })),
    }),
    scrape: fc.record({
      statements: fc.array(
        fc.record({ tax_year: year, due: dollars, status: fc.constantFrom('paid', 'unpaid', 'partial', 'delinquent') }),
      ),
      valuation_history: fc.array(fc.record({ year, land: dollars, improvement: dollars, total: dollars })),
      sale_history: fc.array(
        fc.record({ sold_on: fc.constantFrom('2026-01-02', '2020-01-02'), price: dollars, grantee: words }),
      ),
      exemptions: fc.array(fc.record({ description: words, year })),
      improvements: fc.array(fc.record({ type: words, year_built: year })),
    }),
    previous: maybe(fc.record({ ownerName: maybe(words), findings: fc.constant([]) })),
    former: fc.constant({}),
    dataAsOf: maybe(fc.constantFrom('2020', '2026-01-02', '9999', '2026-13-99')),
    cadence: fc.constantFrom('daily', 'annual', 'tax-statement-window'),
  })
  fc.assert(
    fc.property(inputs, (changes) => {
      // biome-ignore lint/suspicious/noExplicitAny: absent and undefined are the same to the rules
      const input = inputOf(changes as any)
      const findings = review(input)
      expect(review(input)).toEqual(findings)
      expect(findings.every(({ severity }) => SEVERITIES.includes(severity))).toBe(true)
      expect(new Set(findings.map(({ rule, subject }) => `${rule} ${subject}`)).size).toBe(findings.length)
      expect(JSON.parse(JSON.stringify(findings)).length).toBe(findings.length)
    }),
    { numRuns: 1_000, seed: 5 },
  )
})
