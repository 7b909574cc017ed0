import { expect, test } from 'bun:test'
import { connectDatabase } from '../../../core/postgres/database'
import { createTestApp } from '../test-app'

const { url, call } = await createTestApp()

test('200: the service and its database are up', async () => {
  const { status, body } = await call('/health', { key: null })
  expect(status).toBe(200)
  expect(body).toEqual({ status: 'ok', time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) })
})

test('200: while Meilisearch is away, it says so, and for which states PostgreSQL answers searches', async () => {
  const { call: ask } = await createTestApp({ degradedStates: () => ({ codes: ['WA', 'OR'], isExcept: false }) })
  const { status, body } = await ask('/health', { key: null })
  expect(status).toBe(200)
  expect(body).toMatchObject({ status: 'ok', search: 'degraded', degraded_states: 'OR, WA' })
})

test('503: the database is unavailable; the response shows no internals', async () => {
  const away = await createTestApp({ sql: connectDatabase('postgres://nobody@127.0.0.1:9/none', { max: 1 }) })
  expect(await away.call('/health', { key: null })).toMatchObject({
    status: 503,
    body: { error: 'the database is unavailable' },
  })
  for (const path of ['/v1/sources', '/v1/parcels/elm/1', '/v1/parcels?bbox=0,0,1,1', '/tiles/manifest.json']) {
    const answer = await away.call(path)
    expect(answer).toMatchObject({ status: 503, body: { error: 'the database is unavailable, try again shortly' } })
    expect(answer.headers.get('retry-after')).toMatch(/^[1-9]\d*$/)
  }
})

test('503: the database did not respond within 2 s', async () => {
  const one = connectDatabase(url, { max: 1 })
  const stuck = await createTestApp({ sql: one })
  const held = one`select pg_sleep(4)`.catch(() => {})
  const { status, body } = await stuck.call('/health', { key: null })
  expect({ status, body }).toEqual({ status: 503, body: { error: 'the database did not respond within 2 s' } })
  await held
  await one.end()
})
