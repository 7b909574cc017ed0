import { useQueryClient } from '@tanstack/react-query'
import { keepKey } from './key'

/** A function that keeps a key for this tab, or forgets it (null), and requests everything again. */
export const useChooseKey = () => {
  const queries = useQueryClient()
  return (key: string | null): void => {
    keepKey(key)
    queries.clear()
  }
}
