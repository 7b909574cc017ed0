import { ServiceError } from '../../core/service-error'

/** The name of an archive. It identifies the bytes: `hash` is the beginning of their SHA-256. */
export interface ArchiveName {
  layer: string
  /** 16 lower-case hex digits. */
  hash: string
}

/** One folder of the store: a short word that cannot lead elsewhere. */
const LAYER = /^[a-z][a-z0-9_-]{0,62}$/
const HASH = /^[0-9a-f]{16}$/
const FILE = /^([0-9a-f]{16})\.pmtiles$/

/** Whether a layer can have this name. `/tiles/manifest.json` is the manifest. */
export const isLayerName = (name: string): boolean => LAYER.test(name) && name !== 'manifest'

export const isArchiveName = ({ layer, hash }: ArchiveName): boolean => LAYER.test(layer) && HASH.test(hash)

/**
 * The path of an archive in the store.
 *
 * @throws ServiceError `bad_input`
 */
export const archivePath = (archive: ArchiveName): string => {
  if (!isArchiveName(archive)) {
    throw new ServiceError('bad_input', `no archive is called ${JSON.stringify(`${archive.layer}/${archive.hash}`)}`)
  }
  return `${archive.layer}/${archive.hash}.pmtiles`
}

/** The archives of a layer that have these file names. Other files are ignored. */
export const archivesNamed = (layer: string, fileNames: string[]): ArchiveName[] =>
  fileNames.flatMap((name) => {
    const hash = FILE.exec(name)?.[1]
    return hash === undefined ? [] : [{ layer, hash }]
  })

/** For maps by archive. */
export const nameOf = ({ layer, hash }: ArchiveName): string => `${layer}/${hash}`
