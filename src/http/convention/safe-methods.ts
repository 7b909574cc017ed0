const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS'])

/** Whether the method says that the request changes nothing (RFC 9110, 9.2.1). */
export const isSafe = ({ method }: Request): boolean => SAFE_METHODS.has(method)
