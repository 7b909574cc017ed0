import { FILE_VENDOR } from '../../../../../../core/sources/file-vendor'
import type { Source } from '../../../api/sources'
import { formatWords } from '../../../format'
import { Badge } from '../../../ui/badge'
import { Fact } from '../../../ui/fact'
import { Time } from '../../../ui/time'
import { formatText } from '../../parcel/format-value'
import { Proof } from './proof'

/** The evidence for a vendor's grade. */
const KNOWN_FROM = {
  A: 'checked with whole pages',
  B: 'known from parts of pages or several projects',
  C: 'known from one project only',
} as const

/** What a source is, and how current its data is. */
export const SourceFacts = ({ source }: { source: Source }) => {
  const { vendor, vendor_grade: grade, base_url, last_full_scrape_at, last_known_data_as_of } = source
  const isFromFiles = vendor === FILE_VENDOR
  return (
    <section className="card">
      <dl className="facts">
        <Fact label="Vendor">{vendor}</Fact>
        {!isFromFiles && (
          <>
            <Fact label="Grade">{grade === null ? 'no adapter' : `${grade}: ${KNOWN_FROM[grade]}`}</Fact>
            <Fact label="Proof">
              <Proof source={source.source} provedAt={source.proved_at} isNeeded={grade === 'C'} />
            </Fact>
          </>
        )}
        {source.look_up !== undefined && <Fact label="Look up before activation">{source.look_up}</Fact>}
        <Fact label="URL">
          {base_url === '' ? (
            'none: its files are loaded by hand'
          ) : (
            <a href={base_url} rel="noreferrer noopener" target="_blank">
              {base_url}
            </a>
          )}
        </Fact>
        <Fact label="Active">{source.active ? <Badge tone="good">active</Badge> : <Badge>not active</Badge>}</Fact>
        <Fact label="Cadence">
          {formatWords(source.cadence)}
          {source.active && (
            <>
              , next due <Time at={source.next_due_at} />
            </>
          )}
        </Fact>
        <Fact label={isFromFiles ? 'Last complete file' : 'Last complete refresh'}>
          {last_full_scrape_at === null ? 'not yet' : <Time at={last_full_scrape_at} />}
        </Fact>
        <Fact label="Data as of">
          {last_known_data_as_of === null ? 'not known' : formatText(last_known_data_as_of)}
        </Fact>
        <Fact label="License">{[source.license ?? 'not known', source.attribution].filter(Boolean).join(' · ')}</Fact>
      </dl>
    </section>
  )
}
