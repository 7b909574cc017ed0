import { testScenario } from './test-scenario'

await testScenario('builder-frozen')
