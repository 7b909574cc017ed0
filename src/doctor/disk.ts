import { accessSync, constants, existsSync, statfsSync } from 'node:fs'
import { dirname } from 'node:path'
import { type Diagnosis, fault, ok, warn } from './diagnosis'

const GB = 1024 ** 3
const SHORT = { faultBelow: GB / 4, warnBelow: 2 * GB }

/** Whether `folder`, or its nearest existing parent, is writable and has free space. Limits in bytes. */
export const examineDisk = (name: string, folder: string, { faultBelow, warnBelow } = SHORT): Diagnosis[] => {
  let place = folder
  while (!existsSync(place)) place = dirname(place)
  const about = `disk (${name})`
  try {
    accessSync(place, constants.W_OK | constants.X_OK)
    const { bavail, bsize, blocks } = statfsSync(place)
    const free = bavail * bsize
    const what = `${(free / GB).toFixed(1)} GB free of ${((blocks * bsize) / GB).toFixed(1)} at ${folder}`
    const advice = `free up space, or set ${name} to another folder`
    if (free < faultBelow) return [fault(about, what, advice)]
    return free < warnBelow ? [warn(about, what, advice)] : [ok(about, what)]
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? error.code : error
    return [
      fault(about, `${place} cannot be written to (${reason})`, `give the service's user write access, or set ${name}`),
    ]
  }
}
