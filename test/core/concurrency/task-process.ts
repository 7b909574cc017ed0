import { serveTask } from '../../../core/concurrency/tasks'
import { ServiceError } from '../../../core/service-error'

/* A program for processes.test.ts: it does what its task says. */

export interface TrialTask {
  task: 'answer' | 'refuse' | 'grow' | 'loop' | 'crash' | 'wait' | 'start'
  report: number
  result: string
}

const MEGABYTE = 1024 ** 2

serveTask<TrialTask>(async (task, { signal, report }) => {
  report(task === 'start' ? Bun.spawn(['sleep', '600']).pid : process.pid)
  if (task === 'refuse') throw new ServiceError('bad_input', 'it was refused')
  if (task === 'crash') process.kill(process.pid, 'SIGSEGV')
  if (task === 'grow') {
    const kept: Uint8Array[] = []
    for (;;) {
      kept.push(new Uint8Array(8 * MEGABYTE).fill(1))
      await Bun.sleep(1)
    }
  }
  // The report must leave before the loop begins.
  await Bun.sleep(10)
  while (task === 'loop' || task === 'start');
  if (task === 'wait') while (!signal.aborted) await Bun.sleep(10)
  return 'answered'
})
