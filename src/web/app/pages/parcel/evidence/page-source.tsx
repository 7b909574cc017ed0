import type { UseQueryResult } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../../../ui/button'
import { Loaded } from '../../../ui/loaded'
import { toPageText } from './page-text'

/** Shorter values are found everywhere on a page. */
const MIN_MARKED_CHARACTERS = 4
const MAX_MARKED_CHARACTERS = 300_000

/** A portal's page as source or as text, with the places marked that show `values`. A page is never rendered. */
export const PageSource = ({ page, values = [] }: { page: UseQueryResult<string>; values?: readonly unknown[] }) => {
  const [isSource, setSource] = useState(true)
  return (
    <Loaded query={page} what="the page">
      {(source) => (
        <>
          <div className="row">
            <Button className="small" aria-pressed={isSource} onClick={() => setSource(true)}>
              Source
            </Button>
            <Button className="small" aria-pressed={!isSource} onClick={() => setSource(false)}>
              Text
            </Button>
          </div>
          <section
            className="page-source"
            // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
            tabIndex={0}
            aria-label={isSource ? 'Source of the page' : 'Text of the page'}
          >
            <pre>{markValues(isSource ? source : toPageText(source), values)}</pre>
          </section>
        </>
      )}
    </Loaded>
  )
}

const markValues = (text: string, given: readonly unknown[]) => {
  const values = given
    .flatMap((value) => (typeof value === 'number' ? [String(value), value.toLocaleString('en-US')] : value))
    .filter((value): value is string => typeof value === 'string' && value.length >= MIN_MARKED_CHARACTERS)
  if (values.length === 0 || text.length > MAX_MARKED_CHARACTERS) return text
  const longestFirst = [...new Set(values)].sort((one, other) => other.length - one.length)
  const pattern = longestFirst.map((value) => value.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|')
  return text.split(new RegExp(`(${pattern})`, 'i')).map((part, index) =>
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one text have no other name than their place
    index % 2 === 1 ? <mark key={index}>{part}</mark> : part,
  )
}
