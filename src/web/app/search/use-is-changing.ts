import { useEffect, useState } from 'react'

/** Whether `value` was another one within the last `ms`: of a text field, whether someone is typing. */
export const useIsChanging = (value: unknown, ms: number): boolean => {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), ms)
    return () => clearTimeout(timer)
  }, [value, ms])
  return settled !== value
}
