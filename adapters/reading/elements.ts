import { type Document, type Element, isTag } from 'domhandler'
import { isUnseen } from './text'

/** The children that are displayed. */
export const seenChildren = (element: Element): Element[] =>
  element.children.filter((child): child is Element => isTag(child) && !isUnseen(child))

/** The next sibling that is displayed. */
export const nextSeen = (element: Element): Element | undefined => {
  for (let next = element.next; next !== null; next = next.next) if (isTag(next) && !isUnseen(next)) return next
  return undefined
}

/** Whether the element is the region, or in it. */
export const isWithin = (element: Element, region: Element | Document): boolean => {
  for (let node: Element['parent'] | Element = element; node !== null; node = node.parent)
    if (node === region) return true
  return false
}
