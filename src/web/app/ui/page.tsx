import { type ReactNode, useEffect, useRef } from 'react'

interface Props {
  title: string
  /** What this page is for, in a sentence. */
  lead?: ReactNode
  actions?: ReactNode
  children: ReactNode
}

/** Going back, the browser finds the place again by itself. */
let isGoingBack = false
addEventListener('popstate', () => {
  isGoingBack = true
})
let isFirst = true

/** A page's main part, under its heading. The focus goes with who comes from another page, as it would with a page that is loaded. */
export const Page = ({ title, lead, actions, children }: Props) => {
  useTitle(title)
  const main = useRef<HTMLElement>(null)
  useEffect(() => {
    if (!isFirst) main.current?.focus({ preventScroll: true })
    if (!isFirst && !isGoingBack) scrollTo(0, 0)
    isFirst = false
    isGoingBack = false
  }, [])
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

export const useTitle = (title: string): void => {
  useEffect(() => {
    document.title = `${title} · Parcels`
  }, [title])
}
