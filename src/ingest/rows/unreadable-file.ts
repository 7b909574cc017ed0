import { ServiceError } from '../../../core/service-error'

/** A file that must not be loaded at all, not even the rows before the fault. */
export class UnreadableFile extends ServiceError {
  constructor(message: string, options?: ErrorOptions) {
    super('bad_input', message, options)
  }
}
