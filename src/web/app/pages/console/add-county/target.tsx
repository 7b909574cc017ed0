import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'wouter'
import { navigate } from 'wouter/use-browser-location'
import { FILE_VENDOR } from '../../../../../../core/sources/file-vendor'
import { api, ask, at } from '../../../api/api'
import { serverNow } from '../../../api/server-clock'
import { formatWords } from '../../../format'
import { Button } from '../../../ui/button'
import { Field } from '../../../ui/form/field'
import { Trouble } from '../../../ui/loaded'
import { STATES } from '../../search/filters/states'
import { type Chosen, isOver, type Settings, startLoad, useFileWork } from './file-api'
import { FileOutcome, FileProgress } from './file-progress'
import { Missing } from './missing'

const SCHEDULES = ['', 'daily', 'weekly', 'monthly', 'quarterly', 'annual'] as const

/** Which source the file is loaded into, and its load. */
export const Target = ({
  chosen: { place, hasSettings },
  into,
  settings,
  isReady,
  missing,
}: {
  chosen: Chosen
  into: string | null
  settings: Settings
  isReady: boolean
  /** What must be done before the file can be loaded; null: nothing. */
  missing: string | null
}) => {
  const queries = useQueryClient()
  const [county, setCounty] = useState('')
  const [state, setState] = useState('')
  const [typedSlug, setSlug] = useState<string | null>(null)
  const [isComplete, setComplete] = useState(settings.complete ?? true)
  const [schedule, setSchedule] = useState<(typeof SCHEDULES)[number]>('')
  const [isKept, setKept] = useState(true)
  const slug = typedSlug ?? slugOf(state, county)
  const source = into ?? slug
  const isUnnamed = into === null && (slug === '' || state === '' || county.trim() === '')
  const load = useMutation({
    mutationFn: async () => {
      const vendor_config = { ...settings, complete: isComplete }
      if (into === null) {
        const county_name = county.trim()
        await ask(api.v1.sources.post({ source: slug, state, county_name, vendor: FILE_VENDOR, vendor_config }))
        // The county exists now, so another file, or a reload, is for it.
        navigate(`?source=${at(slug)}`, { replace: true, state: history.state })
      } else if (hasSettings && isKept) await ask(api.v1.sources({ source: at(source) }).patch({ vendor_config }))
      if (schedule !== '' && 'address' in place) await scheduleLoads(source, place.address, vendor_config, schedule)
      return await startLoad(source, place, vendor_config)
    },
    onSuccess: () => queries.invalidateQueries({ queryKey: ['sources'] }),
  })
  return (
    <section className="card stack" aria-labelledby="target">
      <h2 id="target">{into === null ? 'The county' : into}</h2>
      {into === null && (
        <div className="filters">
          <Field label="Name of the county">
            {(given) => (
              <input {...given} autoComplete="off" value={county} onChange={({ target }) => setCounty(target.value)} />
            )}
          </Field>
          <Field label="State">
            {(given) => (
              <select {...given} value={state} onChange={({ target }) => setState(target.value)}>
                <option value="">choose</option>
                {STATES.map((code) => (
                  <option key={code}>{code}</option>
                ))}
              </select>
            )}
          </Field>
          <Field label="Slug" hint="It is part of the URLs of its parcels. You cannot change it later.">
            {(given) => (
              <input {...given} autoComplete="off" value={slug} onChange={({ target }) => setSlug(target.value)} />
            )}
          </Field>
        </div>
      )}
      <label className="checkbox">
        <input type="checkbox" checked={isComplete} onChange={({ target }) => setComplete(target.checked)} />
        The file lists all parcels of the county: parcels missing from it are retired
      </label>
      {into !== null && hasSettings && (
        <label className="checkbox">
          <input type="checkbox" checked={isKept} onChange={({ target }) => setKept(target.checked)} />
          The next file of this source is read in the same way
        </label>
      )}
      {'address' in place && (
        <Field label="Load it again" hint="Only if the file at the URL has changed.">
          {(given) => (
            <select
              {...given}
              value={schedule}
              onChange={({ target }) => setSchedule(target.value as (typeof SCHEDULES)[number])}
            >
              {SCHEDULES.map((value) => (
                <option key={value} value={value}>
                  {value === '' ? 'never' : formatWords(value)}
                </option>
              ))}
            </select>
          )}
        </Field>
      )}
      <Trouble error={load.error} />
      {load.data === undefined ? (
        <div className="row">
          <Button
            kind="primary"
            isBusy={load.isPending}
            disabled={!isReady || missing !== null || isUnnamed}
            onClick={() => load.mutate()}
          >
            Load the file
          </Button>
          <Missing what={missing ?? (isUnnamed ? 'Enter the name and the state of the county.' : null)} />
        </div>
      ) : (
        <Running key={load.data} id={load.data} source={source} onAgain={load.reset} />
      )}
    </section>
  )
}

/** The progress of the load, and how it ended. */
const Running = ({ id, source, onAgain }: { id: string; source: string; onAgain: () => void }) => {
  const work = useFileWork(id)
  if (work.data === undefined || !isOver(work.data)) return <FileProgress work={work.data} />
  return (
    <>
      <FileOutcome work={work.data} source={source} />
      <div className="row">
        <Link className="button" href={`/app/console/sources/${at(source)}`}>
          Open the source
        </Link>
        {work.data.status === 'error' && <Button onClick={onAgain}>Try again</Button>}
      </div>
    </>
  )
}

const slugOf = (state: string, county: string): string =>
  [state, county]
    .join('-')
    .normalize('NFD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 100)

/** Activates the source, so that the scheduler loads the file at its URL again and again. */
const scheduleLoads = async (
  source: string,
  base_url: string,
  settings: Settings,
  cadence: keyof typeof DAYS,
): Promise<void> => {
  const name = { source: at(source) }
  await ask(api.v1.sources(name).patch({ base_url, vendor_config: { ...settings }, active: true }))
  await ask(api.v1['source-refresh-policies'](name).patch({ cadence, next_due_at: nextDue(cadence) }))
}

const DAYS = { daily: 1, weekly: 7, monthly: 30, quarterly: 91, annual: 365 } as const

/** The file is loaded now, so it is due after one interval. */
const nextDue = (schedule: keyof typeof DAYS): string =>
  new Date(serverNow() + DAYS[schedule] * 24 * 3_600_000).toISOString()
