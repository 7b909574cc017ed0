import { sayField } from '../format'
import { sayValue } from './say-value'

/** The evidence, field by field. */
export const Evidence = ({ evidence }: { evidence: object }) => (
  <dl className="evidence">
    {Object.entries(evidence).map(([field, value]) => (
      <div key={field}>
        <dt>{sayField(field.replace(/_pct$/, ''))}</dt>
        <dd>{sayValue(field, value)}</dd>
      </div>
    ))}
  </dl>
)
