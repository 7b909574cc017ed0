import { type RefObject, useEffect, useRef, useState } from 'react'

/** An element's width in pixels; 0 before layout. */
export const useWidth = <Kind extends HTMLElement>(): [RefObject<Kind | null>, number] => {
  const element = useRef<Kind>(null)
  const [width, setWidth] = useState(0)
  useEffect(() => {
    if (element.current === null) return
    const observer = new ResizeObserver(([entry]) => setWidth(Math.floor(entry?.contentRect.width ?? 0)))
    observer.observe(element.current)
    return () => observer.disconnect()
  }, [])
  return [element, width]
}
