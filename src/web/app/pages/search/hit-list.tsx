import { memo, useEffect, useRef } from 'react'
import { countyTitle } from '../../../../../core/sources/county-names'
import { countNoun } from '../../../../../core/text/count-noun'
import { formatCount, formatDollars } from '../../format'
import { Icon } from '../../ui/icon'
import { useKeptScroll } from '../../ui/page/kept-scroll'
import { companyPath, type Entry, parcelPath } from './entries'
import { LoadMore, useLoadMore } from './load-more'
import { Marked } from './marked'
import type { EntityHit, OwnerGroup, ParcelHit, Results } from './results'

interface Props {
  id: string
  idOf: (index: number) => string
  entries: Entry[]
  active: string | null
  /** Whether these are the hits of the previous text, while those of the current one load. */
  isStale: boolean
  onActive: (id: string | null) => void
  onPick: (entry: Entry) => void
  results: Results
}

/** The hits as a tree. The focus stays in the text field, which names the active hit. */
export const HitList = ({ id, idOf, entries, active, isStale, onActive, onPick, results }: Props) => {
  const list = useRef<HTMLDivElement>(null)
  const end = useLoadMore<HTMLDivElement>(results)
  const keepScroll = useKeptScroll('hits', list, entries.length > 0)
  useEffect(() => {
    // What the pointer is on stays there.
    if (active !== null)
      list.current?.querySelector('[aria-selected=true]:not(:hover)')?.scrollIntoView({ block: 'nearest' })
  }, [active])
  return (
    <>
      <div
        ref={list}
        id={id}
        role="tree"
        aria-label="Hits"
        tabIndex={-1}
        className="hits"
        data-stale={isStale || undefined}
        hidden={entries.length === 0}
        onScroll={keepScroll}
      >
        {entries.map((entry, index) => (
          // The text field has the focus and the keys, and names the active one.
          <a
            key={`${entry.level} ${entry.id}`}
            id={idOf(index)}
            role="treeitem"
            href={pathOf(entry)}
            tabIndex={-1}
            aria-level={entry.level}
            aria-selected={entry.id === active}
            aria-expanded={'isOpen' in entry ? entry.isOpen : undefined}
            className={`hit level-${entry.level}`}
            // Keeps the focus in the text field.
            onPointerDown={(event) => event.preventDefault()}
            onPointerMove={({ movementX, movementY, pointerType }) => {
              // A resting pointer does not choose the hits that appear or scroll under it, nor a finger those that it scrolls.
              const isMoved = pointerType !== 'touch' && (movementX !== 0 || movementY !== 0)
              if (isMoved && entry.id !== active) onActive(entry.id)
            }}
            onClick={(event) => {
              const opensElsewhere = event.ctrlKey || event.metaKey || event.shiftKey
              if (opensElsewhere && event.currentTarget.hasAttribute('href')) return
              event.preventDefault()
              onPick(entry)
            }}
          >
            <Line hit={entry.hit} isAll={entry.isAll === true} />
          </a>
        ))}
        <div ref={end} aria-hidden="true" className="hits-end" />
      </div>
      <LoadMore results={results} />
    </>
  )
}

/** The page of a hit, which the browser can open in a new tab. Undefined: the line opens or lists a group. */
const pathOf = ({ hit }: Entry): string | undefined =>
  hit.kind === 'parcel' ? parcelPath(hit) : hit.kind === 'entity' ? companyPath(hit) : undefined

/** What a line shows. It is not rendered again with each letter, nor when another hit becomes active. */
const Line = memo(({ hit, isAll }: { hit: Entry['hit']; isAll: boolean }) => {
  if (hit.kind === 'parcel') return <ParcelLine hit={hit} />
  if (hit.kind === 'entity') return <EntityLine hit={hit} />
  return isAll ? <AllLine /> : <GroupLine hit={hit} />
})

const ParcelLine = ({ hit }: { hit: ParcelHit }) => {
  const { highlight, situs_address, situs_city, situs_state, owner_name, source_parcel_id, county_name, state } = hit
  const id = <Marked html={highlight?.source_parcel_id} text={source_parcel_id} />
  return (
    <>
      <Icon name="home" />
      <span className="hit-words">
        <strong>{situs_address === null ? id : <Marked html={highlight?.situs_address} text={situs_address} />}</strong>
        <span className="hit-owner">
          {owner_name === null ? 'Owner not known' : <Marked html={highlight?.owner_name} text={owner_name} />}
        </span>
        <span className="hit-place">
          {situs_city === null ? countyTitle(county_name) : <Marked html={highlight?.situs_city} text={situs_city} />},{' '}
          {situs_state ?? state} · {id}
        </span>
      </span>
      {hit.assessed_value !== null && <span className="hit-value">{formatDollars(hit.assessed_value)}</span>}
    </>
  )
}

const EntityLine = ({ hit }: { hit: EntityHit }) => (
  <>
    <Icon name="company" />
    <span className="hit-words">
      <strong>
        <Marked html={hit.highlight?.name} text={hit.name} />
      </strong>
      <span className="hit-place">
        {/* What tells companies of one name apart comes first: phones cut the rest. */}
        {[`${hit.jurisdiction} ${hit.registry_number}`, hit.status, hit.entity_type].filter(Boolean).join(' · ')}
      </span>
      {hit.registered_agent_name && (
        <span className="hit-place">
          Agent: <Marked html={hit.highlight?.registered_agent_name} text={hit.registered_agent_name} />
        </span>
      )}
    </span>
    <span className="hit-value">{countNoun(hit.linked_parcel_count, 'parcel')}</span>
  </>
)

const GroupLine = ({ hit }: { hit: OwnerGroup }) => (
  <>
    <Icon name="people" />
    <span className="hit-words">
      <strong>
        <Marked html={hit.highlight?.owner_name} text={hit.owner_name} />
      </strong>
      <span className="hit-place">
        {hit.member_count > hit.members.length
          ? `${formatCount(hit.member_count)} parcels, the best ${hit.members.length} here`
          : `${formatCount(hit.member_count)} parcels of one owner`}
      </span>
    </span>
    <span className="hit-fold">
      <Icon name="chevron" />
    </span>
  </>
)

/** Without a number: the list also has other spellings of the name. */
const AllLine = () => (
  <>
    <Icon name="chevron" />
    <span className="hit-words">
      <strong>List all parcels of this owner</strong>
    </span>
  </>
)
