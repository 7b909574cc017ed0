import { parseArgs } from 'node:util'
import { StreamableHTTPClientTransport, StreamableHTTPError } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import {
  ErrorCode,
  InitializeResultSchema,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
  type JSONRPCMessage,
} from '@modelcontextprotocol/sdk/types.js'
import { readConfig } from '../config'
import { runCommand, UsageError } from './command/command'

const USAGE = `bun run mcp      passes the messages of an MCP client on standard input to the service at BASE_URL

  SERVICE_KEY    the key to send; \`bun run keys\` issues keys
  BASE_URL       URL of the service; default: http://localhost:PORT`

/** Standard output is for messages, so everything else goes to standard error. */
const serveStdio = async (): Promise<void> => {
  const { values } = parseArgs({ options: { help: { type: 'boolean', default: false } } })
  if (values.help) return console.log(USAGE)
  const key = process.env.SERVICE_KEY ?? ''
  if (key === '') throw new UsageError('SERVICE_KEY is not set', USAGE)
  const stdio = new StdioServerTransport()
  const url = new URL('/mcp', readConfig().baseUrl)
  const http = new StreamableHTTPClientTransport(url, {
    requestInit: { headers: { 'X-Service-Key': key } },
  })
  const underWay = new Set<Promise<void>>()

  http.onmessage = (message) => {
    const initialized = isJSONRPCResultResponse(message) ? InitializeResultSchema.safeParse(message.result) : null
    if (initialized?.success === true) http.setProtocolVersion(initialized.data.protocolVersion)
    void stdio.send(message)
  }
  stdio.onmessage = (message) => {
    const sent = http.send(message).catch((error) => refuse(stdio, message, describe(error, url)))
    underWay.add(sent)
    void sent.finally(() => underWay.delete(sent))
  }
  await http.start()
  await stdio.start()
  await new Promise((resolve) => process.stdin.once('close', resolve))
  await Promise.all(underWay)
  await http.close()
}

/** Names the setting to correct. */
const describe = (error: Error, url: URL): string => {
  if (error instanceof StreamableHTTPError)
    return error.code === 401 ? `${url} does not accept SERVICE_KEY: the key is unknown or revoked` : error.message
  const reason = 'code' in error ? error.code : error.message
  return `${url} does not answer (${reason}): check that the service runs, and that BASE_URL is right`
}

/** Tells the client why its request failed. */
const refuse = async (stdio: StdioServerTransport, message: JSONRPCMessage, reason: string): Promise<void> => {
  console.error(reason)
  if (!isJSONRPCRequest(message)) return
  const { id } = message
  await stdio.send({ jsonrpc: '2.0', id, error: { code: ErrorCode.InternalError, message: reason } })
}

await runCommand(serveStdio)
