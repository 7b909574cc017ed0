import { expect, test } from 'bun:test'
import { throttleReports } from '../../../core/observe/throttle-reports'
import { waitFor } from '../../support/servers'

test('the first of many errors is reported immediately, and later ones at intervals, with their number', async () => {
  const reported: [unknown, number][] = []
  const report = throttleReports((error, times) => reported.push([error, times]), 300)
  for (let n = 1; n <= 50; n++) report(n)
  expect(reported).toEqual([[1, 1]])
  let n = 50
  await waitFor(() => {
    report(++n)
    return reported.length > 1
  })
  expect(reported[1]).toEqual([n, n - 1])
})
