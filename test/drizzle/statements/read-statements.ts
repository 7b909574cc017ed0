import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { Glob } from 'bun'
import ts from 'typescript'
import { createExpansion, type Expansion } from './expand-template'

/** What TypeScript expects of one column. */
export interface ExpectedColumn {
  isOptional: boolean
  isNullable: boolean
  /** `string`, `number`, `boolean`, `Date`, `object`, `any`; with `[]` for arrays. Null is left out. */
  types: string[]
  /** String literals, if the type has only those. */
  literals: string[] | null
}

/** A statement in the code. */
export interface Statement {
  /** `drizzle/queries/parcels/parcels.ts:12`. */
  place: string
  /** The statement with each alternative of its conditional parts in at least one text. Values are `$1`, `$2` and so on. */
  texts: Expansion[]
  /** Null: it has no row type. `raw`: its rows are arrays of bytes. */
  row: Map<string, ExpectedColumn> | 'raw' | null
}

export interface StatementsInCode {
  statements: Statement[]
  /** SQL that could not be read as a statement, with the reason. */
  unread: string[]
}

const KEYWORDS = /^\s*(with|select|insert|update|delete|lock|create|drop|set|truncate|notify|listen)\b/i

/**
 * Reads every SQL statement in `files` with the TypeScript compiler: its text and its row type. `edit` replaces the text of files.
 */
export const readStatements = async (
  files: readonly string[],
  edit: (file: string, text: string) => string = (_, text) => text,
): Promise<StatementsInCode> => {
  const program = createProgram(files, edit)
  const checker = program.getTypeChecker()
  const expansion = createExpansion(checker)
  const tagged = files.flatMap((file) => listNodes(program.getSourceFile(file), ts.isTaggedTemplateExpression))
  const isQuery = (node: ts.Node): boolean => expansion.isQuery(node)
  const templates = tagged.filter(isQuery)
  const statements: { node: ts.TaggedTemplateExpression; texts: Expansion[] }[] = []
  const problems = new Map<ts.Node, string>()
  for (const node of templates.filter((one) => !isInsideTemplate(one) && isStatement(one))) {
    try {
      statements.push({ node, texts: expansion.expand(node) })
    } catch (error) {
      problems.set(node, (error as Error).message)
    }
  }
  const parts = await computeParts(expansion.computed)
  const fill = ({ text, valueTypes }: Expansion): Expansion => ({
    text: text.replaceAll(/\0\d+\0/g, (mark) => parts.get(mark) ?? mark),
    valueTypes,
  })
  const isFragment = (node: ts.Node) => expansion.fragments.has(node)
  const read = new Set<ts.Node>(statements.map(({ node }) => node))
  return {
    statements: statements
      .filter(({ node }) => !isFragment(node))
      .map(({ node, texts }) => ({ place: placeOf(node), texts: texts.map(fill), row: readRowType(node, checker) })),
    unread: tagged.flatMap((node) => {
      if (!isQuery(node)) {
        return node.typeArguments === undefined
          ? []
          : [`${placeOf(node)}: ${node.tag.getText()} is not a client of the database`]
      }
      if (isFragment(node) || read.has(node)) return []
      return [`${placeOf(node)}: ${problems.get(node) ?? 'no statement uses this fragment'}`]
    }),
  }
}

/** The files of `folders` that have tagged templates. */
export const listTaggedFiles = (folders: readonly string[]): string[] =>
  folders
    .flatMap((folder) => [...new Glob(`${folder}/**/*.ts`).scanSync()])
    .toSorted()
    .filter((file) => {
      const text = readFileSync(file, 'utf8')
      const source = () => ts.createSourceFile(file, text, ts.ScriptTarget.Latest)
      return text.includes('`') && listNodes(source(), ts.isTaggedTemplateExpression).length > 0
    })

