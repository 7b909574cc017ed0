import { type KeyboardEvent, useEffect, useMemo, useState } from 'react'
import { keepForReturn, recallOnReturn } from '../../ui/page/navigation'
import { type Entry, idOf, listEntries } from './entries'
import type { changeFilters } from './filters/filters'
import { type EntityHit, listRows, type ParcelHit, type Results } from './results'

interface Options {
  results: Results
  /** Whether a table shows the hits. Its rows are not chosen with the arrow keys, and Enter opens the first hit. */
  isTable: boolean
  /** The active hit, by id. */
  active: string | null
  onActive: (id: string | null) => void
  onPick: (hit: ParcelHit | EntityHit) => void
  onChange: typeof changeFilters
}

/** The lines of the hits, which of them is active, and what keys and clicks do. */
export const useEntries = ({ results, isTable, active, onActive, onPick, onChange }: Options) => {
  const { hits, isWaiting, hasMore, loadMore } = results
  /** The groups that were opened or closed here, by id. */
  const [toggled, setToggled] = useState<ReadonlyMap<string, boolean>>(new Map())
  /** Enter was pressed before the hits of what is typed had arrived. */
  const [isEntered, setEntered] = useState(false)
  const open = useMemo(() => {
    const isOpen = (id: string) => toggled.get(id) ?? recallOnReturn(`open ${id}`) === 1
    return new Set(hits.map(idOf).filter(isOpen))
  }, [hits, toggled])
  const entries = useMemo(() => listEntries(isTable ? listRows(hits) : hits, open), [hits, isTable, open])
  const activeIndex = isTable ? -1 : entries.findIndex((entry) => entry.id === active)

  const toggle = (id: string, isOpen: boolean) => {
    setToggled(new Map(toggled).set(id, isOpen))
    keepForReturn(`open ${id}`, isOpen ? 1 : 0)
  }
  const pick = ({ id, hit, isAll }: Entry) => {
    if (hit.kind !== 'owner-group') return onPick(hit)
    if (isAll) return onChange({ q: '', owner: hit.owner_name })
    toggle(id, !open.has(id))
  }
  const move = (index: number) => {
    // Past the last hit there may be more.
    if (index >= entries.length && hasMore) return loadMore()
    const entry = entries[(index + entries.length) % entries.length]
    if (entry) onActive(entry.id)
  }
  /** Returns whether the key has an effect here. */
  const press = (key: string): boolean => {
    if (isTable && key.startsWith('Arrow')) return false
    const entry = entries[activeIndex]
    switch (key) {
      case 'ArrowDown':
        move(activeIndex + 1)
        return entries.length > 0
      case 'ArrowUp':
        move(activeIndex === -1 ? entries.length - 1 : activeIndex - 1)
        return entries.length > 0
      case 'ArrowRight':
      case 'ArrowLeft':
        if (entry === undefined || entry.hit.kind !== 'owner-group' || entry.isAll) return false
        toggle(entry.id, key === 'ArrowRight')
        return true
      case 'Escape':
        setEntered(false)
        if (active !== null) onActive(null)
        else onChange({ q: '' })
        return true
      case 'Enter':
        setEntered(true)
        return true
      default:
        return false
    }
  }

  useEffect(() => {
    if (!isEntered || isWaiting) return
    setEntered(false)
    const picked = entries[activeIndex] ?? entries[0]
    if (picked) pick(picked)
  })

  return {
    entries,
    activeIndex,
    pick,
    onKeyDown: (event: KeyboardEvent) => {
      // While an input method composes a text, its keys are the method's.
      if (!event.nativeEvent.isComposing && press(event.key)) event.preventDefault()
    },
    /** Forgets an Enter that waits for its hits. */
    forgetEnter: () => setEntered(false),
  }
}
