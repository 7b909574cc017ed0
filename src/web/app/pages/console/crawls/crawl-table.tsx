import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { countNoun } from '../../../../../../core/text/count-noun'
import { formatCount, formatDuration } from '../../../format'
import { Badge } from '../../../ui/badge'
import { Dialog } from '../../../ui/dialog'
import { Loaded } from '../../../ui/loaded'
import { DataTable } from '../../../ui/table/data-table'
import { Time } from '../../../ui/time'
import { JOB_TONES } from '../jobs/job-tones'
import { type Crawl, getCrawl } from './crawl-api'

/** A source's crawls, each with a link to the records that it rejected. */
export const CrawlTable = ({ source, crawls }: { source: string; crawls: Crawl[] }) => {
  const [shownRejects, setShownRejects] = useState<string | null>(null)
  return (
    <>
      <DataTable
        label="Crawls"
        rows={crawls}
        keyOf={({ id }) => id}
        toneOf={({ status }) => (status === 'error' ? 'bad' : null)}
        empty="No crawls in the last 30 days."
        columns={[
          { name: 'Requested', isHead: true, cell: ({ created_at }) => <Time at={created_at} /> },
          { name: 'Status', cell: ({ status }) => <Badge tone={JOB_TONES[status]}>{status}</Badge> },
          {
            name: 'By',
            cell: ({ requested_by }) => requested_by ?? <span className="quiet">schedule</span>,
          },
          { name: 'Pages', isNumber: true, cell: ({ pages }) => formatCount(pages) },
          { name: 'New', isNumber: true, cell: ({ inserted }) => formatCount(inserted) },
          { name: 'Changed', isNumber: true, cell: ({ updated }) => formatCount(updated) },
          { name: 'Unchanged', isNumber: true, cell: ({ unchanged }) => formatCount(unchanged) },
          {
            name: 'Rejected',
            isNumber: true,
            cell: ({ id, rejected }) =>
              rejected === 0 ? (
                '0'
              ) : (
                <button
                  type="button"
                  className="link"
                  aria-label={`${formatCount(rejected)} rejected: show them`}
                  onClick={() => setShownRejects(id)}
                >
                  {formatCount(rejected)}
                </button>
              ),
          },
          {
            name: 'Took',
            isNumber: true,
            cell: ({ started_at, finished_at }) =>
              formatDuration(
                started_at === null || finished_at === null ? null : Date.parse(finished_at) - Date.parse(started_at),
              ),
          },
          {
            name: 'What happened',
            cell: ({ error_message }) => <span className="cell-message">{error_message ?? ''}</span>,
          },
        ]}
      />
      {shownRejects !== null && <Rejects source={source} id={shownRejects} onClose={() => setShownRejects(null)} />}
    </>
  )
}

const Rejects = ({ source, id, onClose }: { source: string; id: string; onClose: () => void }) => {
  const crawl = useQuery({
    queryKey: ['crawls', source, id],
    queryFn: ({ signal }) => getCrawl(source, id, signal),
  })
  return (
    <Dialog title="Rejected records" onClose={onClose}>
      <Loaded query={crawl} what="the rejected records">
        {({ rejected, rejects }) => (
          <>
            <p className="quiet">
              {rejects.length < rejected
                ? `The first ${formatCount(rejects.length)} of ${formatCount(rejected)} records.`
                : `${countNoun(rejected, 'record')}.`}
            </p>
            <DataTable
              label="Rejected records"
              rows={rejects.map((reject, index) => ({ ...reject, index }))}
              keyOf={({ index }) => String(index)}
              empty="No rejected records are stored."
              columns={[
                { name: 'Record', isHead: true, cell: ({ what }) => <span className="cell-message">{what}</span> },
                { name: 'Why', cell: ({ reason }) => <span className="cell-message">{reason}</span> },
              ]}
            />
          </>
        )}
      </Loaded>
    </Dialog>
  )
}
