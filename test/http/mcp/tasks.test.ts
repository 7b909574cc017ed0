import { afterAll, expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { seedSampleCounty } from '../../../dev/sample-county/load'
import { createSearch } from '../../../search/search'
import { TOOLS } from '../../../src/http/mcp/tools'
import { countNow } from '../../parcels/coverage/count'
import { PATIENT } from '../../search/patient'
import { createTestApp } from '../test-app'
import { BEFORE, TASKS, type Task } from './tasks'

/* Sixty questions, each with the call that answers it, against the sample county of `bun start`. */
const { app, sql, useSearch } = await createTestApp()
await seedSampleCounty(sql, { parcels: 5_000, entities: 300 })
const before = new Date().toISOString()
await sql`update parcels set owner_name = 'JUNIPER ADA' where source_parcel_id = '12-0008-0030'`
await sql`update parcels set assessed_value = 130000 where source_parcel_id = '12-0008-0040'`
await sql`update parcels set retired_at = now() where source_parcel_id = '12-0012-0010'`
await sql`update parcels set scrape_data = ${sql.json({
  parcel_number: '12-0011-0020',
  fetched_at: '2026-01-02T03:04:05.678Z',
  statements: [{ tax_year: 2025, billed: 1_210, due: 1_210, status: 'unpaid' }],
  sale_history: [{ date: '2019-05-02', price: 410_000 }],
})} where source_parcel_id = '12-0011-0020'`
await countNow(sql)
useSearch(createSearch({ sql, meili: null, limits: PATIENT }))
app.listen({ port: 0, hostname: '127.0.0.1' })
afterAll(() => app.stop(true))

const client = new Client({ name: 'tasks', version: '1' })
await client.connect(
  new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${app.server?.port}/mcp`), {
    requestInit: { headers: { 'X-Service-Key': 'test-admin-key-0123456789' } },
  }),
)
afterAll(() => client.close())

const solve = async ({ tool, input }: Task): Promise<string> => {
  const given = JSON.parse(JSON.stringify(input).replaceAll(BEFORE, before))
  const { content } = await client.callTool({ name: tool, arguments: given })
  return (content as { text: string }[])[0]?.text ?? ''
}

test('there are 60 tasks, and each tool solves some', () => {
  expect(TASKS).toHaveLength(60)
  expect(new Set(TASKS.map(({ tool }) => tool))).toEqual(new Set(TOOLS.map(({ name }) => name)))
  expect(new Set(TASKS.map(({ question }) => question)).size).toBe(60)
})

for (const task of TASKS) {
  test(`${task.tool}: ${task.question}`, async () => {
    const text = await solve(task)
    if (typeof task.answer === 'string') expect(text).toContain(task.answer)
    else expect(text).toMatch(task.answer)
    // Short: an agent pays for every character.
    expect(text.length).toBeLessThan(8_000)
  })
}

const START = '<!-- made by test/http/mcp/tasks.test.ts -->\n'
const table = (): string =>
  `| tool | what it returns |\n| --- | --- |\n${TOOLS.map(({ name, description }) => `| \`${name}\` | ${description} |\n`).join('')}
## Sixty tasks

| question | call |
| --- | --- |
${TASKS.map(({ question, tool, input }) => `| ${question} | \`${tool}\` \`${JSON.stringify(input).replaceAll('|', '\\|')}\` |\n`).join('')}`

/** Without the padding that the formatter adds. */
const withoutPadding = (text: string): string => text.replace(/ +\|/g, ' |').replace(/\| -+/g, '| ---')

test('docs/mcp.md lists the tools and the tasks; WRITE_DOCS=1 writes them', () => {
  const file = 'docs/mcp.md'
  const [intro = '', written = ''] = readFileSync(file, 'utf8').split(START)
  if (process.env.WRITE_DOCS === '1') return writeFileSync(file, `${intro}${START}\n${table()}`)
  expect(withoutPadding(written).trim()).toBe(withoutPadding(table()).trim())
})
