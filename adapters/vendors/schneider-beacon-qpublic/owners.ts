import type { Region } from '../../reading/region'
import { wordsOf } from '../../reading/text'
import { readAddress, readName, readText } from '../../reading/values'
import { ScrapeError } from '../../scrape-error'

export interface Owner {
  name: string
  type?: string
}

export interface Owners {
  owners: Owner[]
  mailingAddress: string | undefined
}

/** Elements that each hold one name. */
const NAMES = [
  '[id$="_lblSearch"]',
  '[id$="_lnkSearch"]',
  '[id*="_lblPrimaryOwnerName"]',
  '[id*="OwnerName"][id$="_lblSuppressed"]',
  // Florida: here the "label" is the name.
  '[id*="OwnerLabel"][id$="_lblSuppressed"]',
  '.sdw1-owners-container a',
  '[id$="_lstDeed"] a',
].join(', ')
/** Elements whose name comes after another one. */
const SECOND = /OwnerName2|_lstNonPrimaryOwner_/
/** Hawaii: a row for each owner, with the name in a `th` and the type beside it. */
const NAME_ROWS = '[id$="_gvwAllOwners"] tbody tr, [id$="_pnlAllOwners"] tbody tr'
/** Hawaii: a heading, and each owner with the type at the end. */
const NAME_LINES = '[id$="_lblOtherNames"]'
const OWNER_IN_LINES = /(?<name>\S.*?)\s+(?<type>fee owner)(?:\s+|$)/gi

const ADDRESS = [
  '[id$="_lblOwnerAddress"]',
  '[id$="_lblPrimaryOwnerAddress"]',
  '[id*="OwnerAddress"][id$="_lblSuppressed"]',
  '[id$="_lblAddress"]',
  '[id$="_lblAddress1"]',
  '[id$="_lblAddress2"]',
  '[id$="_lblCityStZip"]',
  '[id$="_lblCityStateZip"]',
].join(', ')

/** The part of an id that names a block with one owner or, in some counties, with only an owner's address. */
const BLOCK = /^.*_(?:rptOwner|lstPrimaryOwner|lstNonPrimaryOwner|lstOwners|lstDeed)_ctl\d+(?=_)/
const BLOCK_TYPE = '[id$="_lblOwnerType"]'
const OWNER_TYPE = /\bowner|^(?:deed|title) ?holder/
const OTHER_TYPE = /^tax ?payer|^tax (?:bill|mail)|^mailing|lessee|^agent\b|^mortgage/
const MAY_HAVE_THE_ADDRESS = /^$|\bowner|^mailing/

interface Block {
  type: string | undefined
  owners: Owner[]
  address: string[]
}

/** @throws ScrapeError `page_changed` when no element has a name, or it is unknown whether a type of person owns the parcel */
export const readOwners = (section: Region): Owners => {
  const blocks = new Map<string, Block>()
  const blockOf = (part: Region): Block => {
    const id = BLOCK.exec(part.attribute('id') ?? '')?.[0] ?? ''
    const block = blocks.get(id) ?? { type: undefined, owners: [], address: [] }
    blocks.set(id, block)
    return block
  }
  for (const part of section.all(BLOCK_TYPE)) blockOf(part).type = wordsOf(part.text)
  for (const part of section.all(`${NAMES}, ${NAME_LINES}`)) {
    const found = namesIn(part)
    const isFirst = blocks.values().every(({ owners }) => owners.length === 0)
    if (isFirst && found.length > 0 && SECOND.test(part.attribute('id') ?? '')) {
      throw new ScrapeError('page_changed', 'no "name of the owner" before the second one, under "Owner"')
    }
    blockOf(part).owners.push(...found)
  }
  for (const row of section.all(NAME_ROWS)) blockOf(row).owners.push(...ownersInRow(row))
  section.get(`${NAMES}, ${NAME_ROWS}, ${NAME_LINES}`, 'name of the owner')
  for (const part of section.all(ADDRESS)) blockOf(part).address.push(...part.lines)

  const all = [...blocks.values()]
  const hasTypes = all.some(({ type }) => type !== undefined)
  const own = hasTypes ? all.filter(isOfOwner) : all
  if (own.length === 0) throw new ScrapeError('page_changed', 'no block of the type "Owner" under "Owner"')
  const named = own.filter(({ owners }) => owners.length > 0)
  const nameless = all.filter(({ owners, type }) => owners.length === 0 && MAY_HAVE_THE_ADDRESS.test(type ?? ''))
  const owners = [
    ...new Map(named.flatMap((block) => block.owners.map((owner) => [owner.name, owner] as const))).values(),
  ]
  const address =
    [named[0], ...nameless].find((block) => block !== undefined && block.address.length > 0)?.address ?? []
  const names = owners.map(({ name }) => name)
  return { owners, mailingAddress: readAddress([...new Set(address)].filter((line) => !names.includes(line))) }
}

/** A tax payer is not the owner. If other blocks have a type, a block without one may belong to anybody. */
const isOfOwner = ({ type, owners }: Block): boolean => {
  if (type === undefined || type === '' || OTHER_TYPE.test(type)) return false
  if (OWNER_TYPE.test(type) || owners.length === 0) return true
  throw new ScrapeError('page_changed', `"${type}" under "Owner" may or may not be an owner`)
}

/** @throws ScrapeError `page_changed` for several lines: they may be two owners, or one with a long name */
const namesIn = (part: Region): Owner[] => {
  const id = part.attribute('id') ?? ''
  if (id.endsWith('_lblOtherNames')) return ownersInLines(part.text.replace(/^owner names\s*/i, ''))
  if (part.lines.length > 1) throw new ScrapeError('page_changed', 'several lines in one "name of the owner"')
  return toOwners(id.includes('OwnerName2') ? part.text.replace(/^or\s+/i, '') : part.text)
}

/** Empty for a row of headings. @throws ScrapeError `page_changed` for a row without a name or a type */
const ownersInRow = (row: Region): Owner[] => {
  const [name, ...others] = row.all('th')
  if (others.length > 0) return []
  const type = wordsOf(row.get('td', 'type of the owner').text)
  if (OTHER_TYPE.test(type)) return []
  const owners = toOwners(name?.text, readText(type))
  if (owners.length > 0) return owners
  throw new ScrapeError('page_changed', `no "name of the owner" beside "${type}" under "Owner"`)
}

const ownersInLines = (text: string): Owner[] => {
  const rest = text.replace(OWNER_IN_LINES, '')
  if (rest !== '') throw new ScrapeError('page_changed', `"${rest}" under "Owner Names" does not end with "Fee Owner"`)
  return [...text.matchAll(OWNER_IN_LINES)].flatMap(({ groups }) => toOwners(groups?.name, groups?.type))
}

/** Portals differ in whether they write the type in capitals, so it is normalized. */
const toOwners = (text: string | undefined, type?: string): Owner[] => {
  const name = readName(text)
  return name === undefined ? [] : [{ name, ...(type === undefined ? {} : { type: type.toUpperCase() }) }]
}
