const WIDTH = 84
const HEIGHT = 24

/** One bar a day. `most` has the full height; sparklines that are compared have the same one. */
export const Sparkline = ({ label, values, most }: { label: string; values: number[]; most: number }) => {
  const step = WIDTH / Math.max(1, values.length)
  return (
    <svg
      className="sparkline"
      role="img"
      aria-label={label}
      width={WIDTH}
      height={HEIGHT}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
    >
      <title>{label}</title>
      <line className="grid" x1="0" x2={WIDTH} y1={HEIGHT - 0.5} y2={HEIGHT - 0.5} />
      {values.map((value, index) => {
        const height = value === 0 ? 0 : Math.max(2, (value / most) * (HEIGHT - 2))
        return (
          <rect
            // biome-ignore lint/suspicious/noArrayIndexKey: a day's place is its name
            key={index}
            x={index * step + 0.5}
            y={HEIGHT - height}
            width={Math.max(1, step - 1.5)}
            height={height}
            rx="1"
          />
        )
      })}
    </svg>
  )
}
