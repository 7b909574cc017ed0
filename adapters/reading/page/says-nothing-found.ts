import type { Region } from '../region'

const NOTHING_FOUND =
  /\b(?:no|0|zero) (?:\w+ ){0,2}(?:results?|records?|match(?:es|ing)?|parcels?|accounts?|propert(?:y|ies))\b(?! (?:number|id)\b)|\b(?:nothing|none|not) (?:was |were |could be )?found\b|\bdid not (?:match|return|find)|\bdoes not exist\b|\b(?:unable to|cannot|can't|could not) (?:locate|find)\b|\binvalid (?:parcel|account|property)\b|\bno data (?:available|found)\b/i

/**
 * Whether the page says, in any of the usual ways, that nothing was found. Use it for portals whose exact words are not
 * known, and only where other expected content is missing: an owner's name may contain the same words.
 */
export const saysNothingFound = (page: Region): boolean => page.says(NOTHING_FOUND)
