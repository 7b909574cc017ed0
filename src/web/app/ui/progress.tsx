import { formatCount } from '../format'

/** Work that is under way. `total` null: nobody knows how much there is. */
export const Progress = ({ label, done, total }: { label: string; done: number | null; total: number | null }) => (
  <div className="progress">
    <div className="progress-words">
      <span>{label}</span>
      {done !== null && (
        <span className="quiet">
          {formatCount(done)}
          {total !== null && ` of ${formatCount(total)}`}
        </span>
      )}
    </div>
    {total === null || done === null ? (
      <progress aria-label={label} />
    ) : (
      <progress aria-label={label} value={done} max={Math.max(1, total)} />
    )}
  </div>
)
