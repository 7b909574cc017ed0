import { callPending } from '../account-api'

/* Answers of routes that the typed client does not know yet. */

export interface ErrorHistory {
  sources: { source_slug: string; days: { day: string; finished: number; errors: number }[] }[]
}
export const getErrorHistory = (signal: AbortSignal) =>
  callPending<ErrorHistory>('GET', '/v1/admin/sources/error-history?days=14', undefined, signal)
