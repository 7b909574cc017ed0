import { describe, expect, test } from 'bun:test'
import { runTuner } from '../../../src/scrape/run-tuner'
import { insertVendor } from '../../jobs/job-rows'
import { commandOf } from '../../runner/programs'
import { createTestDatabase } from '../../support/servers'

const { url, sql } = await createTestDatabase()
await insertVendor(sql, 'test', 2)
await insertVendor(sql, 'new', 2)

const tuner = async (...args: string[]) => {
  const command = Bun.spawn(commandOf('src/cli/tuner.ts', ...args), {
    stdout: 'pipe',
    stderr: 'pipe',
    env: { ...process.env, DATABASE_URL: url, MEILI_URL: '' },
  })
  const [code, out, err] = await Promise.all([
    command.exited,
    new Response(command.stdout).text(),
    new Response(command.stderr).text(),
  ])
  return { code, out, err }
}
/** The titles of the charts. */
const titles = (out: string) => out.split('\n').filter((line) => /^(target|done|refused)/.test(line))

describe('simulate', () => {
  test('charts target, throughput and errors, and compares the tuner with the best fixed setting', async () => {
    const { code, out, err } = await tuner('simulate', '--capacity', '4', '--max', '16', '--cycles', '30')
    expect({ code, err }).toEqual({ code: 0, err: '' })
    expect(titles(out)).toEqual(['target', 'done per minute', 'refused and failed per minute'])
    expect(out).toMatch(/\d+ done, 0\.[89]\d of a fixed 4; \d+ refused, 0 failed, from the first minute on/)
    expect(out).toContain('1 min: 1 → 2  all well')
    expect(await tuner('simulate', '--capacity', '4', '--max', '16', '--cycles', '30')).toEqual({ code, out, err })
  })

  test('a portal that slows, an outage, a slow day', async () => {
    const small = ['simulate', '--capacity', '4', '--max', '8', '--cycles', '20', '--words']
    expect((await tuner(...small, '--beyond', 'slows')).out).toContain('more than the portal supports at full speed')
    expect((await tuner(...small, '--outage', '5-8')).out).toContain('breaker open, probing with one job a minute')
    const { out } = await tuner(...small, '--slow', '5-20x20')
    expect(out).toMatch(/slow: p95 \d+ ms, above 8000 ms/)
  })

  test('a portal that bans for Retry-After gets no requests until then', async () => {
    const bans = ['simulate', '--capacity', '4', '--max', '8', '--start', '8', '--cycles', '8', '--words']
    const { out } = await tuner(...bans, '--beyond', 'bans', '--retry-after', '300')
    expect(out.split('\n').filter((line) => line.includes('no probes'))).toHaveLength(4)
    expect(out).toContain('6 min: 1 → 1  a probe succeeded')
  })
})

describe('simulate --log', () => {
  test('replays the tuning log, and charts targets as recorded and as replayed, throughput and errors', async () => {
    const insertTries = (outcome: string, count: number) => sql`
      insert into scrape_attempts (job_id, attempt, vendor, outcome, duration_ms, ended_at)
      select uuidv7(), 1, 'test', ${outcome}, 600, now() - n * interval '1 second' from generate_series(1, ${count}::int) n`
    const tune = () => sql.begin((tx) => runTuner(tx))
    await sql`insert into scrape_attempts (job_id, attempt, vendor, outcome, duration_ms, ended_at)
      select uuidv7(), 1, 'test', 'done', 1000, now() - n * interval '500 ms' from generate_series(1, 1200) n`
    await tune()
    await sql`truncate scrape_attempts`
    await sql`update vendor_concurrency set tuner_state = tuner_state || '{"changedAt": 0}' where vendor = 'test'`
    await insertTries('done', 30)
    await insertTries('throttled', 12)
    await tune()
    // A person's changes are not replayed.
    await sql`insert into tuning_log (vendor, previous_target, new_target, reason, actor) values ('test', 2, 7, 'set by hand', 'testtest')`

    const { code, out, err } = await tuner('simulate', '--log', 'test')
    expect({ code, err }).toEqual({ code: 0, err: '' })
    const lines = out.split('\n').filter((line) => line.includes('→'))
    expect(lines).toHaveLength(2)
    expect(lines[0]).toMatch(/ 2 → 4 \(same as recorded\) {2}\d+ done.*: all well/)
    expect(lines[1]).toMatch(/ 4 → \d \(.*\) {2}\d+ done, 12 throttled.*/)
    expect(titles(out)).toEqual([
      'target, as recorded',
      'target, as replayed',
      'done in the window',
      'refused and failed in the window',
    ])
    expect(out).toMatch(/refused and failed in the window\n12 ┤ █\n/)
  })

  test('a vendor without a log gets a message; an unknown vendor is refused', async () => {
    expect(await tuner('simulate', '--log', 'new')).toEqual({
      code: 0,
      out: 'the tuning log has no signals of new yet\n',
      err: '',
    })
    expect(await tuner('simulate', '--log', 'nobody')).toEqual({ code: 1, out: '', err: 'there is no vendor nobody\n' })
  })
})

test('an invalid command line prints the usage with code 2', async () => {
  for (const [args, says] of [
    [[], 'bun run tuner simulate [options]'],
    [['simulate', '--capacity', 'many'], '--capacity must be a whole number from 1 to 1000, not "many"'],
    [['simulate', '--capacity', '0'], '--capacity must be a whole number from 1 to 1000, not "0"'],
    [['simulate', '--beyond', 'sulks'], '--beyond must be refuses, bans or slows'],
    [['simulate', '--outage', 'noon'], '--outage must be a span of minutes, such as 30-40, not "noon"'],
    [['simulate', '--slow', '5-2'], '--slow must be a span of minutes'],
    [['simulate', '--cycles', '1000000'], '--cycles must be a whole number from 1 to 1440'],
    [['simulate', '--min', '5', '--max', '2'], '--min must not be greater than --max'],
    [['simulate', '--fast', '9000'], '--fast must not be greater than --slow-threshold'],
    [['simulate', '--seed', '--words'], '--seed needs a value'],
    [['simulate', 'twice'], 'unexpected argument "twice": simulate takes no arguments'],
    [['simulate', '--speed', '1'], '--speed'],
  ] as const) {
    expect(await tuner(...args)).toMatchObject({ code: 2, out: '', err: expect.stringContaining(says) })
  }
})
