import { afterAll, describe, expect, spyOn, test } from 'bun:test'
import {
  chownSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { lockDataDir } from '../../../core/files/data-dir'
import { connectDatabase } from '../../../core/postgres/database'
import { readCommandLine } from '../../../src/operations/embedded/child'
import { startMeilisearch } from '../../../src/operations/embedded/meilisearch'
import { startPostgres } from '../../../src/operations/embedded/postgres'
import { waitFor } from '../../support/servers'

/* The embedded servers start on the files that an earlier run, a crash, an upgrade or a copy has left in their folder. */

const dir = mkdtempSync(join(tmpdir(), 'parcel-data-service-folder-'))
afterAll(() => rmSync(dir, { recursive: true, force: true }))

/** Every LMDB file below a folder. */
const databasesBelow = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('data.mdb'))
    .map((file) => join(folder, file))

describe('Meilisearch', () => {
  const home = join(dir, 'meilisearch')
  const index = join(home, 'data.ms')

  /** Starts the server, adds a document, and stops it. Returns whether the earlier index was deleted. */
  const runOnce = async (): Promise<{ wasDiscarded: boolean; documents: number }> => {
    let wasDiscarded = false
    const server = await startMeilisearch(home, {
      onDiscard: () => {
        wasDiscarded = true
      },
    })
    if (server === null) throw new Error('there is no Meilisearch for this platform')
    try {
      const ask = async (path: string, init: RequestInit = {}) => {
        const headers = { authorization: `Bearer ${server.masterKey}`, 'content-type': 'application/json' }
        return (await fetch(`${server.url}${path}`, { ...init, headers })).json() as Promise<Record<string, unknown>>
      }
      const countDocuments = async () => Number((await ask('/indexes/parcels/stats')).numberOfDocuments ?? 0)
      const documents = await countDocuments()
      await ask('/indexes/parcels/documents', { method: 'POST', body: '[{"id":1}]' })
      await waitFor(async () => (await countDocuments()) === 1)
      return { wasDiscarded, documents }
    } finally {
      await server.stop()
    }
  }

  test('an intact index is kept', async () => {
    expect(await runOnce()).toEqual({ wasDiscarded: false, documents: 0 })
    expect(await runOnce()).toEqual({ wasDiscarded: false, documents: 1 })
  })

  test.each<[what: string, damage: () => void]>([
    ['of an older version', () => writeFileSync(join(index, 'VERSION'), '1.10.0')],
    ['of a newer version', () => writeFileSync(join(index, 'VERSION'), '1.99.0')],
    ['without its version', () => rmSync(join(index, 'VERSION'))],
    [
      'with all files overwritten',
      () => {
        for (const file of databasesBelow(index)) writeFileSync(file, 'x'.repeat(9_000))
      },
    ],
    [
      'with truncated documents',
      () => {
        for (const file of databasesBelow(join(index, 'indexes'))) truncateSync(file, 5_000)
      },
    ],
  ])('an index %s is deleted and starts empty', async (_, damage) => {
    damage()
    expect(await runOnce()).toEqual({ wasDiscarded: true, documents: 0 })
  })

  test('a truncated master key is created again', async () => {
    writeFileSync(join(home, 'master-key'), 'abc')
    expect(await runOnce()).toEqual({ wasDiscarded: false, documents: 1 })
  })

  test('Meilisearch on a machine or in a container with 1 GB indexes with less memory', async () => {
    const limit = spyOn(process, 'constrainedMemory').mockReturnValue(1024 ** 3)
    const server = await startMeilisearch(home).finally(() => limit.mockRestore())
    expect(readCommandLine(server?.pid ?? 0)).toContain('--max-indexing-memory 128MiB')
    await server?.stop()
  })

  test('an index stays if the system kills Meilisearch while it starts, and the error says so', async () => {
    const binary = join(dir, 'killed')
    writeFileSync(binary, '#!/bin/sh\nkill -9 $$\n', { mode: 0o755 })
    const started = startMeilisearch(home, { binary })
    await expect(started).rejects.toThrow(
      /^Meilisearch was killed \(SIGKILL\), as the system does when memory runs out/,
    )
    expect(await runOnce()).toEqual({ wasDiscarded: false, documents: 1 })
  })

  test('a MEILI_BIN that is no program is refused with its name', async () => {
    const started = startMeilisearch(home, { binary: '/nowhere/meilisearch' })
    await expect(started).rejects.toThrow('MEILI_BIN must be a program that can be run, not /nowhere/meilisearch')
  })

  test('a truncated copy of the binary is copied again before it runs', async () => {
    const program = join(home, 'meilisearch')
    const { size } = statSync(program)
    truncateSync(program, size / 2)
    expect(await runOnce()).toEqual({ wasDiscarded: false, documents: 1 })
    expect(statSync(program).size).toBe(size)
  })
})

