import { expect, test } from 'bun:test'
import { connectDatabase } from '../../../core/postgres/database'
import { createSearch } from '../../../search/search'
import { insertSource, insertVendor } from '../../jobs/job-rows'
import { createTestDatabase, waitFor } from '../../support/servers'
import { shortestTime } from '../../support/shortest-time'
import { createTestApp } from '../test-app'

const { url, sql: observer } = await createTestDatabase()
await insertVendor(observer, 'test', 10)
await insertSource(observer, 'elm', 'test')
const sql = connectDatabase(url, { max: 2, patience: 'interactive' })
const { call } = await createTestApp({ sql })

test('while the disk of the database is full, reads work, and a write gets 503 that says so', async () => {
  await observer.unsafe(`
    create function refuse_for_space() returns trigger language plpgsql as $$ begin
      raise exception 'could not extend file "base/16384/17017": No space left on device' using errcode = 'disk_full';
    end $$;
    create trigger refuse_for_space before update on sources for each statement execute function refuse_for_space()`)
  const answer = await call('/v1/sources/elm', { method: 'PATCH', body: { active: false } })
  expect(answer).toMatchObject({
    status: 503,
    body: { error: 'the disk of the database is full, try again shortly' },
  })
  expect((await call('/v1/sources/elm')).status).toBe(200)
  await observer`drop function refuse_for_space cascade`
})

test('a request that waits for a lock gets 503 with Retry-After within 3 s', async () => {
  await observer.begin(async (tx) => {
    await tx`select from sources where source = 'elm' for update`
    const change = async () => {
      const answer = await call('/v1/sources/elm', { method: 'PATCH', body: { active: false } })
      expect(answer.status).toBe(503)
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
      expect(answer.body).toEqual({ error: 'this record is locked by another change, try again shortly' })
    }
    expect(await shortestTime(3_000, change)).toBeLessThan(3_000)
  })
  expect((await call('/v1/sources/elm', { method: 'PATCH', body: { active: false } })).status).toBe(200)
})

test('if the database refuses the password, requests and searches get 503 with Retry-After until it is right again', async () => {
  const user = `rotated_${new URL(url).pathname.slice(1)}`
  await observer.unsafe(`create role ${user} login superuser password 'first'`)
  const rotated = new URL(url)
  Object.assign(rotated, { username: user, password: 'first' })
  const theirs = connectDatabase(rotated.href, { max: 2, patience: 'interactive' })
  const refused = await createTestApp({ sql: theirs })
  refused.useSearch(createSearch({ sql: theirs, meili: null }))
  expect((await refused.call('/v1/sources/elm')).status).toBe(200)
  await observer.unsafe(`alter role ${user} nologin`)
  await observer`select pg_terminate_backend(pid) from pg_stat_activity where usename = ${user}`
  await waitFor(async () => (await refused.call('/v1/sources/elm')).body.error !== undefined)
  for (const path of ['/v1/sources/elm', '/v1/search?q=marlowe']) {
    const answer = await refused.call(path)
    expect(answer.status).toBe(503)
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
  }
  await observer.unsafe(`alter role ${user} login`)
  await waitFor(async () => (await refused.call('/v1/sources/elm')).status === 200)
  await theirs.end({ timeout: 1 })
  await observer.unsafe(`drop role ${user}`)
})
