import { useEffect, useState } from 'react'

/** Whether `value` changed within the last `ms`. For a text field: whether someone is typing. */
export const useIsChanging = (value: unknown, ms: number): boolean => {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), ms)
    return () => clearTimeout(timer)
  }, [value, ms])
  return settled !== value
}
