import { expect, test } from 'bun:test'
import { formatValue } from '../../src/web/app/parcel/format-value'

for (const [field, value, said] of [
  ['assessed_value', 530_000, '$530,000'],
  ['was', 105_360, '$105,360'],
  ['was', 'JUNIPER ADA', 'JUNIPER ADA'],
  ['due', 0, '$0'],
  ['change_pct', 129.8, '129.8%'],
  ['tax_year', 2026, '2026'],
  ['acreage', 24.21, '24.21'],
  ['sold_on', '2021-06-30', 'Jun 30, 2021'],
  ['sold_on', '2021-13-45', '2021-13-45'],
  ['situs_zip', '97600', '97600'],
  ['source_parcel_id', '12-0001-0010', '12-0001-0010'],
  ['field', 'assessed_value', 'assessed value'],
  ['geom_geojson', null, '–'],
  ['is_agricultural', true, 'yes'],
  ['owner_names_all', ['JUNIPER ADA', 'ALDER BEN'], 'JUNIPER ADA; ALDER BEN'],
  ['sale', { sold_on: '2021-06-30', price: 612_500 }, 'sold on Jun 30, 2021, price $612,500'],
] as const) {
  test(`${field} ${JSON.stringify(value)} is told as ${said}`, () => {
    expect(formatValue(field, value)).toBe(said)
  })
}
