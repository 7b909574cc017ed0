import { formatWords } from '../format'
import type { ParcelName } from '../map/map-parcel'
import { Badge } from '../ui/badge'
import { Loaded } from '../ui/loaded'
import { Time } from '../ui/time'
import { Evidence } from './evidence'
import { useFindings } from './parcel-api'

export const SEVERITY_TONES = { info: 'plain', low: 'plain', medium: 'warn', high: 'bad' } as const

type Severity = keyof typeof SEVERITY_TONES
const SEVEREST_FIRST: Severity[] = ['high', 'medium', 'low', 'info']
const bySeverity = (a: { severity: Severity }, b: { severity: Severity }): number =>
  SEVEREST_FIRST.indexOf(a.severity) - SEVEREST_FIRST.indexOf(b.severity)

/** What the review found about a parcel. */
export const Findings = ({ name }: { name: ParcelName }) => {
  const findings = useFindings(name)
  return (
    <section className="card">
      <h2>Findings</h2>
      <Loaded query={findings} what="the findings">
        {({ findings }) =>
          findings.length === 0 ? (
            <p className="empty">The review has no findings.</p>
          ) : (
            <ul className="findings">
              {findings
                .toSorted(bySeverity)
                .map(({ id, severity, category, suggested_action, evidence, generated_at }) => (
                  <li key={id}>
                    <div className="row">
                      <Badge tone={SEVERITY_TONES[severity]}>{severity}</Badge>
                      <strong>{formatWords(category)}</strong>
                      <span className="quiet small">
                        <Time at={generated_at} />
                      </span>
                    </div>
                    <p>{suggested_action}</p>
                    <Evidence evidence={evidence} />
                  </li>
                ))}
            </ul>
          )
        }
      </Loaded>
    </section>
  )
}
