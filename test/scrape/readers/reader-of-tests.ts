import { existsSync, writeFileSync } from 'node:fs'
import { Type } from '@sinclair/typebox'
import type { Adapter } from '../../../adapters/adapter'
import { serveReader } from '../../../src/scrape/readers/serve-reader'
import { scraped } from '../../jobs/test-adapter'
import { LOOPING } from './looping'

/* A program: a reader whose only adapter does what the page says. */

const DEEDS: Readonly<Record<string, () => unknown>> = {
  loop: () => {
    // proc_pid_comm(5)
    if (existsSync('/proc/self/comm')) writeFileSync('/proc/self/comm', LOOPING)
    for (;;);
  },
  memory: () => {
    const kept: number[][] = []
    for (;;) kept.push(new Array(10_000).fill(kept.length))
  },
  crash: () => process.kill(process.pid, 'SIGSEGV'),
  bug: () => (undefined as unknown as { name: string }).name,
  environment: () => Object.keys(process.env).toSorted().join(),
}

const adapter: Adapter = {
  vendor: 'test',
  grade: 'A',
  needsBrowser: false,
  config: Type.Object({}, { additionalProperties: true }),
  async fetch({ sourceParcelId }, _, { http }) {
    const own = http.withOwnCookies()
    const first = await http.request({ name: 'first', url: `https://portal.example/${sourceParcelId}` })
    const others = ['second', 'third'].map((name) => own.request({ name, url: first.url }))
    return { documents: [first, ...(await Promise.all(others))] }
  },
  parse: ([first], { sourceParcelId }) => {
    const done = DEEDS[first?.body ?? '']?.()
    return {
      ...scraped(sourceParcelId, { fields: { ownerName: String(done ?? first?.body) } }),
      shownIds: [sourceParcelId],
    }
  },
  async *crawl({ cursor }, _, { http }) {
    for (let page = Number(cursor ?? 0) + 1; page <= 4; page++) {
      const { body } = await http.request({ name: 'page', url: `https://portal.example/page/${page}` })
      DEEDS[body]?.()
      const parcels = [{ sourceParcelId: String(page), ...scraped(String(page)) }]
      yield { parcels, rejected: [], records: 1, cursor: page === 4 ? null : String(page), total: 4 }
    }
  },
}

serveReader((vendor) => (vendor === adapter.vendor ? adapter : null))
