/**
 * Every failure that the service expects, by name. `src/http/convention/errors.ts` maps each to an HTTP status. The code that retries decides
 * which errors to retry.
 */
export type ErrorCode =
  | 'archive_damaged'
  | 'bad_archive'
  | 'bad_config'
  | 'bad_input'
  | 'blocked'
  | 'build_running'
  | 'build_stopped'
  | 'busy'
  | 'caller_gone'
  | 'cancelled'
  | 'conflict'
  | 'data_dir_in_use'
  | 'disk_full'
  | 'embedded_failed'
  | 'exports_full'
  | 'lead_lost'
  | 'maintenance'
  | 'network'
  | 'not_allowed'
  | 'not_ended'
  | 'not_found'
  | 'not_proved'
  | 'page_changed'
  | 'search_unavailable'
  | 'server_unavailable'
  | 'sign_in_failed'
  | 'throttled'
  | 'timeout'
  | 'too_large'
  | 'too_many_streams'
  | 'vendor_paused'
  | 'wrong_parcel'

export class ServiceError extends Error {
  readonly code: ErrorCode

  constructor(code: ErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'ServiceError'
    this.code = code
  }
}
