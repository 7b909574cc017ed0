import { testScenario } from './test-scenario'

await testScenario('api-killed-after-commit')
