import { DASH, formatDistance, formatMoment } from '../format'

/** A relative time, such as "5 minutes ago". The exact time is in the tooltip and in the `datetime` attribute. */
export const Time = ({ at }: { at: string | null }) =>
  at === null ? (
    <span className="quiet">{DASH}</span>
  ) : (
    <time dateTime={at} title={formatMoment(at)}>
      {formatDistance(at)}
    </time>
  )

/** The exact time, for a history. How long ago that is is in the tooltip. */
export const ExactTime = ({ at }: { at: string }) => (
  <time dateTime={at} title={formatDistance(at)}>
    {formatMoment(at)}
  </time>
)
