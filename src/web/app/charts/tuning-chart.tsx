import { type ScaleLinear, type ScaleTime, scaleLinear, scaleTime } from 'd3-scale'
import { area, curveStepAfter, line } from 'd3-shape'
import { serverNow } from '../api/server-clock'
import { formatClock, formatMoment } from '../format'
import { useWidth } from './use-width'

interface History {
  points: { at: string; target: number; p95_seconds: number | null; errors: number; finished: number }[]
  changes: { at: string; previous_target: number; new_target: number; reason: string; actor: string }[]
}

const PANEL = 92
const GAP = 34
const MARGIN = { top: 22, right: 14, bottom: 26, left: 44 }
const HEIGHT = MARGIN.top + 3 * PANEL + 2 * GAP + MARGIN.bottom
const HOUR_MS = 3_600_000
/** The time that a point covers. A gap of two points means that nothing was scraped. */
const POINT_MS = 5 * 60_000
const TOLD_CHANGES = 4
const DAY = new Intl.DateTimeFormat('en-US', { month: 'short', day: 'numeric' })

type Row = History['points'][number] & { time: Date }
type Change = History['changes'][number] & { id: number; time: Date }

/** Target, p95 and errors over time, with each change of the target and its reason. The log beside it has the same in words. */
export const TuningChart = ({ history, hours }: { history: History; hours: number }) => {
  const [frame, width] = useWidth<HTMLElement>()
  const until = new Date(serverNow())
  const span = { from: new Date(until.getTime() - hours * HOUR_MS), until }
  const rows = history.points
    .map((point): Row => ({ ...point, time: new Date(point.at) }))
    .filter(({ time }) => time >= span.from)
  const changes = history.changes
    .map((change, id): Change => ({ ...change, id, time: new Date(change.at) }))
    .filter(({ time, previous_target, new_target }) => time >= span.from && previous_target !== new_target)
  const steps = stepsOf(rows, changes, span)
  const isByDay = hours > 24
  const finished = rows.reduce((sum, row) => sum + row.finished, 0)
  const failed = rows.reduce((sum, row) => sum + row.errors, 0)
  const label = `Over the last ${hours} hours: ${finished} scrapes ended, ${failed} of them with errors; the target changed ${changes.length} times. The tuning log below says why.`
  return (
    <figure ref={frame} className="chart">
      {width > 0 && steps.length > 0 && (
        <Panels rows={rows} changes={changes} steps={steps} span={span} isByDay={isByDay} label={label} width={width} />
      )}
      {rows.length === 0 && (
        <p className="empty">No scrapes in this time. New scrapes are counted every five minutes.</p>
      )}
      {changes.length > 0 && <LastChanges changes={changes} isByDay={isByDay} />}
    </figure>
  )
}

interface PanelsProps {
  rows: readonly Row[]
  changes: readonly Change[]
  steps: readonly Step[]
  span: Span
  /** Whether the time axis has days instead of hours. */
  isByDay: boolean
  label: string
  width: number
}

const topOf = (panel: number): number => MARGIN.top + panel * (PANEL + GAP)

const scaleOf = (panel: number, values: readonly number[]) =>
  scaleLinear([0, Math.max(1, ...values)], [topOf(panel) + PANEL, topOf(panel)]).nice(3)

