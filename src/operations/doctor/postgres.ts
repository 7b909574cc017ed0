import { hasCode } from '../../../core/error-code'
import type { Sql } from '../../../core/postgres/database'
import { describeTransient, isTransient } from '../../../core/postgres/transient-errors'
import { countNoun } from '../../../core/text/count-noun'
import { listOutdatedFunctions } from '../../../drizzle/install-functions'
import { findNewerVersion, listMigrations } from '../../../drizzle/migrate'
import {
  findServerState,
  listApplicationNames,
  listAppliedMigrations,
  listBlockers,
  readServerTime,
  tryToWrite,
} from '../../../drizzle/queries/service/examine'
import { type Diagnosis, fault, hostOf, ok, warn } from './diagnosis'

/** The first version that has `uuidv7()`. */
const OLDEST = 180_000
const BUSY_SHARE = 0.8
/** SQLSTATE of a server that has no connection left for this user (Appendix A of the manual). */
const TOO_MANY_CONNECTIONS = '53300'
const FEWER_CONNECTIONS = 'raise max_connections, or start fewer processes'
const UNWRITABLE = 'free up space on its disk, or, if it is a replica, set DATABASE_URL to the primary'

export const examinePostgres = async (sql: Sql, url: string): Promise<Diagnosis[]> => {
  const found = await findServerState(sql).catch((error) => {
    if (hasCode(error, TOO_MANY_CONNECTIONS)) return error as Error
    throw error
  })
  if (found instanceof Error) return [fault('PostgreSQL', found.message, FEWER_CONNECTIONS)]
  const { versionNumber, version, connections, maxConnections } = found
  if (versionNumber < OLDEST) {
    return [
      fault(
        'PostgreSQL',
        `version ${version}; the service needs 18`,
        'upgrade the server: pg_upgrade, or dump and restore',
      ),
    ]
  }
  const what = `${version} at ${hostOf(url)}, ${connections} of ${maxConnections} connections used`
  try {
    await tryToWrite(sql)
  } catch (error) {
    if (!isTransient(error)) throw error
    return [fault('PostgreSQL', `${describeTransient(error)}: ${(error as Error).message}`, UNWRITABLE)]
  }
  return connections > maxConnections * BUSY_SHARE
    ? [warn('PostgreSQL', what, FEWER_CONNECTIONS)]
    : [ok('PostgreSQL', what)]
}

/** The service's own transactions that lock what others need are shorter. */
const LONG_LOCK_S = 10

/** Sessions that keep others waiting, such as a forgotten transaction of an administrator. */
export const examineLocks = async (sql: Sql): Promise<Diagnosis[]> =>
  (await listBlockers(sql, LONG_LOCK_S)).map(({ pid, applicationName, user, openS, waiting }) =>
    warn(
      'locks',
      `${countNoun(waiting, 'session')} ${waiting === 1 ? 'waits' : 'wait'} for a transaction that has been open for ${openS} s: ` +
        `process ${pid} of PostgreSQL, ${applicationName === '' ? 'an unnamed program' : applicationName}${user === null ? '' : ` as ${user}`}`,
      `end that transaction, or run: select pg_terminate_backend(${pid})`,
    ),
  )

/** Receivers of webhooks refuse timestamps that are further away (Standard Webhooks). Half of it is left for the receiver's clock. */
const MAX_APART_S = 150

/** Compares the clock of this machine with that of the server: workers write the timestamps of webhooks. */
export const examineClocks = async (sql: Sql, now = Date.now): Promise<Diagnosis[]> => {
  // The server read its clock between these two times.
  const before = now()
  const server = await readServerTime(sql)
  const after = now()
  const aheadS = Math.round((server > after ? after - server : server < before ? before - server : 0) / 1_000)
  const what = `this machine is ${Math.abs(aheadS)} s ${aheadS < 0 ? 'behind' : 'ahead of'} PostgreSQL`
  return Math.abs(aheadS) > MAX_APART_S
    ? [fault('clocks', `${what}: receivers refuse its webhooks`, 'synchronize the clocks of both machines (NTP)')]
    : [ok('clocks', aheadS === 0 ? 'this machine and PostgreSQL agree' : what)]
}

export const examineMigrations = async (sql: Sql): Promise<Diagnosis[]> => {
  const applied = new Set(await listAppliedMigrations(sql))
  const known = listMigrations()
  const missing = known.filter(({ madeAt }) => !applied.has(madeAt))
  const newest = known.at(-1)?.madeAt ?? 0
  const newer = [...applied].filter((madeAt) => madeAt > newest).length
  if (missing.length > 0) {
    const names = missing.map(({ name }) => name).join(', ')
    return [fault('migrations', `${missing.length} of ${known.length} not applied: ${names}`, 'bun run db:migrate')]
  }
  if (newer > 0) {
    return [
      fault(
        'migrations',
        `the database has ${countNoun(newer, 'migration')} that this version does not know`,
        'run the newer version of the service again',
      ),
    ]
  }
  const newerVersion = await findNewerVersion(sql)
  if (newerVersion !== null) {
    return [
      fault(
        'migrations',
        `version ${newerVersion} of the service has upgraded this database`,
        'run the newer version of the service again',
      ),
    ]
  }
  const outdated = (await listOutdatedFunctions(sql)).map(({ name }) => name)
  if (outdated.length > 0) {
    return [fault('migrations', `these functions are out of date: ${outdated.join(', ')}`, 'bun run db:migrate')]
  }
  return [ok('migrations', `all ${known.length} applied`)]
}

/** The names of each role's connections. With several Meilisearch, each one has its own leader: `search-sync HOST:PORT …`. */
const ROLES: Record<string, RegExp> = {
  api: /^api$/,
  worker: /^worker$/,
  sync: /^search-sync(?:-leader$| )/,
  scheduler: /^scheduler$/,
  tiles: /^tiles$/,
}

export const examineRoles = async (sql: Sql): Promise<Diagnosis[]> => {
  const names = await listApplicationNames(sql)
  const missing = Object.entries(ROLES).flatMap(([role, name]) => (names.some((one) => name.test(one)) ? [] : [role]))
  return missing.length === 0
    ? [ok('roles', 'all are connected to the database')]
    : [warn('roles', `no process has these roles: ${missing.join(', ')}`, `bun start ${missing.join(' ')}`)]
}
