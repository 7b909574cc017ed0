import { type Static, Type } from '@sinclair/typebox'

const closed = { additionalProperties: false } as const

const id = (what: string) =>
  Type.Optional(Type.Integer({ minimum: 0, description: `${what}. Default: the one in base_url.` }))

const words = (what: string) =>
  Type.Optional(
    Type.String({
      minLength: 1,
      description: `The county's label for ${what}. Default: labels known from other counties.`,
    }),
  )

export const config = Type.Object(
  {
    app_id: id('AppID, the county'),
    layer_id: id('LayerID'),
    page_id: id("PageID of the report page (PageTypeID 4), which differs from the search page's"),
    labels: Type.Object(
      {
        address: words('the address of the property'),
        acres: words('the acreage'),
        class: words('the class or use'),
        zoning: words('the zoning'),
      },
      { ...closed, default: {}, description: 'Labels of the summary.' },
    ),
    values: Type.Object(
      {
        land: words('the row of the land'),
        improvement: words('the row of the buildings'),
        total: words('the row of the total'),
        assessed: words('the row of the assessed value'),
        taxable: words('the row of the taxable value'),
      },
      {
        ...closed,
        default: {},
        description: 'Rows of the valuation. Land and buildings are read only when named.',
      },
    ),
  },
  closed,
)

export type Config = Static<typeof config>
