import { join } from 'node:path'
import { readDocument } from './document'
import { listOperations } from './operations'
import * as python from './python'
import * as typescript from './typescript'

/* `bun run clients:generate` writes the files of the clients that are derived from the OpenAPI document. */

/** The generated files, by their paths from the root of the repository. */
export const generateFiles = async (): Promise<Record<string, string>> => {
  const document = await readDocument()
  const operations = listOperations(document)
  return {
    'clients/typescript/src/generated/openapi.ts': await typescript.generateTypes(document),
    'clients/typescript/src/generated/operations.ts': typescript.generateMethods(operations),
    'clients/python/parcel_data_client/models.py': python.generateModels(document),
    'clients/python/parcel_data_client/_operations.py': python.generateMethods(operations, false),
    'clients/python/parcel_data_client/_async_operations.py': python.generateMethods(operations, true),
  }
}

if (import.meta.main) {
  for (const [path, text] of Object.entries(await generateFiles()))
    await Bun.write(join(import.meta.dirname, '../..', path), text)
  process.exit(0)
}
