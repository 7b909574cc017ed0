import type { TunerState } from './decide'

/** Workers follow a new target within moments; attempts that started before are not counted. */
export const SETTLE_SHARE = 0.05

/**
 * The time since which attempts run under the current target, in ms since 1970; null: it never changed. The first probe of a breaker
 * follows immediately.
 */
export const settledAt = (
  { changedAt, breakerOpenedAt }: Pick<TunerState, 'changedAt' | 'breakerOpenedAt'>,
  windowMs: number,
): number | null => (changedAt === null || breakerOpenedAt !== null ? changedAt : changedAt + windowMs * SETTLE_SHARE)
