import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readMigrationFiles } from 'drizzle-orm/migrator'
import { connectDatabase, type Db, type Sql, type Transaction } from '../core/postgres/database'
import { describeTransient, isCollision, isConnectionLost, isLockTimeout } from '../core/postgres/transient-errors'
import { ServiceError } from '../core/service-error'
import { version } from '../package.json'
import { dropUndeclaredFunctions, installFunctions, listExistingFunctions, listFunctions } from './install-functions'

/** The migrations of this version, oldest first. A database stores the `madeAt` (ms since 1970) of each applied one. */
export const listMigrations = (folder = import.meta.dirname): { name: string; madeAt: number }[] => {
  const journal = JSON.parse(readFileSync(join(folder, 'migrations/meta/_journal.json'), 'utf8'))
  return journal.entries.map(({ tag, when }: { tag: string; when: number }) => ({ name: tag, madeAt: when }))
}

/** For operators, when `migrate` returns false. */
export const NEWER_SCHEMA =
  'a newer version of the service has upgraded this database, so its schema was not changed: use that version'

/** Any constant will do, as long as all migrators agree on it. */
const MIGRATION_LOCK = 5_214_077

/**
 * How long the migration waits for a lock on a table. Everything that needs the table waits behind it, so this is shorter than the
 * `lock_timeout` of requests (2 s, core/postgres/session-limits.ts). It is longer than `deadlock_timeout` (1 s): only then does PostgreSQL
 * cancel an autovacuum that is in the way.
 */
const LOCK_WAIT_MS = 1_500
/** The pause before the next attempt, in which the requests that waited are answered. */
const PAUSE_MS = 2_000
/** `onWait` is called at most once in this time. */
const TELL_EVERY_MS = 30_000

/**
 * Brings the schema of the database at `url` up to date: migrations, functions and triggers, all in one transaction. Safe to run from
 * many processes at the same time (an advisory lock admits one at a time) and repeatedly (applied migrations are skipped). `folder` has
 * `migrations/` and `functions/`.
 *
 * If another transaction holds a lock on a table for longer than `LOCK_WAIT_MS`, everything is rolled back and tried again, until it
 * succeeds: requests do not wait behind a migration that waits behind a long transaction. `onWait` gets a line for operators.
 *
 * Returns whether this version's schema is there. False: a newer version has upgraded the database. Nothing is changed then, because the
 * processes of that version need its functions.
 *
 * @throws ServiceError `server_unavailable` when the server does not answer
 */
export const migrate = async (
  url: string,
  folder = import.meta.dirname,
  onWait: (line: string) => void = console.error,
): Promise<boolean> => {
  const sql = connectDatabase(url, { max: 1, applicationName: 'migrate', patience: 'endless' })
  let toldAt = Number.NEGATIVE_INFINITY
  try {
    for (;;) {
      try {
        return await sql.begin((tx) => migrateOnce(tx, folder))
      } catch (error) {
        if (!isLockTimeout(error) && !isCollision(error)) throw error
      }
      if (performance.now() - toldAt >= TELL_EVERY_MS) {
        onWait(`the migration waits for a lock and tries again${await describeOldestTransaction(sql)}`)
        toldAt = performance.now()
      }
      await Bun.sleep(PAUSE_MS)
    }
  } catch (error) {
    if (!isConnectionLost(error)) throw error
    throw new ServiceError(
      'server_unavailable',
      `${describeTransient(error)} (${(error as Error).message}). Check that the server runs and that DATABASE_URL is right`,
      { cause: error },
    )
  } finally {
    await sql.end()
  }
}

