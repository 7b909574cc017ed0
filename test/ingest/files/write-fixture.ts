import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ReadOptions, readRows } from '../../../src/ingest/rows/read-rows'
import type { ReadRow } from '../../../src/ingest/rows/source-row'

const dir = mkdtempSync(join(tmpdir(), 'parcel-ingest-'))
// Not afterAll: that belongs to one test file, but all test files share this module.
process.on('exit', () => rmSync(dir, { recursive: true, force: true }))

/** The path of a file in the test's folder. */
export const inFolder = (name: string): string => join(dir, name)

/** Writes a file with this content and returns its path. */
export const writeFixture = (name: string, content: string | Uint8Array): string => {
  writeFileSync(inFolder(name), content)
  return inFolder(name)
}

/** All rows of a file with this content. */
export const readAll = async (
  name: string,
  content: string | Uint8Array,
  options: ReadOptions = {},
): Promise<ReadRow[]> => {
  const rows: ReadRow[] = []
  for await (const some of readRows(writeFixture(name, content), options)) rows.push(...some)
  return rows
}
