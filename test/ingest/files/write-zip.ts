import { crc32, deflateRawSync } from 'node:zlib'
import { writeFixture } from './write-fixture'

/** A member of an archive. `packed` and `sizeBytes` replace what its content would give. */
interface Member {
  name: string
  content?: Uint8Array
  packed?: Uint8Array
  sizeBytes?: number
}

/** Writes a zip (APPNOTE 4.3) and returns its path. */
export const writeZip = (name: string, members: readonly Member[]): string => {
  const parts: Buffer[] = []
  const directory: Buffer[] = []
  let at = 0
  for (const {
    name: member,
    content = new Uint8Array(0),
    packed = deflateRawSync(content),
    sizeBytes = content.length,
  } of members) {
    const path = Buffer.from(member)
    const header = Buffer.alloc(26)
    header.writeUInt16LE(20, 0)
    header.writeUInt16LE(8, 4)
    header.writeUInt32LE(crc32(content), 10)
    header.writeUInt32LE(packed.length, 14)
    header.writeUInt32LE(sizeBytes, 18)
    header.writeUInt16LE(path.length, 22)
    const place = Buffer.alloc(14)
    place.writeUInt32LE(at, 10)
    directory.push(Buffer.from('PK\x01\x02\x14\x00'), header, place, path)
    const local = [Buffer.from('PK\x03\x04'), header, path, Buffer.from(packed)]
    parts.push(...local)
    at += local.reduce((sum, { length }) => sum + length, 0)
  }
  const end = Buffer.alloc(18)
  end.writeUInt16LE(members.length, 4)
  end.writeUInt16LE(members.length, 6)
  end.writeUInt32LE(
    directory.reduce((sum, { length }) => sum + length, 0),
    8,
  )
  end.writeUInt32LE(at, 12)
  return writeFixture(name, Buffer.concat([...parts, ...directory, Buffer.from('PK\x05\x06'), end]))
}
