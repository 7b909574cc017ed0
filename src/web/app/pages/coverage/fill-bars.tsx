import { DASH, formatFieldName } from '../../format'

const WIDTH = 5
const GAP = 1
const HEIGHT = 20

const percent = (rate: number): string => `${(rate * 100).toFixed(rate === 0 || rate === 1 ? 0 : 1)}%`

export const averageOf = (rates: Readonly<Record<string, number>>): number => {
  const values = Object.values(rates)
  return values.reduce((total, rate) => total + rate, 0) / Math.max(1, values.length)
}

/** The average fill rate, and one bar for each field. A bar's tooltip has its name and rate; screen readers read all of them. */
export const FillBars = ({ rates }: { rates: Readonly<Record<string, number>> | null }) => {
  if (rates === null) return <span className="quiet">{DASH}</span>
  const bars = Object.entries(rates).map(([field, rate]) => ({
    name: formatFieldName(field === 'geom' ? 'boundary' : field),
    rate,
  }))
  const width = bars.length * (WIDTH + GAP)
  return (
    <span className="fill">
      {percent(averageOf(rates))}
      <svg
        className="fill-bars"
        role="img"
        aria-label={bars.map(({ name, rate }) => `${name} ${percent(rate)}`).join(', ')}
        width={width}
        height={HEIGHT}
        viewBox={`0 0 ${width} ${HEIGHT}`}
      >
        {bars.map(({ name, rate }, index) => (
          <g key={name}>
            <title>{`${name}: ${percent(rate)}`}</title>
            <rect className="fill-all" x={index * (WIDTH + GAP)} y={0} width={WIDTH} height={HEIGHT} />
            <rect
              className="fill-part"
              x={index * (WIDTH + GAP)}
              y={HEIGHT * (1 - rate)}
              width={WIDTH}
              height={HEIGHT * rate}
            />
          </g>
        ))}
      </svg>
    </span>
  )
}
