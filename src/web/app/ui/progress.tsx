/** Progress of running work. `share` is from 0 to 1, or null if not known. */
export const Progress = ({ label, share }: { label: string; share: number | null }) => (
  <div className="progress">
    <div className="progress-words">
      <span>{label}</span>
      {share !== null && <span className="quiet">{Math.floor(share * 100)}%</span>}
    </div>
    <progress aria-label={label} {...(share === null ? {} : { value: share, max: 1 })} />
  </div>
)
