import { ServiceError } from '../../core/service-error'
import type { ArchiveName } from './archive-name'

export const archiveMissing = (archive: ArchiveName, cause: unknown) =>
  new ServiceError('not_found', `there is no tile archive ${archive.layer}/${archive.hash}`, { cause })

export const archiveDamaged = ({ layer, hash }: ArchiveName) =>
  new ServiceError('archive_damaged', `the tile archive ${layer}/${hash} is damaged and must be rebuilt, try later`)
