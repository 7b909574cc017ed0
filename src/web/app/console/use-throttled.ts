import { useEffect, useRef } from 'react'

/** `act`, but at most once in `pauseMs`: a call within the pause is made up for when it ends. */
export const useThrottled = (act: () => void, pauseMs: number): (() => void) => {
  const timer = useRef<ReturnType<typeof setTimeout> | null>(null)
  const latest = useRef(act)
  latest.current = act
  useEffect(
    () => () => {
      if (timer.current !== null) clearTimeout(timer.current)
    },
    [],
  )
  return () => {
    timer.current ??= setTimeout(() => {
      timer.current = null
      latest.current()
    }, pauseMs)
  }
}
