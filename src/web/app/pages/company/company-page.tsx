import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { Link } from 'wouter'
import { usePathParams } from '../../address'
import { api, ask, at } from '../../api/api'
import { fetchNext } from '../../api/fetch-next'
import { PAGED } from '../../api/queries'
import { DASH, formatAcres, formatCount, formatDay, formatDollars } from '../../format'
import { Button } from '../../ui/button'
import { Fact } from '../../ui/fact'
import { Loaded, Trouble } from '../../ui/loaded'
import { Page } from '../../ui/page/page'
import { DataTable } from '../../ui/table/data-table'
import { MapPanel } from '../map/map-panel'
import type { MapHit } from '../map/map-parcel'
import { parcelPath } from '../search/entries'
import { type ServiceSort, useServiceSort } from '../search/results'

const PAGE = 100
const FIELDS = 'owner_name,situs_address,situs_city,assessed_value,acreage,land_use_class,state,county_name,bbox'

const findCompany = (id: string, signal: AbortSignal) => ask(api.v1.entities({ id: at(id) }).get({ fetch: { signal } }))
type Company = Awaited<ReturnType<typeof findCompany>>

const listParcelsOf = (owner: string, sort: ServiceSort | null, after: string | null, signal: AbortSignal) =>
  ask(
    api.v1.parcels.get({
      query: {
        owner,
        fields: FIELDS,
        limit: PAGE,
        ...(sort === null ? {} : { sort }),
        ...(after === null ? { count: 'estimate' as const } : { after }),
      },
      fetch: { signal },
    }),
  )
type OwnedParcel = Awaited<ReturnType<typeof listParcelsOf>>['parcels'][number]

/** What the registry says of a company, and the parcels whose owner has its name. */
export const CompanyPage = () => {
  const { id } = usePathParams('/app/companies/:id')
  const company = useQuery({ queryKey: ['company', id], queryFn: ({ signal }) => findCompany(id, signal) })
  return (
    <Page title={company.data?.name ?? 'Company'} lead={company.data && leadOf(company.data)}>
      <Loaded query={company} what="the company">
        {(data) => (
          <>
            <section className="card">
              <h2>Registry</h2>
              <dl className="facts">
                <Fact label="Kind">{data.entity_type}</Fact>
                <Fact label="Status">{data.status}</Fact>
                <Fact label="Number">{data.registry_number}</Fact>
                <Fact label="Agent">{data.registered_agent_name}</Fact>
                <Fact label="Updated">{formatDay(data.updated_at)}</Fact>
              </dl>
            </section>
            <ParcelsOf company={data} />
          </>
        )}
      </Loaded>
    </Page>
  )
}

const leadOf = ({ jurisdiction, status }: Company): string =>
  [`Business registry of ${jurisdiction}`, status?.toLowerCase()].filter(Boolean).join(' · ')

const ParcelsOf = ({ company: { name } }: { company: Company }) => {
  const sort = useServiceSort()
  const parcels = useInfiniteQuery({
    queryKey: ['parcels-of', name, sort],
    queryFn: ({ signal, pageParam }) => listParcelsOf(name, sort, pageParam, signal),
    placeholderData: keepPreviousData,
    ...PAGED,
  })
  const rows = useMemo(() => parcels.data?.pages.flatMap((page) => page.parcels) ?? [], [parcels.data])
  const hits = useMemo(() => rows.flatMap(toHit), [rows])
  return (
    <section className="card">
      <h2>Land</h2>
      <Loaded query={parcels} what="the parcels of the company">
        {() => (
          <>
            {hits.length > 0 && (
              <div className="coverage-map">
                <MapPanel hits={hits} />
              </div>
            )}
            <DataTable
              label="Parcels of this company"
              // It may have more parcels than are loaded.
              isSorted
              rows={rows}
              keyOf={({ id }) => id}
              empty="No parcel has an owner with this name."
              columns={[
                {
                  name: 'Parcel',
                  isHead: true,
                  cell: (parcel) => (
                    <>
                      <Link href={parcelPath(parcel)}>{parcel.situs_address ?? parcel.source_parcel_id}</Link>
                      <span className="cell-note">
                        {[parcel.situs_city, parcel.source_parcel_id].filter(Boolean).join(' · ')}
                      </span>
                    </>
                  ),
                },
                {
                  name: 'County',
                  cell: ({ county_name, state }) => `${county_name}, ${state}`,
                },
                { name: 'Owner', cell: ({ owner_name }) => owner_name },
                { name: 'Land use', cell: ({ land_use_class }) => land_use_class ?? DASH },
                {
                  name: 'Acres',
                  id: 'acreage',
                  isNumber: true,
                  sortBy: ({ acreage }) => acreage ?? null,
                  cell: ({ acreage }) => formatAcres(acreage),
                },
                {
                  name: 'Assessed value',
                  isNumber: true,
                  sortBy: ({ assessed_value }) => assessed_value ?? null,
                  cell: ({ assessed_value }) => formatDollars(assessed_value ?? null),
                },
              ]}
            />
            <Trouble error={parcels.isFetchNextPageError ? parcels.error : null} />
            <div className="row">
              <span className="quiet small">{describeShown(rows.length, parcels.data?.pages[0])}</span>
              {parcels.hasNextPage && (
                <Button isBusy={parcels.isFetchingNextPage} onClick={() => fetchNext(parcels)}>
                  Show more
                </Button>
              )}
              <Link href={`/app/search?q=${encodeURIComponent(name)}&types=parcels`}>
                Search for owners with a similar name
              </Link>
            </div>
          </>
        )}
      </Loaded>
    </section>
  )
}

/** Of a few parcels the number is exact. */
const describeShown = (
  shown: number,
  first: { total?: number | undefined; total_is_exact?: boolean | undefined } | undefined,
): string => {
  const { total = shown, total_is_exact = true } = first ?? {}
  return total <= shown
    ? `${formatCount(shown)} shown`
    : `${formatCount(shown)} of ${total_is_exact ? '' : 'about '}${formatCount(total)} shown`
}

const toHit = ({ bbox, ...parcel }: OwnedParcel): MapHit[] => {
  if (bbox === null || bbox === undefined) return []
  const [west = 0, south = 0, east = 0, north = 0] = bbox
  const { id, source, source_parcel_id, owner_name = null, situs_address = null } = parcel
  const middle = { lon: (west + east) / 2, lat: (south + north) / 2 }
  return [{ id, source, source_parcel_id, owner_name, situs_address, ...middle }]
}
