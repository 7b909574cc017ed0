import { ServiceError } from '../../../core/service-error'

/** A file that must not be loaded, not even the rows that were read before the fault was found. */
export class UnreadableFile extends ServiceError {
  constructor(message: string, options?: ErrorOptions) {
    super('bad_input', message, options)
  }
}
