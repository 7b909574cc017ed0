import { at } from '../../../api/api'

/** The page of a source with the details of one of its loads. */
export const loadPath = (source: string, id: string): string => `/app/console/sources/${at(source)}?load=${at(id)}`
