import { Component, type ReactNode } from 'react'
import { Button } from './button'

/** Where a page breaks, the rest of the app stays. */
export class ErrorBoundary extends Component<{ children: ReactNode }, { error: Error | null }> {
  override state = { error: null as Error | null }

  static getDerivedStateFromError(error: Error) {
    return { error }
  }

  override render() {
    const { error } = this.state
    if (error === null) return this.props.children
    return (
      <main className="page" id="main">
        <h1>This page broke</h1>
        <p className="notice bad" role="alert">
          {error.message}
        </p>
        <div className="actions">
          <Button kind="primary" onClick={() => location.reload()}>
            Load it again
          </Button>
        </div>
      </main>
    )
  }
}
