import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { countNoun } from '../../../../../../core/text/count-noun'
import { serverNow } from '../../../api/server-clock'
import { formatAbout, formatCount } from '../../../format'
import { Button } from '../../../ui/button'
import { Dialog } from '../../../ui/dialog'
import { Field } from '../../../ui/form/field'
import { Select } from '../../../ui/form/select'
import { Trouble } from '../../../ui/loaded'
import { Notice } from '../../../ui/notice'
import {
  estimateRefresh,
  orderParcels,
  orderRefresh,
  type RefreshEstimate,
  type RefreshFilter,
  useSourceNames,
} from './job-api'

/** The most ids that one request takes. */
const MAX_IDS = 1_000

export interface PlacedOrder {
  source: string
  jobs: number
  at: string
}

interface Draft {
  source: string
  by: 'filter' | 'ids'
  ids: string
  landUse: string
  minAcres: string
  isAgricultural: boolean
  skipFresh: boolean
}

const idsOf = ({ ids }: Draft): string[] => [
  ...new Set(
    ids
      .split(/\r?\n/)
      .map((line) => line.trim())
      .filter(Boolean),
  ),
]

const filterOf = ({ source, landUse, minAcres, isAgricultural }: Draft): RefreshFilter => ({
  source,
  ...(landUse.trim() === '' ? {} : { land_use: landUse.trim() }),
  ...(minAcres === '' ? {} : { min_acres: Number(minAcres) }),
  ...(isAgricultural ? { agricultural: true } : {}),
})

/** The order that is being filled in, its estimate, and the request that places it. */
const useOrder = (source: string, onPlaced: (order: PlacedOrder) => void) => {
  const queries = useQueryClient()
  const [draft, setDraft] = useState<Draft>({
    source,
    by: 'filter',
    ids: '',
    landUse: '',
    minAcres: '',
    isAgricultural: false,
    skipFresh: true,
  })
  const estimate = useMutation({ mutationFn: (of: Draft) => estimateRefresh(filterOf(of), of.skipFresh) })
  const place = useMutation({
    mutationFn: async (of: Draft): Promise<PlacedOrder> => {
      // The service's time is known to some seconds: jobs that end early are counted all the same.
      const at = new Date(serverNow() - 60_000).toISOString()
      const jobs =
        of.by === 'ids'
          ? (await orderParcels(of.source, idsOf(of))).count
          : (await orderRefresh(filterOf(of), of.skipFresh)).enqueued
      return { source: of.source, jobs, at }
    },
    onSuccess: async (order) => {
      await queries.invalidateQueries({ queryKey: ['jobs'] })
      onPlaced(order)
    },
  })
  const change = (changed: Partial<Draft>) => {
    estimate.reset()
    // A request in progress goes on: without it, the button would place the order again.
    if (!place.isPending) place.reset()
    setDraft({ ...draft, ...changed })
  }
  return { draft, change, estimate, place }
}

/** Orders scrapes of a county, of its parcels that meet a filter, or of parcels whose ids are pasted. */
export const OrderDialog = ({
  source,
  onPlaced,
  onClose,
}: {
  source: string
  onPlaced: (order: PlacedOrder) => void
  onClose: () => void
}) => {
  const names = useSourceNames()
  const { draft, change, estimate, place } = useOrder(source, onPlaced)
  const ids = idsOf(draft)
  const isReady = draft.source !== '' && (draft.by === 'filter' || (ids.length > 0 && ids.length <= MAX_IDS))
  const tooMany = ids.length > MAX_IDS ? `There are ${formatCount(ids.length)} ids; the maximum is 1,000.` : null
  const parcels = draft.by === 'ids' ? ids.length : estimate.data?.parcels
  return (
    <Dialog title="Request scrapes" onClose={onClose}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault()
          if (draft.by === 'filter' && estimate.data === undefined) estimate.mutate(draft)
          else place.mutate(draft)
        }}
      >
        <Select
          label="County"
          value={draft.source}
          options={[
            ['', 'Choose a county'],
            ...(names.data ?? []).map(([slug, name]) => [slug, `${name} (${slug})`] as const),
          ]}
          onChange={(value) => change({ source: value })}
        />
        <Select
          label="Parcels"
          value={draft.by}
          options={[
            ['filter', 'All parcels of the county, or those that match a filter'],
            ['ids', 'Parcels whose ids I paste'],
          ]}
          onChange={(by) => change({ by })}
        />
        {draft.by === 'ids' ? (
          <Field label="Parcel ids" hint="One per line, as the county writes them." error={tooMany}>
            {(given) => (
              <textarea
                {...given}
                rows={8}
                value={draft.ids}
                onChange={({ target }) => change({ ids: target.value })}
              />
            )}
          </Field>
        ) : (
          <FilterFields draft={draft} onChange={change} />
        )}
        {estimate.data && <Estimate estimate={estimate.data} />}
        <Trouble error={estimate.error ?? place.error} />
        <div className="dialog-foot">
          <Button onClick={onClose}>Cancel</Button>
          <Button
            type="submit"
            kind="primary"
            isBusy={estimate.isPending || place.isPending}
            disabled={!isReady || parcels === 0}
          >
            {parcels === undefined ? 'Estimate' : `Request ${countNoun(parcels, 'scrape')}`}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

/** Which parcels of the county, and whether those that are fresh are skipped. */
const FilterFields = ({ draft, onChange }: { draft: Draft; onChange: (changed: Partial<Draft>) => void }) => (
  <>
    <div className="settings">
      <Field label="Land use begins with">
        {(given) => (
          <input
            {...given}
            maxLength={100}
            autoComplete="off"
            value={draft.landUse}
            onChange={({ target }) => onChange({ landUse: target.value })}
          />
        )}
      </Field>
      <Field label="Acres, at least">
        {(given) => (
          <input
            {...given}
            type="number"
            min={0}
            step="any"
            value={draft.minAcres}
            onChange={({ target }) => onChange({ minAcres: target.value })}
          />
        )}
      </Field>
    </div>
    <label className="checkbox">
      <input
        type="checkbox"
        checked={draft.isAgricultural}
        onChange={({ target }) => onChange({ isAgricultural: target.checked })}
      />
      Only agricultural parcels
    </label>
    <label className="checkbox">
      <input
        type="checkbox"
        checked={draft.skipFresh}
        onChange={({ target }) => onChange({ skipFresh: target.checked })}
      />
      Skip parcels that were scraped within the source’s refresh interval
    </label>
  </>
)

const Estimate = ({ estimate: { parcels, skipped_fresh, seconds } }: { estimate: RefreshEstimate }) => (
  <Notice>
    {countNoun(parcels, 'parcel')}
    {skipped_fresh > 0 && `, without ${formatCount(skipped_fresh)} that were scraped recently`}.{' '}
    {seconds === null
      ? 'The duration is unknown: the vendor is paused, or was not scraped recently.'
      : `It takes ${formatAbout(seconds)}, including the jobs that are already queued.`}
  </Notice>
)
