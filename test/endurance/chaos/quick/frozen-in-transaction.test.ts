import { testScenario } from './test-scenario'

await testScenario('frozen-in-transaction')
