import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { createSource } from '../../../../drizzle/queries/sources/create-source'
import { ADMIN_KEY, createTestApp } from '../../../http/test-app'
import { shapeMembers } from '../../../ingest/files/shape-members'
import { writeZip } from '../../../ingest/files/write-zip'
import { TEST_TIMEOUT_MS } from '../../../support/deadlines'
import { waitFor } from '../../../support/servers'
import { countyFile, startFileWorker } from '../../file-work'
import { useAppInDom } from '../open-app'

setDefaultTimeout(TEST_TIMEOUT_MS)

describe('the page that adds a county', async () => {
  const { app, sql, url, call } = await createTestApp({ allowPrivateSources: true, maxUploadBytes: 20 * 1024 ** 2 })
  startFileWorker(sql, url)
  /** How many parts of files are lost on the network. */
  let lost = 0
  /** How many requests about files get 503. */
  let busy = 0
  const sentOffsets: string[] = []
  const { open, find, gone, elements, texts, type } = useAppInDom((request) => {
    if (busy > 0 && request.url.includes('/v1/files')) {
      busy--
      return Response.json({ error: 'the database is unavailable, try again shortly' }, { status: 503 })
    }
    if (request.method === 'PATCH' && request.url.includes('/v1/files/')) {
      sentOffsets.push(new URL(request.url).searchParams.get('offset') ?? '')
      if (lost > 0) {
        lost--
        throw new TypeError('the connection was lost')
      }
    }
    return app.handle(request)
  })
  const press = async (text: string, selector = 'button:not([disabled])') => (await find(selector, text)).click()
  const choose = async (name: string, content: string | Uint8Array<ArrayBuffer>) => {
    const input = await find<HTMLInputElement>('input[type=file]')
    Object.defineProperty(input, 'files', { value: [new File([content], name)], configurable: true })
    input.dispatchEvent(new window.Event('change', { bubbles: true }))
  }
  const field = async (label: string) => {
    const id = (await find<HTMLLabelElement>('label', label)).htmlFor
    return find<HTMLInputElement>(`[id="${id}"]`)
  }
  const columnOf = (name: string) => find<HTMLInputElement>(`input[aria-label="Column of ${name}"]`)
  const listed = async (source: string) =>
    (await sql`select count(*)::int as n from live_parcels where source = ${source}`)[0]?.n

  test('a file is sent, its columns are guessed and changed, and it is loaded into a new county', async () => {
    await open('/app/console/add-county', { key: ADMIN_KEY })
    await choose('marlow.geojson', countyFile(40))
    expect((await columnOf('Parcel id')).value).toBe('APN')
    expect((await columnOf('Owner')).value).toBe('OWNER1')
    expect(texts('tbody td').join()).toContain('100 JUNIPER LN')
    await find('details', 'FIRE_DIST')
    type(await columnOf('Zoning'), 'FIRE_DIST')
    await find('.small', 'Check the changed fields')
    expect((await find('button', 'Load the file')).hasAttribute('disabled')).toBe(true)
    await press('Check again')
    await waitFor(() => texts('tbody td').join().includes('F-0 · F-1 · F-2'))
    type(await field('Name of the county'), 'Marlow')
    type(await field('State'), 'OR')
    expect((await field('Slug')).value).toBe('or-marlow')
    await press('Load the file')
    await find('.notice.good', 'The file is loaded: 40 new.')
    expect(await listed('or-marlow')).toBe(40)
    expect((await call('/v1/parcels/or-marlow/12-0003')).body).toMatchObject({
      owner_name: 'ALDER ROSE 3',
      zoning_code: 'F-3',
    })
    expect((await call('/v1/sources/or-marlow')).body).toMatchObject({
      ...{ vendor: 'file', base_url: '', active: false },
      vendor_config: { map: { source_parcel_id: 'APN', zoning_code: 'FIRE_DIST' }, complete: true },
    })
  })

  test('without a guessed id column, the columns and their values are shown, and each button says what is missing', async () => {
    await open('/app/console/add-county', { key: ADMIN_KEY })
    await choose('odd.csv', 'KODE,WHO\nA-1,ADA ELM\nA-2,BO ALDER\n')
    const id = await columnOf('Parcel id')
    expect(id.value).toBe('')
    expect(texts('main .row .quiet.small')).toEqual([
      'Choose the column with the parcel id.',
      'Choose the column with the parcel id.',
    ])
    expect((await find('details', 'KODE')).hasAttribute('open')).toBe(true)
    expect(texts('details dd')).toContain('A-1 · A-2')
    type(id, 'KODE')
    await waitFor(() => texts('tbody td').includes('A-1 · A-2'))
    await press('Check again')
    await find('.small', 'Enter the name and the state of the county.')
    await gone('.small', 'Choose the column')
    await gone('.small', 'Check the changed fields')
  })

  test('rejected rows with different values each have their own reason, and one row is not "All 1 rows"', async () => {
    await open('/app/console/add-county', { key: ADMIN_KEY })
    await choose('long.csv', `APN,OWNER\nA-1,${'A'.repeat(600)}\nA-2,${'B'.repeat(700)}\nA-3,ADA ELM\n`)
    await find('[role=status]', 'All 3 rows of the file (csv) were read: 1 parcel, rejected 2,')
    expect(texts('tbody .cell-message')).toEqual([
      'Owner has 600 characters, more than 500',
      'Owner has 700 characters, more than 500',
    ])
    await open('/app/console/add-county', { key: ADMIN_KEY })
    await choose('one.csv', 'APN,OWNER\nA-1,ADA ELM\n')
    await find('[role=status]', 'The only row of the file (csv) was read: 1 parcel, rejected 0,')
  })

  test('a name that is taken is refused beside the button, and nothing is loaded', async () => {
    await open('/app/console/add-county', { key: ADMIN_KEY })
    await choose('again.geojson', countyFile(3))
    type(await field('Name of the county'), 'Marlow')
    type(await field('State'), 'OR')
    await press('Load the file')
    await find('.notice.bad', 'source: or-marlow is taken')
    type(await field('Slug'), 'OR Marlow!')
    await press('Load the file')
    await find('.notice.bad', 'source must be a slug')
    expect(await listed('or-marlow')).toBe(40)
  })

  test('a file that is cut off cannot be loaded, so no county is added for it', async () => {
    await open('/app/console/add-county', { key: ADMIN_KEY })
    await choose('cut.geojson', countyFile(40).slice(0, -300))
    await find('.notice.bad', 'The file cannot be read to its end: the file ends inside')
    type(await field('Name of the county'), 'Cut')
    type(await field('State'), 'OR')
    await find('.small', 'Choose another file, or correct the columns and check again')
    expect((await find('button', 'Load the file')).hasAttribute('disabled')).toBe(true)
  })

  test('after a load that failed, another file is loaded into the county that was added', async () => {
    await open('/app/console/add-county', { key: ADMIN_KEY })
    await choose('gone.geojson', countyFile(4))
    type(await field('Name of the county'), 'Retry')
    type(await field('State'), 'OR')
    await find('button:not([disabled])', 'Load the file')
    await sql`delete from files`
    await press('Load the file')
    await find('.notice.bad')
    expect(location.search).toBe('?source=or-retry')
    await press('Choose another file')
    await choose('whole.geojson', countyFile(4))
    await find('h2', 'or-retry')
    await press('Load the file')
    await find('.notice.good', 'The file is loaded: 4 new.')
    await sql`update sources set retired_at = now() where source = 'or-retry'`
  })

  test('columns that are corrected for a newer file are the ones that the next file begins with, unless it is an exception', async () => {
    await createSource(sql, { source: 'or-quill', state: 'OR', countyName: 'Quill', baseUrl: '' })
    const chooseNewer = async () => {
      await open('/app/console/add-county?source=or-quill', { key: ADMIN_KEY })
      await choose('newer.geojson', countyFile(40))
    }
    const mapOf = async () => (await call('/v1/sources/or-quill')).body.vendor_config.map
    const load = async () => {
      await press('Check again')
      await find('button:not([disabled])', 'Check again')
      await press('Load the file')
      await find('.notice.good', 'The file is loaded')
    }
    await chooseNewer()
    type(await columnOf('Zoning'), "'F-'+FIRE_DIST")
    type(await columnOf('Owner'), '')
    await load()
    expect(await mapOf()).toMatchObject({ zoning_code: "'F-'+FIRE_DIST", owner_name: "''" })
    await chooseNewer()
    expect((await columnOf('Zoning')).value).toBe("'F-'+FIRE_DIST")
    expect((await columnOf('Owner')).value).toBe('')
    type(await columnOf('Zoning'), 'FIRE_DIST')
    type(await columnOf('Owner'), 'OWNER1')
    await press('The next file of this source', 'label')
    await load()
    expect(await mapOf()).toMatchObject({ zoning_code: "'F-'+FIRE_DIST", owner_name: "''" })
    await chooseNewer()
    type(await columnOf('Zoning'), 'FIRE_DIST')
    type(await columnOf('Owner'), 'OWNER1')
    await load()
    expect(await mapOf()).toMatchObject({ zoning_code: 'FIRE_DIST', owner_name: 'OWNER1' })
    // Other tests count on one county.
    await sql`update sources set retired_at = now() where source = 'or-quill'`
  })

  test('half a file is held, with the reasons one click away', async () => {
    await open('/app/console/add-county?source=or-marlow', { key: ADMIN_KEY })
    await choose('half.geojson', countyFile(20))
    // The source says how its files are read.
    expect((await columnOf('Zoning')).value).toBe('FIRE_DIST')
    await press('Load the file')
    await find('.notice.warn', 'The load is held')
    expect(await listed('or-marlow')).toBe(40)
    const [link] = elements('a', 'Why it is held')
    await open(link?.getAttribute('href') ?? '', { key: ADMIN_KEY })
    await find('strong', 'It would retire 20 parcels')
  })

  test('an upload that is cut off continues where it stopped', async () => {
    await open('/app/console/add-county', { key: ADMIN_KEY })
    const padding = ' '.repeat(6 * 1024 ** 2)
    sentOffsets.length = 0
    lost = 10
    await choose('large.geojson', countyFile(5) + padding)
    await find('.notice.bad', 'Check your network')
    lost = 1
    await press('Continue to send large.geojson')
    expect((await columnOf('Parcel id')).value).toBe('APN')
    // The first part is sent until it arrives, the second one once.
    expect(new Set(sentOffsets)).toEqual(new Set(['0', String(4 * 1024 ** 2)]))
    expect(sentOffsets.filter((offset) => offset !== '0').length).toBe(1)
  })

  test('a service that is not available for a moment delays a file, and does not refuse it', async () => {
    await open('/app/console/add-county', { key: ADMIN_KEY })
    busy = 3
    await choose('small.geojson', countyFile(5))
    expect((await columnOf('Parcel id')).value).toBe('APN')
    expect(busy).toBe(0)
  })

  test('a file that does not contain parcels, an empty one and one that is too large are refused with the reason', async () => {
    await open('/app/console/add-county', { key: ADMIN_KEY })
    await choose('empty.csv', '')
    await find('.notice.bad', 'empty.csv is empty')
    expect(elements('button', 'Continue to send')).toEqual([])
    await choose('huge.zip', new Uint8Array(20 * 1024 ** 2 + 1))
    await find('.notice.bad', 'size_bytes: huge.zip has 20971521 bytes, more than 20971520 bytes (UPLOADS_MAX_MB)')
    expect(elements('button', 'Continue to send')).toEqual([])
    await choose('photo.png', new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0, 1, 2]))
    await find('.notice.bad', 'The file cannot be read: ')
    await press('Choose another file')
    await gone('.notice.bad')
    type(await field('Or the URL of a file'), 'ftp://county.example/x')
    await press('Fetch it')
    await find('.notice.bad', 'address must be')
  })

  test('a source of files shows its files, its settings as a form, and no scrapes; it is retired and restored', async () => {
    await open('/app/console/sources/or-marlow', { key: ADMIN_KEY })
    await find('h2', 'Files')
    await find('label', 'map.owner_name')
    await waitFor(() => texts('table[aria-label="Files"] tbody tr, [aria-label="Files"] tbody tr').length === 2)
    for (const absent of ['Crawls', 'Last scrapes', 'Labels that are not read'])
      expect(elements('h2', absent)).toEqual([])
    expect(elements('label', 'Parcel for a dry run')).toEqual([])
    await press('Retire')
    await press('Retire it')
    await find('.notice.warn', 'This source was retired')
    const isDone = async () => (await sql`select from work where kind = 'load' and status <> 'done'`).length === 0
    await waitFor(async () => (await listed('or-marlow')) === 0 && (await isDone()))
    await open('/app/console/sources', { key: ADMIN_KEY })
    await find('.empty', 'No sources match')
    await open('/app/console/sources/or-marlow', { key: ADMIN_KEY })
    await press('Restore it')
    await find('button', 'Retire')
    await waitFor(async () => (await listed('or-marlow')) === 40)
  })

  test('county, vendor and address are edited; an activated source says when it is refreshed, and offers it now', async () => {
    const server = Bun.serve({ port: 0, fetch: () => new Response(countyFile(40)) })
    try {
      await open('/app/console/sources/or-marlow', { key: ADMIN_KEY })
      await press('Edit the source')
      type(await field('County'), 'New Marlow')
      type(await field('URL of the file'), `http://127.0.0.1:${server.port}/marlow.geojson`)
      await press('Save', 'dialog button[type=submit]')
      await gone('dialog')
      expect((await call('/v1/sources/or-marlow')).body).toMatchObject({
        ...{ county_name: 'New Marlow', base_url: `http://127.0.0.1:${server.port}/marlow.geojson` },
      })
      await open('/app/console/sources', { key: ADMIN_KEY })
      ;(await find('[aria-label="or-marlow is active"]')).click()
      await find('.notice', 'or-marlow is active. It will be refreshed')
      const before = Date.parse((await call('/v1/sources/or-marlow')).body.next_due_at)
      expect(before).toBeGreaterThan(Date.now())
      await press('Refresh now')
      await find('.notice.good', 'or-marlow is due now')
      expect(Date.parse((await call('/v1/sources/or-marlow')).body.next_due_at)).toBeLessThanOrEqual(Date.now())
    } finally {
      await server.stop(true)
    }
  })

  test('of an archive with several files, the one with the parcels is chosen, and loaded', async () => {
    const archive = writeZip('layers.zip', [
      { name: 'gis/roads.geojson', content: Buffer.from(countyFile(3)) },
      { name: 'gis/lots.geojson', content: Buffer.from(countyFile(12)) },
    ])
    await open('/app/console/add-county', { key: ADMIN_KEY })
    await choose('layers.zip', readFileSync(archive))
    await find('h2', 'Which one has the parcels?')
    await press('gis/lots.geojson')
    expect((await columnOf('Parcel id')).value).toBe('APN')
    await find('strong', 'layers.zip · gis/lots.geojson')
    type(await field('Name of the county'), 'Layers')
    type(await field('State'), 'OR')
    await press('Load the file')
    await find('.notice.good', 'The file is loaded: 12 new.')
    expect((await call('/v1/sources/or-layers')).body.vendor_config).toMatchObject({ layer: 'gis/lots.geojson' })
  })
  test('a file whose text is in an encoding that is not known: it is asked for, and the text is read in it', async () => {
    const members = shapeMembers(1, (_, table) => table.write('PE\xa5A', 66, 'latin1'))
    const archive = writeZip('dos.zip', [...members, { name: 'lots.cpg', content: Buffer.from('OEM') }])
    await open('/app/console/add-county', { key: ADMIN_KEY })
    await choose('dos.zip', readFileSync(archive))
    await find('h2', 'Which encoding is its text in?')
    await find('.notice', 'lots.cpg names the encoding "OEM", which is not known: name it with `encoding`')
    type(await field('Encoding of the text'), 'windows-1252')
    await press('Try this encoding')
    await columnOf('Parcel id')
    await waitFor(() => texts('tbody td').join().includes('PE¥A'))
    type(await field('Encoding of the text'), 'cp850')
    await press('Check again')
    await waitFor(() => texts('tbody td').join().includes('PEÑA'))
    type(await field('Name of the county'), 'Peña')
    type(await field('State'), 'OR')
    type(await field('Slug'), 'or-pena')
    await press('Load the file')
    await find('.notice.good', 'The file is loaded: 1 new.')
    expect((await call('/v1/sources/or-pena')).body.vendor_config).toMatchObject({ encoding: 'cp850' })
  })
})
