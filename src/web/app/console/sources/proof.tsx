import { useQuery } from '@tanstack/react-query'
import { api, ask, at } from '../../api/api'
import { Notice } from '../../ui/notice'

/** When a source was proved, by whom, and whether its golden page still reads the same. */
export const Proof = ({ source, provedAt }: { source: string; provedAt: string | null }) => {
  const found = useQuery({
    queryKey: ['sources', source, 'proof', provedAt],
    queryFn: ({ signal }) => ask(api.v1.sources({ source: at(source) }).proof.get({ fetch: { signal } })),
    enabled: provedAt !== null,
  })
  if (provedAt === null) return 'not proved'
  const proof = found.data
  return (
    <>
      {formatProved(provedAt)}
      {proof && ` by ${proof.proved_by}, with parcel ${proof.source_parcel_id} and version ${proof.version}`}
      {proof?.difference != null && (
        <Notice tone="warn">
          With today’s version and settings, the golden page reads differently: {proof.difference}
        </Notice>
      )}
    </>
  )
}

/** `proved 2026-11-23` */
export const formatProved = (provedAt: string): string => `proved ${provedAt.slice(0, 10)}`
