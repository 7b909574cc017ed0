import { type RefObject, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { useRouter } from 'wouter'
import { usePathname, useSearch } from 'wouter/use-browser-location'
import type { PagePath } from './page-paths'

/** What was typed last, and the URL that it made. */
let lastTyped: { field: string; address: string } | null = null

const addressOf = ({ pathname, search }: { pathname: string; search: string }): string => pathname + search

/**
 * Sets query parameters of the page's URL, and removes those that are null or empty. The page does not load again. Back undoes one
 * change. `typed` names the field that is typed in: all its changes in a row are one.
 */
export const changeAddress = (params: Readonly<Record<string, string | null>>, typed: string | null = null): void => {
  const url = new URL(location.href)
  for (const [name, value] of Object.entries(params)) {
    if (value === null || value === '') url.searchParams.delete(name)
    else url.searchParams.set(name, value)
  }
  if (url.href === location.href) return
  const isTypedOn = lastTyped?.field === typed && lastTyped.address === addressOf(location)
  if (isTypedOn) history.replaceState(history.state, '', url)
  else history.pushState(history.state, '', url)
  lastTyped = typed === null ? null : { field: typed, address: addressOf(url) }
}

/** The names of the parameters of a path: `id` of `/app/watches/:id`. */
type ParamOf<Path extends string> = Path extends `${string}/:${infer Name}/${infer Rest}`
  ? Name | ParamOf<`/${Rest}`>
  : Path extends `${string}/:${infer Name}`
    ? Name
    : never

/**
 * The parameters of the page's path, decoded. wouter's `useParams` leaves `%2F`, `%23` and `%3F` encoded, which parcel ids contain, and decodes
 * `%25` before the rest.
 */
export const usePathParams = <Path extends PagePath>(path: Path): Readonly<Record<ParamOf<Path>, string>> => {
  const pathname = usePathname(useRouter())
  return useMemo(() => {
    const segments = pathname.split('/')
    const params = path
      .split('/')
      .flatMap((name, index) => (name.startsWith(':') ? [[name.slice(1), decode(segments[index] ?? '')]] : []))
    return Object.fromEntries(params)
  }, [pathname, path])
}

/** A segment of a URL that someone typed can have a lone `%`. */
const decode = (segment: string): string => {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}

/** The query parameters of the page's URL. wouter's own hooks decode them twice. */
export const useAddressParams = (): URLSearchParams => {
  const search = useSearch(useRouter())
  return useMemo(() => new URLSearchParams(search), [search])
}

/**
 * A choice of the page that is the query parameter `name` of its URL, so that links, reloads and Back restore it. Without the parameter it
 * is the first of `values`.
 */
export const useAddressChoice = <Value extends string>(
  name: string,
  values: readonly [Value, ...Value[]],
): [Value, (value: Value) => void] => {
  const given = useAddressParams().get(name)
  const value = values.find((one) => one === given) ?? values[0]
  return [value, (chosen) => changeAddress({ [name]: chosen === values[0] ? null : chosen })]
}

/** A text of the page that is the query parameter `name` of its URL. */
export const useAddressText = (name: string): string => useAddressParams().get(name) ?? ''

const readText = (name: string): string => new URLSearchParams(location.search).get(name) ?? ''

/**
 * A text field whose text is the query parameter `name` of the page's URL. React does not control it: on a busy machine, while a part of the
 * page was opening, React 19.3 put the text of an earlier render back into a controlled field, so the letter typed last was lost.
 */
export const useAddressField = (name: string): { ref: RefObject<HTMLInputElement | null>; defaultValue: string } => {
  const ref = useRef<HTMLInputElement>(null)
  const [defaultValue] = useState(() => readText(name))
  // The URL is always current. What is rendered may be older.
  useLayoutEffect(() => {
    const text = readText(name)
    if (ref.current !== null && ref.current.value !== text) ref.current.value = text
  })
  return { ref, defaultValue }
}
