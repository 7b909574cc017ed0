import { isLocalPath } from '../../convention/local-path'

/** Uses the app's colors. */
const FAILURE_STYLE = `
:root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif; color: light-dark(#16211d, #e7eeeb); background: light-dark(#f2f4f1, #10171a) }
body { margin: 0; min-height: 100dvh; display: grid; place-items: center }
main { box-sizing: border-box; width: min(26rem, 100vw - 24px); padding: 1.75rem; background: light-dark(#fff, #182124); border: 1px solid light-dark(#dce3de, #2b383b); border-radius: 14px }
h1 { margin: 0; font-size: 1.5rem; line-height: 1.2; letter-spacing: -.02em }
p { margin: .6rem 0 0 }
a { color: light-dark(#0b6b62, #5bd6bf) }
`
const FAILURE_POLICY = `default-src 'none'; style-src 'sha256-${new Bun.CryptoHasher('sha256').update(FAILURE_STYLE).digest('base64')}'; base-uri 'none'; frame-ancestors 'none'`

/** A page that says why sign-in failed. Its "Try again" link keeps `returnTo` if that is a path of this service. */
export const failurePage = (
  reason: string,
  returnTo: string | null,
  { status, headers }: { status: number; headers: Record<string, string> },
): Response => {
  const query = returnTo !== null && isLocalPath(returnTo) ? `?return_to=${encodeURIComponent(returnTo)}` : ''
  const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Not signed in</title>
<style>${FAILURE_STYLE}</style>
</head>
<body>
<main>
<h1>Not signed in</h1>
<p>Sign-in failed: ${Bun.escapeHTML(reason)}.</p>
<p><a href="/auth/sign-in${Bun.escapeHTML(query)}">Try again</a></p>
</main>
</body>
</html>
`
  return new Response(page, {
    status,
    headers: { ...headers, 'content-type': 'text/html; charset=utf-8', 'content-security-policy': FAILURE_POLICY },
  })
}
