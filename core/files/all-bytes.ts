import { readSync, writeSync } from 'node:fs'

/* One call of the system may read or write fewer bytes than it was given, for example when the disk fills up. */

/** Writes all of `bytes` where the file is open at. @throws the system's error when there is no room for all of them */
export const writeAll = (descriptor: number, bytes: Uint8Array): void => {
  for (let done = 0; done < bytes.length; ) done += writeSync(descriptor, bytes, done)
}

/** Fills `bytes` with those of the file from `offsetBytes`. @throws Error with `name` when the file ends earlier */
export const readAll = (descriptor: number, bytes: Uint8Array, offsetBytes: number, name: string): void => {
  for (let done = 0; done < bytes.length; ) {
    const read = readSync(descriptor, bytes, done, bytes.length - done, offsetBytes + done)
    if (read === 0) throw new Error(`${name} ends before byte ${offsetBytes + bytes.length}`)
    done += read
  }
}
