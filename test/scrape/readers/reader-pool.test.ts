import { afterEach, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FetchContext, HttpClient, HttpRequest, ScrapeTarget } from '../../../adapters/adapter'
import { PutOff } from '../../../adapters/http/host-turns'
import { ScrapeError } from '../../../adapters/scrape-error'
import { createReaderPool, type ReaderPool } from '../../../src/scrape/readers/reader-pool'
import type { AdapterCrawl } from '../../../src/scrape/readers/readers'
import type { ReaderPoolOptions } from '../../../src/scrape/readers/running-readers'
import { createTestAdapter } from '../../jobs/test-adapter'
import { waitFor } from '../../support/servers'
import { LOOPING } from './looping'

const PROGRAM = join(import.meta.dirname, 'reader-of-tests.ts')
/** For pages that take forever, where the test is not about the limit that portals have. */
const SOON = { timeMs: 1_500 }
const killed: string[] = []
const pools: ReaderPool[] = []
const openPool = ({ mostReaders = 1, ...options }: ReaderPoolOptions = {}): ReaderPool => {
  const pool = createReaderPool({ program: PROGRAM, mostReaders, onKill: ({ why }) => killed.push(why), ...options })
  pools.push(pool)
  return pool
}
afterEach(() => {
  for (const pool of pools.splice(0)) pool.stop()
  killed.length = 0
})

type Answer = (request: HttpRequest, jar: number) => Promise<string> | string

/** A portal whose pages come from a function of the test. Jar 0 is the source's own. */
const contextOf = (answer: Answer): FetchContext => {
  let jars = 0
  const clientOf = (jar: number): HttpClient => ({
    request: async (request) => ({
      ...{ name: request.name, url: request.url, status: 200, headers: {}, fetchedAt: '2026-01-01T00:00:00.000Z' },
      body: await answer(request, jar),
    }),
    withOwnCookies: () => clientOf(++jars),
  })
  return { http: clientOf(0), openPage: null, signal: new AbortController().signal }
}

const targetOf = (sourceParcelId: string): ScrapeTarget => ({
  ...{
    source: 'elm',
    sourceParcelId,
    baseUrl: 'https://portal.example',
    state: 'OR',
    countyName: 'Elm',
    overrides: {},
  },
  ...{ storedNumber: null, otherSpelling: null, validators: { etag: null, lastModified: null } },
})

const scrape = (pool: ReaderPool, sourceParcelId: string, answer: Answer) =>
  pool.scrape({ adapter: createTestAdapter(), target: targetOf(sourceParcelId), config: {} }, contextOf(answer))

const ownerOf = async (work: ReturnType<typeof scrape>): Promise<string | undefined> => {
  const parcel = await work
  return parcel === 'not-modified' ? undefined : parcel.fields.ownerName
}

const refusalOf = async (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    (result) => `it was not refused: ${JSON.stringify(result)}`,
    (error) => error,
  )

test('an adapter runs in another process, and this one sends its requests and keeps its cookies', async () => {
  const asked: string[] = []
  const answer: Answer = ({ name }, jar) => {
    asked.push(`${name} ${jar}`)
    return name === 'first' ? 'ADA' : ''
  }
  expect(await ownerOf(scrape(openPool(), '1', answer))).toBe('ADA')
  expect(asked).toEqual(['first 0', 'second 1', 'third 1'])
})

test("readers get none of the service's environment variables", async () => {
  expect(await ownerOf(scrape(openPool(), '1', () => 'environment'))).toBe('PARENT_PID,PATH')
})

test('the scrape fails with the same error object as its request', async () => {
  const error = new PutOff('later', 1_000)
  const refused = scrape(openPool(), '1', () => Promise.reject(error))
  expect(await refusalOf(refused)).toBe(error)
})

test('a bug in an adapter keeps its own stack and affects no other scrape', async () => {
  const pool = openPool()
  const error = (await refusalOf(scrape(pool, '1', () => 'bug'))) as Error
  expect(error).not.toBeInstanceOf(ScrapeError)
  expect(error.stack).toContain('reader-of-tests.ts')
  expect(await ownerOf(scrape(pool, '2', () => 'ADA'))).toBe('ADA')
  expect(killed).toEqual([])
})

