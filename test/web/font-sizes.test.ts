import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { Glob } from 'bun'

test('text of each size follows the font size that a person has set in the browser', async () => {
  const folder = join(import.meta.dir, '../../src/web/app/styles')
  const fixed: string[] = []
  let sizes = 0
  for await (const name of new Glob('*.css').scan(folder)) {
    for (const [size] of (await Bun.file(join(folder, name)).text()).matchAll(/font-size:[^;]*/g)) {
      sizes++
      if (/\dpx/.test(size)) fixed.push(`${name}: ${size}`)
    }
  }
  expect(sizes).toBeGreaterThan(50)
  expect(fixed).toEqual([])
})
