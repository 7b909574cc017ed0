/** The number of recent requests whose times are kept. */
const RECENT = 500
/** After the end of a fault, its errors may still arrive. */
const GRACE_MS = 10_000
const MAX_EXAMPLES = 10

export interface Fault {
  name: string
  startedAt: number
  /** Null while it lasts. */
  endedAt: number | null
  unavailable: number
}

export interface Witness {
  /** Something that must not happen; `what` is counted, with a few examples. */
  violate: (what: string, example?: string) => void
  violations: () => { what: string; count: number; examples: string[] }[]
  answered: (kind: string, status: number, ms: number) => void
  /** The connection broke because the process was down. */
  refused: (kind: string) => void
  beginFault: (name: string) => () => void
  /** Faults that last, and those that ended a moment ago. */
  currentFaults: () => Fault[]
  faults: () => readonly Fault[]
  answers: () => ReadonlyMap<string, ReadonlyMap<string, number>>
  /** Requests per second and 95th percentile of the response time since the last call. */
  takeRate: () => { perSecond: number; p95: number }
}

/** Records how clients, faults and processes affect each other. */
export const createWitness = (): Witness => {
  const violations = new Map<string, { count: number; examples: string[] }>()
  const answers = new Map<string, Map<string, number>>()
  const faults: Fault[] = []
  let times: number[] = []
  let requests = 0
  let ratedAt = performance.now()

  const count = (kind: string, outcome: string): void => {
    const outcomes = answers.get(kind) ?? new Map<string, number>()
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
    answers.set(kind, outcomes)
  }
  const currentFaults = () => faults.filter(({ endedAt }) => endedAt === null || performance.now() - endedAt < GRACE_MS)

  return {
    violate(what, example) {
      const known = violations.get(what) ?? { count: 0, examples: [] }
      known.count++
      if (example !== undefined && known.examples.length < MAX_EXAMPLES) known.examples.push(example)
      violations.set(what, known)
    },
    violations: () => [...violations].map(([what, seen]) => ({ what, ...seen })),
    answered(kind, status, ms) {
      count(kind, String(status))
      requests++
      times.push(ms)
      if (times.length > RECENT) times.shift()
      if (status === 503) for (const fault of currentFaults()) fault.unavailable++
    },
    refused: (kind) => count(kind, 'away'),
    beginFault(name) {
      const fault: Fault = { name, startedAt: performance.now(), endedAt: null, unavailable: 0 }
      faults.push(fault)
      return () => {
        fault.endedAt = performance.now()
      }
    },
    currentFaults,
    faults: () => faults,
    answers: () => answers,
    takeRate() {
      const seconds = (performance.now() - ratedAt) / 1_000
      const p95 = times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.95)] ?? 0
      const rate = { perSecond: requests / seconds, p95 }
      times = []
      requests = 0
      ratedAt = performance.now()
      return rate
    },
  }
}
