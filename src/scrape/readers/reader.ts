import { fileURLToPath } from 'node:url'
import { READING_BOUNDS } from '../../../core/bounds'
import { memoryOf } from '../../../core/concurrency/process-usage'
import type { Said, Told, Turn } from './messages'

/** Why a turn failed: it exceeded the time or the memory, it crashed the process, or (`lost`) another turn ended the process. */
export type ReaderEnd = 'time' | 'memory' | 'crash' | 'lost'

export class ReaderEnded extends Error {
  readonly why: ReaderEnd

  constructor(why: ReaderEnd) {
    super(`a reader ended: ${why}`)
    this.name = 'ReaderEnded'
    this.why = why
  }
}

/** One reader process. It has one turn at a time; others wait. */
export interface Reader {
  readonly pid: number
  /** Turns that wait or run. */
  readonly turns: number
  /** No new session may start here: the process has ended, or has grown too large. */
  readonly isSpent: boolean
  /** @throws ReaderEnded */
  take: (told: Told) => Promise<Said[]>
  forget: (session: number) => void
  /** Ends it immediately; a running turn is `lost`. */
  kill: () => void
}

const READER_PROGRAM = fileURLToPath(new URL('./reader-process.ts', import.meta.url))
const START_MS = 60_000
const TICK_MS = 50
/** If a reader uses more memory than this between turns, it is replaced, because the next page would have too little memory. */
const SPENT_BYTES = 300 * 1024 * 1024

interface Waiting {
  told: Told
  resolve: (said: Said[]) => void
  reject: (error: ReaderEnded) => void
}

/**
 * Starts a reader. A turn that takes more than `timeMs`, or the memory of READING_BOUNDS, ends the process. Time is counted in ticks,
 * so that the time during which the service itself was frozen does not count. Memory is read from /proc; on other systems it is not checked.
 */
export const startReader = (timeMs: number, program = READER_PROGRAM): Reader => {
  const waiting: Waiting[] = []
  let current: Waiting | null = null
  let isReady = false
  let isSpent = false
  let ending: ReaderEnd = 'crash'

  const child = Bun.spawn([process.execPath, program], {
    ipc: (turn: Turn) => hear(turn),
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'inherit'],
    // A folder without an .env, and its own session: Ctrl-C must reach only the service, which lets running work finish.
    cwd: import.meta.dirname,
    detached: true,
    // Passes nothing else from the service's environment, because pages are read there.
    env: { PATH: process.env.PATH ?? '', PARENT_PID: String(process.pid) },
    onExit: () => end(),
  })
  child.unref()

  const kill = (why: ReaderEnd): void => {
    ending = why
    isSpent = true
    child.kill('SIGKILL')
  }

  let ticks = 0
  const look = (): void => {
    ticks++
    if (ticks * TICK_MS > (isReady ? timeMs : START_MS)) kill('time')
    else if (memoryOf(child.pid) > READING_BOUNDS.memoryBytes) kill('memory')
  }
  let watch = setInterval(look, TICK_MS)

  const hear = ({ said }: Turn): void => {
    if (!isReady) isReady = true
    else {
      current?.resolve(said)
      current = null
      if (memoryOf(child.pid) > SPENT_BYTES) isSpent = true
    }
    goOn()
  }

  const goOn = (): void => {
    if (!isReady || current !== null) return
    clearInterval(watch)
    current = waiting.shift() ?? null
    if (current === null) return
    ticks = 0
    watch = setInterval(look, TICK_MS)
    try {
      child.send(current.told)
    } catch {
      // The process has ended; the exit handler tells the waiting turns.
    }
  }

  const end = (): void => {
    isSpent = true
    clearInterval(watch)
    current?.reject(new ReaderEnded(ending))
    current = null
    for (const { reject } of waiting.splice(0)) reject(new ReaderEnded('lost'))
  }

  return {
    pid: child.pid,
    get turns() {
      return waiting.length + (current === null ? 0 : 1)
    },
    get isSpent() {
      return isSpent
    },
    take: (told) => {
      if (child.exitCode !== null || child.signalCode !== null) return Promise.reject(new ReaderEnded('lost'))
      const { promise, resolve, reject } = Promise.withResolvers<Said[]>()
      waiting.push({ told, resolve, reject })
      goOn()
      return promise
    },
    forget: (session) => {
      if (isSpent) return
      try {
        child.send({ session, forget: true } satisfies Told)
      } catch {
        // The process has ended.
      }
    },
    kill: () => kill('lost'),
  }
}
