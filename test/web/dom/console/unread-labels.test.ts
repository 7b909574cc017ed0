import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { createLabelCounter } from '../../../../src/scrape/labels/count-labels'
import { ADMIN_KEY, createTestApp } from '../../../http/test-app'
import { insertSource, insertVendor } from '../../../jobs/job-rows'
import { TEST_TIMEOUT_MS } from '../../../support/deadlines'
import { useAppInDom } from '../open-app'

setDefaultTimeout(TEST_TIMEOUT_MS)

describe('labels on the pages of a source that are not read', async () => {
  const { app, sql } = await createTestApp()
  const { open, find, gone, texts } = useAppInDom(app.handle)
  await insertVendor(sql, 'test', 2)
  await insertSource(sql, 'elm', 'test')
  const counter = createLabelCounter({ sql })
  for (let scrape = 0; scrape < 10; scrape++) counter.note('elm', scrape < 3 ? ['Fire', 'Zone'] : ['Fire'])
  await counter.stop()
  const openSource = () => open('/app/console/sources/elm', { key: ADMIN_KEY })
  const TABLE = 'section[aria-label="Labels that no field was read from"]'

  test('the source’s page lists the labels, most frequent first, and in how many of the last scrapes each was', async () => {
    await openSource()
    await find(`${TABLE} tbody th`, 'Fire')
    expect(texts(`${TABLE} tbody th`)).toEqual(['Fire', 'Zone'])
    expect(texts(`${TABLE} tbody td.number`)).toEqual(['10', '3'])
    expect(texts(`${TABLE} thead th`).join()).toContain('Of the last 10 scrapes')
  })

  test('an operator marks a label as known; it leaves the list, and can be shown again', async () => {
    await openSource()
    ;(await find('button[aria-label="Mark as known: Zone"]')).click()
    await gone(`${TABLE} tbody th`, 'Zone')
    ;(await find('details button[aria-label="Mark as unknown: Zone"]')).click()
    await find(`${TABLE} tbody th`, 'Zone')
  })
})
