import { expect, test } from 'bun:test'
import { pino } from 'pino'
import { connectDatabase } from '../../../core/postgres/database'
import { createDispatcher, type DispatcherDeps } from '../../../src/jobs/dispatcher'
import type { JobQueue } from '../../../src/jobs/queue/queue'
import { createScheduler } from '../../../src/jobs/scheduler'
import { createWorker } from '../../../src/jobs/worker'
import { waitFor } from '../../support/servers'
import { createCrawler } from '../../work/crawls/crawl-rows'
import { createTestContext } from '../test-adapter'

const queue: JobQueue = {
  add: async () => {},
  take: () => {},
  setConcurrency: async () => {},
  pause: async () => {},
  close: async () => {},
}

type Parts = Pick<DispatcherDeps, 'databaseUrl' | 'sql' | 'log'>

/** The `ErrorResponse` of a server that is starting up (PostgreSQL protocol). */
const STARTING_UP = (() => {
  const fields = 'SFATAL\0C57P03\0Mthe database system is starting up\0\0'
  const message = Buffer.alloc(5 + fields.length)
  message.write('E')
  message.writeInt32BE(4 + fields.length, 1)
  message.write(fields, 5)
  return message
})()

/** Parts that poll the database, and how many loops each has. */
const ASKING: [string, number, (parts: Parts) => { start: () => void; stop: () => Promise<void> }][] = [
  [
    'a worker',
    1,
    (parts) =>
      createWorker({
        ...{ ...parts, queue, review: () => [], targetsPollMs: 10 },
        scrapeParcel: () => Promise.reject(new Error('there is no job')),
      }),
  ],
  ['the dispatcher', 1, (parts) => createDispatcher({ ...parts, queue })],
  ['the scheduler', 4, (parts) => createScheduler({ ...parts, crawledVendors: [], pollMs: 10, minuteMs: 10 })],
  [
    'a crawler',
    1,
    (parts) =>
      createCrawler({
        ...{ ...parts, vendors: ['test'], findAdapter: () => null, createContext: createTestContext, pollMs: 10 },
        review: () => [],
      }),
  ],
]

for (const [name, loops, create] of ASKING) {
  test(`${name} keeps retrying while the database is unavailable, and logs it once`, async () => {
    let asked = 0
    const away = Bun.listen({
      hostname: '127.0.0.1',
      port: 0,
      socket: {
        data: (socket) => {
          asked++
          socket.end(STARTING_UP)
        },
      },
    })
    const databaseUrl = `postgres://nobody@127.0.0.1:${away.port}/none`
    const sql = connectDatabase(databaseUrl, { max: 2 })
    const lines: { level: number; times: number }[] = []
    const log = pino({ level: 'warn' }, { write: (line: string) => lines.push(JSON.parse(line)) })
    const part = create({ databaseUrl, sql, log })
    part.start()
    await waitFor(() => asked >= 20)
    expect(lines).toEqual(Array(loops).fill(expect.objectContaining({ level: pino.levels.values.warn, times: 1 })))
    await part.stop()
    await sql.end({ timeout: 1 })
    away.stop(true)
  })
}
