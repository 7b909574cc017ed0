/** Bundled as separate files; the import is the file's path. */
declare module 'maplibre-gl/dist/maplibre-gl.css' {
  const path: string
  // biome-ignore lint/style/noDefaultExport: Bun's file imports are default exports
  export default path
}
declare module 'maplibre-gl/dist/maplibre-gl-worker.mjs' {
  const path: string
  // biome-ignore lint/style/noDefaultExport: Bun's file imports are default exports
  export default path
}
declare module 'us-atlas/counties-10m.json' {
  const path: string
  // biome-ignore lint/style/noDefaultExport: Bun's file imports are default exports
  export default path
}
declare module '*.geojson' {
  const path: string
  // biome-ignore lint/style/noDefaultExport: Bun's file imports are default exports
  export default path
}
