import { expect, test } from 'bun:test'
import type { LoggedChange } from '../../../src/scrape/review/rule'
import { findBy } from './review-input'

/** A log, newest first. The creation is in January. */
const log = (cause: string, ...changes: Partial<LoggedChange>[]): LoggedChange[] => [
  ...changes.map((change) => ({ at: '2026-10-05T12:00:00.000Z', action: 'changed' as const, cause, ...change })),
  { at: '2026-01-05T12:00:00.000Z', action: 'created', cause },
]

test('an owner that a load changed is a finding, with the former owner and the day from the log', () => {
  const changes = log('ingest', { ownerName: ['HOLLIS DANIEL', 'MARLOWE ROSE'] })
  expect(findBy('owner-changed', { changes })).toEqual([
    {
      subject: '',
      severity: 'medium',
      evidence: { was: 'HOLLIS DANIEL', is: 'MARLOWE ROSE', changed_on: '2026-10-05' },
    },
  ])
  expect(findBy('owner-changed', { changes, now: new Date('2027-06-01T00:00:00Z') })).toEqual([])
})

test('the finding of a scrape has the day too', () => {
  const changes = log('scrape', { ownerName: ['HOLLIS DANIEL', 'MARLOWE ROSE'] })
  const previous = { ownerName: 'HOLLIS DANIEL', findings: [] }
  expect(findBy('owner-changed', { changes, previous })[0]?.evidence).toEqual({
    was: 'HOLLIS DANIEL',
    is: 'MARLOWE ROSE',
    changed_on: '2026-10-05',
  })
})

test('names of files and of portals are written differently, so a change from one to the other is not a finding', () => {
  const fromFile = log('ingest', { cause: 'scrape', ownerName: ['HOLLIS DANIEL', 'MARLOWE ROSE'] })
  expect(findBy('owner-changed', { changes: fromFile })).toEqual([])
  const undone = log('undo', { ownerName: ['HOLLIS DANIEL', 'MARLOWE ROSE'] })
  expect(findBy('owner-changed', { changes: undone })).toEqual([])
})

test('an owner who came back, or another spelling, is not a finding', () => {
  const back = log('ingest', { ownerName: ['MARLOWE ROSE', 'HOLLIS DANIEL'] })
  expect(findBy('owner-changed', { changes: back })).toEqual([])
  const spelling = log('ingest', { ownerName: ['MARLOWE, ROSE A', 'ROSE A MARLOWE'] })
  expect(findBy('owner-changed', { changes: spelling, parcel: { ownerName: 'ROSE A MARLOWE' } })).toEqual([])
})

test('a value that jumped in the log is a finding if the portal does not list the previous year', () => {
  const changes = log('scrape', { assessedValue: [100_000, 250_000] })
  const jump = { field: 'assessed_value', was: 100_000, is: 250_000, change_pct: 150, changed_on: '2026-10-05' }
  expect(findBy('assessed-value-jump', { changes })).toEqual([{ subject: 'log', severity: 'medium', evidence: jump }])
  const valuation_history = [
    { year: 2026, assessed: 250_000 },
    { year: 2025, assessed: 240_000 },
  ]
  expect(findBy('assessed-value-jump', { changes, scrape: { valuation_history } })).toEqual([])
  const built = { changes, scrape: { improvements: [{ year_built: 2026 }] } }
  expect(findBy('assessed-value-jump', built)[0]?.severity).toBe('info')
  // Assessments change once a year, so an older change is not news.
  const yearLater = (day: string) => findBy('assessed-value-jump', { changes, now: new Date(`${day}T00:00:00Z`) })
  expect(yearLater('2027-11-09')).toHaveLength(1)
  expect(yearLater('2027-11-10')).toEqual([])
  const small = log('scrape', { assessedValue: [240_000, 250_000] })
  expect(findBy('assessed-value-jump', { changes: small })).toEqual([])
})
