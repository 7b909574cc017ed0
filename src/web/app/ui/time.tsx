import { DASH, formatDistance, formatMoment } from '../format'

/** How long ago, or how far ahead; the exact moment on hovering, and for machines. */
export const Time = ({ at }: { at: string | null }) =>
  at === null ? (
    <span className="quiet">{DASH}</span>
  ) : (
    <time dateTime={at} title={formatMoment(at)}>
      {formatDistance(at)}
    </time>
  )
