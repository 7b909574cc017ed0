import { testScenario } from './test-scenario'

await testScenario('leader-cut-off')
