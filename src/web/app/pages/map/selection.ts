import { useMemo } from 'react'
import { changeAddress, useAddressParams } from '../../address'
import { keyOf, type ParcelName } from './map-parcel'

/** The parcel that is selected on the page's map. The URL names it, as `parcel=source/id`. */
export const useSelectedParcel = (): ParcelName | null => {
  const text = useAddressParams().get('parcel') ?? ''
  return useMemo(() => {
    const [, source, id] = /^([^/]+)\/(.+)$/.exec(text) ?? []
    return source === undefined || id === undefined ? null : { source, source_parcel_id: id }
  }, [text])
}

export const selectParcel = (name: ParcelName | null): void => changeAddress({ parcel: name && keyOf(name) })
