import { describe, expect, test } from 'bun:test'
import { createTestApp } from '../../http/test-app'
import { waitFor } from '../../support/servers'
import { useAppInDom } from './open-app'

describe('the page of lists', async () => {
  const { app, sql, readKey, signIn } = await createTestApp()
  const key = await readKey()
  /** Does the work that a worker would do. */
  const finishMatch = async (counts: { matched: number; no_match: number }) => {
    const result = JSON.stringify({ rows: counts.matched + counts.no_match, counts: { ...counts, tie: 0, invalid: 0 } })
    const finish = () => sql`
      update work set status = 'done', result = ${result}::text::jsonb, started_at = now(), finished_at = now()
      where kind = 'match' and status = 'queued'`
    await waitFor(async () => (await finish()).count === 1)
  }
  let isDown = false
  const { open, find, elements, texts, type } = useAppInDom((request) => {
    if (isDown) throw new TypeError('Failed to fetch')
    return app.handle(request)
  })
  const press = async (text: string) => (await find('button:not([disabled])', text)).click()
  /** Chooses a file, as a person does. */
  const choose = async (name: string, text: string) => {
    const input = await find<HTMLInputElement>('input[type=file]')
    Object.defineProperty(input, 'files', { value: [new File([text], name)], configurable: true })
    input.dispatchEvent(new window.Event('change', { bubbles: true }))
  }

  test('a signed-out visitor is asked to sign in', async () => {
    await open('/app/lists')
    await find('.notice', 'Sign in')
    expect(elements('input[type=file]')).toEqual([])
  })

  test('a file is sent, its columns are guessed and changed, and the rows are counted by outcome', async () => {
    await open('/app/lists', { key })
    await find('.empty', 'You have no lists yet.')
    await choose('list.csv', 'Street Address,Who\n12 North Main Street,Ada\n9 Nowhere Rd,Bo\n')
    const address = await find<HTMLSelectElement>('select[aria-label="What the column Street Address has"]')
    const who = await find<HTMLSelectElement>('select[aria-label="What the column Who has"]')
    expect([address.value, who.value]).toEqual(['address', ''])
    expect(texts('tbody td')).toContain('12 North Main Street · 9 Nowhere Rd')
    type(address, '')
    await find('button[disabled]', 'Match 2 rows')
    type(address, 'address')
    await press('Match 2 rows')
    await find('progress')
    await finishMatch({ matched: 1, no_match: 1 })
    await open('/app/lists', { key })
    await waitFor(() => texts('.figure').join() === 'Matched1,Ties0,No match1,Invalid0')
    expect(texts('.card h2').join()).toContain('2 rows')
    expect(texts('.card > p').join()).toMatch(/Sent .*, kept until [A-Z][a-z]{2} \d+, \d{4}/)
  })

  test('failed rows are tried again, and a list is deleted', async () => {
    await open('/app/lists', { key })
    await press('Retry failed rows')
    await finishMatch({ matched: 1, no_match: 0 })
    await open('/app/lists', { key })
    await waitFor(() => texts('.figure').slice(0, 4).join() === 'Matched1,Ties0,No match0,Invalid0')
    await find('h2', 'failed rows, retried')
    await waitFor(() => elements('section.card').length === 3)
    await press('Delete')
    await find('dialog p', 'Its results are deleted, too.')
    expect(elements('section.card')).toHaveLength(3)
    await press('Delete it')
    await waitFor(() => elements('section.card').length === 2)
  })

  test('a file that is dropped beside the field does not replace the page', async () => {
    await open('/app/lists', { key })
    await find('.drop')
    const replacesPage = () => document.dispatchEvent(new Event('drop', { bubbles: true, cancelable: true }))
    // The page listens only after it is drawn.
    await waitFor(() => !replacesPage())
    await open('/app/search', { key })
    await waitFor(() => replacesPage())
  })

  test('a refused file is reported with the reason', async () => {
    await open('/app/lists', { key })
    await choose('list.csv', '')
    await find('.notice.bad', 'the file is empty')
    isDown = true
    await choose('list.csv', 'address\n12 Elm St\n')
    await find('.notice.bad', 'The service does not respond. Check your network.')
    isDown = false
  })

  test('a session that ended while the columns were chosen is said to have ended, and the list stays', async () => {
    const { cookie } = await signIn()
    await open('/app/lists', { cookie })
    await choose('list.csv', 'address\n12 Elm St\n')
    await find('button:not([disabled])', 'Match 1 row')
    await sql`delete from sessions`
    await press('Match 1 row')
    await find('main .notice', 'Your session has ended. Sign in again in a new tab, then repeat this.')
    await find('tbody th', 'address')
  })

  test('more than 20 lists can be reached', async () => {
    await sql`
      with one as (select m.*, w.result from matches m join work w using (id) limit 1),
      others as (insert into work (kind, status, result) select 'match', 'done', result from one, generate_series(1, 24) returning id)
      insert into matches (id, owner, upload, outcomes, columns, expires_at)
      select others.id, owner, upload, outcomes, columns, expires_at from one, others`
    const [all] = await sql<{ count: number }[]>`select count(*)::int as count from matches`
    await open('/app/lists', { key })
    const cards = () => elements('section.card[aria-label^="List "]').length
    await waitFor(() => cards() === 20)
    await press('Show older ones')
    await waitFor(() => cards() === all?.count)
  })
})
