import { findLeader, isStarted, makeDue } from '../leading'
import type { Scenario } from '../scenario'

/** Packets are dropped in both directions: to TCP every connection looks alive. */
export const scenario: Scenario = {
  promise: 'when the scheduler that leads is cut off from the database, another one takes over within 10 s',
  roles: ['scheduler', 'scheduler', 'worker'],
  run: async (stack) => {
    await makeDue(stack, 'county-0')
    await stack.recovers('a refresh begins before the fault', isStarted(stack, 'county-0'), 20_000)
    const cutOff = findLeader(stack, 'scheduler')
    cutOff.links.postgres.swallow()
    await makeDue(stack, 'county-1')
    await stack.recovers('a refresh begins', isStarted(stack, 'county-1'), 10_000)
    cutOff.links.postgres.pass()
    const other = stack.roles.find(({ role, name }) => role === 'scheduler' && name !== cutOff.name)
    await other?.kill('SIGKILL')
    await makeDue(stack, 'county-2')
    await stack.recovers('the one that was cut off takes over in its turn', isStarted(stack, 'county-2'), 10_000)
    await other?.start()
  },
}
