import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'wouter'
import { FILE_VENDOR } from '../../../../../../core/sources/file-vendor'
import { useAddressParams, usePathParams } from '../../../address'
import { api, ask, at, Refusal } from '../../../api/api'
import { formatWords } from '../../../format'
import { Badge } from '../../../ui/badge'
import { Button } from '../../../ui/button'
import { Loaded } from '../../../ui/loaded'
import { Notice } from '../../../ui/notice'
import { Time } from '../../../ui/time'
import { formatText } from '../../parcel/format-value'
import { ConsolePage } from '../console-page'
import { Crawls } from '../crawls/crawls'
import { LoadDetails } from '../loads/load-details'
import { LoadLimitsForm } from '../loads/load-limits'
import { Loads } from '../loads/loads'
import { Files } from './files'
import { Proof } from './proof'
import { RetireButton, RetiredNotice } from './retire'
import { SourceRuns } from './runs'
import { SettingsForm } from './settings-form'
import { SourceDialog } from './source-dialog'
import { UnreadLabels } from './unread-labels'

/** The evidence for a vendor's grade. */
const KNOWN_FROM = {
  A: 'checked with whole pages',
  B: 'known from parts of pages or several projects',
  C: 'known from one project only',
} as const

/** One county portal: what it is, and how it is crawled. */
export const SourcePage = () => {
  const { source } = usePathParams('/app/console/sources/:source')
  const params = useAddressParams()
  const load = params.get('load')
  const [isEditing, setEditing] = useState(false)
  const found = useQuery({
    queryKey: ['sources', source, 'page'],
    queryFn: ({ signal }) => ask(api.v1.sources({ source: at(source) }).get({ fetch: { signal } })),
  })
  return (
    // The details of a load are at the top of the page.
    <ConsolePage
      part={load}
      title={found.data === undefined ? source : `${found.data.county_name}, ${found.data.state}`}
      lead={<span className="code">{source}</span>}
      actions={
        <>
          <Link className="button" href="/app/console/sources">
            All sources
          </Link>
          {found.data && (
            <>
              <Link className="button" href={`/app/console/jobs?source=${at(source)}`}>
                Jobs of this source
              </Link>
              {found.data.retired_at === null && (
                <>
                  <Button onClick={() => setEditing(true)}>Edit the source</Button>
                  <RetireButton source={source} />
                </>
              )}
            </>
          )}
        </>
      }
    >
      {found.error instanceof Refusal && found.error.status === 404 ? (
        <Notice tone="bad">There is no source with this name.</Notice>
      ) : (
        <Loaded query={found} what="the source">
          {(data) => (
            <>
              {data.retired_at !== null && <RetiredNotice source={source} at={data.retired_at} />}
              {load !== null && <LoadDetails source={source} id={load} />}
              <section className="card">
                <dl className="facts">
                  <dt>Vendor</dt>
                  <dd>{data.vendor}</dd>
                  {data.vendor !== FILE_VENDOR && (
                    <>
                      <dt>Grade</dt>
                      <dd>
                        {data.vendor_grade === null
                          ? 'no adapter'
                          : `${data.vendor_grade}: ${KNOWN_FROM[data.vendor_grade]}`}
                      </dd>
                      <dt>Proof</dt>
                      <dd>
                        <Proof source={source} provedAt={data.proved_at} isNeeded={data.vendor_grade === 'C'} />
                      </dd>
                    </>
                  )}
                  {data.look_up !== undefined && (
                    <>
                      <dt>Look up before activation</dt>
                      <dd>{data.look_up}</dd>
                    </>
                  )}
                  <dt>URL</dt>
                  <dd>
                    {data.base_url === '' ? (
                      'none: its files are loaded by hand'
                    ) : (
                      <a href={data.base_url} rel="noreferrer noopener" target="_blank">
                        {data.base_url}
                      </a>
                    )}
                  </dd>
                  <dt>Active</dt>
                  <dd>{data.active ? <Badge tone="good">active</Badge> : <Badge>not active</Badge>}</dd>
                  <dt>Cadence</dt>
                  <dd>
                    {formatWords(data.cadence)}
                    {data.active && (
                      <>
                        , next due <Time at={data.next_due_at} />
                      </>
                    )}
                  </dd>
                  <dt>{data.vendor === FILE_VENDOR ? 'Last complete file' : 'Last complete refresh'}</dt>
                  <dd>{data.last_full_scrape_at === null ? 'not yet' : <Time at={data.last_full_scrape_at} />}</dd>
                  <dt>Data as of</dt>
                  <dd>{data.last_known_data_as_of === null ? 'not known' : formatText(data.last_known_data_as_of)}</dd>
                  <dt>License</dt>
                  <dd>{[data.license ?? 'not known', data.attribution].filter(Boolean).join(' · ')}</dd>
                </dl>
              </section>
              {data.vendor === FILE_VENDOR ? (
                <Files source={source} address={data.base_url} />
              ) : (
                <SourceRuns source={source} />
              )}
              {data.vendor_config && data.vendor_config_schema && (
                <SettingsForm
                  key={source}
                  source={source}
                  schema={data.vendor_config_schema}
                  config={data.vendor_config}
                  hasPortal={data.vendor !== FILE_VENDOR}
                  needsProof={data.vendor_grade === 'C' && data.proved_at === null}
                />
              )}
              {data.vendor !== FILE_VENDOR && (
                <>
                  {data.can_crawl ? (
                    <Crawls source={source} />
                  ) : (
                    <section className="card">
                      <h2>Crawls</h2>
                      <p className="empty">
                        {data.vendor} does not serve whole layers: its parcels are scraped one by one, as jobs.
                      </p>
                    </section>
                  )}
                  <UnreadLabels source={source} />
                </>
              )}
              <Loads source={source} />
              {data.load_limits && <LoadLimitsForm source={source} limits={data.load_limits} />}
            </>
          )}
        </Loaded>
      )}
      {isEditing && <SourceDialog source={source} onClose={() => setEditing(false)} />}
    </ConsolePage>
  )
}