test.each([
  ['loop', 'too_large', /more than 5 s/, {}],
  // On a busy machine it may take more than 5 s to fill the memory.
  ['memory', 'too_large', /more than 512 MB/, { timeMs: 60_000 }],
] as const)(
  'a page that would take forever (%s) ends with %s; other scrapes move to another reader without repeating requests',
  async (deed, code, message, options) => {
    const pool = openPool(options)
    await ownerOf(scrape(pool, 'warm', () => 'ADA'))
    const [before] = pool.pids()
    const asked: string[] = []
    const held = Promise.withResolvers<string>()
    const beside = Array.from({ length: 5 }, (_, at) =>
      ownerOf(
        scrape(pool, `beside-${at}`, ({ name, url }) => {
          asked.push(`${name} ${url}`)
          return name === 'third' ? held.promise : `OWNER ${at}`
        }),
      ),
    )
    const startedAt = performance.now()
    const error = (await refusalOf(scrape(pool, '1', () => deed))) as ScrapeError
    expect(error).toMatchObject({ name: 'ScrapeError', code, message: expect.stringMatching(message) })
    if (deed === 'loop') expect(performance.now() - startedAt).toBeLessThan(10_000)
    held.resolve('')
    expect(await Promise.all(beside)).toEqual(beside.map((_, at) => `OWNER ${at}`))
    expect(new Set(asked).size).toBe(asked.length)
    expect(pool.pids()).not.toContain(before as number)
    expect(killed).toEqual([deed === 'loop' ? 'time' : 'memory'])
  },
)

/** Waits until a reader is in the loop, which it says in the name of its process. */
const waitForLoop = async (reader: number): Promise<void> => {
  await waitFor(() => readFileSync(`/proc/${reader}/comm`, 'utf8').trim() === LOOPING)
}

test('while one page takes too long, a second process reads the others', async () => {
  const pool = openPool({ mostReaders: 2, timeMs: 120_000 })
  // Two pages at the same time start both processes.
  await Promise.all(['warm', 'warm too'].map((id) => ownerOf(scrape(pool, id, () => 'ADA'))))
  expect(pool.pids()).toHaveLength(2)
  let isLooping = true
  void refusalOf(scrape(pool, '1', () => 'loop')).finally(() => {
    isLooping = false
  })
  await Promise.any(pool.pids().map(waitForLoop))
  for (let done = 0; done < 20; done++) expect(await ownerOf(scrape(pool, `${done}`, () => 'ADA'))).toBe('ADA')
  expect(isLooping).toBe(true)
})

test('a page that crashes its reader is read once more, then refused; this process survives', async () => {
  const pool = openPool()
  expect(await refusalOf(scrape(pool, '1', () => 'crash'))).toMatchObject({ name: 'ScrapeError', code: 'page_changed' })
  expect(killed).toEqual(['crash', 'crash'])
  expect(await ownerOf(scrape(pool, '2', () => 'ADA'))).toBe('ADA')
})

test('when a reader is killed from outside, the page is not blamed', async () => {
  const pool = openPool()
  const asked = Promise.withResolvers<void>()
  const held = Promise.withResolvers<string>()
  const reading = ownerOf(
    scrape(pool, '1', () => {
      asked.resolve()
      return held.promise
    }),
  )
  await asked.promise
  for (const pid of pool.pids()) process.kill(pid, 'SIGKILL')
  held.resolve('ADA')
  expect(await reading).toBe('ADA')
})

const crawl = (pool: ReaderPool, answer: Answer) => {
  const adapter = { ...createTestAdapter(), crawl: async function* () {} } as AdapterCrawl['adapter']
  const source = {
    source: 'elm',
    baseUrl: 'https://portal.example',
    state: 'OR',
    countyName: 'Elm',
    cursor: null,
    records: 0,
  }
  return pool.crawl({ adapter, source, config: {} }, contextOf(answer))
}

