import { type ReactNode, type RefObject, useEffect, useRef } from 'react'
import { isLoadedPage, isReturn } from './navigation'

interface Props {
  title: string
  /** The purpose of the page, in a sentence. */
  lead?: ReactNode
  actions?: ReactNode
  /** What the page shows of its subject, such as one load. With another one, the page begins at the top and takes the focus, and its forms stay. */
  part?: string | null
  children: ReactNode
}

/** The main part of a page, with its heading. */
export const Page = ({ title, lead, actions, part = null, children }: Props) => {
  useTitle(title)
  const main = useMainFocus(true, part)
  return (
    <main ref={main} className="page" id="main" tabIndex={-1}>
      <header className="page-head">
        <div>
          <h1>{title}</h1>
          {lead && <p className="lead">{lead}</p>}
        </div>
        {actions && <div className="actions">{actions}</div>}
      </header>
      {children}
    </main>
  )
}

/** A ref for the main part of a page, with `tabIndex` -1. It takes the focus when the page changes. `isOn`: no field of the page does. */
export const useMainFocus = (isOn = true, part: string | null = null): RefObject<HTMLElement | null> => {
  const main = useRef<HTMLElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: another part is another page
  useEffect(() => {
    if (!isOn || isLoadedPage()) return
    main.current?.focus({ preventScroll: true })
    // On Back, the browser restores the scroll position itself.
    if (!isReturn()) scrollTo(0, 0)
  }, [isOn, part])
  return main
}

export const useTitle = (title: string): void => {
  useEffect(() => {
    document.title = `${title} · Parcels`
  }, [title])
}
