import { readFileSync } from 'node:fs'

/** A fenced block of a Markdown page. */
export interface Block {
  file: string
  /** Line of the opening fence, from 1. */
  line: number
  language: string
  text: string
  /** The HTML comment on the line above, which says why the block is not run; null: it is run. */
  note: string | null
  /** The JSON block that follows: what the page says that the command prints. Null: it says nothing. */
  answer: string | null
}

/** All fenced blocks of a page, in order. */
export const readBlocks = (file: string): Block[] => {
  const lines = readFileSync(file, 'utf8').split('\n')
  const blocks: Block[] = []
  for (let at = 0; at < lines.length; at++) {
    const [, indent = '', language] = /^( *)```(\w+)$/.exec(lines[at] ?? '') ?? []
    if (language === undefined) continue
    const end = lines.indexOf(`${indent}\`\`\``, at)
    const inside = lines.slice(at + 1, end)
    const text = inside.map((line) => line.slice(indent.length)).join('\n')
    const note = /^ *<!-- (.+) -->$/.exec(lines[at - 1] ?? '')?.[1] ?? null
    const last = blocks.at(-1)
    if (language === 'json' && last?.language === 'sh') last.answer = text
    blocks.push({ file, line: at + 1, language, text, note, answer: null })
    at = end
  }
  return blocks
}

/** Lines outside of fenced blocks. */
export const readProse = (file: string): string[] => {
  let isInside = false
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => {
      if (line.trimStart().startsWith('```')) isInside = !isInside
      return !isInside
    })
}
