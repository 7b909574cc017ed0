import { type Static, Type } from '@sinclair/typebox'

const closed = { additionalProperties: false } as const

const id = (what: string) =>
  Type.Optional(Type.Integer({ minimum: 0, description: `${what}. Left out: the one in base_url.` }))

const words = (what: string) =>
  Type.Optional(
    Type.String({
      minLength: 1,
      description: `What the county calls ${what}. Left out: words that are known of others.`,
    }),
  )

export const config = Type.Object(
  {
    app_id: id('AppID, the county'),
    layer_id: id('LayerID'),
    page_id: id('PageID of the report page (PageTypeID 4), which is another than the search page has'),
    labels: Type.Object(
      {
        address: words('the address of the property'),
        acres: words('its size in acres'),
        class: words('its class or use'),
        zoning: words('its zoning'),
      },
      { ...closed, default: {}, description: 'Labels of the summary.' },
    ),
    values: Type.Object(
      {
        land: words('the row of the land'),
        improvement: words('the row of the buildings'),
        total: words('the row of both together'),
        assessed: words('the row of the assessed value'),
        taxable: words('the row of the taxable value'),
      },
      {
        ...closed,
        default: {},
        description: 'Rows of the valuation. Those of land and buildings are only read when named.',
      },
    ),
  },
  closed,
)

export type Config = Static<typeof config>
