import { type ReactNode, type RefObject, useEffect, useRef } from 'react'
import { isLoadedPage, isReturn } from './navigation'

interface Props {
  title: string
  /** The purpose of the page, in a sentence. */
  lead?: ReactNode
  actions?: ReactNode
  children: ReactNode
}

/** The main part of a page, with its heading. */
export const Page = ({ title, lead, actions, children }: Props) => {
  useTitle(title)
  const main = useMainFocus()
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
export const useMainFocus = (isOn = true): RefObject<HTMLElement | null> => {
  const main = useRef<HTMLElement>(null)
  useEffect(() => {
    if (!isOn || isLoadedPage()) return
    main.current?.focus({ preventScroll: true })
    // On Back, the browser restores the scroll position itself.
    if (!isReturn()) scrollTo(0, 0)
  }, [isOn])
  return main
}

export const useTitle = (title: string): void => {
  useEffect(() => {
    document.title = `${title} · Parcels`
  }, [title])
}
