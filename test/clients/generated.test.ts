import { expect, test } from 'bun:test'
import { generateFiles } from '../../clients/generate/generate'

test('the generated code of the clients is what `bun run clients:generate` writes', async () => {
  const files = await generateFiles()
  const stale: string[] = []
  for (const [path, text] of Object.entries(files)) if ((await Bun.file(path).text()) !== text) stale.push(path)
  expect(stale).toEqual([])
})
