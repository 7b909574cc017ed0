import { type ReactNode, useEffect } from 'react'

interface Props {
  title: string
  /** What this page is for, in a sentence. */
  lead?: ReactNode
  actions?: ReactNode
  children: ReactNode
}

/** A page's main part, under its heading. */
export const Page = ({ title, lead, actions, children }: Props) => {
  useTitle(title)
  return (
    <main className="page" id="main" tabIndex={-1}>
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
