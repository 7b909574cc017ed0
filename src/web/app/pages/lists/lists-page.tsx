import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { countNoun } from '../../../../../core/text/count-noun'
import { PAGED, repeatFailed } from '../../api/queries'
import { formatCount, formatDay } from '../../format'
import { ForReaders } from '../../session/for-readers'
import { Badge } from '../../ui/badge'
import { Button } from '../../ui/button'
import { Confirm } from '../../ui/confirm'
import { Figure } from '../../ui/figure'
import { FileDrop } from '../../ui/form/file-drop'
import { Loaded, Trouble } from '../../ui/loaded'
import { Notice } from '../../ui/notice'
import { Page } from '../../ui/page/page'
import { Progress } from '../../ui/progress'
import { DataTable } from '../../ui/table/data-table'
import { OlderRows } from '../../ui/table/older-rows'
import { Time } from '../../ui/time'
import {
  FIELDS,
  type FieldName,
  listMatches,
  type Match,
  namedColumns,
  removeMatch,
  retryMatch,
  saveResults,
  startMatch,
  type Upload,
  uploadList,
} from './list-api'

const POLL_MS = 1_000

/** Matches lists of a file with the parcels: upload, columns, progress, results. */
export const ListsPage = () => (
  <Page title="Lists" lead="Find the parcel of each row in a list of addresses, parcel ids, owners or points.">
    <ForReaders purpose="match a list">
      <NewList />
      <Matches />
    </ForReaders>
  </Page>
)

const NewList = () => {
  const queries = useQueryClient()
  const [name, setName] = useState('')
  const upload = useMutation({ mutationFn: uploadList })
  const send = (file: File) => {
    setName(file.name)
    upload.mutate(file)
  }
  return (
    <section className="card" aria-labelledby="new-list">
      <div className="card-head">
        <h2 id="new-list">New list</h2>
      </div>
      <FileDrop
        hint="CSV with a header, or NDJSON. Up to 100,000 rows and 16 MB."
        accept=".csv,.tsv,.txt,.ndjson,.jsonl,text/csv,application/x-ndjson"
        isBusy={upload.isPending}
        onFile={send}
      />
      {upload.isPending && <Progress label={`Sending ${name}`} share={null} />}
      <Trouble error={upload.error} />
      {upload.data && (
        <Columns
          key={upload.data.id}
          upload={upload.data}
          onStarted={() => {
            upload.reset()
            void queries.invalidateQueries({ queryKey: ['matches'] })
          }}
        />
      )}
    </section>
  )
}

/** What each column of a list has: guessed, and to be changed. */
const Columns = ({ upload, onStarted }: { upload: Upload; onStarted: () => void }) => {
  const [fields, setFields] = useState<Record<string, FieldName>>(() =>
    Object.fromEntries(upload.columns.map(({ name, field }) => [name, field ?? ''])),
  )
  const start = useMutation({ mutationFn: () => startMatch(upload.id, fields), onSuccess: onStarted })
  const isEmpty = Object.keys(namedColumns(fields)).length === 0
  // A CSV has a header.
  const rows = Math.max(0, upload.lines - (upload.format === 'csv' ? 1 : 0))
  return (
    <>
      <DataTable
        label="Columns of the list"
        rows={upload.columns}
        keyOf={({ name }) => name}
        empty="The list has no columns."
        columns={[
          { name: 'Column', isHead: true, cell: ({ name }) => name },
          {
            name: 'First values',
            cell: ({ samples }) => (
              <span className="cell-words">{samples.filter(Boolean).slice(0, 3).join(' · ') || 'empty'}</span>
            ),
          },
          {
            name: 'Has',
            cell: ({ name }) => (
              <select
                aria-label={`What the column ${name} has`}
                value={fields[name]}
                onChange={({ target }) => setFields({ ...fields, [name]: target.value as FieldName })}
              >
                {FIELDS.map(([field, text]) => (
                  <option key={field} value={field}>
                    {text}
                  </option>
                ))}
              </select>
            ),
          },
        ]}
      />
      <Trouble error={start.error} />
      <div className="row">
        <Button kind="primary" disabled={isEmpty} isBusy={start.isPending} onClick={() => start.mutate()}>
          Match {countNoun(rows, 'row')}
        </Button>
        {isEmpty && <span className="quiet small">Choose the content of at least one column.</span>}
      </div>
    </>
  )
}

