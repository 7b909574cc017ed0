import { describe, expect, test } from 'bun:test'
import { ADMIN_KEY, createTestApp } from '../../../http/test-app'
import { insertSource, insertVendor } from '../../../jobs/job-rows'
import { waitFor } from '../../../support/servers'
import { useAppInDom } from '../open-app'

describe('the table of the sources’ health', async () => {
  const { app, sql } = await createTestApp()
  await insertVendor(sql, 'test', 2)
  for (const source of ['ash', 'elm', 'oak', 'yew']) await insertSource(sql, source, 'test')
  await sql`update sources set active = true`
  await sql`update source_refresh_policies set next_due_at = now() - interval '2 days' where source = 'yew'`
  await sql`
    insert into parcels (source, source_parcel_id)
    select source, n::text from (values ('ash', 12), ('elm', 1), ('oak', 3)) as counts (source, parcels), generate_series(1, parcels) n`
  await sql`
    insert into scrape_jobs (source, source_parcel_id, vendor, status, error_code, finished_at)
    select source, ago::text, 'test', status::job_status, case status when 'error' then 'timeout' end, now() - ago * interval '1 hour'
    from (values ('ash', 'done', 1), ('elm', 'done', 5), ('elm', 'error', 4), ('elm', 'error', 3), ('oak', 'error', 6), ('oak', 'done', 2))
      as ended (source, status, ago)`
  await sql`
    insert into source_days (source, day, finished, errors)
    select source, (now() at time zone 'UTC')::date - ago, 20, errors
    from (values ('elm', 0, 2), ('elm', 3, 5), ('oak', 13, 1), ('ash', 1, 0)) as days (source, ago, errors)`
  const { open, elements, texts, find, type } = useAppInDom(app.handle)
  const openHealth = async () => {
    await open('/app/console/health', { key: ADMIN_KEY })
    await find('tbody tr .sparkline')
  }

  test('it can be sorted by any column, up and down; the column heading shows the order, and unknown values stay last', async () => {
    await openHealth()
    const sources = () => texts('tbody th a').join(' ')
    /** The column headings that show a sort order, and the order. */
    const sorts = () =>
      elements('thead th[aria-sort]').map((head) => [
        head.querySelector('button')?.firstChild?.textContent,
        head.getAttribute('aria-sort'),
      ])
    expect(sorts()).toEqual([['Status', 'descending']])
    expect(sources()).toBe('elm oak yew ash')
    for (const [column, first, order, reversed] of [
      ['Source', 'ascending', 'ash elm oak yew', 'yew oak elm ash'],
      ['Parcels', 'descending', 'ash oak elm yew', 'yew elm oak ash'],
      ['Failing', 'descending', 'elm oak ash yew', 'ash oak elm yew'],
      ['Errors, 24 h', 'descending', 'elm oak ash yew', 'ash yew oak elm'],
      ['Last success', 'ascending', 'elm oak ash yew', 'ash oak elm yew'],
      ['Last error', 'ascending', 'oak elm ash yew', 'elm oak ash yew'],
      ['Next due', 'ascending', 'yew ash elm oak', 'ash elm oak yew'],
    ] as const) {
      const button = await find('thead button', column)
      button.click()
      await find(`thead th[aria-sort=${first}]`, column)
      expect(sorts()).toEqual([[column, first]])
      expect(sources()).toBe(order)
      button.click()
      const other = first === 'ascending' ? 'descending' : 'ascending'
      await find(`thead th[aria-sort=${other}]`, column)
      expect(sorts()).toEqual([[column, other]])
      expect(sources()).toBe(reversed)
    }
  })

  test('a sorted table is in the URL: a reload keeps the order, and Back undoes it', async () => {
    await openHealth()
    ;(await find('thead button', 'Parcels')).click()
    await find('thead th[aria-sort=descending]', 'Parcels')
    expect(new URL(location.href).searchParams.get('sort')).toBe('-parcels')
    const shared = location.pathname + location.search
    history.back()
    await find('thead th[aria-sort=descending]', 'Status')
    await open(shared, { key: ADMIN_KEY })
    await find('tbody tr .sparkline')
    await find('thead th[aria-sort=descending]', 'Parcels')
    expect(texts('tbody th a').join(' ')).toBe('ash oak elm yew')
  })

  test('an order in the URL that the table does not have is ignored', async () => {
    await open('/app/console/health?sort=-color', { key: ADMIN_KEY })
    await find('tbody tr .sparkline')
    await find('thead th[aria-sort=descending]', 'Status')
  })

  test('a source whose last scrapes failed is failing; older errors and overdue refreshes are warnings', async () => {
    await openHealth()
    const row = (source: string) => elements('tbody tr').find((one) => one.querySelector('a')?.textContent === source)
    const states = ['ash', 'elm', 'oak', 'yew'].map((source) => [
      row(source)?.getAttribute('class'),
      row(source)?.querySelector('.badge')?.textContent,
      row(source)?.querySelector('.badge')?.getAttribute('class'),
    ])
    expect(states).toEqual([
      [null, 'well', 'badge good'],
      ['bad', 'failing', 'badge bad'],
      ['warn', 'some errors', 'badge warn'],
      ['warn', 'overdue', 'badge warn'],
    ])
    const href = '/app/console/jobs?status=error&source=elm'
    expect(row('elm')?.querySelector('a.tone-bad')?.getAttribute('href')).toBe(href)
    const failing = elements('.figures > div', 'Failing')[0]
    expect(failing?.querySelector('dd')?.textContent).toBe('1')
    expect(failing?.getAttribute('class')).toContain('bad')
  })

  test('the share of the last scrapes that failed is shown in percent and in words, even if there was no error in the last day', async () => {
    await sql`
      insert into scrape_jobs (source, source_parcel_id, vendor, status, error_code, finished_at)
      select 'ash', 'old' || n, 'test', (case when n <= 12 then 'error' else 'done' end)::job_status,
        case when n <= 12 then 'timeout' end, now() - (48 + n) * interval '1 hour'
      from generate_series(1, 60) n`
    try {
      await openHealth()
      const cells = elements('tbody tr').find((one) => one.querySelector('a')?.textContent === 'ash')?.children
      const cellOf = (name: string) => cells?.[texts('thead th').findIndex((head) => head.startsWith(name))]
      expect(cellOf('Failing')?.textContent).toBe('24%12 of 50')
      expect(cellOf('Failing')?.querySelector('.tone-bad')?.textContent).toBe('24%')
      expect(cellOf('Errors, 24 h')?.textContent).toBe('0')
      expect(cellOf('Status')?.textContent).toBe('some errors')
    } finally {
      await sql`delete from scrape_jobs where source_parcel_id like 'old%'`
    }
  })

  test('each source has a sparkline of its errors, with one bar a day', async () => {
    await openHealth()
    const heights = (errors: number) =>
      elements(`svg.sparkline[aria-label="${errors} errors in 14 days"] rect`).map((bar) =>
        Number(bar.getAttribute('height')),
      )
    const elm = heights(7)
    expect(elm).toHaveLength(14)
    const most = Math.max(...elm)
    expect(elm.map((height) => (5 * height) / most)).toEqual([...Array(10).fill(0), 5, 0, 0, 2])
    expect(heights(1).map((height) => height > 0)).toEqual([true, ...Array(13).fill(false)])
    expect(heights(0)).toEqual([...Array(28).fill(0)].slice(0, heights(0).length))
  })

  test('the URL has what is looked for, so that links and Back restore it, and a link to the page shows all again', async () => {
    await openHealth()
    type(await find('input[type=search]'), 'yew')
    type(await find('.filters select'), 'problems')
    await waitFor(() => texts('tbody th a').join(' ') === 'yew')
    expect(location.search).toBe('?find=yew&show=problems')
    ;(await find('tbody th a')).click()
    await waitFor(() => location.pathname === '/app/console/sources/yew')
    history.back()
    await find('h1', 'Health')
    expect(texts('tbody th a')).toEqual(['yew'])
    expect((await find<HTMLInputElement>('input[type=search]')).value).toBe('yew')
    expect((await find<HTMLSelectElement>('.filters select')).value).toBe('problems')
    ;(await find('.console-nav a', 'Health')).click()
    await waitFor(() => texts('tbody th a').length === 4)
    expect((await find<HTMLInputElement>('input[type=search]')).value).toBe('')
  })

  test('a source that is not active is not due', async () => {
    await sql`update sources set active = false where source = 'ash'`
    try {
      await openHealth()
      const due = texts('thead th').findIndex((head) => head.startsWith('Next due'))
      const cells = (source: string) =>
        elements('tbody tr')
          .find((one) => one.querySelector('a')?.textContent === source)
          ?.querySelectorAll('th, td')
      expect(cells('ash')?.[due]?.textContent).toBe('–')
      expect(cells('oak')?.[due]?.textContent).not.toBe('–')
    } finally {
      await sql`update sources set active = true where source = 'ash'`
    }
  })

  test('of sources that are equally urgent, those with more parcels come first', async () => {
    await sql`update sources set active = false`
    await sql`insert into parcels (source, source_parcel_id) select 'yew', n::text from generate_series(1, 13) n`
    try {
      await openHealth()
      expect(texts('tbody th a')).toEqual(['elm', 'oak', 'yew', 'ash'])
    } finally {
      await sql`delete from parcels where source = 'yew'`
      await sql`update sources set active = true`
    }
  })

  test('sources with work come before idle ones of the same state, and 50 rows are shown at a time; Back keeps what was added', async () => {
    await sql`
      insert into sources (source, state, county_name, vendor, base_url)
      select 'many-' || n, 'OR', 'Many', 'test', 'https://many.example' from generate_series(100, 169) n`
    await sql`insert into source_refresh_policies (source, next_due_at) select source, '2099-01-01Z' from sources where source like 'many-%'`
    await sql`insert into scrape_jobs (source, source_parcel_id, vendor) values ('many-150', '1', 'test')`
    try {
      await openHealth()
      const listed = texts('tbody th a')
      expect(listed.slice(0, 4)).toEqual(['elm', 'oak', 'yew', 'many-150'])
      expect(listed).toHaveLength(50)
      ;(await find('button', 'Show all 74')).click()
      await find('tbody tr', 'many-169')
      expect(texts('tbody th a')).toHaveLength(74)
      ;(await find('tbody th a', 'many-169')).click()
      await find('h1', 'Many, OR')
      history.back()
      await find('tbody tr', 'many-169')
    } finally {
      await sql`delete from scrape_jobs where source like 'many-%'`
      await sql`delete from source_refresh_policies where source like 'many-%'`
      await sql`delete from sources where source like 'many-%'`
    }
  })
})
