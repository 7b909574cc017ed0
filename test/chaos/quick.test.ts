import { expect, test } from 'bun:test'
import { isRedisMissing } from '../redis-server'
import { loadScenario } from './run'
import { runScenario } from './stack'

/** The quickest scenarios run in every check; `bun run chaos` runs all of them. */
const QUICKEST = [
  'builder-frozen',
  'api-killed-after-commit',
  'worker-killed',
  'leader-cut-off',
  'frozen-in-transaction',
]

for (const name of QUICKEST) {
  const { promise } = await loadScenario(name)
  test.skipIf(isRedisMissing)(`${name}: ${promise}`, async () => {
    const { findings } = await runScenario(name, await loadScenario(name))
    expect(findings.filter(({ passed }) => !passed)).toEqual([])
  })
}
