import { expect, test } from 'bun:test'
import { enqueueJobs } from '../../../drizzle/queries/jobs/order/enqueue-jobs'
import { insertSource, insertVendor } from '../../jobs/job-rows'
import { commandOf } from '../../runner/programs'
import { createTestDatabase } from '../../support/servers'

const { url, sql } = await createTestDatabase()
await insertVendor(sql, 'test', 3)
await insertSource(sql, 'elm', 'test')

const start = (...args: string[]) =>
  Bun.spawn(commandOf('src/cli/jobs.ts', ...args), {
    stdout: 'pipe',
    stderr: 'pipe',
    env: { ...process.env, DATABASE_URL: url, MEILI_URL: '' },
  })

const jobs = async (...args: string[]) => {
  const command = start(...args)
  const [code, out, err] = await Promise.all([
    command.exited,
    new Response(command.stdout).text(),
    new Response(command.stderr).text(),
  ])
  return { code, out, err }
}

const queue = async (id: string): Promise<string> => {
  const { jobs: queued } = await enqueueJobs(
    sql,
    [{ source: 'elm', sourceParcelId: id, overrides: { vendorKey: id } }],
    null,
  )
  return queued[0]?.id ?? ''
}

test('jobs are listed, shown, cancelled and queued again', async () => {
  const id = await queue('12-0345')
  const other = await queue('12-0346')

  const listed = await jobs('list', '--source', 'elm', '--status', 'queued')
  expect(listed).toMatchObject({ code: 0, err: '' })
  expect(listed.out).toContain(id)
  expect(listed.out).toContain('12-0346')
  expect((await jobs('list', '--limit', '1')).out).not.toContain(id)
  expect(await jobs('list', '--status', 'done')).toMatchObject({ code: 0, out: 'No jobs match\n' })

  expect((await jobs('show', id)).out).toContain('source_parcel_id  12-0345\n')

  expect(await jobs('cancel', id)).toMatchObject({ code: 0, out: `Job ${id} is cancelled.\n` })
  const [row] = await sql`select status, error_message from scrape_jobs where id = ${id}`
  expect(row).toEqual({ status: 'error', error_message: 'cancelled by operator' })
  expect(await jobs('cancel', id)).toMatchObject({ code: 1, err: `there is no queued or running job ${id}\n` })

  const retried = await jobs('retry', id)
  expect(retried.code).toBe(0)
  const [, again] = /^Job (\S+) is queued\.\n$/.exec(retried.out) ?? []
  const [queued] = await sql`select * from scrape_jobs where id = ${again ?? ''}`
  expect(queued).toMatchObject({ source_parcel_id: '12-0345', status: 'queued', overrides: { vendorKey: '12-0345' } })
  expect(await jobs('retry', other)).toMatchObject({ code: 1, err: `there is no finished job ${other}\n` })
})

test('watch prints one line per vendor and second when there is no terminal, until it is stopped', async () => {
  await queue('watched')
  const command = start('watch')
  const reader = command.stdout.getReader()
  let out = ''
  while (out.split('\n').length < 3) {
    const { value, done } = await reader.read()
    if (done) break
    out += new TextDecoder().decode(value)
  }
  command.kill('SIGTERM')
  expect(await command.exited).toBe(0)
  expect(out.split('\n')[0]).toMatch(/^\d{4}-\S+Z test queued=\d+ running=0 target=3 done\/min=0 errors\/min=0$/)
})

test('an invalid command line prints the usage with code 2', async () => {
  expect(await jobs()).toMatchObject({ code: 2, err: expect.stringContaining('bun run jobs list') })
  expect(await jobs('show', 'all')).toMatchObject({
    code: 2,
    err: expect.stringContaining('ID must be the id of a job'),
  })
  expect(await jobs('list', '--status', 'new')).toMatchObject({
    code: 2,
    err: '--status must be one of queued, running, done, error, not "new"\n',
  })
  expect(await jobs('list', '--limit', '0')).toMatchObject({ code: 2, err: expect.stringContaining('from 1 to 500') })
})
