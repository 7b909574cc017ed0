import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A GET request. */
export interface Shot {
  path: string
  headers?: Record<string, string>
}

export interface Throughput {
  requests: number
  perSecond: number
  /** In ms. */
  p50: number
  p99: number
}

/**
 * Sends the requests in turns from `connections` connections for some seconds, with wrk (https://github.com/wg/wrk), which takes little
 * of the machine that it shares with the server.
 *
 * @throws when wrk is not installed, or a response is not 2xx
 */
export const fire = async (
  port: number,
  shots: readonly Shot[],
  { connections, seconds }: { connections: number; seconds: number },
): Promise<Throughput> => {
  if (Bun.which('wrk') === null) throw new Error('wrk is not installed: apt-get install wrk')
  const dir = mkdtempSync(join(tmpdir(), 'bench-wrk-'))
  try {
    const script = join(dir, 'shots.lua')
    writeFileSync(script, luaOf(shots))
    const url = `http://127.0.0.1:${port}`
    const wrk = Bun.spawn(['wrk', '-t1', `-c${connections}`, `-d${seconds}`, '-s', script, url], { stdout: 'pipe' })
    const text = await wrk.stdout.text()
    const summary = /^SUMMARY (.*)$/m.exec(text)?.[1]
    if (summary === undefined) throw new Error(`wrk: ${text}`)
    const { failed, seconds: lasted, requests, p50, p99 } = JSON.parse(summary)
    if (failed > 0) throw new Error(`${failed} of ${requests} requests failed`)
    return { requests, perSecond: requests / lasted, p50, p99 }
  } finally {
    rmSync(dir, { recursive: true })
  }
}

/** wrk's scripting: https://github.com/wg/wrk/blob/master/SCRIPTING */
const luaOf = (shots: readonly Shot[]): string => `
local shots = {
${shots.map(({ path, headers = {} }) => `{ ${quote(path)}, { ${fieldsOf(headers)} } }`).join(',\n')}
}
local texts = {}
local next = 0
init = function()
  for i, shot in ipairs(shots) do texts[i] = wrk.format('GET', shot[1], shot[2]) end
end
request = function()
  next = next % #texts + 1
  return texts[next]
end
done = function(summary, latency)
  local e = summary.errors
  io.write(string.format('SUMMARY {"requests":%d,"seconds":%f,"failed":%d,"p50":%f,"p99":%f}\\n', summary.requests,
    summary.duration / 1e6, e.connect + e.read + e.write + e.status + e.timeout,
    latency:percentile(50) / 1e3, latency:percentile(99) / 1e3))
end
`

const fieldsOf = (headers: Record<string, string>): string =>
  Object.entries(headers)
    .map(([name, value]) => `[${quote(name)}] = ${quote(value)}`)
    .join(', ')

const quote = (text: string): string => `'${text.replace(/[\\'\n]/g, (char) => `\\${char}`)}'`
