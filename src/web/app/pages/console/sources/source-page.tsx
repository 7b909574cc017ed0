import { useState } from 'react'
import { Link } from 'wouter'
import { FILE_VENDOR } from '../../../../../../core/sources/file-vendor'
import { useAddressParams, usePathParams } from '../../../address'
import { at, isNotFound } from '../../../api/api'
import { type Source, useSource } from '../../../api/sources'
import { Button } from '../../../ui/button'
import { Loaded } from '../../../ui/loaded'
import { Notice } from '../../../ui/notice'
import { ConsolePage } from '../console-page'
import { Crawls } from '../crawls/crawls'
import { LoadDetails } from '../loads/load-details'
import { LoadLimitsForm } from '../loads/load-limits'
import { Loads } from '../loads/loads'
import { Files } from './files'
import { RetireButton, RetiredNotice } from './retire'
import { SourceRuns } from './runs'
import { SettingsForm } from './settings-form'
import { SourceDialog } from './source-dialog'
import { SourceFacts } from './source-facts'
import { UnreadLabels } from './unread-labels'

/** One source: what it is, how it is scraped or loaded, and its settings. `?load=` shows the details of a load at the top. */
export const SourcePage = () => {
  const { source } = usePathParams('/app/console/sources/:source')
  const load = useAddressParams().get('load')
  const [isEditing, setEditing] = useState(false)
  const found = useSource(source)
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
            <Link className="button" href={`/app/console/jobs?source=${at(source)}`}>
              Jobs of this source
            </Link>
          )}
          {found.data?.retired_at === null && (
            <>
              <Button onClick={() => setEditing(true)}>Edit the source</Button>
              <RetireButton source={source} />
            </>
          )}
        </>
      }
    >
      {isNotFound(found.error) ? (
        <Notice tone="bad">There is no source with this name.</Notice>
      ) : (
        <Loaded query={found} what="the source">
          {(data) => (
            <>
              {data.retired_at !== null && <RetiredNotice source={source} at={data.retired_at} />}
              {load !== null && <LoadDetails source={source} id={load} />}
              <SourceFacts source={data} />
              {data.vendor === FILE_VENDOR ? (
                <Files source={source} address={data.base_url} />
              ) : (
                <SourceRuns source={source} />
              )}
              <SourceSettings source={data} />
              {data.vendor !== FILE_VENDOR && (
                <>
                  <SourceCrawls source={data} />
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

const SourceSettings = ({ source: { source, vendor, vendor_grade, proved_at, ...settings } }: { source: Source }) =>
  settings.vendor_config &&
  settings.vendor_config_schema && (
    <SettingsForm
      key={source}
      source={source}
      schema={settings.vendor_config_schema}
      config={settings.vendor_config}
      hasPortal={vendor !== FILE_VENDOR}
      needsProof={vendor_grade === 'C' && proved_at === null}
    />
  )

const SourceCrawls = ({ source: { source, vendor, can_crawl } }: { source: Source }) =>
  can_crawl ? (
    <Crawls source={source} />
  ) : (
    <section className="card">
      <h2>Crawls</h2>
      <p className="empty">{vendor} does not serve whole layers: its parcels are scraped one by one, as jobs.</p>
    </section>
  )