const isUnderWay = ({ status }: Match): boolean => status === 'queued' || status === 'running'

const Matches = () => {
  const matches = useInfiniteQuery({
    queryKey: ['matches'],
    queryFn: ({ signal, pageParam }) => listMatches(pageParam, signal),
    ...PAGED,
    refetchInterval: (query) =>
      repeatFailed(query) || (query.state.data?.pages.some((page) => page.matches.some(isUnderWay)) ? POLL_MS : false),
  })
  const rows = matches.data?.pages.flatMap((page) => page.matches) ?? []
  return (
    <Loaded query={matches} what="your lists">
      {() =>
        rows.length === 0 ? (
          <p className="empty">You have no lists yet.</p>
        ) : (
          <>
            {rows.map((match) => (
              <MatchCard key={match.id} match={match} />
            ))}
            <OlderRows count={rows.length} list={matches} />
          </>
        )
      }
    </Loaded>
  )
}

const TONES = { queued: 'plain', running: 'plain', done: 'good', error: 'bad' } as const

const MatchCard = ({ match }: { match: Match }) => {
  const queries = useQueryClient()
  const [isAsking, setAsking] = useState(false)
  const onSuccess = () => queries.invalidateQueries({ queryKey: ['matches'] })
  const retry = useMutation({ mutationFn: () => retryMatch(match.id), onSuccess })
  const remove = useMutation({ mutationFn: () => removeMatch(match.id), onSuccess })
  const save = useMutation({ mutationFn: (outcome: string | null) => saveResults(match.id, outcome) })
  const { id, counts, rows, done, total, status, error_message, retry_of } = match
  const failed = counts === null ? 0 : counts.no_match + counts.invalid
  return (
    <section className="card" aria-label={`List ${id}`}>
      <div className="card-head">
        <h2>
          {rows === null ? 'A list' : countNoun(rows, 'row')}{' '}
          <span className="quiet small">{retry_of && 'failed rows, retried'}</span>
        </h2>
        <Badge tone={TONES[status]}>{status}</Badge>
      </div>
      <p className="quiet small">
        Sent <Time at={match.created_at} />, kept until {formatDay(match.expires_at)}
      </p>
      {isUnderWay(match) && <Progress label="Comparing" share={total === null || total === 0 ? null : done / total} />}
      {status === 'error' && error_message !== null && <Notice tone="bad">{error_message}</Notice>}
      {counts !== null && (
        <dl className="figures">
          <Figure label="Matched">{formatCount(counts.matched)}</Figure>
          <Figure label="Ties">{formatCount(counts.tie)}</Figure>
          <Figure label="No match">{formatCount(counts.no_match)}</Figure>
          <Figure label="Invalid">{formatCount(counts.invalid)}</Figure>
        </dl>
      )}
      <Trouble error={retry.error ?? save.error} />
      <div className="row">
        {counts !== null && (
          <Button isBusy={save.isPending} onClick={() => save.mutate(null)}>
            Download as CSV
          </Button>
        )}
        {failed > 0 && (
          <>
            <Button isBusy={save.isPending} onClick={() => save.mutate('no_match,invalid')}>
              Download failed rows
            </Button>
            <Button isBusy={retry.isPending} onClick={() => retry.mutate()}>
              Retry failed rows
            </Button>
          </>
        )}
        <Button kind="quiet" onClick={() => setAsking(true)}>
          {isUnderWay(match) ? 'Cancel' : 'Delete'}
        </Button>
      </div>
      {isAsking && (
        <Confirm
          title={isUnderWay(match) ? 'Cancel this list?' : 'Delete this list?'}
          action={isUnderWay(match) ? 'Cancel it' : 'Delete it'}
          isBusy={remove.isPending}
          error={remove.error}
          onConfirm={() => remove.mutate()}
          onClose={() => setAsking(false)}
        >
          <p>Its results are deleted, too.</p>
        </Confirm>
      )}
    </section>
  )
}
