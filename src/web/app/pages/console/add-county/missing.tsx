/** What must be done first, beside a button that is disabled until then. Null: nothing. */
export const Missing = ({ what }: { what: string | null }) =>
  what !== null && <span className="quiet small">{what}</span>
