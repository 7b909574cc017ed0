import { type RefObject, type UIEvent, useLayoutEffect } from 'react'
import { keepForReturn, recallOnReturn } from './navigation'

/**
 * Restores the scroll position of a part of a page on Back and Forward. The browser does that only for the whole page. Returns the part's
 * `onScroll`. `isFilled`: the part has its content, so it can be scrolled.
 */
export const useKeptScroll = (name: string, part: RefObject<HTMLElement | null>, isFilled: boolean) => {
  useLayoutEffect(() => {
    const top = recallOnReturn(name)
    if (isFilled && top !== undefined && part.current !== null) part.current.scrollTop = top
  }, [isFilled, name, part])
  return ({ currentTarget }: UIEvent<HTMLElement>): void => keepForReturn(name, currentTarget.scrollTop)
}
