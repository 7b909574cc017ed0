import { expect, test } from 'bun:test'
import { isRedisMissing } from '../../../support/redis-server'
import { createTestDatabase, testMeilisearch } from '../../../support/servers'
import { loadScenario } from '../run'
import { runScenario } from '../stack'

/**
 * Runs a scenario as a test, on the test run's PostgreSQL and Meilisearch. Only quick scenarios that break neither of the two: `bun run
 * chaos` runs all of them.
 */
export const testScenario = async (name: string): Promise<void> => {
  const scenario = await loadScenario(name)
  test.skipIf(isRedisMissing)(`${name}: ${scenario.promise}`, async () => {
    const { url } = await createTestDatabase()
    const { findings } = await runScenario(name, scenario, { shared: { databaseUrl: url, meili: testMeilisearch() } })
    expect(findings.filter(({ passed }) => !passed)).toEqual([])
  })
}
