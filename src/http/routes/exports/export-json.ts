import type { ExportRow } from '../../../../drizzle/queries/exports/exports'
import type { DownloadLinks } from '../../../exports/download-link'

/** An export as JSON text, with a new link to its file if there is one. */
export const exportJson = async (
  { links, baseUrl }: { links: DownloadLinks; baseUrl: string },
  id: string,
  { body, file }: ExportRow,
): Promise<string> => {
  const link = file && (await links.sign(id, file))
  const download = {
    download_url: link && `${baseUrl}/v1/exports/${id}/file?${link.query}`,
    download_expires_at: link?.expiresAt.toISOString() ?? null,
  }
  return `${body.slice(0, -1)},${JSON.stringify(download).slice(1)}`
}
