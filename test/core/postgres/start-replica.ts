import { cpSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { connectDatabase } from '../../../core/postgres/database'
import { type EmbeddedPostgres, startPostgres } from '../../../src/operations/embedded/postgres'

/** Files that a base backup leaves out (PostgreSQL manual, 25.3.4.1). */
const LEFT_OUT = /\/(postmaster\.pid|postmaster\.opts|pg_wal\/.+|pg_replslot\/.+|pg_stat_tmp\/.+)$/

/**
 * Copies the data of a running server from `primaryDir` to `dir`, and starts a streaming replica on the copy. It is a base backup without
 * pg_basebackup, which the embedded server does not have.
 */
export const startReplica = async (
  primary: EmbeddedPostgres,
  primaryDir: string,
  dir: string,
  settings: Record<string, string> = {},
): Promise<EmbeddedPostgres> => {
  const [from, to] = [join(primaryDir, 'data'), join(dir, 'data')]
  mkdirSync(dir, { recursive: true })
  const sql = connectDatabase(primary.url, { max: 1 })
  try {
    await sql`select pg_backup_start('replica', true)`
    cpSync(join(primaryDir, 'password'), join(dir, 'password'))
    // `cp` keeps the owner of the files.
    const copy = Bun.spawnSync(['cp', '--archive', from, to])
    if (!copy.success) throw new Error(`copying the data failed: ${copy.stderr}`)
    const [backup] = await sql<{ label: string }[]>`select labelfile as label from pg_backup_stop(false)`
    for (const file of readdirSync(to, { recursive: true, encoding: 'utf8' })) {
      if (LEFT_OUT.test(`/${file}`)) rmSync(join(to, file), { recursive: true, force: true })
    }
    writeFileSync(join(to, 'backup_label'), backup?.label ?? '')
    writeFileSync(join(to, 'standby.signal'), '')
  } finally {
    await sql.end()
  }
  return startPostgres(dir, { ...settings, ...replicaSettings(primary) })
}

/** With these a server whose data has `standby.signal` follows the primary. */
export const replicaSettings = ({ url, port }: EmbeddedPostgres): Record<string, string> => {
  const { username, password } = new URL(url)
  return { primary_conninfo: `host=127.0.0.1 port=${port} user=${username} password=${password}` }
}
