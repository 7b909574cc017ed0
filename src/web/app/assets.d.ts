declare module '*.css'
/** Bundled as a file of its own; the import is its path. */
declare module 'maplibre-gl/dist/maplibre-gl-worker.mjs' {
  const path: string
  // biome-ignore lint/style/noDefaultExport: what Bun's file imports are
  export default path
}
