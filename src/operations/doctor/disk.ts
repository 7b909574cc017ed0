import { accessSync, constants, existsSync, statfsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { codeOf } from '../../../core/error-code'
import { type Config, listDataFolders } from '../../config'
import { type Diagnosis, fault, ok, warn } from './diagnosis'

const GB = 1024 ** 3
const SHORT = { faultBelow: GB / 4, warnBelow: 2 * GB }

/** Checks that each data folder can be written to, and checks the free space of each disk once. */
export const examineDisks = (config: Config): Diagnosis[] => {
  const [places, disks] = [new Set<string>(), new Set<number>()]
  return listDataFolders(config).flatMap(({ name, path }) => {
    const place = findPlace(path)
    if (places.has(place)) return []
    places.add(place)
    const problem = examineAccess(name, place)
    if (problem !== null) return [problem]
    const { dev } = statSync(place)
    if (disks.has(dev)) return []
    disks.add(dev)
    return [examineSpace(name, path)]
  })
}

/** The folder, or its nearest parent that exists. */
const findPlace = (folder: string): string => (existsSync(folder) ? folder : findPlace(dirname(folder)))

const examineAccess = (name: string, place: string): Diagnosis | null => {
  try {
    accessSync(place, constants.W_OK | constants.X_OK)
    return null
  } catch (error) {
    const reason = codeOf(error) ?? error
    const advice = `give the service's user write access, or set ${name}`
    return fault(`disk (${name})`, `${place} cannot be written to (${reason})`, advice)
  }
}

/** Limits in bytes. */
export const examineSpace = (name: string, folder: string, { faultBelow, warnBelow } = SHORT): Diagnosis => {
  const { bavail, bsize, blocks } = statfsSync(findPlace(folder))
  const free = bavail * bsize
  const about = `disk (${name})`
  const what = `${(free / GB).toFixed(1)} GB free of ${((blocks * bsize) / GB).toFixed(1)} at ${folder}`
  const advice = `free up space, or stop the service, move the folder to a larger disk, and set ${name}`
  if (free < faultBelow) return fault(about, what, advice)
  return free < warnBelow ? warn(about, what, advice) : ok(about, what)
}
