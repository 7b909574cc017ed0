import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { Link, useLocation } from 'wouter'
import { countNoun } from '../../../../../core/text/count-noun'
import { changeAddress, useAddressParams, usePathParams } from '../../address'
import { DASH, formatAcres, formatDollars } from '../../format'
import { Badge } from '../../ui/badge'
import { Button } from '../../ui/button'
import { Confirm } from '../../ui/confirm'
import { Dialog } from '../../ui/dialog'
import { NameField } from '../../ui/form/name-field'
import { Select } from '../../ui/form/select'
import { Loaded, Trouble } from '../../ui/loaded'
import { Notice } from '../../ui/notice'
import { Page } from '../../ui/page/page'
import { saveCsv } from '../../ui/save-file'
import { ShareButton } from '../../ui/share-button'
import { DataTable } from '../../ui/table/data-table'
import { MapPanel } from '../map/map-panel'
import type { MapHit } from '../map/map-parcel'
import { toCsv } from '../search/csv'
import { parcelPath } from '../search/entries'
import { addWatch, listWatches, type Watch } from '../watches/watch-api'
import { NoteFields } from './note-fields'
import {
  type Portfolio,
  type PortfolioParcel,
  putParcel,
  readTags,
  removeParcel,
  removePortfolio,
  renamePortfolio,
  usePortfolio,
} from './portfolio-api'

/** The parcels of a portfolio, on a map and as a table, with their notes and tags. */
export const PortfolioPage = () => {
  const { id } = usePathParams('/app/portfolios/:id')
  const portfolio = usePortfolio(id)
  const [dialog, setDialog] = useState<'rename' | 'delete' | null>(null)
  const { data } = portfolio
  return (
    <Page
      title={data?.name ?? 'Portfolio'}
      lead={data && countNoun(data.parcel_count, 'parcel')}
      actions={
        data && (
          <>
            <ShareButton />
            <Button disabled={data.parcels.length === 0} onClick={() => exportParcels(data)}>
              Export
            </Button>
            <WatchAll portfolio={data} />
            <Button onClick={() => setDialog('rename')}>Rename</Button>
            <Button kind="danger" onClick={() => setDialog('delete')}>
              Delete
            </Button>
          </>
        )
      }
    >
      <Loaded query={portfolio} what="the portfolio">
        {(found) => (
          <>
            <Parcels portfolio={found} />
            {dialog === 'rename' && <Rename portfolio={found} onClose={() => setDialog(null)} />}
            {dialog === 'delete' && <Remove portfolio={found} onClose={() => setDialog(null)} />}
          </>
        )}
      </Loaded>
    </Page>
  )
}

const Parcels = ({ portfolio: { id, parcels } }: { portfolio: Portfolio }) => {
  const tag = useAddressParams().get('tag') ?? ''
  const tags = [...new Set(parcels.flatMap((parcel) => parcel.tags))].sort()
  const shown = useMemo(() => parcels.filter((parcel) => tag === '' || parcel.tags.includes(tag)), [parcels, tag])
  const hits = useMemo(() => shown.flatMap(toHit), [shown])
  const [edited, setEdited] = useState<PortfolioParcel | null>(null)
  return (
    <>
      {hits.length > 0 && (
        <div className="coverage-map">
          <MapPanel hits={hits} />
        </div>
      )}
      {tags.length > 0 && (
        <div className="filters">
          <Select
            label="Tag"
            value={tag}
            onChange={(chosen) => changeAddress({ tag: chosen })}
            options={[['', 'All'], ...tags.map((one) => [one, one] as const)]}
          />
        </div>
      )}
      <DataTable
        label="Parcels of the portfolio"
        rows={shown}
        keyOf={keyOf}
        empty="No parcels yet. Open the page of a parcel and press Save."
        columns={[
          {
            name: 'Parcel',
            isHead: true,
            sortBy: ({ situs_address, source_parcel_id }) => situs_address ?? source_parcel_id,
            cell: (parcel) => (
              <>
                <Link href={parcelPath(parcel)}>{parcel.situs_address ?? parcel.source_parcel_id}</Link>
                <span className="cell-note">
                  {[parcel.source_parcel_id, `${parcel.county_name}, ${parcel.state}`].join(' · ')}
                </span>
                {parcel.retired_at && <Badge tone="warn">Retired</Badge>}
              </>
            ),
          },
          { name: 'Owner', cell: ({ owner_name }) => <span className="cell-words">{owner_name ?? DASH}</span> },
          {
            name: 'Acres',
            isNumber: true,
            sortBy: ({ acreage }) => acreage,
            cell: ({ acreage }) => formatAcres(acreage),
          },
          {
            name: 'Assessed value',
            isNumber: true,
            sortBy: ({ assessed_value }) => assessed_value,
            cell: ({ assessed_value }) => formatDollars(assessed_value),
          },
          {
            name: 'Tags',
            cell: (parcel) => (
              <span className="tags">
                {parcel.tags.map((one) => (
                  <Badge key={one}>{one}</Badge>
                ))}
              </span>
            ),
          },
          { name: 'Note', cell: ({ note }) => <span className="cell-words">{note === '' ? DASH : note}</span> },
          {
            name: 'Actions',
            cell: (parcel) => (
              <Button
                kind="quiet"
                aria-label={`Edit the note and tags of ${parcel.source_parcel_id}`}
                onClick={() => setEdited(parcel)}
              >
                Edit
              </Button>
            ),
          },
        ]}
      />
      {edited && <EditParcel key={keyOf(edited)} id={id} parcel={edited} onClose={() => setEdited(null)} />}
    </>
  )
}

