import { afterEach, expect, setSystemTime, test } from 'bun:test'
import { Writable } from 'node:stream'
import { createProgress } from '../../../src/cli/terminal/progress'

afterEach(() => {
  setSystemTime()
})

const START = 1_700_000_000_000

test.each([
  [false, 'parcels: 2,000,000 of 5,000,000, 200,000/s, 15 s left'],
  [true, 'parcels: 2.0 MB of 5.0 MB, 0.2 MB/s, 15 s left'],
])('without a terminal, progress is a line every 5 s, with a unit if it counts bytes (%p)', (isBytes, line) => {
  const lines: string[] = []
  const stream = new Writable({
    write: (chunk, _, done) => {
      lines.push(String(chunk))
      done()
    },
  })
  setSystemTime(START)
  using progress = createProgress('parcels', 5_000_000, { isBytes, stream })
  setSystemTime(START + 1_000)
  progress.update(100)
  setSystemTime(START + 10_000)
  progress.update(2_000_000)
  progress.finish('done')
  expect(lines).toEqual([`${line}\n`, 'done\n'])
})
