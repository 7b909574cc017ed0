import { expect, test } from 'bun:test'
import { tellNowAndThen } from '../../core/tell-now-and-then'
import { waitFor } from '../servers'

test('the first of many errors is reported immediately, and later ones at intervals, with their number', async () => {
  const told: [unknown, number][] = []
  const tell = tellNowAndThen((error, times) => told.push([error, times]), 300)
  for (let n = 1; n <= 50; n++) tell(n)
  expect(told).toEqual([[1, 1]])
  let n = 50
  await waitFor(() => {
    tell(++n)
    return told.length > 1
  })
  expect(told[1]).toEqual([n, n - 1])
})
