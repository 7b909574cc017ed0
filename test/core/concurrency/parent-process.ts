import { runInProcess } from '../../../core/concurrency/processes'
import type { TrialTask } from './task-process'

/* A program for processes.test.ts: starts a process that loops, and prints its pid. */

await runInProcess<TrialTask>(new URL('./task-process.ts', import.meta.url), 'loop', {
  ...{ what: 'looping', signal: new AbortController().signal },
  bounds: { memoryBytes: Number.POSITIVE_INFINITY, stepMs: 60_000, silentMs: 60_000 },
  onReport: (pid) => console.log(pid),
})
