import { expect, test } from 'bun:test'
import { untilAborted } from '../../../core/concurrency/until-aborted'

const never = new Promise<string>(() => {})

test('waiting ends with the work, or with the reason of the signal', async () => {
  expect(await untilAborted(new AbortController().signal, Promise.resolve('done'))).toBe('done')
  const failed = Promise.reject(new Error('failed'))
  await expect(untilAborted(new AbortController().signal, failed)).rejects.toThrow('failed')
  const stopping = new AbortController()
  const waiting = untilAborted(stopping.signal, never)
  stopping.abort(new Error('stopped'))
  await expect(waiting).rejects.toThrow('stopped')
})

test('a signal that was aborted before ends the wait immediately', async () => {
  await expect(untilAborted(AbortSignal.abort(new Error('stopped')), never)).rejects.toThrow('stopped')
})
