import { afterAll, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { seedSampleCounty } from '../../../dev/sample-county/load'
import { findFreePort } from '../../../src/operations/embedded/child'
import { findPython } from '../../runner/python'
import { TEST_TIMEOUT_MS } from '../../support/deadlines'
import { ADMIN_KEY, createTestApp } from '../test-app'

/* QGIS opens the service by one pasted URL. core.test.ts has its requests, for machines without it. */
setDefaultTimeout(TEST_TIMEOUT_MS)

const python = findPython('qgis')
/** More than one of the pages that QGIS reads. */
const PARCELS = 2_500
const BOX = [-120.55, 43.86, -120.53, 43.88]

test.skipIf(python === null)('QGIS reads all parcels, page by page, and those in a box', async () => {
  const port = await findFreePort()
  const { app, sql } = await createTestApp({ baseUrl: `http://127.0.0.1:${port}` })
  await seedSampleCounty(sql, { parcels: PARCELS, entities: 5 })
  app.listen({ port, hostname: '127.0.0.1' })
  const home = mkdtempSync(join(tmpdir(), 'qgis-'))
  afterAll(async () => {
    await app.stop(true)
    rmSync(home, { recursive: true })
  })
  const rows = await sql<{ id: string; isInBox: boolean }[]>`
    select source_parcel_id as id, bbox && box(point(${BOX[0] as number}, ${BOX[1] as number}),
      point(${BOX[2] as number}, ${BOX[3] as number})) as "isInBox"
    from parcels where bbox is not null`

  const program = join(import.meta.dir, 'read-by-qgis.py')
  const address = `http://127.0.0.1:${port}/ogc?key=${ADMIN_KEY}`
  const child = Bun.spawn([python ?? '', program, address, 'sample-county', ...BOX.map(String)], {
    env: { ...process.env, HOME: home, QT_QPA_PLATFORM: 'offscreen', no_proxy: '127.0.0.1' },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const found = JSON.parse((await child.stdout.text()).trim().split('\n').at(-1) ?? '')
  const idsOf = (listed: readonly { id: string }[]) => listed.map(({ id }) => id).sort()
  expect(found).toMatchObject({ isValid: true, count: PARCELS })
  expect(found.ids).toEqual(idsOf(rows))
  const inBox = idsOf(rows.filter(({ isInBox }) => isInBox))
  expect(inBox.length).toBeGreaterThan(10)
  expect(inBox.length).toBeLessThan(rows.length)
  expect(found.inBox).toEqual(inBox)
})
