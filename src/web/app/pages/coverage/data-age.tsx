import { DASH, formatDate, formatDistance } from '../../format'

/** The age of a source's data. A bare year is shown as it is. The date is in the tooltip. */
export const DataAge = ({ asOf, isStale }: { asOf: string | null; isStale: boolean }) => {
  if (asOf === null) return <span className="quiet">{DASH}</span>
  const isDate = /^\d{4}-\d\d-\d\d$/.test(asOf)
  return (
    <time dateTime={asOf} title={isDate ? formatDate(asOf) : asOf} className={isStale ? 'tone-warn' : undefined}>
      {isDate ? formatDistance(`${asOf}T00:00:00Z`) : asOf}
      {isStale && ' (old)'}
    </time>
  )
}
