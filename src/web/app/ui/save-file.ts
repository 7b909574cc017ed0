/** Saves a text as a file, as a link to a download does. */
export const saveFile = (name: string, mediaType: string, text: string): void =>
  saveBlob(name, new Blob([text], { type: mediaType }))

export const saveBlob = (name: string, blob: Blob): void => {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(blob)
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 1_000)
}
