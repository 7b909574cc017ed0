import { describe, expect, test } from 'bun:test'
import { upsertParcels } from '../../../drizzle/queries/parcels/upsert-parcels'
import { createSearch } from '../../../search/search'
import { ADMIN_KEY, createTestApp, insertCounty } from '../../http/test-app'
import { PATIENT } from '../../search/patient'
import { waitFor } from '../../support/servers'
import { useAppInDom } from './open-app'

describe('the address of the search', async () => {
  const { app, sql, useSearch } = await createTestApp()
  const { open, find, gone, elements, type, requests } = useAppInDom(app.handle)
  await insertCounty(sql)
  await upsertParcels(sql, 'elm', [
    { sourceParcelId: '001', ownerName: 'ALDER ADA', situsAddress: '1 ELM ST' },
    { sourceParcelId: '002', ownerName: 'ALDER BO', situsAddress: '2 ELM ST' },
  ])
  useSearch(createSearch({ sql, meili: null, limits: PATIENT }))
  const params = () => Object.fromEntries(new URL(location.href).searchParams)

  test('Back undoes one step: a choice, then a whole typed text, not its letters', async () => {
    await open('/app/search', { key: ADMIN_KEY })
    const before = history.length
    const field = await find<HTMLInputElement>('[role=combobox]')
    for (const text of ['al', 'ald', 'alde', 'alder']) type(field, text)
    await find('[role=treeitem]')
    type(await find('.filter-bar select'), 'OR')
    await waitFor(() => params().state === 'OR')
    expect(params()).toEqual({ q: 'alder', state: 'OR' })
    expect(history.length - before).toBe(2)
    history.back()
    await waitFor(() => params().state === undefined)
    expect((await find<HTMLSelectElement>('.filter-bar select')).value).toBe('')
    expect(field.value).toBe('alder')
    history.back()
    await waitFor(() => field.value === '')
    await gone('[role=treeitem]')
  })

  test('a link restores the text and the filters', async () => {
    await open('/app/search?q=alder&types=parcels&state=OR&group=none', { key: ADMIN_KEY })
    await find('[role=treeitem]')
    expect(elements('[role=treeitem]')).toHaveLength(2)
    expect((await find<HTMLInputElement>('[role=combobox]')).value).toBe('alder')
    expect((await find<HTMLSelectElement>('.filter-bar select')).value).toBe('OR')
    expect((await find<HTMLInputElement>('input[id$=group]')).checked).toBe(false)
  })

  test('a text with a percent sign is searched for as it is in the URL', async () => {
    await open('/app/search?q=elm%252Bst', { key: ADMIN_KEY })
    await find('[role=treeitem]')
    expect(requests.filter((one) => one.includes('/v1/search'))[0]).toContain('q=elm%252Bst&')
    expect((await find<HTMLInputElement>('[role=combobox]')).value).toBe('elm%2Bst')
  })

  test('a typed letter stays in its field when React is notified late of the new address', async () => {
    await open('/app/search?q=al', { key: ADMIN_KEY })
    const field = await find<HTMLInputElement>('[role=combobox]')
    const { dispatchEvent } = globalThis
    globalThis.dispatchEvent = () => true
    try {
      for (const text of ['ald', 'alde']) {
        type(field, text)
        expect(field.value).toBe(text)
      }
    } finally {
      globalThis.dispatchEvent = dispatchEvent
    }
    type(field, 'alder')
    await find('[role=treeitem]')
    expect([field.value, params().q]).toEqual(['alder', 'alder'])
  })
})
