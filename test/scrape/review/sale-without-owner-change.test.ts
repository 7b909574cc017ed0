import { expect, test } from 'bun:test'
import type { Sale } from '../../../adapters/scrape'
import type { LoggedChange } from '../../../src/scrape/review/rule'
import { findBy } from './review-input'

const created: LoggedChange = { at: '2025-01-05T12:00:00.000Z', action: 'created', cause: 'ingest' }
const sold = (sale: Partial<Sale>, changes: LoggedChange[] = [created]) =>
  findBy('sale-without-owner-change', {
    changes,
    scrape: { sale_history: [{ sold_on: '2026-03-04', price: 410_000, ...sale }] },
  })

test('a sale to somebody else, after which the seller is still the owner, is a finding', () => {
  expect(sold({ grantor: 'MARLOWE ROSE', grantee: 'ELM ADA' })).toEqual([
    {
      subject: '',
      severity: 'medium',
      evidence: { owner: 'MARLOWE ROSE', sold_on: '2026-03-04', price: 410_000, grantee: 'ELM ADA' },
    },
  ])
  expect(sold({ grantee: 'ELM ADA' })[0]?.severity).toBe('low')
})

test('a sale to the owner, to a relative, or between two members of a family is not a finding', () => {
  expect(sold({ grantee: 'Marlowe, Rose' })).toEqual([])
  expect(sold({ grantee: 'MARLOWE DANIEL' })).toEqual([])
  expect(sold({ grantor: 'ELM ADA', grantee: 'ELM BO' })).toEqual([])
})

test('without a buyer, a sale is a finding only if the log begins before it and has no owner change since then', () => {
  expect(sold({})[0]?.severity).toBe('low')
  expect(sold({}, [])).toEqual([])
  expect(sold({}, [{ ...created, at: '2026-05-01T00:00:00.000Z' }])).toEqual([])
  const changed: LoggedChange = {
    ...{ at: '2026-04-01T00:00:00.000Z', action: 'changed', cause: 'ingest' },
    ownerName: ['HOLLIS DANIEL', 'MARLOWE ROSE'],
  }
  expect(sold({}, [changed, created])).toEqual([])
})

test('only the newest sale counts, neither too recent nor too old', () => {
  const grantee = 'ELM ADA'
  // Counties need 60 days to change the owner.
  expect(sold({ sold_on: '2026-09-23', grantee })).toEqual([])
  expect(sold({ sold_on: '2026-09-22', grantee })).toHaveLength(1)
  expect(sold({ sold_on: '2024-11-22', grantee })).toHaveLength(1)
  expect(sold({ sold_on: '2024-11-21', grantee })).toEqual([])
  const sale_history = [
    { sold_on: '2026-02-01', grantee },
    { sold_on: '2026-03-01', grantee: 'MARLOWE ROSE' },
  ]
  expect(findBy('sale-without-owner-change', { scrape: { sale_history } })).toEqual([])
})
