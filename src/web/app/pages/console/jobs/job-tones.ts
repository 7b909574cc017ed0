/** The colors of a job's states. */
export const JOB_TONES = { queued: 'plain', running: 'warn', done: 'good', error: 'bad' } as const
