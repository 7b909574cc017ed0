import { expect, test } from 'bun:test'
import { revokeKey, touchKeys } from '../../../drizzle/queries/people/api-keys'
import { createAuthenticator } from '../../../src/http/callers/authenticator'
import { issueKey } from '../../../src/people/issue-key'
import { createTestApp } from '../test-app'

const { sql, call, authenticator } = await createTestApp()

test('an issued key is pk_ and 64 hex digits; only its hash is stored', async () => {
  const { id, key } = await issueKey(sql, { name: 'front end', capabilities: ['read'] })
  expect(key).toMatch(/^pk_[0-9a-f]{64}$/)
  const [row] = await sql`select * from api_keys where id = ${id}`
  expect(JSON.stringify(row)).not.toContain(key.slice(3))
  expect(row?.hashed_key).toBe(new Bun.CryptoHasher('sha256').update(key).digest('hex'))
})

test('a revoked key is refused on the next request, in every process', async () => {
  const { id, key } = await issueKey(sql, { name: 'short-lived', capabilities: ['read'] })
  const otherProcess = createAuthenticator(sql, new Map(), { baseUrl: 'http://localhost' })
  expect((await call('/v1/sources', { key })).status).toBe(200)
  expect(await otherProcess.authenticate(key)).toMatchObject({
    capability: 'read',
    actor: key.slice(0, 8),
    accountId: null,
  })
  await revokeKey(sql, id)
  expect((await call('/v1/sources', { key })).status).toBe(401)
  expect(otherProcess.authenticate(key)).rejects.toThrow('missing or invalid api key')
})

test('a key that is revoked during its look-up is refused on later requests', async () => {
  const { id, key } = await issueKey(sql, { name: 'raced', capabilities: ['read'] })
  for (let round = 0; round < 20; round++) {
    await sql`update api_keys set revoked_at = null where id = ${id}`
    const before = authenticator.authenticate(key)
    await revokeKey(sql, id)
    const after = Promise.resolve(authenticator.authenticate(key))
    await Promise.allSettled([before])
    expect(after).rejects.toThrow('missing or invalid api key')
  }
})

test('last_used_at is written in batches, outside the request', async () => {
  const keys = await Promise.all(['a', 'b', 'c'].map((name) => issueKey(sql, { name, capabilities: [] })))
  for (const { key } of keys) await call('/v1/sources', { key })
  const used = () =>
    sql`select id from api_keys where last_used_at is not null and id = any(${keys.map(({ id }) => id)}::uuid[])`
  expect((await used()).count).toBe(0)
  await authenticator.flush()
  expect((await used()).count).toBe(3)
})

test('last_used_at never moves back when another process writes an earlier use later', async () => {
  const { id } = await issueKey(sql, { name: 'two processes', capabilities: [] })
  await touchKeys(sql, [{ id, usedAt: '2026-11-20T12:00:05.000Z' }])
  await touchKeys(sql, [{ id, usedAt: '2026-11-20T12:00:00.000Z' }])
  expect(await sql`select iso_utc(last_used_at) as at from api_keys where id = ${id}`).toMatchObject([
    { at: '2026-11-20T12:00:05.000Z' },
  ])
})

test('placeholder capabilities grant only read access', async () => {
  const { key } = await issueKey(sql, { name: 'funder', capabilities: ['funder', 'bulk-export', 'county-officer'] })
  expect((await call('/v1/sources', { key })).status).toBe(200)
  expect((await call('/v1/sources/x', { method: 'PATCH', key, body: { active: true } })).status).toBe(403)
})
