import { Type } from '@sinclair/typebox'
import { FILE_BOUNDS } from '../../../../../core/bounds'
import { at, closed, countOf, idOf, textOf, WHO } from '../../../schemas'

export const fileName = Type.String({
  minLength: 1,
  maxLength: FILE_BOUNDS.nameCharacters,
  pattern: '^[^\\u0000-\\u001f\\u007f]+$',
  takes: `a name of 1 to ${FILE_BOUNDS.nameCharacters} characters without control characters`,
  description: 'Name of the file.',
  examples: ['parcels-2026.zip'],
})

export const file = Type.Object(
  {
    id: idOf('file'),
    name: fileName,
    size_bytes: countOf('The size that was announced.', 48_210_334),
    received_bytes: countOf('Bytes received so far. The next part begins there.', 16_777_216),
    created_by: textOf(`Who uploads it: ${WHO}.`, 'pk_1a2b3'),
    expires_at: at('When it is deleted. Each part postpones this.'),
  },
  { ...closed, component: 'File', description: 'A file of parcels that is uploaded in parts.' },
)

export const fileKey = Type.Object({
  id: Type.String({ description: 'A file id (UUID).', examples: ['019b76da-8c00-7000-8000-000000000001'] }),
})
