import { formatFieldName } from '../../../format'
import { formatValue } from '../format-value'

/** The evidence, field by field. */
export const Evidence = ({ evidence }: { evidence: object }) => (
  <dl className="evidence">
    {Object.entries(evidence).map(([field, value]) => (
      <div key={field}>
        <dt>{formatFieldName(field.replace(/_pct$/, ''))}</dt>
        <dd>{formatValue(field, value)}</dd>
      </div>
    ))}
  </dl>
)
