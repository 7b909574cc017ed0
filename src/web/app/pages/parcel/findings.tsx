import { formatWords } from '../../format'
import { Badge } from '../../ui/badge'
import { Loaded } from '../../ui/loaded'
import { Time } from '../../ui/time'
import type { ParcelName } from '../map/map-parcel'
import { DismissFinding } from './dismiss-finding'
import { Evidence } from './evidence/evidence'
import { useFindings } from './parcel-api'

export const SEVERITY_TONES = { info: 'plain', low: 'plain', medium: 'warn', high: 'bad' } as const

type Severity = keyof typeof SEVERITY_TONES
const SEVEREST_FIRST: Severity[] = ['high', 'medium', 'low', 'info']
interface Ranked {
  severity: Severity
  dismissed?: object
}
/** Dismissed findings last, otherwise the most severe first. */
const bySeverity = (a: Ranked, b: Ranked): number =>
  Number(a.dismissed !== undefined) - Number(b.dismissed !== undefined) ||
  SEVEREST_FIRST.indexOf(a.severity) - SEVEREST_FIRST.indexOf(b.severity)

interface Props {
  name: ParcelName
  isReviewed: boolean
  /** Why it is never scraped (parcel-api.ts). */
  neverScraped: string | null
}

/** What the review found about a parcel. It reviews what a scrape has read. */
export const Findings = ({ name, isReviewed, neverScraped }: Props) => {
  const findings = useFindings(name)
  return (
    <section className="card">
      <h2>Findings</h2>
      <Loaded query={findings} what="the findings">
        {({ findings }) =>
          findings.length === 0 ? (
            <p className="empty">
              {isReviewed
                ? 'The review has no findings.'
                : neverScraped === null
                  ? 'Not reviewed yet: the review follows the first scrape.'
                  : `Not reviewed: the review reads scrapes, and ${neverScraped}.`}
            </p>
          ) : (
            <ul className="findings">
              {findings.toSorted(bySeverity).map((finding) => (
                <li key={finding.id}>
                  <div className="row">
                    <Badge tone={SEVERITY_TONES[finding.severity]}>{finding.severity}</Badge>
                    <strong>{formatWords(finding.category)}</strong>
                    <span className="quiet small">
                      <Time at={finding.generated_at} />
                    </span>
                  </div>
                  <p>{finding.suggested_action}</p>
                  <Evidence evidence={finding.evidence} />
                  <DismissFinding finding={finding} />
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </section>
  )
}