test('a crawl runs page by page, requests no page early, and resumes after the last page when its reader ends', async () => {
  const pool = openPool()
  const asked: string[] = []
  const read: string[] = []
  for await (const { parcels, cursor } of crawl(pool, ({ url }) => {
    asked.push(url.split('/').at(-1) as string)
    return ''
  })) {
    read.push(`${parcels.map(({ sourceParcelId }) => sourceParcelId)} ${cursor}`)
    expect(asked.length).toBe(read.length)
    if (read.length === 2) for (const pid of pool.pids()) process.kill(pid, 'SIGKILL')
  }
  expect(read).toEqual(['1 1', '2 2', '3 3', '4 null'])
  expect(asked).toEqual(['1', '2', '3', '4'])
})

test('a crawl page that takes forever ends the crawl after the earlier pages', async () => {
  const read: string[] = []
  const crawling = async () => {
    for await (const { cursor } of crawl(openPool(SOON), ({ url }) => (url.endsWith('/3') ? 'loop' : '')))
      read.push(`${cursor}`)
  }
  expect(await refusalOf(crawling())).toMatchObject({ code: 'too_large' })
  expect(read).toEqual(['1', '2'])
})

test('readers end with the process that started them, even in the middle of a page', async () => {
  const program = `
    const { createReaderPool } = await import('${join(import.meta.dirname, '../../../src/scrape/readers/reader-pool.ts')}')
    const pool = createReaderPool({ program: '${PROGRAM}' })
    const client = {
      request: async (request) => {
        if (request.name === 'third') console.log(JSON.stringify(pool.pids()))
        return { ...request, status: 200, headers: {}, body: 'loop', fetchedAt: '' }
      },
      withOwnCookies: () => client,
    }
    const target = { source: 'elm', sourceParcelId: '1', overrides: {} }
    pool.scrape({ adapter: { vendor: 'test' }, target, config: {} }, { http: client }).catch(() => {})
    await Bun.sleep(60_000)`
  const service = Bun.spawn([process.execPath, '-e', program], { stdout: 'pipe' })
  const { value } = await service.stdout.getReader().read()
  const pids: number[] = JSON.parse(new TextDecoder().decode(value))
  expect(pids).toHaveLength(1)
  const [reader = 0] = pids
  await waitForLoop(reader)
  service.kill('SIGKILL')
  const isAlive = (pid: number) => {
    try {
      return process.kill(pid, 0)
    } catch {
      return false
    }
  }
  await waitFor(() => !isAlive(reader))
})

/** What a portal answered to the requests with these names. */
const replay = (pool: ReaderPool, names: readonly string[], body: string) => {
  const answers = names.map((name) => ({
    ...{ name, url: 'https://portal.example/1', status: 200, headers: {}, body },
    asked: { method: 'GET', url: 'https://portal.example/1' },
  }))
  const set = { source: 'elm', sourceParcelId: '1', answers }
  const answeredAt = names.map(() => '2026-01-01T00:00:00.000Z')
  return pool.replay({ adapter: createTestAdapter(), target: targetOf('1'), config: {} }, { set, answeredAt })
}

test('kept answers are read in the other process as if a portal had sent them', async () => {
  expect(await ownerOf(replay(openPool(), ['first', 'second', 'third'], 'ADA'))).toBe('ADA')
})

test('kept answers without one that the adapter requests now are refused, naming it', async () => {
  expect(await refusalOf(replay(openPool(), ['first', 'second'], 'ADA'))).toMatchObject({
    code: 'network',
    message: expect.stringContaining('"third"'),
  })
})

test('kept answers that hold a reader too long are refused, and the next ones are read', async () => {
  const pool = openPool(SOON)
  expect(await refusalOf(replay(pool, ['first', 'second', 'third'], 'loop'))).toMatchObject({ code: 'too_large' })
  expect(await ownerOf(replay(pool, ['first', 'second', 'third'], 'ADA'))).toBe('ADA')
})
