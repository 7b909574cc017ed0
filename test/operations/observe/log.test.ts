import { expect, test } from 'bun:test'
import { LOG_TEXT_CHARACTERS } from '../../../core/bounds'
import { createLog } from '../../../src/operations/observe/log'

const write = (fields: object): { line: string; entry: Record<string, Record<string, string>> } => {
  let line = ''
  createLog('info', {
    write: (text) => {
      line += text
    },
  }).error(fields, 'failed')
  return { line, entry: JSON.parse(line) }
}

test('an error that quotes a megabyte of input is a short line that still names its kind, its code and where it was thrown', () => {
  const error = Object.assign(new RangeError(`bad value: ${'x'.repeat(1_000_000)}`), {
    code: '22P02',
    value: { input: 'y'.repeat(1_000_000) },
  })
  const { line, entry } = write({ err: error })
  expect(line.length).toBeLessThan(4 * LOG_TEXT_CHARACTERS)
  expect(entry.err).toMatchObject({ type: 'RangeError', code: '22P02' })
  expect(entry.err?.message).toStartWith('bad value: xxx')
  expect(entry.err?.stack).toContain('log.test.ts')
})

test('an error is logged with its causes, and other fields are cut too', () => {
  const { line, entry } = write({
    err: new Error('not stored', { cause: new Error('disk full') }),
    url: 'z'.repeat(100_000),
  })
  expect(entry.err?.message).toBe('not stored: disk full')
  expect(line.length).toBeLessThan(4 * LOG_TEXT_CHARACTERS)
})
