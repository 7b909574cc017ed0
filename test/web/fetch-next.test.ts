import { expect, test } from 'bun:test'
import { InfiniteQueryObserver, QueryClient } from '@tanstack/react-query'
import { fetchNext } from '../../src/web/app/api/fetch-next'
import { waitFor } from '../support/servers'

/** A list of three pages. Each page arrives when `answer` is called. */
const createList = () => {
  const queries = new QueryClient()
  const asked: { page: number; answer: () => void }[] = []
  const list = new InfiniteQueryObserver(queries, {
    queryKey: ['list'],
    initialPageParam: 1,
    queryFn: ({ pageParam }) =>
      new Promise<number>((resolve) => asked.push({ page: pageParam, answer: () => resolve(pageParam) })),
    getNextPageParam: (page) => (page < 3 ? page + 1 : null),
  })
  list.subscribe(() => {})
  const answer = async (page: number) => {
    await waitFor(() => asked.length > 0)
    const next = asked.shift()
    expect(next?.page).toBe(page)
    next?.answer()
  }
  return { queries, list, asked, answer, pages: () => list.getCurrentResult().data?.pages }
}

const more = ({ list }: ReturnType<typeof createList>) =>
  fetchNext({ data: list.getCurrentResult().data, fetchNextPage: list.fetchNextPage.bind(list) as never })

test('the next page is shown although the list was refreshed while it was loading', async () => {
  const given = createList()
  await given.answer(1)
  await waitFor(() => given.pages()?.length === 1)
  const shown = more(given)
  await waitFor(() => given.asked.length === 1)
  void given.queries.invalidateQueries({ queryKey: ['list'] })
  await waitFor(() => given.asked.length === 2)
  // The canceled request for the second page.
  given.asked.shift()
  await given.answer(1)
  await given.answer(2)
  await shown
  expect(given.pages()).toEqual([1, 2])
})

test('a refresh in progress is completed before the next page is requested', async () => {
  const given = createList()
  await given.answer(1)
  await waitFor(() => given.pages()?.length === 1)
  void given.queries.invalidateQueries({ queryKey: ['list'] })
  await waitFor(() => given.asked.length === 1)
  const shown = more(given)
  await given.answer(1)
  await given.answer(2)
  await shown
  expect(given.pages()).toEqual([1, 2])
})
