import type { Static, TSchema } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { findProblems } from '../core/schema/schema-problem'
import { refusePrivateUrl } from './http/public-address'
import { ScrapeError } from './scrape-error'

/** Enough for one round of fixes. */
const MAX_PROBLEMS = 10

/**
 * Validates `vendor_config` against an adapter's schema and fills in defaults. URLs in it must not be private, as far as that can
 * be checked without DNS.
 *
 * @throws ScrapeError `bad_config` naming each wrong field on its own line, and what it takes
 */
export const checkConfig = <Schema extends TSchema>(
  schema: Schema,
  vendorConfig: unknown,
  { allowPrivate }: { allowPrivate: boolean },
): Static<Schema> => {
  const config = Value.Default(schema, Value.Clone(vendorConfig))
  const problems = findProblems(schema, config, 'vendor_config').take(MAX_PROBLEMS).toArray()
  if (problems.length > 0) throw new ScrapeError('bad_config', problems.join('\n'))
  for (const text of textsIn(config)) {
    if (/^[a-z]+:\/\//i.test(text) && URL.canParse(text)) refusePrivateUrl(new URL(text), { allowPrivate })
  }
  return config
}

function* textsIn(value: unknown): Generator<string> {
  if (typeof value === 'string') yield value
  else if (typeof value === 'object' && value !== null) for (const part of Object.values(value)) yield* textsIn(part)
}
