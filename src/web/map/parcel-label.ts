import { Refusal } from '../app/api'
import type { ParcelName } from '../app/map/parcel-map'
import { readKey } from '../app/session/key'
import { getParcel, type Parcel } from './api'
import { byId, element } from './element'

/** What a tile says of a parcel: it leaves out what is null, and what the archive was built without. */
export type TileParcel = ParcelName & Partial<Pick<Parcel, 'owner_name' | 'situs_address'>>

interface Point {
  x: number
  y: number
}

/** A pointer that is only on its way sees nothing, and asks nothing. */
const REST_MS = 150
const MOST_KNOWN = 500
/** Pixels between pointer and label, and between label and the window's edge. */
const [BESIDE, MARGIN] = [16, 8]

/**
 * The label of the parcel under the pointer, once that rests. Where its tile tells neither owner nor address its row is asked for;
 * the id stands there meanwhile, and what came is kept.
 */
export const createParcelLabel = () => {
  const label = byId('label')
  const known = new Map<string, TileParcel>()
  let current: string | null = null
  let at: Point = { x: 0, y: 0 }
  let timer = 0
  let asking = new AbortController()
  /** The key that was refused, null for none: not asked with again. */
  let refused: string | null | undefined

  const place = () => {
    const { offsetWidth: width, offsetHeight: height } = label
    const right = at.x + BESIDE
    const left = right + width + MARGIN > innerWidth ? at.x - BESIDE - width : right
    const below = at.y + BESIDE
    const top = below + height + MARGIN > innerHeight ? at.y - BESIDE - height : below
    label.style.transform = `translate(${Math.max(MARGIN, left)}px, ${Math.max(MARGIN, top)}px)`
  }
  const draw = ({ situs_address, owner_name, source_parcel_id }: TileParcel) => {
    const lines = [situs_address, owner_name, source_parcel_id].filter((text) => text)
    label.replaceChildren(...lines.map((text, line) => element(line === 0 ? 'strong' : 'span', {}, String(text))))
    label.hidden = false
    place()
  }
  const leave = () => {
    clearTimeout(timer)
    asking.abort()
    current = null
    label.hidden = true
  }
  const show = async (parcel: TileParcel, key: string) => {
    draw(known.get(key) ?? parcel)
    if (parcel.owner_name || parcel.situs_address || known.has(key) || refused === readKey()) return
    asking = new AbortController()
    const { signal } = asking
    const row = await getParcel(parcel, signal).catch((error) => {
      // A label is no place for trouble: a click tells of it.
      if (error instanceof Refusal && error.status === 401) refused = readKey()
      return null
    })
    if (row === null || signal.aborted) return
    if (known.size >= MOST_KNOWN) known.clear()
    known.set(key, row)
    draw(row)
  }

  return {
    /** The pointer is over a parcel, at a point of the window. */
    rest: (parcel: TileParcel, point: Point) => {
      const key = `${parcel.source}/${parcel.source_parcel_id}`
      at = point
      if (key === current && !label.hidden) return place()
      leave()
      current = key
      timer = window.setTimeout(() => show(parcel, key), REST_MS)
    },
    leave,
  }
}
