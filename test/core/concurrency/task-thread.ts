import { serveTask } from '../../../core/concurrency/tasks'
import { ServiceError } from '../../../core/service-error'

/** The program of the trials in threads.test.ts. Its result tells how many tasks the thread has had. */
export interface TrialTask {
  task: 'answer' | 'refuse' | 'lose the database' | 'wait'
  report: 'begun'
  result: number
}

let tasks = 0

serveTask<TrialTask>(async (task, { report }) => {
  tasks++
  report('begun')
  if (task === 'refuse') throw new ServiceError('bad_input', 'it was refused')
  if (task === 'lose the database') throw Object.assign(new Error('connection lost'), { code: 'CONNECT_TIMEOUT' })
  if (task === 'wait') await new Promise(() => {})
  return tasks
})
