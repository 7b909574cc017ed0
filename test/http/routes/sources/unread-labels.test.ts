import { expect, test } from 'bun:test'
import { createLabelCounter } from '../../../../src/scrape/labels/count-labels'
import { insertSource } from '../../../jobs/job-rows'
import { createTestApp } from '../../test-app'

const { sql, call, readKey } = await createTestApp()
await insertSource(sql, 'elm', 'test')
await insertSource(sql, 'new', 'test')
const counter = createLabelCounter({ sql })
for (let scrape = 0; scrape < 4; scrape++) counter.note('elm', scrape === 0 ? ['Fire', 'Zone'] : ['Fire'])
await counter.stop()

const PATH = '/v1/sources/elm/unread-labels'
const mark = (body: unknown, more = {}) => call(PATH, { method: 'PATCH', body, ...more })

test('200: the labels of the last scrapes with their counts, for any key; empty for a source without scrapes', async () => {
  const { body } = await call(PATH, { key: await readKey() })
  expect(body).toMatchObject({
    ...{ source: 'elm', scrapes: 4, count: 2 },
    labels: [
      { label: 'Fire', scrapes: 4, is_known: false },
      { label: 'Zone', scrapes: 1, is_known: false },
    ],
  })
  expect((await call('/v1/sources/new/unread-labels')).body).toEqual({
    source: 'new',
    scrapes: 0,
    count: 0,
    labels: [],
  })
  expect((await call('/v1/sources/unknown/unread-labels')).status).toBe(404)
})

test('a label is marked as known and stays marked when it is seen again; others are unchanged', async () => {
  const { status, body } = await mark({ label: 'Zone', is_known: true })
  expect(status).toBe(200)
  expect(body.labels).toMatchObject([
    { label: 'Fire', is_known: false },
    { label: 'Zone', is_known: true },
  ])
  const again = createLabelCounter({ sql })
  again.note('elm', ['Zone'])
  await again.stop()
  expect((await call(PATH)).body.labels[1]).toMatchObject({ label: 'Zone', scrapes: 2, is_known: true })
  expect((await mark({ label: 'Zone', is_known: false })).body.labels[1]).toMatchObject({ is_known: false })
})

test('an unknown label or source is 404, and a read-only key cannot mark labels', async () => {
  expect((await mark({ label: 'Water', is_known: true })).status).toBe(404)
  const body = { label: 'Fire', is_known: true }
  expect((await call('/v1/sources/unknown/unread-labels', { method: 'PATCH', body })).status).toBe(404)
  expect((await mark(body, { key: await readKey() })).status).toBe(403)
  expect((await mark({ label: 'Fire' })).status).toBe(400)
})
