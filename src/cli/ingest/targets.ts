import type { Sql } from '../../../core/postgres/database'
import { ServiceError } from '../../../core/service-error'
import { listCountyNames } from '../../../core/sources/county-names'
import { createSource, findSourceState, type NewSource } from '../../../drizzle/queries/sources/create-source'
import { getCounty } from '../../../drizzle/queries/sources/sources'
import { type IngestOptions, ingestEntities, ingestParcels } from '../../ingest/ingest'
import type { IngestSummary } from '../../ingest/pipeline/summary'
import { describeRetired } from '../../scrape/configure-source'
import { UsageError } from '../command/command'
import { readStateCode } from '../command/filter-options'
import type { Values } from './options'

/** Checks the arguments against the database, and returns the load function. */
export type Target = (sql: Sql) => Promise<(options: IngestOptions) => Promise<IngestSummary>>

export const readParcelTarget = (values: Values): Target => {
  const source = values.source
  if (source === undefined) throw new UsageError("--source is missing: the slug of the parcels' source")
  if (values.jurisdiction !== undefined)
    throw new UsageError('--jurisdiction belongs to `ingest entities`; parcels take --source')
  if (!/^[a-z0-9][a-z0-9_-]{0,99}$/.test(source)) {
    throw new UsageError(`--source takes a slug of up to 100 of a-z, 0-9, _ and -, not "${source}"`)
  }
  const { state, county } = values
  if ((state === undefined) !== (county === undefined)) {
    throw new UsageError(
      `${state === undefined ? '--state' : '--county'} is missing: both --state XX and --county NAME are needed to create a source`,
    )
  }
  const baseUrl = values['base-url'] ?? ''
  if (baseUrl !== '' && URL.parse(baseUrl)?.protocol !== 'https:')
    throw new UsageError(`--base-url takes the https URL of the file, not "${baseUrl}"`)
  const created =
    state === undefined || county === undefined
      ? null
      : { source, state: readStateCode('--state', state), countyName: county.trim(), baseUrl }
  if (created?.countyName === '') throw new UsageError('--county takes the name of a county')
  return async (sql) => {
    const found = await findSourceState(sql, source)
    if (found === 'retired') throw new ServiceError('conflict', `--source: ${describeRetired(source)}`)
    if (found === 'listed') {
      if (created !== null) await expectCounty(sql, created)
      return (options) => ingestParcels(sql, source, options)
    }
    if (created === null) {
      throw new ServiceError(
        'not_found',
        `--source: there is no source "${source}"; add --state XX --county NAME to create it`,
      )
    }
    return (options) => ingestNewSource(sql, created, options)
  }
}

/** Refuses to mix the parcels of two counties, for example after a typo in the slug. */
const expectCounty = async (sql: Sql, { source, state, countyName }: NewSource): Promise<void> => {
  const known = await getCounty(sql, source)
  if (known.state === state && listCountyNames(countyName).includes(known.countyName.toLowerCase())) return
  throw new ServiceError(
    'conflict',
    `--source: the source "${source}" is of ${known.countyName}, ${known.state}, not of ${countyName}, ${state}. Correct the slug, or leave out --state and --county`,
  )
}

/** Loads parcels, and creates their source when the first one is written. */
const ingestNewSource = async (sql: Sql, created: NewSource, options: IngestOptions): Promise<IngestSummary> => {
  let isCreated = false
  const beforeWriting = async () => {
    await createSource(sql, created)
    isCreated = true
  }
  const { source, countyName, state } = created
  const summary = await ingestParcels(sql, source, { ...options, beforeWriting })
  console.error(
    isCreated
      ? `created the source ${source}: ${countyName}, ${state}, inactive`
      : `the source ${source} was not created, because no parcel was loaded`,
  )
  return summary
}

export const readEntityTarget = (values: Values): Target => {
  if (values.jurisdiction === undefined)
    throw new UsageError("--jurisdiction is missing: the 2-letter code of the registry's state")
  if (values.duplicates === 'merge') throw new UsageError('--duplicates merge belongs to `ingest parcels`')
  if (values.complete) throw new UsageError('--complete belongs to `ingest parcels`; entities take --jurisdiction')
  for (const name of ['source', 'state', 'county', 'base-url', 'boundary', 'as-of'] as const) {
    if (values[name] !== undefined)
      throw new UsageError(`--${name} belongs to \`ingest parcels\`; entities take --jurisdiction`)
  }
  const jurisdiction = readStateCode('--jurisdiction', values.jurisdiction)
  return async (sql) => (options) => ingestEntities(sql, jurisdiction, options)
}
