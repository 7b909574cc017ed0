import { HTML, type Link, ogcHeaders } from './request'

const STYLE = `body{font:15px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:70rem;padding:0 1rem;color:#1b1b1b;background:#fff}
table{border-collapse:collapse;display:block;overflow-x:auto}th,td{border:1px solid #ccc;padding:.25rem .5rem;text-align:left;vertical-align:top}
th{background:#f3f3f3}nav a{margin-right:1rem}code{font-size:.95em}`

/** The page runs no script and loads nothing. Its only style is this one. */
const POLICY = `default-src 'none'; style-src 'sha256-${new Bun.CryptoHasher('sha256').update(STYLE).digest('base64')}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`

export const escapeHtml = (value: unknown): string =>
  Bun.escapeHTML(
    value === null || value === undefined ? '' : typeof value === 'object' ? JSON.stringify(value) : String(value),
  )

export const htmlLink = (href: string, text: string): string => `<a href="${escapeHtml(href)}">${escapeHtml(text)}</a>`

/** Cells are HTML. */
export const htmlTable = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  `<table><thead><tr>${head.map((name) => `<th>${escapeHtml(name)}</th>`).join('')}</tr></thead>
<tbody>${rows.map((cells) => `<tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`).join('\n')}</tbody></table>`

/** `body` is HTML. Links become the navigation. */
export const htmlPage = (
  request: Request,
  { title, links, body }: { title: string; links: readonly Link[]; body: string },
): Response =>
  new Response(
    `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escapeHtml(title)}</title><style>${STYLE}</style></head>
<body><h1>${escapeHtml(title)}</h1>
<nav>${links
      .filter(({ rel }) => rel !== 'self')
      .map(({ href, title }) => htmlLink(href, title))
      .join('\n')}</nav>
${body}
</body></html>
`,
    { headers: { ...ogcHeaders(request, HTML), 'content-security-policy': POLICY } },
  )
