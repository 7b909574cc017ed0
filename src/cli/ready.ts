import { ServiceError } from '../../core/service-error'
import { readConfig } from '../config'
import { runCommand, UsageError } from './command/command'

/** A server that listens on these also listens on loopback. */
const ANY_ADDRESS = ['0.0.0.0', '::']

/** `bun src/cli/ready.ts`: exits with code 0 when the process that serves METRICS_PORT here is ready; for health checks of containers. */
await runCommand(async () => {
  const { metricsPort, metricsHost } = readConfig()
  if (metricsPort === null) throw new UsageError('METRICS_PORT is not set, so there is no server to check')
  const host = ANY_ADDRESS.includes(metricsHost) ? '127.0.0.1' : metricsHost
  const answer = await fetch(`http://${host}:${metricsPort}/ready`, { signal: AbortSignal.timeout(4_000) }).catch(
    (error) => {
      throw new ServiceError('server_unavailable', `nothing answers on port ${metricsPort}`, { cause: error })
    },
  )
  const text = (await answer.text()).trim()
  if (answer.status !== 200) throw new ServiceError('server_unavailable', text)
  console.log(text)
})
