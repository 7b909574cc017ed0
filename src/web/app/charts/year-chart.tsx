import { scaleLinear } from 'd3-scale'
import { line } from 'd3-shape'
import { formatCompactDollars, formatDollars } from '../format'
import { useWidth } from './use-width'

export interface YearSeries {
  name: string
  points: { year: number; value: number }[]
}

const HEIGHT = 220
const MARGIN = { top: 12, right: 14, bottom: 28, left: 58 }
const MIN_YEAR_WIDTH = 56

/**
 * Dollars by year, one line per series. A table next to it has the figures, so the label only says what the chart shows.
 */
export const YearChart = ({ label, series }: { label: string; series: YearSeries[] }) => {
  const [frame, width] = useWidth<HTMLElement>()
  const shown = series.filter(({ points }) => points.length > 0)
  const years = [...new Set(shown.flatMap(({ points }) => points.map(({ year }) => year)))].sort((a, b) => a - b)
  const [first = 0] = years
  const last = years.at(-1) ?? first
  const most = Math.max(1, ...shown.flatMap(({ points }) => points.map(({ value }) => value)))
  const x = scaleLinear(
    [first === last ? first - 1 : first, first === last ? last + 1 : last],
    [MARGIN.left + 14, width - MARGIN.right - 14],
  )
  const y = scaleLinear([0, most], [HEIGHT - MARGIN.bottom, MARGIN.top]).nice(4)
  const draw = line<YearSeries['points'][number]>(
    ({ year }) => x(year),
    ({ value }) => y(value),
  )
  const every = Math.max(1, Math.ceil((years.length * MIN_YEAR_WIDTH) / Math.max(1, width)))
  return (
    <figure ref={frame} className="chart">
      {width > 0 && (
        <svg role="img" aria-label={label} width={width} height={HEIGHT} viewBox={`0 0 ${width} ${HEIGHT}`}>
          {y.ticks(4).map((value) => (
            <g key={value} transform={`translate(0 ${y(value)})`}>
              <line className="grid" x1={MARGIN.left} x2={width - MARGIN.right} />
              <text className="tick end" x={MARGIN.left - 8} dy="0.32em">
                {formatCompactDollars(value)}
              </text>
            </g>
          ))}
          {years.map((year, index) =>
            (years.length - 1 - index) % every === 0 ? (
              <text key={year} className="tick middle" x={x(year)} y={HEIGHT - 8}>
                {year}
              </text>
            ) : null,
          )}
          {shown.map(({ name, points }, index) => {
            const sorted = points.toSorted((a, b) => a.year - b.year)
            return (
              <g key={name} className={`series series-${index + 1}`}>
                <path d={draw(sorted) ?? ''} />
                {sorted.map(({ year, value }) => (
                  <circle key={year} cx={x(year)} cy={y(value)} r="4">
                    <title>{`${name}, ${year}: ${formatDollars(value)}`}</title>
                  </circle>
                ))}
              </g>
            )
          })}
        </svg>
      )}
      {shown.length > 1 && (
        <figcaption className="legend">
          {shown.map(({ name }, index) => (
            <span key={name} className={`series-${index + 1}`}>
              {name}
            </span>
          ))}
        </figcaption>
      )}
    </figure>
  )
}
