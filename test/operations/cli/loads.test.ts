import { expect, setDefaultTimeout, test } from 'bun:test'
import { startProxy } from '../../endurance/chaos/proxy'
import { inFolder, writeFixture } from '../../ingest/files/write-fixture'
import { insertSource } from '../../jobs/job-rows'
import { commandOf } from '../../runner/programs'
import { TEST_TIMEOUT_MS } from '../../support/deadlines'
import { createTestDatabase, waitFor } from '../../support/servers'

setDefaultTimeout(TEST_TIMEOUT_MS)

const { url, sql } = await createTestDatabase()
await insertSource(sql, 'elm', 'test')

const runOn = async (databaseUrl: string, command: 'ingest' | 'loads', ...args: string[]) => {
  const child = Bun.spawn(commandOf(`src/cli/${command}.ts`, ...args), {
    // An external search server is not started, and the commands never use it.
    env: { ...process.env, DATABASE_URL: databaseUrl, MEILI_URL: 'http://127.0.0.1:9' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [code, out, err] = await Promise.all([
    child.exited,
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ])
  return { code, out, err }
}
const run = (command: 'ingest' | 'loads', ...args: string[]) => runOn(url, command, ...args)
const loads = (...args: string[]) => run('loads', ...args)

const PARCELS = 40
const fileOf = (name: string, owners: string[]) =>
  writeFixture(name, ['source_parcel_id,owner_name', ...owners.map((owner, index) => `P${index},${owner}`)].join('\n'))
const owners = Array.from({ length: PARCELS }, (_, index) => `OWNER ${index}`)
const ingest = (file: string) =>
  run('ingest', 'parcels', '--source', 'elm', '--complete', '--rejects', inFolder('cli-loads.rejects.csv'), file)
const listed = async () =>
  (
    await sql`select owner_name from parcels where source = 'elm' and retired_at is null order by length(source_parcel_id), source_parcel_id`
  ).map(({ owner_name }) => owner_name)
const latestLoad = async (): Promise<string> =>
  (await sql`select id from loads where source = 'elm' order by id desc limit 1`)[0]?.id

test('--complete retires parcels that the file does not list, and says how many', async () => {
  expect((await ingest(fileOf('cli-loads-1.csv', [...owners, 'LAST OWNER']))).code).toBe(0)
  const { code, err } = await ingest(fileOf('cli-loads-2.csv', owners))
  expect(code).toBe(0)
  expect(err).toContain(
    `${PARCELS} rows read: 0 written (0 inserted, 0 updated), ${PARCELS} unchanged, 1 retired, 0 rejected`,
  )
  expect(await listed()).toEqual(owners)
})

test('a load that would change too much exits with code 3 and says why; it is listed, shown, applied and undone', async () => {
  const { code, err } = await ingest(fileOf('cli-loads-3.csv', owners.slice(0, PARCELS / 2)))
  const id = await latestLoad()
  expect(code).toBe(3)
  expect(err).toContain('20 unchanged, 20 to retire, 0 rejected')
  expect(err).toContain(`the load ${id} is held, and nothing of it is visible:
it would retire 20 parcels (50%; the limit is 5%)
  P20: listed -> retired
`)
  expect(err).toContain(`to apply it: bun run loads apply ${id}\nto discard it: bun run loads discard ${id}\n`)
  expect(await listed()).toEqual(owners)

  const held = await loads('list', '--source', 'elm', '--status', 'held')
  expect(held).toMatchObject({ code: 0, err: '' })
  expect(held.out).toContain(id)
  expect(held.out.match(/held/g)).toHaveLength(1)
  const shown = await loads('show', id)
  expect(shown).toMatchObject({ code: 0, err: '' })
  expect(shown.out).toMatch(/^status +held$/m)
  expect(shown.out).toContain('it would retire 20 parcels (50%; the limit is 5%)\n  P20: listed -> retired\n')

  expect(await loads('apply', id)).toEqual({ code: 0, out: `Load ${id} is applied.\n`, err: '' })
  expect(await listed()).toEqual(owners.slice(0, PARCELS / 2))
  expect(await loads('apply', id)).toEqual({
    ...{ code: 1, out: '', err: 'the load is applied: only a held load can be applied\n' },
  })
  expect(await loads('undo', id)).toEqual({
    ...{ code: 0, out: '20 parcels restored, 0 retired, 0 with newer changes that were left\n', err: '' },
  })
  expect(await listed()).toEqual(owners)
  expect((await loads('show', id)).out).toMatch(/^status +undone$/m)
})

test('an undo waits for a database that is down, and then completes', async () => {
  expect((await ingest(fileOf('cli-loads-5.csv', ['ANOTHER OWNER', ...owners.slice(1)]))).code).toBe(0)
  const id = await latestLoad()
  const proxy = await startProxy(Number(new URL(url).port))
  try {
    const undone = await sql.begin(async (tx) => {
      await tx`select from parcels where source = 'elm' for update`
      const command = runOn(proxy.through(url), 'loads', 'undo', id)
      await waitFor(async () => {
        const [waiting] = await sql`
          select from pg_stat_activity
          where datname = current_database() and application_name = 'loads' and wait_event_type = 'Lock'`
        return waiting !== undefined
      })
      proxy.refuse()
      return { command }
    })
    await waitFor(() => proxy.countRefused() > 0)
    proxy.pass()
    expect(await undone.command).toEqual({
      code: 0,
      out: '1 parcel restored, 0 retired, 0 with newer changes that were left\n',
      err: 'the database is unavailable: waiting for it\n',
    })
    expect(await listed()).toEqual(owners)
  } finally {
    await proxy.stop()
  }
})

test('a held load is discarded, and an undo names the parcels that have newer changes', async () => {
  const file = fileOf(
    'cli-loads-4.csv',
    owners.map((_, index) => `SOMEBODY ${index}`),
  )
  expect((await ingest(file)).code).toBe(3)
  const discarded = await latestLoad()
  expect(await loads('discard', discarded)).toEqual({ code: 0, out: `Load ${discarded} is discarded.\n`, err: '' })
  expect(await listed()).toEqual(owners)
  expect((await loads('undo', discarded)).err).toBe('the load is discarded: only an applied load can be undone\n')

  expect((await ingest(file)).code).toBe(3)
  const id = await latestLoad()
  expect((await loads('apply', id)).code).toBe(0)
  await sql`update parcels set owner_name = 'NEWER', owner_names_all = '{NEWER}' where source = 'elm' and source_parcel_id = 'P7'`
  expect(await loads('undo', id)).toEqual({
    code: 0,
    out: `39 parcels restored, 0 retired, 1 with newer changes that were left\n  P7: owner_name, owner_names_all\n`,
    err: '',
  })
  expect(await listed()).toEqual(owners.map((owner, index) => (index === 7 ? 'NEWER' : owner)))
})

test('an invalid command line prints the usage with code 2, and an unknown load ends with an error', async () => {
  const unknown = crypto.randomUUID()
  expect(await loads()).toMatchObject({ code: 2, err: expect.stringContaining('bun run loads list') })
  expect(await loads('show', 'all')).toMatchObject({
    ...{ code: 2, err: expect.stringContaining('ID must be the id of a load') },
  })
  expect(await loads('list', '--status', 'new')).toMatchObject({
    ...{ code: 2, err: expect.stringContaining('--status must be one of staging, held, applying') },
  })
  expect(await loads('list', '--limit', '501')).toMatchObject({
    ...{ code: 2, err: '--limit must be a whole number from 1 to 500, not "501"\n' },
  })
  expect(await loads('list', '--source', 'none')).toEqual({ code: 0, out: 'No loads match\n', err: '' })
  expect(await loads('show', unknown)).toMatchObject({ code: 1, err: `there is no load ${unknown}\n` })
  expect(await loads('discard', unknown)).toMatchObject({ code: 1, err: `there is no load ${unknown}\n` })
  expect(await loads('undo', unknown)).toMatchObject({
    ...{ code: 1, err: 'no load, crawl, job or replay with this id changed a parcel\n' },
  })
})
