import { describe, expect, setSystemTime, test } from 'bun:test'
import { ADMIN_KEY, createTestApp } from '../../../http/test-app'
import { useAppInDom } from '../open-app'

describe('the table of work', async () => {
  const { app, sql } = await createTestApp()
  const { open, elements, find } = useAppInDom(app.handle)
  await sql`
    insert into work (kind, subject, status, started_at, finished_at, done, total)
    select kind, kind, 'done', now(), now(), done, total
    from (values ('ingest', 35522, 35522), ('preview', 5, 35522), ('load', 403, 403)) as ended (kind, done, total)`

  test('progress through a file is in bytes, and a preview that is done does not look as if it had stopped early', async () => {
    await open('/app/console/work', { key: ADMIN_KEY })
    await find('tbody tr')
    const progressOf = (kind: string) =>
      elements('tbody tr')
        .find((row) => row.querySelector('.cell-note')?.textContent === kind)
        ?.querySelectorAll('td')[1]?.textContent
    expect(['ingest', 'preview', 'load'].map(progressOf)).toEqual(['35.5 KB of 35.5 KB', '–', '403 of 403'])
  })

  test('times such as “just now” do not stay on an open page', async () => {
    await open('/app/console/work', { key: ADMIN_KEY })
    const at = (await find('tbody time')).textContent
    setSystemTime(Date.now() + 2 * 3_600_000)
    document.dispatchEvent(new Event('visibilitychange'))
    await find('tbody time', '2 hours ago')
    setSystemTime()
    expect(at).not.toContain('hour')
  })

  test('work of each kind can be looked for, also before any is listed', async () => {
    await open('/app/console/work?kind=match', { key: ADMIN_KEY })
    await find('.empty', 'No work matches this filter.')
    expect((await find<HTMLSelectElement>('.filters select')).value).toBe('match')
  })
})
