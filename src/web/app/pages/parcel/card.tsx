import type { ReactNode } from 'react'

export const Card = ({ title, note, children }: { title: string; note?: ReactNode; children: ReactNode }) => (
  <section className="card">
    <div className="card-head">
      <h2>{title}</h2>
      {note && <span className="quiet small">{note}</span>}
    </div>
    {children}
  </section>
)