describe('PostgreSQL', () => {
  const home = join(dir, 'postgres')

  const runOnce = async (folder: string): Promise<number> => {
    const server = await startPostgres(folder)
    try {
      const sql = connectDatabase(server.url, { max: 1 })
      await sql`create table if not exists kept (n int)`
      await sql`insert into kept values (1)`
      const [row] = await sql<{ n: number }[]>`select count(*)::int as n from kept`
      await sql.end({ timeout: 1 })
      return row?.n ?? 0
    } finally {
      await server.stop()
    }
  }

  test('a copied folder starts, although its files belong to another user and name a running process', async () => {
    expect(await runOnce(home)).toBe(1)
    const copy = join(dir, 'copied')
    cpSync(home, copy, { recursive: true })
    const data = join(copy, 'data')
    if (process.getuid?.() === 0) chownSync(data, 0, 0)
    writeFileSync(join(data, 'postmaster.pid'), `${process.pid}\n${join(home, 'data')}\n`)
    expect(await runOnce(copy)).toBe(2)
    expect(await runOnce(home)).toBe(2)
  })

  test('a folder that was moved while its server ran starts, and the old server is stopped', async () => {
    const before = await startPostgres(home)
    const moved = join(dir, 'moved')
    renameSync(home, moved)
    expect(await runOnce(moved)).toBe(3)
    await before.exited
    renameSync(moved, home)
  })

  test('a start waits for a server that accepts connections late, and says what it waits for', async () => {
    const settings = join(home, 'data/postgresql.auto.conf')
    const before = readFileSync(settings, 'utf8')
    // Longer than an attempt to connect.
    writeFileSync(settings, `${before}pre_auth_delay = '4s'\n`)
    const said: string[] = []
    const starting = startPostgres(home, {}, (line) => said.push(line))
    await waitFor(() => said.length > 0)
    writeFileSync(settings, before)
    process.kill(Number(readFileSync(join(home, 'data/postmaster.pid'), 'utf8').split('\n')[0]), 'SIGHUP')
    const server = await starting
    await server.stop()
    expect(said[0]).toStartWith('Waiting for PostgreSQL to accept connections: ')
  })

  test('a server of root can write only to its own files', async () => {
    const server = await startPostgres(home)
    const sql = connectDatabase(server.url, { max: 1 })
    const target = join(dir, 'of-another-user')
    writeFileSync(target, '', { mode: 0o600 })
    // Otherwise the server runs as the user of this test.
    const isRoot = process.getuid?.() === 0
    const write = sql.unsafe(`copy (select 1) to '${target}'`).then(
      () => 'written',
      (error) => error.code,
    )
    expect(await write).toBe(isRoot ? '42501' : 'written')
    await sql.end()
    await server.stop()
  })

  test('a server on a machine or in a container with 1 GB takes less memory', async () => {
    const limit = spyOn(process, 'constrainedMemory').mockReturnValue(1024 ** 3)
    const server = await startPostgres(home).finally(() => limit.mockRestore())
    const sql = connectDatabase(server.url, { max: 1 })
    const settings = await sql<{ name: string; value: string }[]>`
      select name, current_setting(name) as value from pg_settings
      where name in ('maintenance_work_mem', 'shared_buffers', 'work_mem') order by name`
    expect(settings.map(({ value }) => value)).toEqual(['64MB', '128MB', '8MB'])
    await sql.end()
    await server.stop()
  })

  test('a server that is killed says what to do, and the end of its log', async () => {
    const server = await startPostgres(home)
    process.kill(server.pid, 'SIGKILL')
    expect(await server.exited).toMatch(
      /^the embedded PostgreSQL was killed \(SIGKILL\), as the system does when memory runs out \(here [\d.]+ GB; docs\/operate\.md, .* Its log ends: .*database system is ready/,
    )
  })

  test('an incomplete folder is refused with one sentence that names what is missing', async () => {
    const part = join(dir, 'part')
    cpSync(home, part, { recursive: true })
    rmSync(join(part, 'password'))
    await expect(startPostgres(part)).rejects.toThrow(`${join(part, 'password')} is missing`)
    rmSync(join(part, 'data', 'PG_VERSION'))
    await expect(startPostgres(part)).rejects.toThrow('is only part of a database')
  })
})

describe('the data folder', () => {
  test('a second process gets an error that names the first', () => {
    const lock = lockDataDir(dir, 'the first')
    expect(() => lockDataDir(dir, 'the second')).toThrow(`${dir} is in use by the first (pid ${process.pid})`)
    lock.release()
    lockDataDir(dir, 'the second').release()
  })

  test('a new folder is closed to other users of the machine', () => {
    const ownDir = join(dir, 'parent/closed')
    lockDataDir(ownDir, 'x').release()
    expect(statSync(ownDir).mode & 0o777).toBe(0o700)
  })

  test('stays locked although its process drops every reference to the lock', () => {
    const ownDir = join(dir, 'forgotten')
    lockDataDir(ownDir, 'the first')
    Bun.gc(true)
    expect(() => lockDataDir(ownDir, 'the second')).toThrow(`${ownDir} is in use by the first`)
  })

  test('a folder that is not writable is refused with one sentence', () => {
    const file = join(dir, 'file')
    writeFileSync(file, '')
    expect(() => lockDataDir(file, 'x')).toThrow(`DATA_DIR ${file} cannot be used`)
    const damaged = join(dir, 'damaged')
    mkdirSync(damaged)
    writeFileSync(join(damaged, 'lock'), readFileSync('/bin/sh').subarray(0, 5_000))
    expect(() => lockDataDir(damaged, 'x')).toThrow(`DATA_DIR ${damaged} cannot be used: file is not a database`)
  })

  test('a folder on a full disk is refused with one sentence that names it, and is not locked', () => {
    const full = join(dir, 'full')
    mkdirSync(full)
    symlinkSync('/dev/full', join(full, 'owner'))
    expect(() => lockDataDir(full, 'x')).toThrow(`DATA_DIR ${full} cannot be used: ENOSPC: no space left on device`)
    rmSync(join(full, 'owner'))
    lockDataDir(full, 'x').release()
  })
})
