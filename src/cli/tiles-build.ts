import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { untilAborted } from '../../core/concurrency/until-aborted'
import { describeFilter } from '../../core/parcels/filter'
import { ServiceError } from '../../core/service-error'
import { countNoun, formatCount } from '../../core/text/count-noun'
import { migrate, NEWER_SCHEMA } from '../../drizzle/migrate'
import { BUCKET_ZOOM, type TileOptions } from '../../tiles-build/archive/write-tiles'
import { type BuildResult, buildTiles, DEFAULT_TILE_OPTIONS } from '../../tiles-build/build'
import { TILE_PROPERTIES, type TileProperty } from '../../tiles-build/read/property-value'
import { isLayerName } from '../../tiles-build/store/archive-name'
import { createTileStore } from '../../tiles-build/store/create-tile-store'
import { readConfig } from '../config'
import { useComponents } from '../roles/components'
import { runCommand, UsageError } from './command/command'
import { FILTER_OPTIONS, FILTER_USAGE, readFilter } from './command/filter-options'
import { wholeNumber } from './command/option-values'
import { readOutputFile } from './command/output-file'
import { listenForStop } from './command/stop-signal'
import { createProgress, type Progress } from './terminal/progress'
import { wrapUsage } from './terminal/wrap-usage'

const DEFAULTS = DEFAULT_TILE_OPTIONS
/** Zoom 18 is the limit, because positions have no more precision (tiles-build/encode/project.ts). */
const [MIN_ZOOM, MAX_ZOOM, MAX_ZOOMS] = [4, 18, 10]
const MAX_THREADS = 64

const USAGE = wrapUsage(`bun run tiles:build [options]       build a PMTiles archive of all parcels, and publish it

  --zooms FROM-TO      ${MIN_ZOOM} to ${MAX_ZOOM}, at most ${MAX_ZOOMS} zooms, or one zoom; the highest zoom keeps every parcel. Default: ${DEFAULTS.minZoom}-${DEFAULTS.maxZoom}. If FROM is ${BUCKET_ZOOM} or less, zooms below FROM show counties and counts of parcels. Memory per thread: the parcels of one tile at zoom ${BUCKET_ZOOM}, or at zoom TO if that is lower
  --layer NAME         name of the archive and its layer; default: ${DEFAULTS.layer}
  --properties A,B,C   properties of each parcel: any of ${Object.keys(TILE_PROPERTIES).join(', ')}; default: ${DEFAULTS.properties.join(',')}
  --attribution TEXT   the attribution that maps must show; default: ${DEFAULTS.attribution}
  --out FILE           write the archive to FILE and do not publish it
  --update             redraw only what has changed since the published archive, if that is possible
  --threads N          number of threads; default: the number of cores, at most 8

Which parcels; all conditions must hold. They need --layer or --out, because the layer ${DEFAULTS.layer} has every parcel.
${FILTER_USAGE}
  --source can be repeated: parcels of any of these sources`)

const readZooms = (text: string): { minZoom: number; maxZoom: number } => {
  const [, from, to] = /^(\d{1,2})(?:-(\d{1,2}))?$/.exec(text) ?? []
  const [minZoom, maxZoom] = [Number(from), Number(to ?? from)]
  if (!(minZoom >= MIN_ZOOM && minZoom <= maxZoom && maxZoom <= MAX_ZOOM && maxZoom - minZoom < MAX_ZOOMS)) {
    throw new UsageError(
      `--zooms takes at most ${MAX_ZOOMS} zooms from ${MIN_ZOOM} to ${MAX_ZOOM}, such as 10-15, not "${text}"`,
    )
  }
  return { minZoom, maxZoom }
}

const isTileProperty = (name: string): name is TileProperty => Object.hasOwn(TILE_PROPERTIES, name)

const readProperties = (text: string): TileProperty[] => {
  const names = text.split(',').map((name) => name.trim())
  return [...new Set(names)].map((name) => {
    if (isTileProperty(name)) return name
    throw new UsageError(`--properties takes any of ${Object.keys(TILE_PROPERTIES).join(', ')}, not "${name}"`)
  })
}

const readLayer = (text: string): string => {
  if (!isLayerName(text)) {
    throw new UsageError(`--layer takes up to 63 of a-z, 0-9, _ and -, starting with a letter, not "${text}"`)
  }
  return text
}

/** After a freeze of this process, or without the database, another process may build. */
const nameLostLead = (error: unknown): never => {
  if (!(error instanceof ServiceError && error.code === 'lead_lost')) throw error
  const why = 'this process or the database did not respond for several seconds'
  throw new ServiceError(
    'lead_lost',
    `the build was given up, because ${why}. Nothing was published: run the command again`,
    {
      cause: error,
    },
  )
}

