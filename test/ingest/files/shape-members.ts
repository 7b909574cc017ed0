/** The files of a shapefile of one polygon whose rings are triangles, by turns an outer ring and a hole. */
export const shapeMembers = (rings: number, edit: (shp: Buffer, dbf: Buffer) => void = () => {}) => {
  const points = rings * 4
  const bytes = 44 + rings * 4 + points * 16
  const shp = Buffer.alloc(108 + bytes)
  shp.writeInt32BE(9994, 0)
  shp.writeInt32BE(shp.length / 2, 24)
  shp.writeInt32LE(1000, 28)
  shp.writeInt32LE(5, 32)
  shp.writeInt32BE(1, 100)
  shp.writeInt32BE(bytes / 2, 104)
  shp.writeInt32LE(5, 108)
  shp.writeInt32LE(rings, 108 + 36)
  shp.writeInt32LE(points, 108 + 40)
  for (let ring = 0; ring < rings; ring++) shp.writeInt32LE(ring * 4, 152 + ring * 4)
  const triangle = [
    [0, 0],
    [1, 0],
    [1, 1],
    [0, 0],
  ] as const
  for (let at = 0; at < points; at++) {
    const ring = at >> 2
    const [x, y] = triangle[ring % 2 === 0 ? 3 - (at % 4) : at % 4] as readonly [number, number]
    shp.writeDoubleLE(-120 + ring * 1e-5 + x * 1e-6, 152 + rings * 4 + at * 16)
    shp.writeDoubleLE(44 + y * 1e-6, 152 + rings * 4 + at * 16 + 8)
  }
  const dbf = Buffer.alloc(108)
  dbf[0] = 3
  dbf.writeUInt32LE(1, 4)
  dbf.writeUInt16LE(65, 8)
  dbf.writeUInt16LE(11, 10)
  dbf.write('pin', 32)
  dbf.write('C', 32 + 11)
  dbf[32 + 16] = 10
  dbf[64] = 0x0d
  dbf.write(' elm       ', 65)
  const prj = Buffer.from(
    'GEOGCS["GCS_WGS_1984",DATUM["D_WGS_1984",SPHEROID["WGS_1984",6378137,298.257223563]],PRIMEM["Greenwich",0],UNIT["Degree",0.0174532925199433]]',
  )
  edit(shp, dbf)
  return [
    { name: 'lots.shp', content: shp },
    { name: 'lots.dbf', content: dbf },
    { name: 'lots.prj', content: prj },
  ]
}
