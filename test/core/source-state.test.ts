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

test('a source is failing if no success followed its errors, has errors otherwise, and is overdue if a refresh is a day late', () => {
  expect(sourceState(well, NOW)).toBe('ok')
  expect(sourceState({ ...well, ...failed }, NOW)).toBe('failing')
  expect(sourceState({ ...well, ...failed, last_success_at: null }, NOW)).toBe('failing')
  expect(sourceState({ ...well, ...failed, last_success_at: '2026-11-20T11:30:00.000Z' }, NOW)).toBe('errors')
  expect(sourceState({ ...well, ...late }, NOW)).toBe('overdue')
})

test('a source has errors if a tenth of its last scrapes failed, and is failing if half of them did', () => {
  const share = (recent_failed: number, recent_runs: number) =>
    sourceState({ ...well, recent_failed, recent_runs }, NOW)
  expect([share(0, 50), share(4, 50), share(5, 50), share(24, 50), share(25, 50), share(50, 50)]).toEqual([
    ...(['ok', 'ok', 'errors', 'errors', 'failing', 'failing'] as const),
  ])
  // Nine scrapes are too few to judge.
  expect([share(9, 9), share(0, 0), share(5, 10)]).toEqual(['errors', 'ok', 'failing'])
})

test('an inactive source is neither failing nor healthy, whatever the results of its last scrapes', () => {
  for (const figures of [
    well,
    { ...well, ...failed },
    { ...well, ...late },
    { ...well, ...failed, last_success_at: null },
  ])
    expect(sourceState({ ...figures, active: false }, NOW)).toBe('inactive')
})
