import { isLocalPath } from '../../../convention/local-path'
import { messagePage } from '../../../convention/response/message-page'

/** A page that says why sign-in failed. Its "Try again" link keeps `returnTo` if that is a path of this service. */
export const failurePage = (
  reason: string,
  returnTo: string | null,
  { status, headers }: { status: number; headers: Record<string, string> },
): Response => {
  const query = returnTo !== null && isLocalPath(returnTo) ? `?return_to=${encodeURIComponent(returnTo)}` : ''
  return messagePage(
    {
      title: 'Not signed in',
      text: `Sign-in failed: ${reason}.`,
      links: [{ href: `/auth/sign-in${query}`, text: 'Try again' }],
    },
    { status, headers },
  )
}
