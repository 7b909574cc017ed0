import { useEffect, useRef } from 'react'

/** Calls `act` at most once per `pauseMs`. A call within the pause is delayed until its end. */
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