const migrateOnce = async (tx: Transaction, folder: string): Promise<boolean> => {
  // Another migration may take long, and nothing waits behind this lock, so it has no limit.
  await tx`select pg_advisory_xact_lock(${MIGRATION_LOCK})`
  await tx`select set_config('lock_timeout', ${`${LOCK_WAIT_MS}ms`}, true)`
  await createRecords(tx)
  if (((await findNewestApplied(tx)) ?? 0) > (listMigrations(folder).at(-1)?.madeAt ?? 0)) return false
  // It may have new functions without a new migration.
  if ((await findNewerVersion(tx)) !== null) return false
  const declared = listFunctions(join(folder, 'functions'))
  // Functions first: columns and indexes are computed with them. Their bodies may name tables that do not exist yet.
  await tx`set local check_function_bodies = off`
  await installFunctions(
    tx,
    declared.filter(({ kind }) => kind === 'function'),
  )
  await applyMigrations(tx, folder)
  await installFunctions(tx, declared)
  await dropUndeclaredFunctions(tx, declared)
  await tx`
    insert into drizzle.service_version (version) values (${version})
    on conflict (is_only) do update set version = excluded.version`
  return true
}

/** The session that most likely holds the lock, as the end of a sentence; empty if none has been open for long enough. */
const describeOldestTransaction = async (sql: Sql): Promise<string> => {
  const [oldest] = await sql<{ pid: number; name: string; state: string | null; openS: number }[]>`
    select pid, application_name as name, state, extract(epoch from clock_timestamp() - xact_start)::int as "openS"
    from pg_stat_activity
    where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()
      and xact_start < clock_timestamp() - ${LOCK_WAIT_MS} * interval '1 ms'
    order by xact_start limit 1`
  if (oldest === undefined) return ''
  const { pid, name, state, openS } = oldest
  return `: the oldest transaction is that of session ${pid} (${name === '' ? 'unnamed' : name}, ${state}), open for ${openS} s. To end it: select pg_terminate_backend(${pid})`
}

/** Creates the tables that record what was applied. The first has the same columns as the one of drizzle-orm's migrator. */
const createRecords = async (tx: Transaction): Promise<void> => {
  await tx`create schema if not exists drizzle`
  await tx`create table if not exists drizzle.__drizzle_migrations (id serial primary key, hash text not null, created_at bigint)`
  await tx`
    create table if not exists drizzle.service_version (
      version text not null, is_only boolean primary key default true check (is_only)
    )`
  const [functions] = await tx`select to_regclass('drizzle.installed_functions') as name`
  if (functions?.name !== null) return
  await tx`create table drizzle.installed_functions (name text primary key, hash text not null)`
  // The migrations before the baseline installed functions too, but kept no record of them.
  if ((await findNewestApplied(tx)) === null) return
  for (const name of await listExistingFunctions(tx)) {
    await tx`insert into drizzle.installed_functions (name, hash) values (${name}, '')`
  }
}

/** When the newest applied migration was made; null if none was applied. */
const findNewestApplied = async (tx: Transaction): Promise<number | null> => {
  const [row] = await tx<{ at: string | null }[]>`select max(created_at)::text as at from drizzle.__drizzle_migrations`
  return row?.at == null ? null : Number(row.at)
}

/** The number of the version that last migrated the database, by its package.json; null if it is not newer than this one. */
export const findNewerVersion = async (db: Db): Promise<string | null> => {
  const [table] = await db`select to_regclass('drizzle.service_version') as name`
  if (table?.name === null) return null
  const [last] = await db<{ version: string }[]>`select version from drizzle.service_version`
  return last !== undefined && Bun.semver.order(last.version, version) > 0 ? last.version : null
}

/**
 * Applies the migrations that are newer than the newest applied one. The baseline has the time of the last of the 34 migrations that it
 * replaces, so a database with all 34 skips it.
 */
const applyMigrations = async (tx: Transaction, folder: string): Promise<void> => {
  const newest = await findNewestApplied(tx)
  const [baseline] = listMigrations(folder)
  if (newest !== null && newest < (baseline?.madeAt ?? 0)) {
    throw new Error(
      'this database has only some of the migrations before the baseline, so this version cannot upgrade it: create a new database and load your data again',
    )
  }
  const migrations = readMigrationFiles({ migrationsFolder: join(folder, 'migrations') })
  for (const { sql: statements, hash, folderMillis } of migrations) {
    if (newest !== null && folderMillis <= newest) continue
    for (const statement of statements) await tx.unsafe(statement)
    await tx`insert into drizzle.__drizzle_migrations (hash, created_at) values (${hash}, ${folderMillis})`
  }
}
