import { expect, test } from 'bun:test'
import { labelLines } from '../../../src/web/app/pages/map/label-lines'

const parcel = { source: 'elm', source_parcel_id: 'R-7' }

test.each([
  [
    'its address, its owner and its id',
    { situs_address: '1 Elm St', owner_name: 'ADA ELM' },
    ['1 Elm St', 'ADA ELM', 'R-7'],
  ],
  ['what it has of them', { situs_address: null, owner_name: 'ADA ELM' }, ['ADA ELM', 'R-7']],
  ['its id alone when it has neither', {}, ['R-7']],
  ['its id alone when they are empty', { situs_address: '', owner_name: '' }, ['R-7']],
])('the label of a parcel on the map shows %s', (_, known, lines) =>
  expect(labelLines({ ...parcel, ...known })).toEqual(lines),
)
