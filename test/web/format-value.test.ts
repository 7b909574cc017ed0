import { expect, test } from 'bun:test'
import { formatChange, formatValue } from '../../src/web/app/pages/parcel/format-value'

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
  test(`${field} ${JSON.stringify(value)} is shown as ${said}`, () => {
    expect(formatValue(field, value)).toBe(said)
  })
}

const SALE = { sold_on: '2021-06-30', price: 612_500 }
for (const [field, former, next, said] of [
  ['assessed_value', 100_000, 250_000, '$100,000 → $250,000'],
  ['zoning_code', 'R-1', null, 'R-1 → (empty)'],
  ['owner_names_all', [], ['ALDER BEN'], '(empty) → ALDER BEN'],
  ['owner_names_all', ['JUNIPER ADA', 'ALDER BEN'], ['MARLOWE ROSE', 'ALDER BEN'], 'JUNIPER ADA → MARLOWE ROSE'],
  ['owner_names_all', ['A', 'B'], ['B', 'A'], 'A; B → the same in another order'],
  [
    'scrape_data.sale_history',
    [{ price: 1 }],
    [SALE, { price: 1 }],
    '(nothing) → sold on Jun 30, 2021, price $612,500',
  ],
  ['scrape_data.sale_history', null, [SALE, SALE], '(empty) → 2 entries'],
  ['scrape_data.sale_history', [SALE, { price: 1 }], [SALE], 'price $1 → (removed)'],
  [
    'legal_description',
    `${'LOT 1 '.repeat(30)}OF ELM`,
    `${'LOT 1 '.repeat(30)}OF OAK`,
    '…OT 1 LOT 1 LOT 1 OF ELM → …OT 1 LOT 1 LOT 1 OF OAK',
  ],
  ['legal_description', 'LOT 1 '.repeat(30), 'LOT 2', `${'LOT 1 '.repeat(20)}… → LOT 2`],
] as const) {
  test(`a change of ${field} from ${JSON.stringify(former)} to ${JSON.stringify(next)} is shown as ${said}`, () => {
    const { former: was, next: is } = formatChange(field, former, next)
    expect(`${was} → ${is}`).toBe(said)
  })
}
