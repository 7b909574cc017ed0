import { parse } from 'parse5'
import { readPage } from '../../../adapters/reading/page/read-page'
import { ADAPTERS } from '../../../adapters/registry'
import { listCases } from '../../../dev/adapter-cases/list-cases'
import { fetchCase, parseCase } from '../../../dev/adapter-cases/run-case'
import { startProcessorClock } from '../../support/processor-clock'
import { GROWTHS, grow } from './grown-pages'
import { HOSTILE_PAGES } from './hostile-pages'
import { type Measured, measureParse } from './measure-parse'

/*
 * A program: measures the reading of each hostile page, then each vendor's `parse` on its full page, grown in each way. One process
 * reads all pages, as the service's readers do. It writes a line of JSON for each page.
 */

export interface MeasuredPage extends Measured {
  /** The kind of hostile page, or the vendor whose full page it is. */
  page: string
  /** How it was grown; null for a hostile page. */
  growth: string | null
  /** Characters of the largest document. */
  size: number
  /** Processor time that parse5 alone took for a page of 1 MB shortly before: how fast this machine is now. */
  plainMs: number
}

const report = (measured: MeasuredPage): void => console.log(JSON.stringify(measured))

const PLAIN_PAGE = `<table>${'<tr><td>Owner of record:</td><td>MARLOWE ROSE HOLLIS</td></tr>'.repeat(16_000)}</table>`
const measurePlain = (): number => {
  const processorMs = startProcessorClock()
  parse(PLAIN_PAGE)
  return processorMs()
}

for (const [kind, create] of Object.entries(HOSTILE_PAGES)) {
  const body = create()
  const plainMs = measurePlain()
  const document = { name: 'parcel', url: 'https://portal.example/', status: 200, headers: {}, body, fetchedAt: '' }
  const measured = measureParse(() => {
    const page = readPage([document], 'parcel')
    page.findBeside('Owner:')
    page.findTable(['Owner'])
    page.says('nothing of the kind')
  })
  report({ page: kind, growth: null, size: body.length, plainMs, ...measured })
}

for (const adapter of ADAPTERS) {
  const full = listCases(adapter.vendor).find(({ name }) => name === 'full')
  if (full === undefined) throw new Error(`no full case of ${adapter.vendor}`)
  const fetched = await fetchCase(adapter, full)
  if ('notModified' in fetched) throw new Error(`${adapter.vendor} returned no pages`)
  const plainMs = measurePlain()
  for (const growth of GROWTHS) {
    const documents = grow(fetched.documents, growth)
    if (documents === null) continue
    const size = Math.max(...documents.map(({ body }) => body.length))
    report({ page: adapter.vendor, growth, size, plainMs, ...measureParse(() => parseCase(adapter, full, documents)) })
  }
}
