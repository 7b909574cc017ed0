import { parseArgs } from 'node:util'
import { ServiceError } from '../../core/service-error'
import { type Config, readConfig } from '../config'
import { badConfig } from '../operations/doctor/config'
import { type Diagnosis, fault } from '../operations/doctor/diagnosis'
import { examineMachine, examineService } from '../operations/doctor/doctor'
import { useComponents } from '../roles/components'
import { runCommand } from './command/command'
import { wrapUsage } from './terminal/wrap-usage'

const USAGE =
  wrapUsage(`bun run doctor [--json]   checks everything that the service depends on, and says how to fix problems

It reads the same environment as the service, and changes nothing. If embedded servers are not running, it starts them and stops them at the end. It exits with code 1 if there is a fault, and with 0 if there are only warnings.`)

const draw = (diagnoses: readonly Diagnosis[]): string => {
  const width = Math.max(...diagnoses.map(({ about }) => about.length))
  return diagnoses
    .flatMap(({ about, state, what, advice }) => [
      `${(state === 'fault' ? 'FAULT' : state).padEnd(6)} ${about.padEnd(width)}  ${what}`,
      ...(advice === null ? [] : [`${' '.repeat(width + 9)}→ ${advice}`]),
    ])
    .join('\n')
}

const look = async (): Promise<Diagnosis[]> => {
  let config: Config
  try {
    config = readConfig()
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    return [badConfig(error.message)]
  }
  try {
    const components = await useComponents(config, console.error, { needsData: true })
    try {
      return await examineService(config, components)
    } finally {
      await components.stop()
    }
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    return [
      ...examineMachine(config),
      fault('embedded servers', error.message, 'correct what it names, or set DATABASE_URL and MEILI_URL'),
    ]
  }
}

await runCommand(async () => {
  const { values } = parseArgs({
    options: { json: { type: 'boolean', default: false }, help: { type: 'boolean', default: false } },
  })
  if (values.help) return console.log(USAGE)
  const diagnoses = await look()
  const isWell = diagnoses.every(({ state }) => state !== 'fault')
  console.log(values.json ? JSON.stringify({ ok: isWell, findings: diagnoses }, null, 2) : draw(diagnoses))
  if (!isWell) process.exitCode = 1
})
