import { Refusal } from '../app/api'
import { type Hit, searchParcels } from './api'
import { byId, element } from './element'

/** Long enough that a fast typist asks once a word, short enough to feel at once. */
const PAUSE_MS = 120

interface Listeners {
  onPick: (hit: Hit) => void
  /** A search was refused or failed; null: all is well again. */
  onTrouble: (trouble: Refusal | Error | null) => void
}

/** A combobox (ARIA 1.2) over /v1/search: arrows move, Enter picks, Escape closes. */
export const createSearchBox = ({ onPick, onTrouble }: Listeners): void => {
  const input = byId<HTMLInputElement>('query')
  const list = byId('hits')
  let hits: Hit[] = []
  let active = -1
  let timer = 0
  let asking = new AbortController()

  const draw = () => {
    list.replaceChildren(...hits.map(drawHit))
    list.hidden = hits.length === 0
    input.setAttribute('aria-expanded', String(!list.hidden))
    if (active >= 0) input.setAttribute('aria-activedescendant', `hit-${active}`)
    else input.removeAttribute('aria-activedescendant')
    list.children[active]?.scrollIntoView({ block: 'nearest' })
  }
  const drawHit = (hit: Hit, index: number) => {
    const place = [hit.situs_address, hit.situs_city, hit.source_parcel_id].filter((part) => part !== null).join(' · ')
    const item = element(
      'div',
      { id: `hit-${index}`, role: 'option', 'aria-selected': String(index === active) },
      element('strong', {}, hit.owner_name ?? hit.source_parcel_id),
      element('span', {}, place),
    )
    // Before the input loses its focus.
    item.addEventListener('pointerdown', (event) => event.preventDefault())
    item.addEventListener('click', () => pick(hit))
    return item
  }
  const close = () => {
    hits = []
    active = -1
    draw()
  }
  const pick = (hit: Hit) => {
    close()
    onPick(hit)
  }
  const ask = async () => {
    asking.abort()
    const query = input.value.trim()
    if ([...query].length < 2) return close()
    asking = new AbortController()
    const { signal } = asking
    try {
      const found = await searchParcels(query, signal)
      if (signal.aborted) return
      hits = found
      active = -1
      draw()
      onTrouble(hits.length === 0 ? new Error('No parcel found.') : null)
    } catch (error) {
      if (signal.aborted) return
      close()
      onTrouble(error instanceof Refusal ? error : new Error('The service does not answer.'))
    }
  }

  input.addEventListener('input', () => {
    clearTimeout(timer)
    timer = window.setTimeout(ask, PAUSE_MS)
  })
  input.addEventListener('blur', close)
  input.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') close()
    if (hits.length === 0 || (event.key !== 'ArrowDown' && event.key !== 'ArrowUp')) return
    event.preventDefault()
    active = (active + (event.key === 'ArrowDown' ? 1 : -1) + hits.length) % hits.length
    draw()
  })
  byId('search').addEventListener('submit', (event) => {
    event.preventDefault()
    const hit = hits[Math.max(active, 0)]
    if (hit === undefined) void ask()
    else pick(hit)
  })
}
