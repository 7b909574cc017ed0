import { parseArgs } from 'node:util'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
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
  BASE_URL       URL of the service (http://localhost:PORT)`

/** Standard output is for messages, so everything else goes to standard error. */
const serveStdio = async (): Promise<void> => {
  const { values } = parseArgs({ options: { help: { type: 'boolean', default: false } } })
  if (values.help) return console.log(USAGE)
  const key = process.env.SERVICE_KEY ?? ''
  if (key === '') throw new UsageError(`SERVICE_KEY is not set\n\n${USAGE}`)
  const stdio = new StdioServerTransport()
  const http = new StreamableHTTPClientTransport(new URL('/mcp', readConfig().baseUrl), {
    requestInit: { headers: { 'X-Service-Key': key } },
  })
  const underWay = new Set<Promise<void>>()

  http.onmessage = (message) => {
    const initialized = isJSONRPCResultResponse(message) ? InitializeResultSchema.safeParse(message.result) : null
    if (initialized?.success === true) http.setProtocolVersion(initialized.data.protocolVersion)
    void stdio.send(message)
  }
  stdio.onmessage = (message) => {
    const sent = http.send(message).catch((error) => refuse(stdio, message, error))
    underWay.add(sent)
    void sent.finally(() => underWay.delete(sent))
  }
  await http.start()
  await stdio.start()
  await new Promise((resolve) => process.stdin.once('close', resolve))
  await Promise.all(underWay)
  await http.close()
}

/** Tells the client why its request failed. */
const refuse = async (stdio: StdioServerTransport, message: JSONRPCMessage, error: Error): Promise<void> => {
  console.error(error.message)
  if (!isJSONRPCRequest(message)) return
  const { id } = message
  await stdio.send({ jsonrpc: '2.0', id, error: { code: ErrorCode.InternalError, message: error.message } })
}

await runCommand(serveStdio)
