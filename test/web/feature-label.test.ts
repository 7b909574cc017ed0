import { expect, test } from 'bun:test'
import { featureLabel } from '../../src/web/app/map/feature-label'

const parcel = { id: '0199', source: 'elm', source_parcel_id: 'R-7' }

test.each([
  ['by its own label', { ...parcel, label: 'ADA ELM' }, 'ADA ELM'],
  ['by address and owner', { ...parcel, situs_address: '1 Elm St', owner_name: 'ADA ELM' }, '1 Elm St · ADA ELM'],
  ['by what of them it has', { ...parcel, owner_name: 'ADA ELM' }, 'ADA ELM'],
  ['by its id when it has neither', parcel, 'R-7'],
  ['by its id when they are empty', { ...parcel, label: '', situs_address: '', owner_name: '' }, 'R-7'],
])('a parcel on the map is called %s', (_, properties, label) => expect(featureLabel(properties)).toBe(label))
