import { afterAll } from 'bun:test'
import { TEST_TIMEOUT_MS } from '../support/deadlines'
import { leaveServers, provideServers } from '../support/servers'
import { BUNDLE_VARIABLE, STARTERS, startParts } from './programs'
import { SERVERS_VARIABLE, startTestServers } from './test-servers'

/*
 * Runs before the tests of each process. The runner (test/runner/run.ts) names the servers it started. Without the runner, as in
 * `bun test FILE`, the process starts its own.
 */
const named = process.env[SERVERS_VARIABLE]
if (named === undefined) {
  const { addresses, stop } = await startTestServers()
  provideServers(addresses)
  afterAll(async () => {
    await leaveServers()
    await stop()
  })
} else {
  provideServers(JSON.parse(named))
  afterAll(leaveServers)
}

// Bun 1.4.5 resets the default time limit to 5 s at each file, and bunfig.toml has no setting for it. So every test file sets it first.
Bun.plugin({
  name: 'default time limit',
  setup: (build) => {
    build.onLoad({ filter: /\.test\.tsx?$/ }, async ({ path }) => ({
      contents: `import { setDefaultTimeout as setLimit } from 'bun:test'; setLimit(${TEST_TIMEOUT_MS}); ${await Bun.file(path).text()}`,
      loader: path.endsWith('x') ? 'tsx' : 'ts',
    }))
  },
})

const bundle = process.env[BUNDLE_VARIABLE]
if (bundle !== undefined) {
  Bun.plugin({
    name: 'bundled threads and readers',
    setup: (build) => {
      build.onLoad({ filter: STARTERS }, async ({ path }) => ({
        contents: startParts(await Bun.file(path).text(), path, bundle),
        loader: 'ts',
      }))
    },
  })
}
