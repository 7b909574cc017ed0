import { afterAll, expect, test } from 'bun:test'
import { createSocket } from 'node:dgram'
import { getServers, setServers } from 'node:dns'
import { readFile } from 'node:fs/promises'
import { resolvePublicAddress } from '../../../adapters/http/public-address'
import { waitFor } from '../../support/servers'

/**
 * The first label of each name that was looked up. Names that begin with `silent` get no answer, the others in turn one of these
 * addresses, or two if they begin with `both`.
 */
const asked: string[] = []
const addresses: [number, number, number, number][] = []
const nameServer = createSocket('udp4').on('message', (query, from) => {
  const name = query.subarray(13, 13 + (query[12] as number)).toString()
  asked.push(name)
  if (name.startsWith('silent')) return
  const end = query.indexOf(0, 12) + 5
  const isIpv4 = query.readUInt16BE(end - 4) === 1
  const answer = Buffer.from(query.subarray(0, end))
  answer.writeUInt16BE(0x81_80, 2)
  const answers = isIpv4 ? addresses.splice(0, name.startsWith('both') ? 2 : 1) : []
  answer.writeUInt16BE(answers.length, 6)
  answer.fill(0, 8, 12)
  // A pointer to the name, type A, class IN, no seconds to live, four bytes.
  const records = answers.map((address) => Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4, ...address]))
  nameServer.send(Buffer.concat([answer, ...records]), from.port, from.address)
})
await new Promise<void>((resolve) => nameServer.bind(0, '127.0.0.1', resolve))
const servers = getServers()
setServers([`127.0.0.1:${nameServer.address().port}`])
afterAll(() => {
  setServers(servers)
  nameServer.close()
})

const resolve = (host: string) => resolvePublicAddress(new URL(`https://${host}/`), { allowPrivate: false })

test('names whose name server does not answer delay no other names and no files', async () => {
  const silent = Array.from({ length: 40 }, (_, number) => resolve(`silent-${number}.example`))
  for (const one of silent) one.catch(() => {})
  await waitFor(() => new Set(asked).size === silent.length)
  addresses.push([93, 184, 216, 34])
  expect(await resolve('public.example')).toBe('93.184.216.34')
  expect(await readFile(import.meta.path, 'utf8')).toContain('delay no other')
})

test('a name that resolves to another address each time is checked each time, and the checked address is the one that is requested', async () => {
  addresses.push([93, 184, 216, 34], [127, 0, 0, 1])
  expect(await resolve('rebinding.example')).toBe('93.184.216.34')
  expect(await resolve('rebinding.example').catch((error) => error)).toMatchObject({
    code: 'bad_config',
    message: expect.stringContaining('127.0.0.1'),
  })
})

test('a name with several addresses is refused if any of them is not public, wherever it is in the list', async () => {
  type Address = (typeof addresses)[number]
  const [open, inner]: [Address, Address] = [
    [93, 184, 216, 34],
    [10, 0, 0, 1],
  ]
  for (const both of [
    [open, inner],
    [inner, open],
  ]) {
    addresses.push(...both)
    expect(await resolve('both.example').catch((error) => error)).toMatchObject({
      code: 'bad_config',
      message: expect.stringContaining('10.0.0.1'),
    })
  }
})