/** Three panels below each other, with one time axis. */
const Panels = ({ rows, changes, steps, span, isByDay, label, width }: PanelsProps) => {
  const x = scaleTime([span.from, span.until], [MARGIN.left, Math.max(MARGIN.left + 1, width - MARGIN.right)])
  const targets = scaleOf(
    0,
    steps.map(({ target }) => target),
  )
  const seconds = scaleOf(
    1,
    rows.map(({ p95_seconds }) => p95_seconds ?? 0),
  )
  const errors = scaleOf(
    2,
    rows.map((row) => row.errors),
  )
  const targetLine = line<Step>(
    ({ time }) => x(time),
    ({ target }) => targets(target),
  ).curve(curveStepAfter)
  const p95Line = line<Row>(
    ({ time }) => x(time),
    ({ p95_seconds }) => seconds(p95_seconds ?? 0),
  ).defined(({ p95_seconds }) => p95_seconds !== null)
  const errorArea = area<Row>()
    .x(({ time }) => x(time))
    .y0(errors(0))
    .y1((row) => errors(row.errors))
    .curve(curveStepAfter)
  const runs = runsOf(rows)
  const ticks = x
    .ticks(Math.max(2, Math.floor(width / 110)))
    // Each day is labeled once.
    .filter((time) => !isByDay || time.getHours() === 0)
  return (
    <svg role="img" aria-label={label} width={width} height={HEIGHT} viewBox={`0 0 ${width} ${HEIGHT}`}>
      <Grid title="Target, concurrent scrapes" top={topOf(0)} y={targets} x={x} changes={changes} width={width} />
      <Grid title="p95, seconds" top={topOf(1)} y={seconds} x={x} changes={changes} width={width} />
      <Grid title="Errors" top={topOf(2)} y={errors} x={x} changes={changes} width={width} />
      {ticks.map((time) => (
        <text key={time.getTime()} className="tick middle" x={x(time)} y={HEIGHT - 8}>
          {isByDay ? DAY.format(time) : formatClock(time)}
        </text>
      ))}
      <g className="series series-1">
        <path d={targetLine(steps) ?? ''} />
      </g>
      <g className="series series-2">
        <path d={runs.map((run) => p95Line(run) ?? '').join('')} />
      </g>
      <path className="error-area" d={runs.map((run) => errorArea(withEnd(run)) ?? '').join('')} />
      {changes.map(({ id, time, new_target, previous_target, reason, actor }) => (
        <circle key={id} className="note-dot" cx={x(time)} cy={targets(new_target)} r="5">
          <title>{`${formatMoment(time.toISOString())}: ${previous_target} → ${new_target}, ${reason} (${actor})`}</title>
        </circle>
      ))}
    </svg>
  )
}

interface GridProps {
  title: string
  top: number
  x: ScaleTime<number, number>
  y: ScaleLinear<number, number>
  changes: readonly Change[]
  width: number
}

/** The title, the value axis and the marks of changes of one panel. */
const Grid = ({ title, top, x, y, changes, width }: GridProps) => (
  <g>
    {/* Above the panel, where no mark of a change runs. */}
    <text className="chart-title" x={MARGIN.left} y={top - 9}>
      {title}
    </text>
    {changes.map(({ id, time }) => (
      <line key={id} className="note-mark" x1={x(time)} x2={x(time)} y1={top} y2={top + PANEL} />
    ))}
    {y.ticks(3).map((value) => (
      <g key={value} transform={`translate(0 ${y(value)})`}>
        <line className="grid" x1={MARGIN.left} x2={width - MARGIN.right} />
        <text className="tick end" x={MARGIN.left - 8} dy="0.32em">
          {value}
        </text>
      </g>
    ))}
  </g>
)

/** The last changes in words. */
const LastChanges = ({ changes, isByDay }: { changes: readonly Change[]; isByDay: boolean }) => {
  const told = changes.slice(-TOLD_CHANGES).reverse()
  const clock = (time: Date) => (isByDay ? `${DAY.format(time)}, ${formatClock(time)}` : formatClock(time))
  return (
    <figcaption className="changes small">
      {told.map(({ id, time, previous_target, new_target, reason }) => (
        <span key={id}>
          <strong>
            {clock(time)}: {previous_target} → {new_target}
          </strong>{' '}
          {reason}
        </span>
      ))}
      {changes.length > told.length && <span>The tuning log has the {changes.length - told.length} earlier ones.</span>}
    </figcaption>
  )
}

interface Span {
  from: Date
  until: Date
}

interface Step {
  time: Date
  target: number
}

/** The target over the whole span, from the changes within it, otherwise from the points. */
const stepsOf = (rows: readonly Row[], changes: readonly Change[], { from, until }: Span): Step[] => {
  const first = changes[0]?.previous_target ?? rows[0]?.target
  if (first === undefined) return []
  const moved = changes.map(({ time, new_target }) => ({ time, target: new_target }))
  return [{ time: from, target: first }, ...moved, { time: until, target: moved.at(-1)?.target ?? first }]
}

/** The points, split where nothing was scraped, so that no line crosses times without measurements. */
const runsOf = (rows: readonly Row[]): Row[][] => {
  const runs: Row[][] = []
  for (const row of rows) {
    const run = runs.at(-1)
    const last = run?.at(-1)
    if (run !== undefined && last !== undefined && row.time.getTime() - last.time.getTime() <= 2 * POINT_MS)
      run.push(row)
    else runs.push([row])
  }
  return runs
}

/** A point covers five minutes, also the last one of a line. */
const withEnd = (run: readonly Row[]): Row[] =>
  run.flatMap((row, index) =>
    index === run.length - 1 ? [row, { ...row, time: new Date(row.time.getTime() + POINT_MS) }] : [row],
  )