/** How often to look whether the other build has ended. */
const LOOK_AGAIN_MS = 1_000

/** Runs `build`. While another build of the layer is running, for example one by the service, waits for it to end. */
const buildInTurn = async (build: () => Promise<BuildResult>, layer: string, signal: AbortSignal) => {
  for (let hasSaid = false; ; hasSaid = true) {
    try {
      return await build()
    } catch (error) {
      if (!(error instanceof ServiceError && error.code === 'build_running')) throw error
      if (!hasSaid) console.error(`a build of the layer ${layer} is running: waiting for it to end`)
    }
    await untilAborted(signal, Bun.sleep(LOOK_AGAIN_MS))
  }
}

const describe = (result: BuildResult, durationMs: number): string => {
  const without =
    result.withoutPosition > 0 ? `, ${formatCount(result.withoutPosition)} without a position skipped` : ''
  const seconds = durationMs / 1000
  const perSecond = (count: number) => formatCount(Math.round(count / seconds))
  return `${countNoun(result.parcels, 'parcel')}${without}; ${countNoun(result.addressedTiles, 'tile')}, ${formatCount(result.tileContents)} of them different, ${formatCount(result.drawnTiles)} drawn; ${(result.sizeBytes / 1e6).toFixed(1)} MB in ${seconds.toFixed(1)} s, ${perSecond(result.parcels)} parcels/s, ${perSecond(result.addressedTiles)} tiles/s`
}

await runCommand(async () => {
  const { values } = parseArgs({
    options: {
      zooms: { type: 'string' },
      layer: { type: 'string', default: DEFAULTS.layer },
      properties: { type: 'string' },
      ...FILTER_OPTIONS,
      source: { type: 'string', multiple: true },
      attribution: { type: 'string', default: DEFAULTS.attribution },
      out: { type: 'string' },
      threads: { type: 'string' },
      update: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return console.log(USAGE)
  const isOneSource = values.source?.length === 1
  const options: TileOptions = {
    ...DEFAULTS,
    ...(values.zooms === undefined ? {} : readZooms(values.zooms)),
    ...(values.properties === undefined ? {} : { properties: readProperties(values.properties) }),
    layer: readLayer(values.layer),
    filter: readFilter({ ...values, source: isOneSource ? values.source?.[0] : undefined }),
    sources: isOneSource ? null : (values.source ?? null),
    attribution: values.attribution,
  }
  const file = values.out === undefined ? null : readOutputFile('--out', values.out)
  const isFiltered = options.sources !== null || Object.keys(describeFilter(options.filter)).length > 0
  if (isFiltered && file === null && options.layer === DEFAULTS.layer)
    throw new UsageError(
      `--layer is missing: the layer ${DEFAULTS.layer} has every parcel, so a part of them needs another name`,
    )
  const threads = values.threads === undefined ? null : wholeNumber('--threads', values.threads, 1, MAX_THREADS)

  const config = readConfig()
  const components = await useComponents(config, console.error, { needsData: true })
  const signal = listenForStop()
  try {
    if (!(await migrate(components.databaseUrl))) console.error(NEWER_SCHEMA)
    let startedAt = 0
    let progress: Progress | null = null
    const build = () => {
      startedAt = performance.now()
      return buildTiles(options, {
        databaseUrl: components.databaseUrl,
        to: file === null ? createTileStore(config.tilesUrl) : { file },
        workDir: join(config.dataDir, 'tiles-build'),
        ...(threads === null ? {} : { threads }),
        isUpdate: values.update,
        signal,
        onProgress: ({ totalParcels, share, tiles }) => {
          progress ??= createProgress('parcels', totalParcels)
          const perSecond = tiles / ((performance.now() - startedAt) / 1000)
          progress.update(
            Math.floor(share * totalParcels),
            `${countNoun(tiles, 'tile')}, ${formatCount(Math.round(perSecond))}/s`,
          )
        },
      })
    }
    const result = await buildInTurn(build, options.layer, signal)
      .catch(nameLostLead)
      .finally(() => progress?.[Symbol.dispose]())
    console.error(describe(result, performance.now() - startedAt))
    if (values.out !== undefined) console.log(values.out)
    else console.log(`${result.isNew ? 'published' : 'unchanged:'} ${options.layer}/${result.hash}.pmtiles`)
  } finally {
    await components.stop()
  }
})
