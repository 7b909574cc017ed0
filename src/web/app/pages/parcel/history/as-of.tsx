import { useState } from 'react'
import { Link, useLocation } from 'wouter'
import { serverNow } from '../../../api/server-clock'
import { formatMoment, toDateField } from '../../../format'
import { Button } from '../../../ui/button'
import { Field } from '../../../ui/form/field'
import { Notice } from '../../../ui/notice'
import type { ParcelName } from '../../map/map-parcel'
import { parcelPath } from '../../search/entries'

/** The URL of a parcel's page as of a time (ISO 8601). */
export const parcelPathAt = (name: ParcelName, asOf: string): string => `${parcelPath(name)}?as_of=${asOf}`

/** Says that the page shows an earlier record, with a link to the current one. */
export const PastBanner = ({ name, asOf }: { name: ParcelName; asOf: string }) => (
  <Notice tone="warn">
    <div className="row spread">
      <span>
        This is the record as of <strong>{isTime(asOf) ? formatMoment(asOf) : asOf}</strong>.
      </span>
      <Link className="button" href={parcelPath(name)}>
        Back to today
      </Link>
    </div>
  </Notice>
)

/** For a time before the parcel was first stored. */
export const NotKnownYet = ({ firstStoredAt }: { firstStoredAt: string }) => (
  <Notice>The service did not know this parcel then. It was first stored on {formatMoment(firstStoredAt)}.</Notice>
)

/** Chooses a day. The page then shows the record at the end of that day, in the viewer's time zone. */
export const AsOfForm = ({ name, asOf }: { name: ParcelName; asOf: string | null }) => {
  const [, navigate] = useLocation()
  const today = toDateField(new Date(serverNow()))
  const [day, setDay] = useState(asOf !== null && isTime(asOf) ? toDateField(new Date(asOf)) : '')
  return (
    <form
      className="row nowrap"
      onSubmit={(event) => {
        event.preventDefault()
        const end = new Date(`${day}T23:59:59.999`)
        navigate(day >= today ? parcelPath(name) : parcelPathAt(name, end.toISOString()))
      }}
    >
      <Field label="As of">
        {(given) => (
          <input
            {...given}
            type="date"
            required
            max={today}
            value={day}
            onChange={({ target }) => setDay(target.value)}
          />
        )}
      </Field>
      <Button type="submit" disabled={day === ''}>
        Show
      </Button>
    </form>
  )
}

const isTime = (text: string): boolean => !Number.isNaN(Date.parse(text))
