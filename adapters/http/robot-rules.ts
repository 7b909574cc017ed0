import { ROBOTS_BOUNDS } from '../../core/bounds'

/** The rules of a host's robots.txt for this robot. */
export interface RobotRules {
  isAllowed: (url: string) => boolean
  /** Null: none given. */
  crawlDelayMs: number | null
}

export const NO_RULES: RobotRules = { isAllowed: () => true, crawlDelayMs: null }

/** Longer delays are capped. A host that wants no robots says so with `Disallow`. */
const MAX_DELAY_MS = 60_000

/** The rules for one robot, or for a set of them. */
interface Group {
  rules: Rule[]
  crawlDelayS: number | null
}

interface Rule {
  isAllowed: boolean
  /** The pattern's length: the longest matching pattern wins. */
  length: number
  /** The text between its `*`. */
  parts: readonly string[]
  /** The pattern ended with `$`: the path must end there too. */
  isWhole: boolean
}

/**
 * Parses robots.txt by RFC 9309: the groups that name the robot (the part of `userAgent` before a `/`), else those
 * of `*`; the longest matching rule wins, `Allow` before `Disallow`. `Crawl-delay` is not in the RFC, but it is obeyed.
 * Rules beyond ROBOTS_BOUNDS are ignored. Matching a rule takes at most one pass over the path.
 */
export const parseRobots = (text: string, userAgent: string): RobotRules => {
  const groups = readGroups(text)
  const group = groups.get(nameOf(userAgent)) ?? groups.get('*')
  if (group === undefined) return NO_RULES
  const { rules, crawlDelayS } = group
  return {
    isAllowed: (address) => isAllowed(rules, address),
    crawlDelayMs: crawlDelayS === null ? null : Math.min(crawlDelayS * 1000, MAX_DELAY_MS),
  }
}

const readGroups = (text: string): Map<string, Group> => {
  const groups = new Map<string, Group>()
  let current: Group[] = []
  let isNaming = false
  let left = ROBOTS_BOUNDS.rules
  for (const line of text.replace(/^\ufeff/, '').split(/[\r\n]+/)) {
    const [key, value] = splitLine(line)
    if (key === 'user-agent') {
      if (!isNaming) current = []
      isNaming = true
      current.push(groupOf(groups, nameOf(value)))
    } else if (key === 'allow' || key === 'disallow') {
      isNaming = false
      if (value === '' || current.length === 0 || --left < 0) continue
      const rule = toRule(value, key === 'allow')
      for (const group of current) group.rules.push(rule)
    } else if (key === 'crawl-delay') {
      isNaming = false
      const delay = Number(value)
      if (delay > 0) for (const group of current) group.crawlDelayS = delay
    }
  }
  return groups
}

/** A key in lower case and its value, without surrounding blanks and comments. */
const splitLine = (line: string): [key: string, value: string] => {
  const comment = line.indexOf('#')
  const said = comment === -1 ? line : line.slice(0, comment)
  const colon = said.indexOf(':')
  return colon === -1 ? ['', ''] : [said.slice(0, colon).trim().toLowerCase(), said.slice(colon + 1).trim()]
}

const nameOf = (userAgent: string): string => (userAgent.split('/', 1)[0] as string).trim().toLowerCase()

const groupOf = (groups: Map<string, Group>, name: string): Group => {
  const known = groups.get(name)
  if (known !== undefined) return known
  const group: Group = { rules: [], crawlDelayS: null }
  groups.set(name, group)
  return group
}

const toRule = (value: string, allows: boolean): Rule => {
  const pattern = normalize(value)
  const isWhole = pattern.endsWith('$')
  const parts = (isWhole ? pattern.slice(0, -1) : pattern).split('*')
  return { isAllowed: allows, length: pattern.length, parts, isWhole }
}

const isAllowed = (rules: readonly Rule[], address: string): boolean => {
  const { pathname, search } = new URL(address)
  if (pathname === '/robots.txt') return true
  const path = normalize(pathname + search)
  let best: Rule | null = null
  for (const rule of rules) {
    const isBetter =
      best === null || rule.length > best.length || (rule.length === best.length && rule.isAllowed && !best.isAllowed)
    if (isBetter && fits(rule, path)) best = rule
  }
  return best?.isAllowed ?? true
}

/** Matches each part at its first occurrence: if any match exists, this finds one. */
const fits = ({ parts, isWhole }: Rule, path: string): boolean => {
  const [first = '', ...others] = parts
  const last = isWhole ? others.pop() : undefined
  if (!path.startsWith(first)) return false
  let at = first.length
  for (const part of others) {
    const found = path.indexOf(part, at)
    if (found === -1) return false
    at = found + part.length
  }
  if (!isWhole) return true
  return last === undefined ? at === path.length : path.length - last.length >= at && path.endsWith(last)
}

/** Normalizes percent-encoding: unneeded escapes are decoded, the others use upper case, and non-ASCII characters are encoded. */
const normalize = (path: string): string =>
  path
    .toWellFormed()
    .replace(/[^\x21-\x7e]+/gu, encodeURIComponent)
    .replace(/%[0-9a-f]{2}/gi, (escaped) => {
      const character = String.fromCharCode(Number.parseInt(escaped.slice(1), 16))
      return /[\w.~-]/.test(character) ? character : escaped.toUpperCase()
    })
