import { ServiceError } from '../service-error'

export interface Caller {
  /** All requests of one caller have the same id. */
  id: string
  /** Aborted when the caller disconnects: its request leaves the queue. */
  signal?: AbortSignal
}

export interface FairTurnsOptions {
  /** How many pieces of work run at the same time. */
  atOnce: number
  /** How many of them one caller may have. Keep it below `atOnce`, so that a new caller finds a free place. */
  perCaller: number
  /** How long a request waits for its turn. */
  patienceMs: number
}

export interface FairTurns {
  /**
   * Runs `work` when it is this caller's turn, and returns its result.
   *
   * @throws ServiceError `busy` when the wait is longer than `patienceMs`, `caller_gone` when the caller disconnected
   */
  run: <Value>(caller: Caller, work: () => Promise<Value>) => Promise<Value>
  /** For the metrics. */
  running: () => number
  waiting: () => number
}

interface CallerState {
  running: number
  waiting: Set<Waiter>
}

interface Waiter {
  start: () => void
}

/**
 * A fair queue for one class of work. It limits how many pieces run at the same time, in total and for each caller. Waiting callers
 * are served round robin, and each caller's requests in order. If one caller queues a thousand requests, another caller's single
 * request waits only for the pieces that already run, and for at most one piece of each other caller.
 */
export const createFairTurns = ({ atOnce, perCaller, patienceMs }: FairTurnsOptions): FairTurns => {
  /** Callers with work in progress or waiting. The order is the rotation: the first is served next. */
  const callers = new Map<string, CallerState>()
  let running = 0
  let waiting = 0

  /** A caller that was served moves to the end of the rotation, behind callers that arrived in the meantime. */
  const moveToEnd = (id: string, state: CallerState) => {
    callers.delete(id)
    callers.set(id, state)
  }

  const begin = (id: string, state: CallerState) => {
    running++
    state.running++
    moveToEnd(id, state)
  }

  const end = (id: string, state: CallerState) => {
    running--
    state.running--
    moveToEnd(id, state)
    forgetIfIdle(id, state)
    serveNext()
  }

  const forgetIfIdle = (id: string, state: CallerState) => {
    if (state.running === 0 && state.waiting.size === 0) callers.delete(id)
  }

  const serveNext = () => {
    while (running < atOnce && waiting > 0) {
      const next = callers.entries().find(([, { running, waiting }]) => running < perCaller && waiting.size > 0)
      if (next === undefined) return
      const [id, state] = next
      const [waiter] = state.waiting
      if (waiter === undefined) return
      leave(state, waiter)
      begin(id, state)
      waiter.start()
    }
  }

  const leave = (state: CallerState, waiter: Waiter) => {
    state.waiting.delete(waiter)
    waiting--
  }

  const waitForTurn = ({ id, signal }: Caller, state: CallerState): Promise<void> =>
    new Promise((resolve, reject) => {
      const stopWaiting = () => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', onAbort)
      }
      const giveUp = (error: ServiceError) => {
        stopWaiting()
        leave(state, waiter)
        forgetIfIdle(id, state)
        reject(error)
      }
      const onAbort = () => giveUp(createGoneError())
      const timer = setTimeout(
        () =>
          giveUp(
            new ServiceError('busy', 'The service is busy, and this request waited too long for its turn. Try again.'),
          ),
        patienceMs,
      )
      const waiter: Waiter = {
        start: () => {
          stopWaiting()
          resolve()
        },
      }
      signal?.addEventListener('abort', onAbort)
      state.waiting.add(waiter)
      waiting++
    })

  return {
    async run(caller, work) {
      if (caller.signal?.aborted) throw createGoneError()
      const state = callers.get(caller.id) ?? { running: 0, waiting: new Set() }
      // Every waiting request is held back by one of these two limits, so this one does not overtake any.
      if (running < atOnce && state.running < perCaller) begin(caller.id, state)
      else {
        callers.set(caller.id, state)
        await waitForTurn(caller, state)
      }
      try {
        return await work()
      } finally {
        end(caller.id, state)
      }
    },
    running: () => running,
    waiting: () => waiting,
  }
}

export const createGoneError = () => new ServiceError('caller_gone', 'the caller closed the connection')
