import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { api, ask } from '../../api/api'
import { formatCount, formatDollars } from '../../format'
import { Loaded } from '../../ui/loaded'
import { companyPath, parcelPath } from '../search/entries'
import type { Parcel } from './parcel-api'

const SHOWN = 6

/** The companies with the owner's name, and the other parcels of the owner, the most valuable first. */
export const OwnerLand = ({ parcel }: { parcel: Parcel }) => {
  const owner = parcel.owner_name
  const land = useQuery({
    queryKey: ['owner-land', owner],
    queryFn: ({ signal }) =>
      ask(
        api.v1.parcels.get({
          query: {
            owner: owner ?? '',
            sort: '-assessed_value',
            limit: SHOWN + 1,
            count: 'estimate',
            fields: 'situs_address,assessed_value,county_name,state',
          },
          fetch: { signal },
        }),
      ),
    // A name without a letter or digit cannot be searched for.
    enabled: owner !== null && /[\p{L}\p{N}]/u.test(owner),
  })
  const companies = useQuery({
    queryKey: ['companies-named', owner],
    queryFn: ({ signal }) => ask(api.v1.entities.get({ query: { name: owner ?? '' }, fetch: { signal } })),
    enabled: owner !== null,
  })
  if (owner === null) return null
  // The page lists all owners. The land is that of one of them.
  const name = parcel.owner_names_all.length > 1 ? owner : 'this owner'
  return (
    <>
      {companies.data?.entities.map((company) => (
        <p key={company.id} className="small">
          In the business registry: <Link href={companyPath(company)}>{company.name}</Link>{' '}
          <span className="quiet">
            {[company.jurisdiction, company.registry_number].join(' ')}
            {company.status === null ? '' : `, ${company.status.toLowerCase()}`}
          </span>
        </p>
      ))}
      <Loaded query={land} what="the land of this owner">
        {({ parcels, total = 0 }) => {
          const others = parcels.filter(({ id }) => id !== parcel.id).slice(0, SHOWN)
          if (others.length === 0) return <p className="quiet small">There are no other parcels of {name}.</p>
          return (
            <>
              <ul className="linked-rows">
                {others.map((other) => (
                  <li key={other.id}>
                    <Link href={parcelPath(other)}>{other.situs_address ?? other.source_parcel_id}</Link>
                    <span className="quiet small">
                      {other.county_name}, {other.state}
                    </span>
                    <span className="amount">{formatDollars(other.assessed_value)}</span>
                  </li>
                ))}
              </ul>
              <Link href={`/app/search?owner=${encodeURIComponent(owner)}`}>
                All {formatCount(total)} parcels of {name}
              </Link>
            </>
          )
        }}
      </Loaded>
    </>
  )
}