const keyOf = ({ source, source_parcel_id }: PortfolioParcel): string => `${source}/${source_parcel_id}`

const toHit = ({ center, ...parcel }: PortfolioParcel): MapHit[] => {
  const [lon, lat] = center ?? []
  if (lon === undefined || lat === undefined) return []
  const { source, source_parcel_id, owner_name, situs_address } = parcel
  return [{ id: `parcel:${source}/${source_parcel_id}`, source, source_parcel_id, owner_name, situs_address, lon, lat }]
}

const EditParcel = ({ id, parcel, onClose }: { id: string; parcel: PortfolioParcel; onClose: () => void }) => {
  const queries = useQueryClient()
  const [draft, setDraft] = useState({ note: parcel.note, tags: parcel.tags.join(', ') })
  const onSuccess = async () => {
    await queries.invalidateQueries({ queryKey: ['portfolios'] })
    onClose()
  }
  const save = useMutation({ mutationFn: () => putParcel(id, parcel, draft.note, readTags(draft.tags)), onSuccess })
  const remove = useMutation({ mutationFn: () => removeParcel(id, parcel), onSuccess })
  return (
    <Dialog title={parcel.situs_address ?? parcel.source_parcel_id} onClose={onClose}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault()
          save.mutate()
        }}
      >
        <NoteFields {...draft} onChange={(changed) => setDraft({ ...draft, ...changed })} />
        <Trouble error={save.error ?? remove.error} />
        <div className="dialog-foot">
          <Button isBusy={remove.isPending} onClick={() => remove.mutate()}>
            Remove
          </Button>
          <Button type="submit" kind="primary" isBusy={save.isPending}>
            Save
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

const Rename = ({ portfolio, onClose }: { portfolio: Portfolio; onClose: () => void }) => {
  const queries = useQueryClient()
  const [name, setName] = useState(portfolio.name)
  const rename = useMutation({
    mutationFn: () => renamePortfolio(portfolio.id, name),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ['portfolios'] })
      onClose()
    },
  })
  return (
    <Dialog title="Rename the portfolio" onClose={onClose}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault()
          rename.mutate()
        }}
      >
        <NameField value={name} onChange={setName} />
        <Trouble error={rename.error} />
        <div className="dialog-foot">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" kind="primary" isBusy={rename.isPending}>
            Rename
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

const Remove = ({ portfolio, onClose }: { portfolio: Portfolio; onClose: () => void }) => {
  const queries = useQueryClient()
  const [, navigate] = useLocation()
  const remove = useMutation({
    mutationFn: () => removePortfolio(portfolio.id),
    onSuccess: () => {
      navigate('/app/portfolios')
      return queries.invalidateQueries({ queryKey: ['portfolios'] })
    },
  })
  return (
    <Confirm
      title="Delete the portfolio"
      action="Delete"
      isBusy={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate()}
      onClose={onClose}
    >
      <p>The notes and tags in it are deleted, too. The parcels stay.</p>
    </Confirm>
  )
}

/** Watches each parcel that this person does not watch yet. */
const WatchAll = ({ portfolio }: { portfolio: Portfolio }) => {
  const queries = useQueryClient()
  const watch = useMutation({
    mutationFn: async () => {
      const watched = await listWatchedParcels()
      const others = portfolio.parcels.filter((parcel) => !watched.has(keyOf(parcel)))
      for (const { source, source_parcel_id } of others) await addWatch({ kind: 'parcel', source, source_parcel_id })
      return others.length
    },
    onSettled: () => queries.invalidateQueries({ queryKey: ['watches'] }),
  })
  return (
    <>
      <Button
        isBusy={watch.isPending}
        disabled={portfolio.parcels.length === 0 || watch.isSuccess}
        onClick={() => watch.mutate()}
      >
        Watch all
      </Button>
      {watch.data !== undefined && (
        <Notice tone="good">
          {watch.data === 0 ? (
            'All of its parcels have a watch already.'
          ) : (
            <>
              <Link href="/app/watches">{countNoun(watch.data, 'watch', 'watches')}</Link> added.
            </>
          )}
        </Notice>
      )}
      <Trouble error={watch.error} />
    </>
  )
}

/** The parcels that this person watches, as `keyOf` names them. Inactive watches do not count. */
const listWatchedParcels = async (): Promise<Set<string>> => {
  const watched = new Set<string>()
  let after: string | null = null
  do {
    const page: { watches: Watch[]; next: string | null } = await listWatches(after, new AbortController().signal, {
      mine: 'true',
    })
    for (const { kind, active, source, source_parcel_id } of page.watches) {
      if (kind === 'parcel' && active) watched.add(`${source}/${source_parcel_id}`)
    }
    after = page.next
  } while (after !== null)
  return watched
}

const EXPORTED = [
  'source',
  'source_parcel_id',
  'situs_address',
  'situs_city',
  'county_name',
  'state',
  'owner_name',
  'assessed_value',
  'acreage',
  'land_use_class',
  'tags',
  'note',
  'added_at',
] as const

const exportParcels = ({ name, parcels }: Portfolio): void => {
  const rows = parcels.map((parcel) => ({ ...parcel, tags: parcel.tags.join('; ') }))
  saveCsv(`${name.replaceAll(/[^\p{L}\p{N}]+/gu, '-')}.csv`, toCsv(EXPORTED, rows))
}
