import type { TunerState } from './decide'

/** Workers follow a changed target within moments; what began before is not counted. */
export const SETTLE_SHARE = 0.05

/** From when on tries tell of the present target, in ms since 1970; null: it never changed. The first probe of a breaker follows at once. */
export const settledAt = (
  { changedAt, breakerOpenedAt }: Pick<TunerState, 'changedAt' | 'breakerOpenedAt'>,
  windowMs: number,
): number | null => (changedAt === null || breakerOpenedAt !== null ? changedAt : changedAt + windowMs * SETTLE_SHARE)
