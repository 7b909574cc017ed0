import { FAILURE_CLASSES, type FailureClassName } from '../../../../../../core/sources/failure-classes'
import type { JobEvent } from '../../../api/events'
import type { Job, JobFilter } from './job-api'

type Status = Job['status']

/** Which jobs the page lists. Empty text: any. */
export interface JobsFilter {
  status: Status | ''
  source: string
  parcelId: string
  failureClass: FailureClassName | ''
}

/** The filter in the page's URL. */
export const readFilter = (params: URLSearchParams): JobsFilter => {
  const status = params.get('status')
  return {
    status: status === 'queued' || status === 'running' || status === 'done' || status === 'error' ? status : '',
    source: (params.get('source') ?? '').trim(),
    parcelId: params.get('parcel_id') ?? '',
    failureClass: FAILURE_CLASSES.find(({ name }) => name === params.get('failure_class'))?.name ?? '',
  }
}

/** A class of failures is looked up in one source, and selects failed jobs by itself. */
export const queryOf = ({ status, source, parcelId, failureClass }: JobsFilter): JobFilter =>
  failureClass !== '' && source !== ''
    ? { source, failure_class: failureClass }
    : {
        ...(status === '' ? {} : { status }),
        ...(source === '' ? {} : { source }),
        ...(parcelId.trim() === '' ? {} : { parcel_id: parcelId.trim() }),
      }

/** Whether a job belongs in the list. */
export const fits = (job: JobEvent, { status, source, parcelId, failureClass }: JobsFilter): boolean =>
  failureClass === '' &&
  (status === '' || job.status === status) &&
  (source === '' || job.source === source) &&
  (parcelId.trim() === '' || job.source_parcel_id === parcelId.trim())
