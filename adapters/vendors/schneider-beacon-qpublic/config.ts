import { type Static, Type } from '@sinclair/typebox'

const closed = { additionalProperties: false } as const

const id = (what: string) =>
  Type.Optional(
    Type.Integer({
      minimum: 0,
      description: `${what}, in the URL of any parcel's report (PageTypeID=4) in a browser. Default: the one in base_url.`,
    }),
  )

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
    page_id: id("PageID, which differs from the search page's"),
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
        land: words('the land'),
        improvement: words('the buildings'),
        total: words('the total'),
        assessed: words('the assessed value'),
        taxable: words('the taxable value'),
      },
      {
        ...closed,
        default: {},
        description: 'Labels of the valuation: of rows, or of columns if there is a row per year.',
      },
    ),
  },
  closed,
)

export type Config = Static<typeof config>
