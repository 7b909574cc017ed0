import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { Glob } from 'bun'

const folder = join(import.meta.dir, '../../src/web/app/styles')

test('text of each size follows the font size that a person has set in the browser', async () => {
  const fixed: string[] = []
  let sizes = 0
  for await (const name of new Glob('*.css').scan(folder)) {
    for (const [size] of (await Bun.file(join(folder, name)).text()).matchAll(/\bfont(?:-size)?:[^;]*/g)) {
      sizes++
      if (/\dpx/.test(size)) fixed.push(`${name}: ${size}`)
    }
  }
  expect(sizes).toBeGreaterThan(50)
  expect(fixed).toEqual([])
})

test('the layouts for narrow and low screens begin earlier when the text is larger', async () => {
  const fixed: string[] = []
  let queries = 0
  for await (const name of new Glob('*.css').scan(folder)) {
    for (const [query] of (await Bun.file(join(folder, name)).text()).matchAll(/@media[^{]*(?:width|height)[^{]*/g)) {
      queries++
      if (/\dpx/.test(query)) fixed.push(`${name}: ${query}`)
    }
  }
  expect(queries).toBeGreaterThan(10)
  expect(fixed).toEqual([])
})