/** Runs copies of modules that export the expressions. Returns their values by mark. */
const computeParts = async (
  computed: ReadonlyMap<string, { file: ts.SourceFile; expression: string }>,
): Promise<Map<string, string>> => {
  const folder = mkdtempSync(join(tmpdir(), 'statements-'))
  const found = new Map<string, string>()
  try {
    for (const [file, parts] of Map.groupBy(computed, ([, part]) => part.file)) {
      const exported = parts.map(([, { expression }], index) => `export const part_${index} = ${expression}`)
      const code = new Bun.Transpiler({ loader: 'ts' }).transformSync([file.text, ...exported].join('\n'))
      const from = resolve(dirname(file.fileName))
      const copy = join(folder, `${found.size}.js`)
      writeFileSync(
        copy,
        code.replaceAll(/(?<=\bfrom ")[^"]+/g, (name) => Bun.resolveSync(name, from)),
      )
      const values = (await import(copy)) as Record<string, string>
      for (const [index, [mark]] of parts.entries()) found.set(mark, String(values[`part_${index}`]))
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
  return found
}

const createProgram = (files: readonly string[], edit: (file: string, text: string) => string): ts.Program => {
  const { config } = ts.readConfigFile('tsconfig.json', ts.sys.readFile)
  const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, '.')
  const host = ts.createCompilerHost(options)
  const { readFile } = host
  host.readFile = (file) => {
    const text = readFile(file)
    return text === undefined || file.includes('node_modules') ? text : edit(file, text)
  }
  return ts.createProgram([...files], options, host)
}

const listNodes = <T extends ts.Node>(file: ts.SourceFile | undefined, isWanted: (node: ts.Node) => node is T): T[] => {
  const found: T[] = []
  const visit = (node: ts.Node): void => {
    if (isWanted(node)) found.push(node)
    ts.forEachChild(node, visit)
  }
  if (file !== undefined) visit(file)
  return found
}

const isStatement = (node: ts.TaggedTemplateExpression): boolean => {
  const { template } = node
  const text = ts.isNoSubstitutionTemplateLiteral(template) ? template.text : template.head.text
  return node.typeArguments !== undefined || KEYWORDS.test(text)
}

const isInsideTemplate = (node: ts.Node): boolean =>
  ts.findAncestor(node.parent, (parent) => ts.isTemplateSpan(parent)) !== undefined

const placeOf = (node: ts.Node): string => {
  const file = node.getSourceFile()
  const { line } = file.getLineAndCharacterOfPosition(node.getStart())
  return `${file.fileName.replace(`${process.cwd()}/`, '')}:${line + 1}`
}

const readRowType = (node: ts.TaggedTemplateExpression, checker: ts.TypeChecker): Statement['row'] => {
  const [argument] = node.typeArguments ?? []
  if (argument === undefined) return null
  const row = checker.getIndexTypeOfType(checker.getTypeFromTypeNode(argument), ts.IndexKind.Number)
  if (row === undefined) throw new Error(`${placeOf(node)}: a row type must be an array`)
  if (checker.isArrayType(row)) return 'raw'
  const members = row.isUnion() ? row.types : [row]
  const names = new Set(
    members.flatMap((member) => checker.getPropertiesOfType(member).map((property) => property.name)),
  )
  return new Map([...names].map((name) => [name, describeProperty(name, members, checker)]))
}

/** Combines what the members of a union of row types say about one column. */
const describeProperty = (name: string, rows: readonly ts.Type[], checker: ts.TypeChecker): ExpectedColumn => {
  const properties = rows.map((row) => checker.getPropertyOfType(row, name))
  const types = properties.flatMap((property) => {
    const type = property === undefined ? [] : checker.getTypeOfSymbol(property)
    return Array.isArray(type) ? type : type.isUnion() ? type.types : [type]
  })
  const isEmpty = ({ flags }: ts.Type) => (flags & (ts.TypeFlags.Null | ts.TypeFlags.Undefined)) !== 0
  const values = types.filter((type) => !isEmpty(type))
  const literals = values.filter((type) => type.isStringLiteral()).map(({ value }) => value)
  return {
    isOptional: properties.some(
      (property) => property === undefined || (property.flags & ts.SymbolFlags.Optional) !== 0,
    ),
    isNullable: types.some(isEmpty) || types.some((type) => nameType(type, checker) === 'any'),
    types: [...new Set(values.map((type) => nameType(type, checker)))],
    literals: literals.length === values.length ? literals : null,
  }
}

const nameType = (type: ts.Type, checker: ts.TypeChecker): string => {
  const { flags } = type
  if (flags & (ts.TypeFlags.Any | ts.TypeFlags.Unknown)) return 'any'
  if (type.isUnion()) return [...new Set(type.types.map((member) => nameType(member, checker)))].join(' | ')
  if (flags & ts.TypeFlags.StringLike) return 'string'
  if (flags & ts.TypeFlags.NumberLike) return 'number'
  if (flags & ts.TypeFlags.BooleanLike) return 'boolean'
  if (type.symbol?.name === 'Date') return 'Date'
  if (checker.isArrayType(type) || checker.isTupleType(type)) {
    const element = checker.getIndexTypeOfType(type, ts.IndexKind.Number)
    return `${element === undefined ? 'any' : nameType(element, checker)}[]`
  }
  return 'object'
}
