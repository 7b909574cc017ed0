import { expect, test } from 'bun:test'
import { type SourceFigures, sourceState } from '../../core/sources/source-state'

const NOW = Date.parse('2026-11-20T12:00:00Z')
const well: SourceFigures = {
  active: true,
  errors_24h: 0,
  recent_runs: 0,
  recent_failed: 0,
  last_error_at: null,
  last_success_at: '2026-11-20T10:00:00.000Z',
  next_due_at: '2026-12-20T10:00:00.000Z',
}
const failed = { errors_24h: 1, last_error_at: '2026-11-20T11:00:00.000Z' }
const late = { next_due_at: '2026-11-19T11:00:00.000Z' }

test('errors that no success followed are failing, others are errors, and a refresh that is a day late is overdue', () => {
  expect(sourceState(well, NOW)).toBe('ok')
  expect(sourceState({ ...well, ...failed }, NOW)).toBe('failing')
  expect(sourceState({ ...well, ...failed, last_success_at: null }, NOW)).toBe('failing')
  expect(sourceState({ ...well, ...failed, last_success_at: '2026-11-20T11:30:00.000Z' }, NOW)).toBe('errors')
  expect(sourceState({ ...well, ...late }, NOW)).toBe('overdue')
})

test('a source of whose last scrapes a tenth failed has errors, and one of whose half failed is failing', () => {
  const share = (recent_failed: number, recent_runs: number) =>
    sourceState({ ...well, recent_failed, recent_runs }, NOW)
  expect([share(0, 50), share(4, 50), share(5, 50), share(24, 50), share(25, 50), share(50, 50)]).toEqual([
    ...(['ok', 'ok', 'errors', 'errors', 'failing', 'failing'] as const),
  ])
  // Nine scrapes are few.
  expect([share(9, 9), share(0, 0), share(5, 10)]).toEqual(['errors', 'ok', 'failing'])
})

test('an inactive source is neither failing nor well, whatever its last scrapes say', () => {
  for (const figures of [
    well,
    { ...well, ...failed },
    { ...well, ...late },
    { ...well, ...failed, last_success_at: null },
  ])
    expect(sourceState({ ...figures, active: false }, NOW)).toBe('inactive')
})
