import { expect, test } from 'bun:test'
import { createTestApp, insertCounty } from '../test-app'

const { sql, call, readKey } = await createTestApp()
await insertCounty(sql)
await sql`insert into parcels (source, source_parcel_id, owner_name) values ('elm', '1', 'MARLOWE ROSE')`

test('a parcel and the list of sources have an ETag of their content, the same for every key', async () => {
  for (const path of ['/v1/parcels/elm/1', '/v1/sources']) {
    const [first, second] = [await call(path), await call(path, { key: await readKey() })]
    expect(first.headers.get('etag')).toMatch(/^W\/"\w+"$/)
    expect(second.headers.get('etag')).toBe(first.headers.get('etag'))
  }
})

test('If-None-Match with the ETag, a list with it, or * is 304 without a body; after a change it is 200', async () => {
  const etag = (await call('/v1/parcels/elm/1')).headers.get('etag') ?? ''
  for (const header of [etag, etag.replace('W/', ''), `"other", ${etag}`, '*']) {
    const answer = await call('/v1/parcels/elm/1', { headers: { 'if-none-match': header } })
    expect({ status: answer.status, text: answer.text, etag: answer.headers.get('etag') }).toEqual({
      status: 304,
      text: '',
      etag,
    })
  }
  await sql`update parcels set owner_name = 'HOLLIS DANIEL'`
  expect(await call('/v1/parcels/elm/1', { headers: { 'if-none-match': etag } })).toMatchObject({
    status: 200,
    body: { owner_name: 'HOLLIS DANIEL' },
  })
})

test('an unknown key learns nothing from an ETag', async () => {
  const etag = (await call('/v1/parcels/elm/1')).headers.get('etag') ?? ''
  expect((await call('/v1/parcels/elm/1', { key: 'nobody', headers: { 'if-none-match': etag } })).status).toBe(401)
})
