import { expect, test } from 'bun:test'
import { findAdapter, VENDORS } from '../../../adapters/registry'
import {
  findValue,
  type JsonSchema,
  listSettings,
  readAnswer,
  withValue,
  writeAnswer,
} from '../../../core/schema/settings'

const settingsOf = (vendor: string) => listSettings(findAdapter(vendor)?.config as JsonSchema)
const settingOf = (vendor: string, name: string) => {
  const setting = settingsOf(vendor).find((candidate) => candidate.name === name)
  if (setting === undefined) throw new Error(`${vendor} has no ${name}`)
  return setting
}

test('every setting of every vendor has a description, and its example and default can be written and read again', () => {
  for (const { vendor } of VENDORS) {
    for (const setting of settingsOf(vendor)) {
      expect([vendor, setting.name, setting.description]).toEqual([vendor, setting.name, expect.stringMatching(/\w/)])
      for (const value of [setting.example, setting.byDefault]) {
        if (value === undefined) continue
        expect([setting.name, readAnswer(setting, writeAnswer(setting, value))]).toEqual([setting.name, value])
      }
    }
  }
})

test('groups of simple settings are listed by their members; a list has commas; the rest is JSON', () => {
  expect(settingOf('schneider-beacon-qpublic', 'labels.address')).toMatchObject({ kind: 'text', isRequired: false })
  expect(settingOf('tyler-iasworld', 'modes')).toMatchObject({ kind: 'list', isRequired: true })
  expect(settingOf('tyler-iasworld', 'pin')).toMatchObject({ kind: 'choice', byDefault: 'without-dashes' })
  expect(settingOf('tyler-iasworld', 'sales').kind).toBe('json')
  expect(settingOf('arcgis-rest', 'columns.parcel_id').isRequired).toBe(true)
  expect(readAnswer(settingOf('tyler-iasworld', 'modes'), 'profileall, sales')).toEqual(['profileall', 'sales'])
  expect(readAnswer(settingOf('oktaxrolls', 'years'), ' 3 ')).toBe(3)
  expect(readAnswer(settingOf('oktaxrolls', 'years'), '')).toBeUndefined()
  expect(() => readAnswer(settingOf('oktaxrolls', 'years'), 'all')).toThrow('"all" is not a number')
})

test('a value is set and removed in a copy, with its group', () => {
  const setting = settingOf('schneider-beacon-qpublic', 'labels.address')
  const before = { app_id: 7 }
  const set = withValue(before, setting, 'Situs')
  expect(set).toEqual({ app_id: 7, labels: { address: 'Situs' } })
  expect(findValue(set, setting)).toBe('Situs')
  expect(withValue(set, setting, undefined)).toEqual({ app_id: 7 })
  expect(before).toEqual({ app_id: 7 })
})
