import { sayWords } from '../format'
import type { ParcelName } from '../map/parcel-map'
import { Badge } from '../ui/badge'
import { Loaded } from '../ui/loaded'
import { Time } from '../ui/time'
import { Evidence } from './evidence'
import { useFindings } from './parcel-api'

export const SEVERITY_TONES = { info: 'plain', low: 'plain', medium: 'warn', high: 'bad' } as const

/** What the review engine noticed about a parcel. */
export const Findings = ({ name }: { name: ParcelName }) => {
  const findings = useFindings(name)
  return (
    <section className="card">
      <h2>Findings</h2>
      <Loaded query={findings} what="the findings">
        {({ findings }) =>
          findings.length === 0 ? (
            <p className="empty">The review found nothing that is worth a look.</p>
          ) : (
            <ul className="findings">
              {findings.map(({ id, severity, category, suggested_action, evidence, generated_at }) => (
                <li key={id}>
                  <div className="row">
                    <Badge tone={SEVERITY_TONES[severity]}>{severity}</Badge>
                    <strong>{sayWords(category)}</strong>
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
