import type { ReactNode } from 'react'
import { Notice } from '../ui/notice'
import { Spinner } from '../ui/spinner'
import { SignInLink } from './sign-in-link'
import { useViewer } from './viewer'

/** The part of a page that needs a session or a key. `purpose`: what they are needed for, as the end of a sentence. */
export const ForReaders = ({ purpose, children }: { purpose: string; children: ReactNode }) => {
  const { canRead, isKnown } = useViewer()
  if (canRead) return children
  if (!isKnown) return <Spinner label="Loading" />
  return (
    <Notice tone="warn">
      <SignInLink>Sign in</SignInLink> or use an API key to {purpose}.
    </Notice>
  )
}
