import { stat, statfs } from 'node:fs/promises'
import type { Measurement } from '../../../drizzle/queries/alerts/measure-health'
import type { DataFolder } from '../../config'

/**
 * How much of each folder's disk is used, in percent, as `df` counts it. A disk is measured once, for the first of its folders. Folders
 * that do not exist yet are left out.
 */
export const measureDisks = async (folders: readonly DataFolder[]): Promise<Measurement[]> => {
  const disks = new Map<number, Measurement>()
  for (const { name, path } of folders) {
    const found = await Promise.all([stat(path), statfs(path)]).catch(() => null)
    if (found === null || disks.has(found[0].dev)) continue
    const [{ dev }, { blocks, bfree, bavail }] = found
    const used = blocks - bfree
    disks.set(dev, { subject: name, about: `${name} (${path})`, value: (100 * used) / (used + bavail) })
  }
  return [...disks.values()]
}
