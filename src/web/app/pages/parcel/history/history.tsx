import { Link } from 'wouter'
import { countNoun } from '../../../../../../core/text/count-noun'
import { fetchNext } from '../../../api/fetch-next'
import { formatCount } from '../../../format'
import { useViewer } from '../../../session/viewer'
import { Badge } from '../../../ui/badge'
import { Button } from '../../../ui/button'
import { Fact } from '../../../ui/fact'
import { Loaded, Trouble } from '../../../ui/loaded'
import type { Tone } from '../../../ui/notice'
import { ExactTime } from '../../../ui/time'
import { loadPath } from '../../console/loads/load-path'
import type { ParcelName } from '../../map/map-parcel'
import { formatRecordField, formatText, isEmpty } from '../format-value'
import { type Change, justBefore, useHistory, useUndone } from '../parcel-api'
import { AsOfForm, parcelPathAt } from './as-of'
import { BoundaryChange } from './boundary-change'
import { FieldChange } from './field-change'

const ACTIONS: Record<Change['action'], { tone: Tone; text: string }> = {
  created: { tone: 'good', text: 'first stored' },
  changed: { tone: 'plain', text: 'changed' },
  retired: { tone: 'warn', text: 'retired' },
  returned: { tone: 'good', text: 'returned' },
  deleted: { tone: 'bad', text: 'deleted' },
}

/** What changed in a parcel, newest first. `asOf`: the time that the page shows; null for the present. */
export const History = ({ name, asOf }: { name: ParcelName; asOf: string | null }) => {
  const history = useHistory(name)
  const changes = history.data?.pages.flatMap((page) => page.changes) ?? []
  return (
    <section className="card" aria-label="History">
      <div className="card-head">
        <h2>History</h2>
        <AsOfForm name={name} asOf={asOf} />
      </div>
      <Loaded query={history} what="the history">
        {() =>
          changes.length === 0 ? (
            <p className="empty">Nothing has changed since the change log began.</p>
          ) : (
            <>
              <ol className="history">
                {changes.map((change) => (
                  <Entry key={change.version} change={change} />
                ))}
              </ol>
              <Trouble error={history.isFetchNextPageError ? history.error : null} />
              <div className="row">
                <span className="quiet small">{countNoun(changes.length, 'change')} shown</span>
                {history.hasNextPage && (
                  <Button isBusy={history.isFetchingNextPage} onClick={() => fetchNext(history)}>
                    Older
                  </Button>
                )}
              </div>
            </>
          )
        }
      </Loaded>
    </section>
  )
}

const Entry = ({ change }: { change: Change }) => {
  const { action, at: changedAt, source, source_parcel_id } = change
  const name = { source, source_parcel_id }
  const { tone, text } = ACTIONS[action]
  const fields = listFields(change)
  return (
    <li>
      <div className="row">
        <Badge tone={tone}>{text}</Badge>
        <strong>
          <ExactTime at={changedAt} />
        </strong>
      </div>
      {action === 'retired' && <p>Its source no longer lists the parcel.</p>}
      {action === 'returned' && <p>Its source lists the parcel again.</p>}
      {fields.length > 0 && (
        <dl className="facts field-changes">
          {fields.map(([field, { former, new: next }]) => (
            <Fact key={field} label={formatRecordField(field)}>
              {field === 'geom' ? (
                <BoundaryChange name={name} changedAt={changedAt} />
              ) : (
                <FieldChange field={field} former={former} next={next} />
              )}
            </Fact>
          ))}
        </dl>
      )}
      <p className="quiet small">
        <Cause change={change} />
        {action !== 'created' && (
          <>
            {' · '}
            <Link href={parcelPathAt(name, justBefore(changedAt))}>The record before this</Link>
          </>
        )}
      </p>
    </li>
  )
}

/**
 * The fields to show. A retirement's time is that of the change, a list with one owner repeats the owner, and a list that became known as
 * empty says nothing.
 */
const listFields = ({ action, changes }: Change) => {
  const { owner_name: owner, owner_names_all: owners } = changes
  const isOne = (list: unknown, name: unknown) =>
    Array.isArray(list) && (isEmpty(name) ? list.length === 0 : list.length === 1 && list[0] === name)
  const repeatsOwner = owner && owners && isOne(owners.former, owner.former) && isOne(owners.new, owner.new)
  return Object.entries(changes).filter(([field, { former, new: next }]) => {
    if (field === 'retired_at') return action === 'changed'
    if (field === 'owner_names_all') return !repeatsOwner
    return !(isEmpty(former) && isEmpty(next))
  })
}

const CAUSES: Record<NonNullable<Change['cause']>, string> = {
  ingest: 'Load of a file',
  crawl: 'Crawl',
  scrape: 'Scrape',
  replay: 'Kept page read again',
  review: 'Review',
  undo: 'Undo',
  operator: 'Operator',
}

/** What led to the change, and where the new values are from. Admins get a link to the load or the job. */
const Cause = ({ change }: { change: Change }) => {
  const { canAdminister } = useViewer()
  const { cause, origin } = change
  if (cause === null) return 'The cause is not known: the change is older than the change log'
  const path = canAdminister ? causePath(change) : null
  return (
    <>
      {cause === 'undo' && canAdminister ? (
        <Undo change={change} />
      ) : path === null ? (
        CAUSES[cause]
      ) : (
        <Link href={path}>{CAUSES[cause]}</Link>
      )}
      {origin?.line !== undefined && `, ${origin.place ?? `line ${formatCount(origin.line)}`}`}
      {origin?.page !== undefined && (
        <>
          {', '}
          <a href={origin.page} rel="noreferrer noopener" target="_blank">
            page of the portal
          </a>
        </>
      )}
      {origin?.as_of !== undefined && `, data as of ${formatText(origin.as_of)}`}
    </>
  )
}

/** An undo, with a link to the load or the job that it undid. */
const Undo = ({ change: { cause_id: id, source } }: { change: Change }) => {
  const undone = useUndone(id)
  if (undone === null) return CAUSES.undo
  const { cause, cause_id } = undone
  const path = causePath({ cause, cause_id, source })
  const name = cause === null ? null : CAUSES[cause].toLowerCase()
  return (
    <>
      {CAUSES.undo}
      {name !== null && ' of: '}
      {path === null ? name : <Link href={path}>{name}</Link>}
    </>
  )
}

/** The page of the load or the job. */
const causePath = ({ cause, cause_id, source }: Pick<Change, 'cause' | 'cause_id' | 'source'>): string | null => {
  if (cause_id === null) return null
  if (cause === 'scrape') return `/app/console/jobs/${cause_id}`
  return cause === 'ingest' || cause === 'crawl' ? loadPath(source, cause_id) : null
}
