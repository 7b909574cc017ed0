import { expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connectDatabase, isConnectionLost } from '../../drizzle/database'
import { startPostgres } from '../../src/embedded/postgres'

test('when the server goes in the middle of transactions, every one of them is told so', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'gone-'))
  const server = await startPostgres(dir)
  const sql = connectDatabase(server.url, { max: 4 })
  const transactions = Array.from({ length: 20 }, () =>
    sql
      .begin(async (tx) => {
        for (let step = 0; step < 200; step++) await Promise.allSettled([tx`select pg_sleep(0.005)`, tx`select 1`])
      })
      .then(
        () => 'committed',
        (error) => isConnectionLost(error),
      ),
  )
  await Bun.sleep(80)
  await server.stop()
  expect(await Promise.all(transactions)).toEqual(Array.from({ length: 20 }, () => true))
  await sql.end({ timeout: 1 })
  rmSync(dir, { recursive: true, force: true })
}, 30_000)
