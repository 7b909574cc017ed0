import { afterAll } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { seedSampleCounty } from '../../dev/sample-county/load'
import { upsertParcels } from '../../drizzle/queries/parcels/upsert-parcels'
import { createSearch } from '../../search/search'
import { createExportStore } from '../../src/exports/export-store'
import { findFreePort } from '../../src/operations/embedded/child'
import { createExportRunner } from '../../src/work/export-runner'
import { createMatchRunner } from '../../src/work/match-runner'
import { createWorkLoop } from '../../src/work/work-loop'
import { ADMIN_KEY, createTestApp } from '../http/test-app'
import { PATIENT } from '../search/patient'
import { startFaultyProxy } from './faulty-proxy'
import type { Setting } from './scenario'
import { signWebhooks } from './signed-webhooks'

const PARCELS = 600

/** Ids with characters that must be percent-encoded in URLs. */
const ODD_IDS = ['1N-130/CB 100', '50% #7?a=b&c+d', 'Ñandú—東/../x', "it's;~(a),b:c@d", '..%2F', ' padded ']

/** A service on a port, with sample parcels, odd ids, exports and matches. Tests choose how the proxy in front of it fails. */
export const startClientService = async () => {
  const folder = mkdtempSync(join(tmpdir(), 'clients-'))
  const store = createExportStore(join(folder, 'exports'))
  const port = await findFreePort()
  const base = `http://127.0.0.1:${port}`
  const { app, sql, url, useSearch } = await createTestApp({
    baseUrl: base,
    corsOrigins: '*',
    exports: { store },
  })
  await seedSampleCounty(sql, { parcels: PARCELS, entities: 20 })
  await upsertParcels(
    sql,
    'sample-county',
    ODD_IDS.map((sourceParcelId) => ({ sourceParcelId, ownerName: 'ODD ID HOLDER' })),
  )
  useSearch(createSearch({ sql, meili: null, limits: PATIENT }))
  app.listen({ port, hostname: '127.0.0.1' })
  const log = pino({ level: 'silent' })
  const runners = [
    createExportRunner({ databaseUrl: url, log, store, workDir: join(folder, 'work'), maxBytes: 1024 ** 3 }),
    createMatchRunner({ databaseUrl: url }),
  ]
  const works = createWorkLoop({ sql, runners, log, pollMs: 100 })
  works.start()
  const proxy = await startFaultyProxy(base)
  afterAll(async () => {
    await works.stop()
    proxy.stop()
    await app.stop(true)
    rmSync(folder, { recursive: true })
  })
  const settingOf = (runtime: string): Setting => ({
    ...{ base, runtime, faulty: proxy.base, key: ADMIN_KEY, parcels: PARCELS + ODD_IDS.length, oddIds: ODD_IDS },
    ...signWebhooks(),
  })
  return { base, key: ADMIN_KEY, folder, settingOf }
}
