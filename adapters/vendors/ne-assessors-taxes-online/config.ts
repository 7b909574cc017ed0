import { type Static, Type } from '@sinclair/typebox'
import type { ScrapeTarget } from '../../adapter'
import { ScrapeError } from '../../scrape-error'

export const config = Type.Object(
  {
    portal: Type.Optional(
      Type.Union([Type.Literal('assessor'), Type.Literal('treasurer')], {
        description:
          'Which of the two portals base_url belongs to. Default: what its host says (nebraskaassessorsonline.us, nebraskataxesonline.us).',
      }),
    ),
  },
  { additionalProperties: false },
)

export type Config = Static<typeof config>

/** @throws ScrapeError `bad_config` when neither the config nor the host of base_url says which portal it is */
export const portalOf = ({ baseUrl }: ScrapeTarget, { portal }: Config): 'assessor' | 'treasurer' => {
  if (portal !== undefined) return portal
  const { host } = new URL(baseUrl)
  if (/taxes/i.test(host)) return 'treasurer'
  if (/assessors/i.test(host)) return 'assessor'
  throw new ScrapeError(
    'bad_config',
    `vendor_config.portal is needed: ${host} may be the assessor's or the treasurer's`,
  )
}
