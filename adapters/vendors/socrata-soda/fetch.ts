import type { FetchContext, Fetched, HttpRequest, RawDocument, ScrapeTarget } from '../../adapter'
import { conditionalHeaders } from '../../http/portal-url'
import { expectPage, isNotModified } from '../../reading/page/expect-page'
import { columnsOf } from '../../reading/record-map'
import { ScrapeError } from '../../scrape-error'
import type { Config } from './config'

/** A parcel may have a row per year. More rows than this cannot belong to one parcel. */
const MAX_ROWS = 1000

/** Fetches the rows of the parcel. */
export const fetchRows = async (target: ScrapeTarget, config: Config, { http }: FetchContext): Promise<Fetched> => {
  const isParcel = `${config.columns.parcel_id} = ${quote(target.sourceParcelId)}`
  const query = { $where: within(config, isParcel), $order: ':id', $limit: String(MAX_ROWS) }
  const asked = askRows(target.baseUrl, config, query)
  const rows = await http.request({ ...asked, headers: { ...asked.headers, ...conditionalHeaders(target) } })
  if (isNotModified(rows)) return { notModified: true }
  return { documents: [expectAnswer(rows)] }
}

/** Requests only the mapped columns and each row's update time. The portal refuses a column that does not exist. */
export const askRows = (baseUrl: string, config: Config, query: Readonly<Record<string, string>>): HttpRequest => {
  const columns = [...columnsOf(config.columns), ...(config.geometry === undefined ? [] : [config.geometry])]
  return ask(baseUrl, config, 'rows', { $select: [':id', ':updated_at', ...columns].join(','), ...query })
}

export const ask = (
  baseUrl: string,
  { dataset, app_token }: Config,
  name: string,
  query: Readonly<Record<string, string>>,
): HttpRequest => {
  const { origin, pathname } = new URL(baseUrl)
  const id = dataset ?? /\/([a-z0-9]{4}-[a-z0-9]{4})(?:\.json)?\/?$/.exec(pathname)?.[1]
  if (id === undefined) {
    throw new ScrapeError(
      'bad_config',
      'vendor_config.dataset is missing, and base_url does not end with a data set id',
    )
  }
  return {
    name,
    url: `${origin}/resource/${id}.json?${new URLSearchParams(query)}`,
    // https://dev.socrata.com/docs/app-tokens.html
    headers: app_token === undefined ? {} : { 'x-app-token': app_token },
  }
}

/** A text in SoQL. */
export const quote = (text: string): string => `'${text.replaceAll("'", "''")}'`

/** Joins both conditions with `and`, the source's own first. */
export const within = ({ where }: Config, condition: string): string =>
  where === undefined ? condition : `(${where}) AND ${condition}`

/**
 * Returns the document if it is a valid response.
 *
 * @throws ScrapeError as `expectPage`; `bad_config` for a data set or column that does not exist
 */
export const expectAnswer = (document: RawDocument): RawDocument => {
  if (document.status !== 400 && document.status !== 404) return expectPage(document)
  const message = /"message"\s*:\s*"((?:[^"\\]|\\.){1,300})/.exec(document.body)?.[1] ?? 'no reason given'
  throw new ScrapeError('bad_config', `the data set refuses the query (${document.status}): ${message}`)
}
