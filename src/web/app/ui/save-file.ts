/** Saves a file, as a link to a download does. */
export const saveFile = (name: string, mediaType: string, ...content: BlobPart[]): void => {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(new Blob(content, { type: mediaType }))
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 1_000)
}

/** Saves a CSV in UTF-8. Spreadsheets read it as such only if it begins with a byte order mark. */
export const saveCsv = (name: string, content: BlobPart): void => saveFile(name, 'text/csv', '\ufeff', content)
