import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'wouter'
import { FILE_VENDOR } from '../../../../../../core/sources/file-vendor'
import type { FilePreview } from '../../../../../ingest/preview/file-preview'
import { useAddressParams } from '../../../address'
import { api, ask, at } from '../../../api/api'
import { formatWords } from '../../../format'
import { Button } from '../../../ui/button'
import { Field } from '../../../ui/form/field'
import { Loaded, Trouble } from '../../../ui/loaded'
import { Notice } from '../../../ui/notice'
import { STATES } from '../../search/filters/states'
import { ConsolePage } from '../console-page'
import { ChooseFile } from './choose-file'
import { isOver, type Place, type Settings, startLoad, startPreview, useFileWork } from './file-api'
import { FileOutcome, FileProgress } from './file-progress'
import { CrsField, MapFields, PreviewFindings } from './map-fields'

/** The chosen file, and the work that previews it. */
interface Chosen {
  place: Place
  name: string
  work: string
  /** The settings of the source that it is loaded into. */
  settings: Settings
  /** False: the source is not one of files, so it has no such settings. */
  hasSettings: boolean
}

/** Adds a county from a file, or loads a file into a source: choose, look, map, load, watch. */
export const AddCountyPage = () => {
  const params = useAddressParams()
  const into = params.get('source')
  const [chosen, setChosen] = useState<Chosen | null>(null)
  const look = useMutation({
    mutationFn: async ({ place, name }: { place: Place; name: string }) => {
      const stored = into === null ? {} : await settingsOf(into)
      const settings = stored ?? {}
      return { place, name, settings, hasSettings: stored !== null, work: await startPreview(place, settings) }
    },
    onSuccess: setChosen,
  })
  const lookAtLayer = useMutation({
    mutationFn: async ({ chosen, layer }: { chosen: Chosen; layer: string }) => {
      const settings = { ...chosen.settings, layer }
      return { ...chosen, settings, work: await startPreview(chosen.place, settings) }
    },
    onSuccess: setChosen,
  })
  return (
    <ConsolePage
      title={into === null ? 'Add a county' : `Load a file into ${into}`}
      lead="From a file of its parcels. You see what would be loaded before anything is stored."
      actions={
        <Link className="button" href={into === null ? '/app/console/sources' : `/app/console/sources/${at(into)}`}>
          {into === null ? 'All sources' : 'The source'}
        </Link>
      }
    >
      {chosen === null ? (
        <>
          <ChooseFile onChosen={(place, name) => look.mutate({ place, name })} />
          <Trouble error={look.error} />
        </>
      ) : (
        <>
          <div className="row">
            <strong>{[chosen.name, chosen.settings.layer].filter(Boolean).join(' · ')}</strong>
            <Button onClick={() => setChosen(null)}>Choose another file</Button>
          </div>
          <Look
            key={chosen.work}
            chosen={chosen}
            into={into}
            onLayer={(layer) => lookAtLayer.mutate({ chosen, layer })}
          />
          <Trouble error={lookAtLayer.error} />
        </>
      )}
    </ConsolePage>
  )
}

/** How the files of a source are read. Null: it is not a source of files. */
const settingsOf = async (source: string): Promise<Settings | null> => {
  const { vendor, vendor_config = {} } = await ask(api.v1.sources({ source: at(source) }).get())
  return vendor === FILE_VENDOR ? (vendor_config as Settings) : null
}

/** Waits for the first look at the file. */
const Look = ({ chosen, into, onLayer }: { chosen: Chosen; into: string | null; onLayer: (layer: string) => void }) => {
  const work = useFileWork(chosen.work)
  return (
    <Loaded query={work} what="the file">
      {(data) => {
        const { preview } = data.result
        if (preview !== undefined && preview.layers.length > 0)
          return <LayerChoice layers={preview.layers} onChosen={onLayer} />
        if (preview !== undefined) return <Mapping chosen={chosen} first={preview} into={into} />
        if (isOver(data)) return <Notice tone="bad">The file cannot be read: {data.error_message}</Notice>
        return (
          <section className="card">
            <FileProgress work={data} />
          </section>
        )
      }}
    </Loaded>
  )
}

/** Which layer of the file, or which file of the archive, has the parcels. */
const LayerChoice = ({ layers, onChosen }: { layers: readonly string[]; onChosen: (layer: string) => void }) => (
  <section className="card stack" aria-labelledby="layer">
    <h2 id="layer">Which one has the parcels?</h2>
    <div className="row">
      {layers.map((layer) => (
        <Button key={layer} onClick={() => onChosen(layer)}>
          {layer}
        </Button>
      ))}
    </div>
  </section>
)

/** Without fields that have no column. */
const mapOf = (map: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(map).flatMap(([field, column]) => (column.trim() === '' ? [] : [[field, column]])))

/** A preview guesses the column of a field again if the map does not have the field. With this expression the field stays empty. */
const EMPTY = "''"

