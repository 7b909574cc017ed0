import { failureClass } from '../../../../core/sources/failure-classes'
import { formatMoment } from '../format'

const HEIGHT = 24
const STEP = 9

export interface Run {
  /** The job that scraped one parcel; null: it was a crawl. */
  job_id: string | null
  crawl_id: string | null
  /** Null: it succeeded. */
  failure_class: string | null
  finished_at: string
}

/** Failures are higher than good runs, so that color is not needed to tell them apart. */
const HEIGHTS = { good: 8, parcel: 14, service: 14, fetch_failed: HEIGHT, site_changed: HEIGHT } as const
type Look = keyof typeof HEIGHTS

export const CAUSES: Record<Look, string> = {
  good: 'good',
  site_changed: 'site changed',
  fetch_failed: 'fetch failed',
  parcel: 'only this parcel',
  service: 'this service',
}

export const titleOfClass = (name: string): string => failureClass(name)?.title ?? name

const lookOf = ({ failure_class: name }: Run): Look =>
  name === null ? 'good' : (failureClass(name)?.cause ?? 'service')

/** One bar for each run, oldest first. `runs` are newest first. */
export const RunStrip = ({ runs, label }: { runs: Run[]; label: string }) => {
  const width = Math.max(1, runs.length) * STEP
  const shown = new Set(runs.map(lookOf))
  return (
    <figure className="run-strip">
      <svg role="img" aria-label={label} viewBox={`0 0 ${width} ${HEIGHT}`} width={width} height={HEIGHT}>
        {runs.toReversed().map((run, index) => {
          const look = lookOf(run)
          const result = run.failure_class === null ? 'Good' : titleOfClass(run.failure_class)
          const name = run.crawl_id === null ? result : `Crawl: ${result.toLowerCase()}`
          return (
            <rect
              key={run.job_id ?? run.crawl_id}
              className={`run-${look}`}
              x={index * STEP}
              y={HEIGHT - HEIGHTS[look]}
              width={STEP - 2}
              height={HEIGHTS[look]}
              rx="1"
            >
              <title>{`${name}, ${formatMoment(run.finished_at)}`}</title>
            </rect>
          )
        })}
      </svg>
      <figcaption className="legend">
        {(Object.keys(CAUSES) as Look[])
          .filter((look) => shown.has(look))
          .map((look) => (
            <span key={look} className={`run-${look}`}>
              {CAUSES[look]}
            </span>
          ))}
      </figcaption>
    </figure>
  )
}
