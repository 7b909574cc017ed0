import type { RawDocument } from '../../adapter'
import { resolveLink } from '../../reading/link'
import { isSameParcel } from '../../reading/page/expect-parcel'
import { readPage } from '../../reading/page/read-page'
import { saysNothingFound } from '../../reading/page/says-nothing-found'
import { readName } from '../../reading/values'
import { ScrapeError } from '../../scrape-error'

/**
 * The accounts in the results, one link per row. An account with several owners appears several times.
 *
 * @throws ScrapeError `page_changed` when there is no link and the page does not say that nothing was found
 */
export const readFoundAccounts = (results: RawDocument): { account: string; link: URL }[] => {
  const page = readPage([results], 'results')
  const links = (page.find('[id$="mGrid"]')?.all(ACCOUNT_LINK) ?? []).map((link) =>
    resolveLink(link.attribute('href') as string, results.url),
  )
  if (links.length === 0 && !saysNothingFound(page)) {
    throw new ScrapeError('page_changed', 'no link to an account under "mGrid" on the results page')
  }
  return links.map((link) => ({ account: accountOf(link), link }))
}

/**
 * The owners of an account in the results: the name in each of its rows. Empty if a row has no name or no account, because the owners
 * may be incomplete.
 */
export const readFoundOwners = (results: RawDocument, account: string): string[] => {
  // A copy as a plain array, because the result may be empty: all rows may belong to other accounts or have no name.
  const rows = [...(readPage([results], 'results').find('[id$="mGrid"]')?.findTable(['Name'])?.rows ?? [])]
  const names = rows.flatMap((row) => {
    const href = row.cells.flatMap((cell) => cell.find(ACCOUNT_LINK)?.attribute('href') ?? [])[0]
    if (href === undefined) return row.cells.every(({ text }) => text === '') ? [] : [undefined]
    if (!isSameParcel(accountOf(resolveLink(href, results.url)), account)) return []
    return [readName(row.text('Name'))]
  })
  return [...new Set(names.every((name) => name !== undefined) ? names : [])]
}

const ACCOUNT_LINK = 'a[href*="parcel_number="]'

const accountOf = ({ searchParams }: URL): string => searchParams.get('parcel_number') ?? ''
