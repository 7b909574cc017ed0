import { expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const MODULE = join(import.meta.dir, '../../../src/ingest/rows/rejects-file')

/** Lists 400 rows of 10 bytes in a process whose files may have `maxKiB`. Where a disk has no room left, the system also writes only the beginning. */
const listRows = async (maxKiB: number) => {
  const folder = mkdtempSync(join(tmpdir(), 'list-file-'))
  try {
    const path = join(folder, 'rejects.csv')
    const script = `
      const { ListFile } = await import(${JSON.stringify(MODULE)})
      using list = new ListFile(${JSON.stringify(path)}, 'row\\n')
      for (let row = 0; row < 400; row++) list.add('x'.repeat(9))`
    const limited = `ulimit -f ${maxKiB} && exec "$0" -e "$1"`
    const { exitCode, stderr } = Bun.spawnSync(['bash', '-c', limited, process.execPath, script])
    return { isWhole: (await Bun.file(path).text()).length === 4_004, exitCode, stderr: stderr.toString() }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

test('a list of rows that there is no room for is an error, and not a list without its end', async () => {
  expect(await listRows(100)).toMatchObject({ isWhole: true, exitCode: 0 })
  const { isWhole, exitCode, stderr } = await listRows(2)
  expect({ isWhole, isFailed: exitCode !== 0 }).toEqual({ isWhole: false, isFailed: true })
  expect(stderr).toContain('EFBIG')
})
