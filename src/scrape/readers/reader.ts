import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { READING_BOUNDS } from '../../../core/bounds'
import type { Said, Told, Turn } from './messages'

/** Why a turn came to nothing. The three of its own making, and of those that shared its process `lost`. */
export type ReaderEnd = 'time' | 'memory' | 'crash' | 'lost'

export class ReaderEnded extends Error {
  readonly why: ReaderEnd

  constructor(why: ReaderEnd) {
    super(`a reader ended: ${why}`)
    this.name = 'ReaderEnded'
    this.why = why
  }
}

/** One process that reads. It has one turn at a time; others wait for theirs. */
export interface Reader {
  readonly pid: number
  /** Turns that wait or are under way. */
  readonly turns: number
  /** No new session is to begin here: it has ended, or reading has left it too large. */
  readonly isSpent: boolean
  /** @throws ReaderEnded */
  take: (told: Told) => Promise<Said[]>
  forget: (session: number) => void
  /** Ends it at once; a turn that is under way is `lost`. */
  kill: () => void
}

export const READER_PROGRAM = join(import.meta.dirname, 'reader-process.ts')
const START_MS = 60_000
const TICK_MS = 50
const PAGE_BYTES = 4096
/** Memory that a reader keeps between turns, above which another takes its place: the next page would have too little. */
const SPENT_BYTES = 300 * 1024 * 1024

interface Waiting {
  told: Told
  resolve: (said: Said[]) => void
  reject: (error: ReaderEnded) => void
}

/**
 * Starts a reader. A turn that takes longer than READING_BOUNDS allow, or more memory, ends the process. Time is counted in ticks, so
 * that a service that was held or frozen itself does not blame the page. Memory is what Linux says of it; elsewhere nobody looks.
 */
export const startReader = (program = READER_PROGRAM): Reader => {
  const waiting: Waiting[] = []
  let current: Waiting | null = null
  let isReady = false
  let isSpent = false
  let ending: ReaderEnd = 'crash'

  const child = Bun.spawn([process.execPath, program], {
    ipc: (turn: Turn) => hear(turn),
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'inherit'],
    // A folder without an .env, and a session of its own: Ctrl-C is for the service, which lets what runs end.
    cwd: import.meta.dirname,
    detached: true,
    // Nothing of the service's environment: pages are read there.
    env: { PATH: process.env.PATH ?? '', READER_OF: String(process.pid) },
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
    if (ticks * TICK_MS > (isReady ? READING_BOUNDS.timeMs : START_MS)) kill('time')
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
      // It has ended; whoever waits is told when that is heard.
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
        // It has ended.
      }
    },
    kill: () => kill('lost'),
  }
}

/** Of the whole process; 0 where nobody says. */
const memoryOf = (pid: number): number => {
  try {
    return Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]) * PAGE_BYTES
  } catch {
    return 0
  }
}
