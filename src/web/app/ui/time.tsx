import { useSyncExternalStore } from 'react'
import { serverNow } from '../api/server-clock'
import { DASH, formatDistance, formatMoment } from '../format'

/** A relative time, such as "5 minutes ago". The exact time is in the tooltip and in the `datetime` attribute. */
export const Time = ({ at }: { at: string | null }) =>
  at === null ? <span className="quiet">{DASH}</span> : <RelativeTime at={at} />

const RelativeTime = ({ at }: { at: string }) => {
  useSyncExternalStore(subscribeToTime, readTime)
  return (
    <time dateTime={at} title={formatMoment(at)}>
      {formatDistance(at)}
    </time>
  )
}

const TICK_MS = 10_000

const subscribeToTime = (onChange: () => void): (() => void) => {
  const timer = setInterval(onChange, TICK_MS)
  // Browsers slow down the timers of hidden pages.
  document.addEventListener('visibilitychange', onChange)
  return () => {
    clearInterval(timer)
    document.removeEventListener('visibilitychange', onChange)
  }
}

const readTime = (): number => Math.floor(serverNow() / TICK_MS)

/** The exact time, for a history. How long ago that is is in the tooltip. */
export const ExactTime = ({ at }: { at: string }) => (
  <time dateTime={at} title={formatDistance(at)}>
    {formatMoment(at)}
  </time>
)
