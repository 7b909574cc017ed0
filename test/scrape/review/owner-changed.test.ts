import { expect, test } from 'bun:test'
import { findBy, severitiesBy } from './review-input'

const change = (was: string | null, is: string | null, more: Parameters<typeof findBy>[1] = {}) =>
  findBy('owner-changed', { previous: { ownerName: was, findings: [] }, parcel: { ownerName: is }, ...more })

test('an owner other than at the last scrape is a finding', () => {
  expect(change('HOLLIS DANIEL', 'MARLOWE ROSE')).toEqual([
    { subject: '', severity: 'medium', evidence: { was: 'HOLLIS DANIEL', is: 'MARLOWE ROSE' } },
  ])
})

test('a recorded sale to the new owner lowers it to info; a name in common lowers it to low', () => {
  const sale = { sold_on: '2026-03-04', price: 410_000, grantee: 'Marlowe, Rose' }
  expect(change('HOLLIS DANIEL', 'MARLOWE ROSE', { scrape: { sale_history: [sale] } })).toEqual([
    { subject: '', severity: 'info', evidence: { was: 'HOLLIS DANIEL', is: 'MARLOWE ROSE', sale } },
  ])
  expect(change('MARLOWE DANIEL', 'MARLOWE ROSE')[0]?.severity).toBe('low')
  expect(change('ACME LLC', 'ZENITH LLC')[0]?.severity).toBe('medium')
})

const SAME: [string, string][] = [
  ['ACME HOLDINGS, L.L.C.', 'Acme Holdings LLC'],
  ['ACME HOLDINGS LIMITED LIABILITY COMPANY', 'ACME HOLDINGS LLC'],
  ['ACME HOLDINGS L L C', 'ACME HOLDINGS LLC'],
  ['ACME HOLDINGS LIMITED LIABILITY CO', 'ACME HOLDINGS L.L.C.'],
  ['ALDER LIMITED PARTNERSHIP', 'ALDER LP'],
  ['PEÑA JOSÉ', 'PENA JOSE'],
  ['THE JUNIPER COMPANY, INCORPORATED', 'Juniper Co Inc'],
  ['MARLOWE, ROSE A', 'Rose A Marlowe'],
  ['JUNIPER ADA & BO', 'JUNIPER BO AND ADA'],
  ['MARLOWE ROSE ET AL', 'MARLOWE ROSE'],
  ['MARLOWE ROSE TR', 'MARLOWE ROSE TRUSTEE'],
  ["O'HARA MOLLY", 'OHARA MOLLY'],
  ['LARKSPUR VALLEY IRRIGATION DIST', 'LARKSPUR VALLEY IRRIGATION DISTRICT NO 4'],
]
for (const [was, is] of SAME) {
  test(`the same owner in another spelling: ${was} | ${is}`, () => {
    expect(change(was, is)).toEqual([])
    expect(change(is, was)).toEqual([])
  })
}

test('only a name that is long enough to be cut off can be the beginning of another spelling', () => {
  expect(change('MARLOWE ROSE', 'MARLOWE ROSE & ELM ADA')[0]?.severity).toBe('low')
  expect(change('MARLOWE ROSE & ELM ADA B', 'MARLOWE ROSE & ELM ADA BIRCH')[0]?.severity).toBe('low')
  expect(change('MARLOWE ROSE AND ELM ADA B', 'MARLOWE ROSE AND ELM ADA BIRCH')).toEqual([])
})

test('a first scrape, or a missing owner in one of the two, is not a change', () => {
  expect(severitiesBy('owner-changed', { previous: null })).toEqual([])
  expect(change(null, 'MARLOWE ROSE')).toEqual([])
  expect(change('MARLOWE ROSE', null)).toEqual([])
})

test('the next scrape without a change keeps the finding; it disappears after half a year', () => {
  const standing = {
    rule: 'owner-changed',
    subject: '',
    severity: 'medium' as const,
    evidence: { was: 'HOLLIS DANIEL', is: 'MARLOWE ROSE' },
    generatedAt: '2026-11-01T00:00:00.000Z',
  }
  const after = (now: string, owner = 'MARLOWE ROSE') =>
    findBy('owner-changed', {
      previous: { ownerName: owner, findings: [standing] },
      parcel: { ownerName: owner },
      now: new Date(now),
    })
  expect(after('2026-11-21T00:00:00Z')).toEqual([
    { subject: '', severity: 'medium', evidence: { was: 'HOLLIS DANIEL', is: 'MARLOWE ROSE' } },
  ])
  expect(after('2027-06-01T00:00:00Z')).toEqual([])
  expect(after('2026-11-21T00:00:00Z', 'ELM ADA')).toEqual([])
})
