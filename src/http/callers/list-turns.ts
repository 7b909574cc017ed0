import { createFairTurns, type FairTurns } from '../../../core/concurrency/fair-turns'

/**
 * Callers take turns with long lists, because a list of hundreds of rows takes 3 to 15 ms. Without turns, 16 clients with one key slowed
 * other callers' lookups from 1 to 45 ms (2026-11-22).
 */
export const createListTurns = (): FairTurns => createFairTurns({ atOnce: 3, perCaller: 1, patienceMs: 15_000 })
