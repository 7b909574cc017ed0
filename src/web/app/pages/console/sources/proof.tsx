import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, ask, at } from '../../../api/api'
import { Button } from '../../../ui/button'
import { Dialog } from '../../../ui/dialog'
import { Trouble } from '../../../ui/loaded'
import { Notice } from '../../../ui/notice'
import { saveFile } from '../../../ui/save-file'
import { PageSource } from '../../parcel/evidence/page-source'

const proofOf = (source: string) => api.v1.sources({ source: at(source) }).proof

/** When a source was proved, by whom, whether its golden page still reads the same, and the page itself. */
export const Proof = ({
  source,
  provedAt,
  isNeeded,
}: {
  source: string
  provedAt: string | null
  /** Without a proof, the source cannot be activated. */
  isNeeded: boolean
}) => {
  const [isOpen, setOpen] = useState(false)
  const found = useQuery({
    queryKey: ['sources', source, 'proof', provedAt],
    queryFn: ({ signal }) => ask(proofOf(source).get({ fetch: { signal } })),
    enabled: provedAt !== null,
  })
  if (provedAt === null)
    return isNeeded ? 'not proved; required before it can be activated' : 'not proved; not required'
  const proof = found.data
  return (
    <>
      {formatProved(provedAt)}
      {proof && ` by ${proof.proved_by}, with parcel ${proof.source_parcel_id} and version ${proof.version}`}{' '}
      <Button className="small" onClick={() => setOpen(true)}>
        Golden page
      </Button>
      {proof?.difference != null && (
        <Notice tone="warn">
          With the current version and settings, the golden page is read differently: {proof.difference}
        </Notice>
      )}
      {isOpen && (
        <Dialog title={`Golden page of ${source}`} onClose={() => setOpen(false)}>
          <GoldenPage source={source} hash={proof?.page_hash ?? ''} />
        </Dialog>
      )}
    </>
  )
}

const GoldenPage = ({ source, hash }: { source: string; hash: string }) => {
  const page = useQuery({
    queryKey: ['sources', source, 'golden-page', hash],
    // Plain text, which has no type in the routes.
    queryFn: async ({ signal }) => String((await ask(proofOf(source).page.get({ fetch: { signal } }))) as unknown),
    staleTime: Number.POSITIVE_INFINITY,
  })
  const save = useMutation({
    mutationFn: async () => {
      const pages = await ask(proofOf(source).export.get())
      saveFile(`${source}.json`, 'application/json', `${JSON.stringify(pages, null, 2)}\n`)
    },
  })
  return (
    <div className="stack">
      <p>
        What the portal sent when the source was proved. The export replaces names, addresses and numbers. Put it into
        the folder <code>GOLDEN_PAGES</code> of <code>bun run adapter check</code>.
      </p>
      <p>
        <Button isBusy={save.isPending} onClick={() => save.mutate()}>
          Export without names
        </Button>
      </p>
      <Trouble error={save.error} />
      <PageSource page={page} />
    </div>
  )
}

/** `proved 2026-11-23` */
export const formatProved = (provedAt: string): string => `proved ${provedAt.slice(0, 10)}`
