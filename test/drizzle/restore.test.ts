import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connectDatabase } from '../../core/postgres/database'
import { SAMPLE_SOURCE } from '../../dev/sample-county/county'
import { seedSampleCounty } from '../../dev/sample-county/load'
import { upsertParcels } from '../../drizzle/queries/parcels/upsert-parcels'
import { startMeilisearch } from '../../src/operations/embedded/meilisearch'
import { startPostgres } from '../../src/operations/embedded/postgres'
import { createTileStore } from '../../tiles-build/store/create-tile-store'
import { isDumpThere } from '../runner/pg-dump'
import { readBothSides } from '../search/expected-index'

/*
 * Runs the commands of docs/operate.md, "Backup and restore", on separate servers. pg_dump cannot read a server newer than itself.
 * Without pg_dump 18, createdb lets the server copy the database, with the same rows. The test's name says which way was used.
 */
const dir = mkdtempSync(join(tmpdir(), 'restore-'))
const postgres = await startPostgres(join(dir, 'postgres'))
const meili = await startMeilisearch(join(dir, 'meilisearch'))
const tilesUrl = join(dir, 'tiles')
afterAll(async () => {
  await Promise.all([postgres.stop(), meili?.stop()])
  rmSync(dir, { recursive: true, force: true })
})

const urlOf = (database: string): string => postgres.url.replace(/[^/]+$/, database)

const run = async (command: string[], env: Record<string, string> = {}): Promise<string> => {
  const child = Bun.spawn(command, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...(process.env as Record<string, string>), ...env },
  })
  const [code, said, failed] = await Promise.all([
    child.exited,
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ])
  if (code !== 0) throw new Error(`${command.join(' ')} ended with code ${code}: ${said}${failed}`)
  return said
}

const service = (database: string, ...command: string[]) =>
  run(['bun', 'run', ...command], {
    DATABASE_URL: urlOf(database),
    MEILI_URL: meili?.url ?? '',
    MEILI_MASTER_KEY: meili?.masterKey ?? '',
    TILES_URL: tilesUrl,
    DATA_DIR: join(dir, 'data'),
  })

const createDatabase = (...args: string[]) => run(['createdb', `--maintenance-db=${urlOf('postgres')}`, ...args])

const copyDatabase = async (from: string, to: string): Promise<void> => {
  if (!isDumpThere()) return void (await createDatabase(`--template=${from}`, to))
  const file = join(dir, 'parcels.dump')
  await run(['pg_dump', '--format=custom', `--file=${file}`, urlOf(from)])
  await createDatabase(to)
  await run(['pg_restore', '--no-owner', `--dbname=${urlOf(to)}`, file])
}

const how = isDumpThere()
  ? 'by pg_dump, createdb and pg_restore'
  : 'by createdb --template; without pg_dump 18, pg_dump and pg_restore are not tested'

/** The test is skipped without createdb, but never with CI=true. */
const isCreatedbMissing = Bun.which('createdb') === null && process.env.CI !== 'true'

test.skipIf(isCreatedbMissing)(
  `a database restored ${how}, with a new index and new tiles, has its old content, and the index has no later changes`,
  async () => {
    await service('parcels', 'db:migrate')
    const live = connectDatabase(urlOf('parcels'), { max: 2 })
    await seedSampleCounty(live, { parcels: 300, entities: 20 })
    await live.end()
    await service('parcels', 'tiles:build')
    const { key } =
      /(?<key>pk_[0-9a-f]{64})/.exec(await service('parcels', 'keys', 'create', 'front end'))?.groups ?? {}
    await copyDatabase('parcels', 'backup')

    // Changes after the backup are lost with the database. Searches must not find them after the restore.
    const later = connectDatabase(urlOf('parcels'), { max: 2 })
    const [changed, deleted] = await later<{ id: string; owner: string }[]>`
    select source_parcel_id as id, owner_name as owner from parcels order by source_parcel_id limit 2`
    await upsertParcels(later, SAMPLE_SOURCE.source, [
      { sourceParcelId: changed?.id ?? '', ownerName: 'OWNER OF LATER' },
      { sourceParcelId: 'later-1', ownerName: 'OWNER OF LATER' },
    ])
    await later`delete from parcels where source_parcel_id = ${deleted?.id ?? ''}`
    await later.end()
    await service('parcels', 'search:reindex')
    rmSync(tilesUrl, { recursive: true })

    await copyDatabase('backup', 'restored')
    for (const command of ['db:migrate', 'search:reindex', 'tiles:build']) await service('restored', command)
    expect(await service('restored', 'search:reindex', '--check')).toContain('the index matches the database')

    const sql = connectDatabase(urlOf('restored'), { max: 2 })
    expect(await sql`select status, result from work where kind = 'search_check'`).toMatchObject([
      { status: 'done', result: { missing: 0, extra: 0, different: 0 } },
    ])
    const { wanted, indexed } = await readBothSides(sql, { url: meili?.url ?? '', masterKey: meili?.masterKey ?? null })
    const owners = (documents: { id: string }[]) =>
      documents.map((document) => `${document.id} ${(document as { owner_name?: string }).owner_name}`)
    expect(indexed.parcels.length).toBe(300)
    expect(owners(indexed.parcels)).toEqual(owners(wanted.parcels))
    expect(indexed.entities).toEqual(wanted.entities)
    const [restored] = await sql`select owner_name as owner from parcels where source_parcel_id = ${changed?.id ?? ''}`
    expect(restored?.owner).toBe(changed?.owner)

    const [published] = await sql<{ hash: string }[]>`select hash from tile_builds where status = 'published'`
    expect(await createTileStore(tilesUrl).find({ layer: 'parcels', hash: published?.hash ?? '' })).not.toBeNull()
    const hashed = new Bun.CryptoHasher('sha256').update(key ?? '').digest('hex')
    expect([...(await sql`select name from api_keys where hashed_key = ${hashed}`)]).toEqual([{ name: 'front end' }])
    await sql.end()
  },
)
