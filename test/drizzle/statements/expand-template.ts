import ts from 'typescript'

/** One text of a statement, and the type OID that the driver sends for each value. 0 leaves the type to the server. */
export interface Expansion {
  text: string
  valueTypes: number[]
}

/** The values of the names in a fragment: expressions of its caller. */
type Names = Map<ts.Symbol, Bound>
interface Bound {
  expression: ts.Expression
  names: Names
}

/** One reading of a statement. `taken`: how often each alternative was taken in all readings. */
interface Round {
  taken: Map<unknown, number>
  valueTypes: number[]
}

const CLIENTS = new Set(['Sql', 'TransactionSql', 'ReservedSql'])

/**
 * Follows the fragments of a statement to their texts without running the code: through constants, functions, their arguments and both
 * sides of each condition.
 */
export const createExpansion = (checker: ts.TypeChecker) => {
  /** Templates that are nested in another one. */
  const fragments = new Set<ts.Node>()
  /** Expressions that compute a part of a text, by the mark that replaces them. They may use only constants of their module. */
  const computed = new Map<string, { file: ts.SourceFile; expression: string }>()

  /** Each alternative is in at least one of the texts. */
  const expand = (root: ts.TaggedTemplateExpression): Expansion[] => {
    const taken = new Map<unknown, number>()
    const expansions = new Map<string, Expansion>()
    // Each round takes the alternatives that were taken least. With nested alternatives, a round before the last may take nothing new.
    for (let idleRounds = 0; idleRounds < 3; ) {
      const before = taken.size
      const valueTypes: number[] = []
      const text = expandTemplate(root, new Map(), { taken, valueTypes })
      expansions.set(text, { text, valueTypes })
      idleRounds = taken.size > before ? 0 : idleRounds + 1
    }
    return [...expansions.values()]
  }

  /** Whether a template is SQL. */
  const isQuery = (node: ts.Node): node is ts.TaggedTemplateExpression =>
    ts.isTaggedTemplateExpression(node) && isClient(node.tag)

  const isClient = (node: ts.Expression): boolean => {
    const type = checker.getTypeAtLocation(node)
    return (type.isUnion() ? type.types : [type]).every(({ symbol }) => CLIENTS.has(symbol?.name ?? ''))
  }

  const expandTemplate = ({ template }: ts.TaggedTemplateExpression, names: Names, round: Round): string => {
    if (ts.isNoSubstitutionTemplateLiteral(template)) return template.text
    let text = template.head.text
    for (const { expression, literal } of template.templateSpans) {
      text += expandPart({ expression, names }, round, text) + literal.text
    }
    return text
  }

  /** A value becomes a parameter. */
  const expandPart = (part: Bound, round: Round, before: string): string => {
    const alternatives = listAlternatives(part)
    if (!alternatives.some(({ expression: one }) => isQuery(one) || isHelper(one) || isUnsafe(one))) {
      return addValue(checker.getTypeAtLocation(part.expression), round)
    }
    const { expression, names } = choose(alternatives, round, (one) => one.expression)
    if (isUnsafe(expression)) return addComputed(expression)
    if (isHelper(expression)) return expandHelper(expression, names, round, before)
    if (!isQuery(expression)) throw new Error(`cannot follow ${expression.getText()} to its text`)
    fragments.add(expression)
    return expandTemplate(expression, names, round)
  }

  const choose = <T>(alternatives: readonly T[], { taken }: Round, keyOf: (one: T) => unknown): T => {
    const count = (one: T) => taken.get(keyOf(one)) ?? 0
    const chosen = alternatives.reduce((least, one) => (count(one) < count(least) ? one : least))
    taken.set(keyOf(chosen), count(chosen) + 1)
    return chosen
  }

  const addValue = (type: ts.Type, { valueTypes }: Round): string => `$${valueTypes.push(readOid(type))}`

  /** Like the driver's `inferType` (postgres/src/types.js). */
  const readOid = (type: ts.Type): number => {
    const some = checker.getNonNullableType(type)
    if (some.flags & ts.TypeFlags.BooleanLike) return 16
    if (some.flags & ts.TypeFlags.BigIntLike) return 20
    if (some.symbol?.name === 'Date') return 1184
    if (some.symbol?.name === 'Uint8Array') return 17
    return 0
  }

  /** The possible values of an expression, followed through conditions, names and calls. */
  const listAlternatives = ({ expression, names }: Bound, following: readonly ts.Node[] = []): Bound[] => {
    const node = unwrap(expression)
    const followAll = (expressions: readonly ts.Expression[], within: Names) =>
      following.includes(node)
        ? []
        : expressions.flatMap((one) => listAlternatives({ expression: one, names: within }, [...following, node]))
    if (ts.isConditionalExpression(node)) return followAll([node.whenTrue, node.whenFalse], names)
    if (ts.isIdentifier(node)) {
      const bound = names.get(symbolOf(node))
      if (bound !== undefined) return followAll([bound.expression], bound.names)
      const values = listValues(node)
      if (values.length > 0) return followAll(values, names)
    }
    const called = ts.isCallExpression(node) ? callOf(node, names) : null
    return called === null ? [{ expression: node, names }] : followAll(listReturns(called.body), called.names)
  }

  const symbolOf = (node: ts.Node): ts.Symbol => {
    const symbol = checker.getSymbolAtLocation(node)
    if (symbol === undefined) throw new Error(`cannot resolve ${node.getText()}`)
    return symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol
  }

  /** The value of a constant, or the arguments that calls in the same file pass for a parameter. */
  const listValues = (node: ts.Identifier): ts.Expression[] => {
    const declaration = symbolOf(node).valueDeclaration
    if (declaration === undefined) return []
    if (ts.isVariableDeclaration(declaration)) {
      return declaration.initializer === undefined ? [] : [declaration.initializer]
    }
    const { parent } = declaration
    if (!ts.isParameter(declaration) || !ts.isArrowFunction(parent)) return []
    if (!ts.isVariableDeclaration(parent.parent)) return []
    const [called, index] = [symbolOf(parent.parent.name), parent.parameters.indexOf(declaration)]
    const found: ts.Expression[] = []
    const visit = (one: ts.Node): void => {
      if (ts.isCallExpression(one) && ts.isIdentifier(one.expression) && symbolOf(one.expression) === called) {
        found.push(...one.arguments.slice(index, index + 1))
      }
      ts.forEachChild(one, visit)
    }
    visit(node.getSourceFile())
    return found
  }

  /** The function that a call runs, with its parameters bound; null for the client and for library functions. */
  const callOf = ({ expression: callee, arguments: args }: ts.CallExpression, names: Names) => {
    const inner: Names = new Map(names)
    // A list counts as two equal fragments: `map` makes one from an element, `reduce` joins two.
    const [step] = args
    if (ts.isPropertyAccessExpression(callee) && step !== undefined && ts.isArrowFunction(step)) {
      if (callee.name.text === 'reduce') {
        for (const { name } of step.parameters) bind(name, { expression: callee.expression, names }, inner)
      }
      return { body: step.body, names: inner }
    }
    if (!ts.isIdentifier(callee)) return null
    const declaration = symbolOf(callee).valueDeclaration
    const called =
      declaration !== undefined && ts.isVariableDeclaration(declaration) ? declaration.initializer : declaration
    if (called === undefined || !(ts.isArrowFunction(called) || ts.isFunctionDeclaration(called))) return null
    if (called.body === undefined) return null
    for (const [index, { name }] of called.parameters.entries()) {
      const argument = args[index]
      if (argument !== undefined) bind(name, { expression: argument, names }, inner)
    }
    return { body: called.body, names: inner }
  }

  const bind = (name: ts.BindingName, bound: Bound, into: Names): void => {
    if (ts.isIdentifier(name)) {
      into.set(symbolOf(name), bound)
      return
    }
    const value = unwrap(bound.expression)
    if (!ts.isObjectBindingPattern(name) || !ts.isObjectLiteralExpression(value)) return
    for (const { name: own, propertyName } of name.elements) {
      const key = (propertyName ?? own).getText()
      const property = value.properties.find((one) => one.name?.getText() === key)
      if (property !== undefined && ts.isPropertyAssignment(property)) {
        bind(own, { expression: property.initializer, names: bound.names }, into)
      }
    }
  }

  const listReturns = (body: ts.ConciseBody): ts.Expression[] => {
    if (!ts.isBlock(body)) return [body]
    const found: ts.Expression[] = []
    const visit = (node: ts.Node): void => {
      if (ts.isFunctionLike(node)) return
      if (ts.isReturnStatement(node) && node.expression !== undefined) found.push(node.expression)
      ts.forEachChild(node, visit)
    }
    visit(body)
    return found
  }

  /** `db('name')`, `db(['a', 'b'])`, `insert into t ${db(rows)}`, `set ${db(row)}`. */
  const isHelper = (node: ts.Expression): node is ts.CallExpression =>
    ts.isCallExpression(node) && ts.isIdentifier(node.expression) && isClient(node.expression)

  const expandHelper = ({ arguments: args }: ts.CallExpression, names: Names, round: Round, before: string): string => {
    const [argument] = args
    if (argument === undefined) throw new Error('a helper without an argument')
    const literals = listLiterals({ expression: argument, names })
    if (literals.length > 0) return quote(choose(literals, round, (literal) => literal))
    if (ts.isArrayLiteralExpression(argument)) {
      const elements = argument.elements.filter((element) => !ts.isSpreadElement(element))
      return elements
        .flatMap((expression) => listLiterals({ expression, names }))
        .map(quote)
        .join(', ')
    }
    const type = checker.getTypeAtLocation(argument)
    const row = checker.getIndexTypeOfType(type, ts.IndexKind.Number) ?? type
    const columns = checker.getPropertiesOfType(row).map((property) => ({
      name: quote(property.name),
      value: addValue(checker.getTypeOfSymbol(property), round),
    }))
    return /\bset\s*$/.test(before)
      ? columns.map(({ name, value }) => `${name} = ${value}`).join(', ')
      : `(${columns.map(({ name }) => name)}) values (${columns.map(({ value }) => value)})`
  }

  /** `db.unsafe(TEXT)`. */
  const isUnsafe = (node: ts.Expression): node is ts.CallExpression =>
    ts.isCallExpression(node) &&
    ts.isPropertyAccessExpression(node.expression) &&
    node.expression.name.text === 'unsafe' &&
    isClient(node.expression.expression)

  const addComputed = ({ arguments: [argument] }: ts.CallExpression): string => {
    if (argument === undefined) throw new Error('unsafe() without an argument')
    const mark = `\0${computed.size}\0`
    computed.set(mark, { file: argument.getSourceFile(), expression: argument.getText() })
    return mark
  }

  const listLiterals = ({ expression, names }: Bound): string[] => {
    const type = checker.getTypeAtLocation(expression)
    const members = type.isUnion() ? type.types : [type]
    if (members.every((member) => member.isStringLiteral())) return members.map(({ value }) => value)
    const bound = ts.isIdentifier(expression) ? names.get(symbolOf(expression)) : undefined
    return bound === undefined ? [] : listLiterals(bound)
  }

  return { expand, isQuery, fragments, computed }
}

/** An expression without parentheses and assertions. */
const unwrap = (node: ts.Expression): ts.Expression =>
  ts.isParenthesizedExpression(node) ||
  ts.isAssertionExpression(node) ||
  ts.isNonNullExpression(node) ||
  ts.isSatisfiesExpression(node)
    ? unwrap(node.expression)
    : node

const quote = (name: string): string => `"${name}"`
