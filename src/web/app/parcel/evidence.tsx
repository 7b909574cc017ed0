import { sayField } from '../format'

/** What was seen, field by field, as it is. */
export const Evidence = ({ evidence }: { evidence: object }) => (
  <dl className="evidence">
    {Object.entries(evidence).map(([field, value]) => (
      <div key={field}>
        <dt>{sayField(field)}</dt>
        <dd>{typeof value === 'string' || typeof value === 'number' ? String(value) : JSON.stringify(value)}</dd>
      </div>
    ))}
  </dl>
)