const Mapping = ({ chosen, first, into }: { chosen: Chosen; first: FilePreview; into: string | null }) => {
  const [proposed] = useState(() =>
    Object.fromEntries(Object.entries(first.map).map(([field, column]) => [field, column === EMPTY ? '' : column])),
  )
  const [map, setMap] = useState<Record<string, string>>(proposed)
  const [crs, setCrs] = useState(chosen.settings.crs ?? '')
  const [work, setWork] = useState(chosen.work)
  const [checked, setChecked] = useState(JSON.stringify([proposed, crs]))
  const latest = useFileWork(work)
  const preview = latest.data?.result.preview ?? first
  const cleared = Object.keys(proposed).filter((field) => (map[field] ?? '').trim() === '')
  const { crs: _, ...others } = chosen.settings
  const settings: Settings = {
    ...others,
    map: { ...mapOf(map), ...Object.fromEntries(cleared.map((field) => [field, EMPTY])) },
    ...(crs.trim() === '' ? {} : { crs: crs.trim() }),
  }
  const again = useMutation({
    mutationFn: () => startPreview(chosen.place, settings),
    onSuccess: (id) => {
      setWork(id)
      setChecked(JSON.stringify([map, crs]))
    },
  })
  const isLooking = latest.data !== undefined && !isOver(latest.data)
  const isChecked = checked === JSON.stringify([map, crs])
  const hasId = (map.source_parcel_id ?? '').trim() !== ''
  return (
    <>
      <section className="card stack" aria-labelledby="fields">
        <h2 id="fields">Fields</h2>
        <PreviewFindings preview={preview} />
        {latest.data?.status === 'error' && <Notice tone="bad">{latest.data.error_message}</Notice>}
        <MapFields preview={preview} map={map} onChange={setMap} />
        {(preview.crs.question !== null || crs !== '') && <CrsField value={crs} onChange={setCrs} />}
        <Trouble error={again.error} />
        <div className="row">
          <Button disabled={!hasId} isBusy={again.isPending || isLooking} onClick={() => again.mutate()}>
            Check again
          </Button>
          <Missing what={hasId ? (isChecked ? null : CHECK_FIRST) : CHOOSE_ID} />
        </div>
      </section>
      <Target
        chosen={chosen}
        into={into}
        settings={settings}
        isReady={!isLooking}
        missing={
          !hasId
            ? CHOOSE_ID
            : !isChecked
              ? CHECK_FIRST
              : preview.crs.question !== null
                ? 'Enter the coordinate system, and check again.'
                : preview.rows.parcels === 0
                  ? 'The file has no parcel that can be loaded. Change the columns, and check again.'
                  : null
        }
      />
    </>
  )
}

const CHOOSE_ID = 'Choose the column with the parcel id.'
const CHECK_FIRST = 'Check the changed fields before you load the file.'

/** Why the button beside it is disabled. */
const Missing = ({ what }: { what: string | null }) => what !== null && <span className="quiet small">{what}</span>

const SCHEDULES = ['', 'daily', 'weekly', 'monthly', 'quarterly', 'annual'] as const

/** Which source the file is loaded into, and its load. */
const Target = ({
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
  const [added, setAdded] = useState<string | null>(into)
  const slug = typedSlug ?? slugOf(state, county)
  const source = added ?? slug
  const isUnnamed = added === null && (slug === '' || state === '' || county.trim() === '')
  const load = useMutation({
    mutationFn: async () => {
      const all = { ...settings, complete: isComplete }
      const vendor_config = { ...all }
      if (added === null) {
        const county_name = county.trim()
        await ask(api.v1.sources.post({ source: slug, state, county_name, vendor: FILE_VENDOR, vendor_config }))
        setAdded(slug)
      } else if (hasSettings && isKept) await ask(api.v1.sources({ source: at(source) }).patch({ vendor_config }))
      if (schedule !== '' && 'address' in place) {
        const name = { source: at(source) }
        await ask(api.v1.sources(name).patch({ base_url: place.address, vendor_config, active: true }))
        const next_due_at = nextDue(schedule)
        await ask(api.v1['source-refresh-policies'](name).patch({ cadence: schedule, next_due_at }))
      }
      return await startLoad(source, place, all)
    },
    onSuccess: () => queries.invalidateQueries({ queryKey: ['sources'] }),
  })
  return (
    <section className="card stack" aria-labelledby="target">
      <h2 id="target">{into === null ? 'The county' : into}</h2>
      {added === null && (
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

const DAYS = { daily: 1, weekly: 7, monthly: 30, quarterly: 91, annual: 365 } as const

/** The file is loaded now, so it is due after one interval. */
const nextDue = (schedule: keyof typeof DAYS): string =>
  new Date(Date.now() + DAYS[schedule] * 24 * 3_600_000).toISOString()
