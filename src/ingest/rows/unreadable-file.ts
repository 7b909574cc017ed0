import { ServiceError } from '../../../core/service-error'

/** A file that must not be loaded at all, not even the rows before the fault. */
export class UnreadableFile extends ServiceError {
  constructor(message: string, options?: ErrorOptions) {
    super('bad_input', message, options)
  }
}

/** Whether a file is damaged from some place on. The rows before can be loaded. */
export const isDamage = (error: unknown): boolean =>
  error instanceof ServiceError && error.code === 'bad_input' && !(error instanceof UnreadableFile)

/** A file names an encoding of its text that is not known. */
export class UnknownEncoding extends UnreadableFile {}

/** It is not known which layer of a file, or which file of an archive, has the parcels. */
export class UnknownLayer extends UnreadableFile {
  /** `problem` is followed by `names`, the layers that there are. */
  constructor(
    readonly problem: string,
    readonly names: readonly string[],
  ) {
    super(`${problem} ${names.join(', ')}. Which one? Name it with --layer`)
  }

  renamed(rename: (name: string) => string): UnknownLayer {
    return new UnknownLayer(this.problem, this.names.map(rename))
  }
}
