import { afterEach, expect, spyOn, test } from 'bun:test'
import { totalmem } from 'node:os'
import { readMemoryLimit, shareOfMemory } from '../../core/memory-limit'

const GB = 1024 ** 3
const limitOf = (bytes: number) => spyOn(process, 'constrainedMemory').mockReturnValue(bytes)
afterEach(() => limitOf(0).mockRestore())

test('the limit of the container counts if it is less than the memory of the machine', () => {
  limitOf(GB / 2)
  expect(readMemoryLimit()).toBe(GB / 2)
  limitOf(2 * totalmem())
  expect(readMemoryLimit()).toBe(totalmem())
  limitOf(0)
  expect(readMemoryLimit()).toBe(totalmem())
})

test('a share of the memory is a whole number of MiB, and has a maximum', () => {
  expect(shareOfMemory(GB, 8, 256)).toBe(128)
  expect(shareOfMemory(1e9, 8, 256)).toBe(119)
  expect(shareOfMemory(64 * GB, 8, 256)).toBe(256)
})
