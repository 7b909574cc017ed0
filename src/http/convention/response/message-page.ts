/** Uses the app's colors. */
const STYLE = `
:root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif; color: light-dark(#16211d, #e7eeeb); background: light-dark(#f2f4f1, #10171a) }
body { margin: 0; min-height: 100dvh; display: grid; place-items: center }
main { box-sizing: border-box; width: min(26rem, 100vw - 24px); padding: 1.75rem; background: light-dark(#fff, #182124); border: 1px solid light-dark(#dce3de, #2b383b); border-radius: 14px }
h1 { margin: 0; font-size: 1.5rem; line-height: 1.2; letter-spacing: -.02em }
p { margin: .6rem 0 0; overflow-wrap: anywhere }
a { color: light-dark(#0b6b62, #5bd6bf) }
`
const POLICY = `default-src 'none'; style-src 'sha256-${new Bun.CryptoHasher('sha256').update(STYLE).digest('base64')}'; base-uri 'none'; frame-ancestors 'none'`

/** Whether the request is from a person's browser, which shows the response. */
export const wantsPage = (request: Request): boolean => request.headers.get('accept')?.includes('text/html') === true

interface Message {
  title: string
  text: string
  links: { href: string; text: string }[]
}

/** A small page without scripts that tells a person what happened, and where to go. */
export const messagePage = (
  { title, text, links }: Message,
  { status, headers = {} }: { status: number; headers?: Record<string, string> },
): Response => {
  const anchors = links.map((link) => `<a href="${Bun.escapeHTML(link.href)}">${Bun.escapeHTML(link.text)}</a>`)
  const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${Bun.escapeHTML(title)}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>${Bun.escapeHTML(title)}</h1>
<p>${Bun.escapeHTML(text)}</p>
<p>${anchors.join(' · ')}</p>
</main>
</body>
</html>
`
  return new Response(page, {
    status,
    headers: { ...headers, 'content-type': 'text/html; charset=utf-8', 'content-security-policy': POLICY },
  })
}
