import { testScenario } from './test-scenario'

await testScenario('worker-killed')
