import { afterAll, expect, test } from 'bun:test'
import { listCases } from '../../../dev/adapter-cases/list-cases'
import { serveCase } from '../../../dev/adapter-cases/serve-case'
import { insertCounty } from '../../http/test-app'
import { commandOf } from '../../runner/programs'
import { createTestDatabase } from '../../support/servers'

const VENDOR = 'gsa-catalis'
const full = listCases(VENDOR).find(({ name }) => name === 'full')
if (full === undefined) throw new Error(`${VENDOR} has no full case`)
const portal = serveCase(full)
afterAll(() => portal.stop())
const { sql, url } = await createTestDatabase()
await insertCounty(sql)
const { pathname, search } = new URL(full.target.baseUrl)
await sql`
  update sources set vendor = ${VENDOR}, base_url = ${portal.origin + pathname + search},
    vendor_config = ${sql.json((full.config ?? {}) as never)}`
const id = full.target.sourceParcelId

const run = async (args: string[], input = '') => {
  const command = Bun.spawn(commandOf('src/cli/adapter.ts', 'prove', ...args), {
    stdin: new Blob([input]),
    stdout: 'pipe',
    stderr: 'pipe',
    env: { ...process.env, DATABASE_URL: url, MEILI_URL: '', ALLOW_PRIVATE_SOURCES: '1' },
  })
  const [code, out, err] = await Promise.all([
    command.exited,
    new Response(command.stdout).text(),
    new Response(command.stderr).text(),
  ])
  return { code, out, err }
}
const proofs = () => sql`select source, proved_by from source_proofs`

test('prove shows what was read beside the labels of the page, and stores the page when it is accepted', async () => {
  const refused = await run(['elm', '--parcel', id], 'no\n')
  expect(refused).toMatchObject({ code: 1, err: expect.stringContaining('elm is not proved') })
  expect(refused.out).toMatch(/On the page +Read as\n/)
  expect(refused.out).toMatch(/Location:? .* situs_address/)
  expect(refused.out).toContain('Does the portal show exactly these values for this parcel? [y/N]')
  expect([...(await proofs())]).toEqual([])
  expect((await run(['elm', '--parcel', id])).code).toBe(1)
  expect([...(await proofs())]).toEqual([])

  const proved = await run(['elm', '--parcel', id], 'yes\n')
  expect({ code: proved.code, err: proved.err }).toEqual({ code: 0, err: '' })
  expect(proved.out).toContain('elm is proved.')
  expect([...(await proofs())]).toEqual([{ source: 'elm', proved_by: 'operator' }])

  await sql`delete from source_proofs`
  expect((await run(['elm', '--parcel', id, '--accept'])).code).toBe(0)
  expect([...(await proofs())]).toHaveLength(1)
})

test('a parcel that cannot be read, an unknown source and a missing parcel prove nothing', async () => {
  await sql`delete from source_proofs`
  const unread = await run(['elm', '--parcel', 'other', '--accept'])
  expect(unread).toMatchObject({ code: 1, err: expect.stringContaining('the parcel was not read') })
  expect(unread.out).toContain('Not read: ')
  expect(await run(['nowhere', '--parcel', id])).toMatchObject({ code: 1, err: 'unknown source: nowhere\n' })
  expect(await run(['elm'])).toMatchObject({ code: 2, err: expect.stringContaining('--parcel is missing') })
  expect([...(await proofs())]).toEqual([])
})
