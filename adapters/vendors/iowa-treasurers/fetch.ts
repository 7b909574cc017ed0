import type { FetchContext, Fetched, RawDocument, ScrapeTarget } from '../../adapter'
import { conditionalHeaders, portalUrl } from '../../http/portal-url'
import { expectPage, isNotModified } from '../../reading/page/expect-page'
import { readPage } from '../../reading/page/read-page'
import { saysNothingFound } from '../../reading/page/says-nothing-found'
import { wordsOf } from '../../reading/text'
import { ScrapeError } from '../../scrape-error'
import { fillForm, readForm, submission } from '../../sessions/web-form'
import type { Config } from './config'

/** Fetches the popup with a parcel's tax. If only the parcel number is known, it searches for the internal id first. */
export const fetchParcel = async (target: ScrapeTarget, _config: Config, { http }: FetchContext): Promise<Fetched> => {
  const found: RawDocument[] = []
  let parcelId = target.overrides.vendorKey
  if (parcelId === undefined) {
    const search = expectPage(await http.request({ name: 'search', url: target.baseUrl }))
    const results = await http.request({ name: 'results', ...searchFor(search, target.sourceParcelId) })
    found.push(search, results)
    parcelId = readParcelId(results, target.sourceParcelId)
  }
  const parcel = await http.request({
    name: 'parcel',
    url: portalUrl(target.baseUrl, 'modules/parceldetailpopup.php', { id: parcelId }),
    headers: conditionalHeaders(target),
  })
  if (isNotModified(parcel)) return { notModified: true }
  return { documents: [...found, expectPage(parcel)] }
}

const searchFor = (search: RawDocument, parcelNumber: string) => {
  const page = readPage([search], 'search')
  const field = page.get('#parcelsearchform #parcelnumber', 'parcel number').attribute('name') ?? 'parcelnumber'
  return submission(fillForm(readForm(page, '#parcelsearchform'), { [field]: parcelNumber }), search.url)
}

/**
 * The internal id of the only result, or of the result that shows this parcel number.
 *
 * @throws ScrapeError `not_found`; `page_changed` when results have another form; `bad_config` when the results do not identify the parcel and `vendorKey` is needed
 */
const readParcelId = (results: RawDocument, parcelNumber: string): string => {
  const page = readPage([results], 'results')
  if (page.find('#parcelsearchform') === undefined) page.get('#searchresults', 'search results')
  const cards = page.all('#searchresults .card').flatMap((card) => {
    const id = card.find('input[name="ParcelID[]"]')?.attribute('value')
    return id === undefined ? [] : [{ id, shows: wordsOf(card.text).split(/[\s:]+/) }]
  })
  const [only] = cards
  if (only === undefined) {
    const results = page.find('#searchresults')?.text ?? ''
    if (results === '' || saysNothingFound(page)) {
      throw new ScrapeError('not_found', `the search finds no parcel "${parcelNumber}"`)
    }
    throw new ScrapeError('page_changed', 'no card with "ParcelID[]" among the search results')
  }
  if (cards.length === 1) return only.id
  const [match, ...others] = new Set(
    cards.filter(({ shows }) => shows.includes(wordsOf(parcelNumber))).map(({ id }) => id),
  )
  if (match !== undefined && others.length === 0) return match
  throw new ScrapeError(
    'bad_config',
    `${cards.length} results for "${parcelNumber}", and none shows the number: set vendorKey to choose one`,
  )
}
