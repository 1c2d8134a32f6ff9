// Types with many members that many files import: whoever reads one learns too much at once, and
// whoever changes one touches too many places.
import { type ESTree, parseSync } from "vite";

export interface WideType {
  name: string;
  members: number;
  importers: number;
}

/** A type of more members than `membersMax`, imported by more files than `importersMax`. */
const membersMax = 12;
const importersMax = 5;

interface DeclaredType {
  file: string;
  own: ReadonlySet<string>;
  /** Names of the types whose members it has too. */
  parts: readonly string[];
}

/**
 * `sources` are production files by path; `isIn` says where the types are declared that count.
 * Names of types are unique in the repository, so that a name finds its declaration.
 */
export function findWideTypes(
  sources: Iterable<readonly [file: string, source: string]>,
  isIn: (file: string) => boolean,
): WideType[] {
  const declared = new Map<string, DeclaredType>();
  const importers = new Map<string, number>();
  for (const [file, source] of sources) {
    if (!/\.tsx?$/.test(file)) continue;
    for (const statement of parseSync(file, source).program.body) {
      for (const name of listImported(statement))
        importers.set(name, (importers.get(name) ?? 0) + 1);
      const type = readDeclared(statement);
      if (type) declared.set(type.name, { file, ...type });
    }
  }
  const countMembers = (name: string): number => collectMembers(name, declared).size;
  return [...declared]
    .filter(([name, { file }]) => isIn(file) && (importers.get(name) ?? 0) > importersMax)
    .map(([name]) => ({ name, members: countMembers(name), importers: importers.get(name) ?? 0 }))
    .filter(({ members }) => members > membersMax)
    .toSorted((a, b) => b.members - a.members);
}

function collectMembers(
  name: string,
  declared: ReadonlyMap<string, DeclaredType>,
  found = new Set<string>(),
): ReadonlySet<string> {
  const { own = [], parts = [] } = declared.get(name) ?? {};
  for (const member of own) found.add(member);
  for (const part of parts) if (part !== name) collectMembers(part, declared, found);
  return found;
}

function listImported(statement: ESTree.Statement): string[] {
  if (statement.type !== "ImportDeclaration") return [];
  return statement.specifiers.flatMap((one) =>
    one.type === "ImportSpecifier" && one.imported.type === "Identifier" ? one.imported.name : [],
  );
}

function readDeclared(
  statement: ESTree.Statement,
): { name: string; own: ReadonlySet<string>; parts: readonly string[] } | undefined {
  const node = statement.type === "ExportNamedDeclaration" ? statement.declaration : statement;
  if (node?.type === "TSInterfaceDeclaration")
    return {
      name: node.id.name,
      own: new Set(node.body.body.flatMap(readMemberName)),
      parts: node.extends.flatMap(({ expression }) =>
        expression.type === "Identifier" ? expression.name : [],
      ),
    };
  if (node?.type === "TSTypeAliasDeclaration")
    return { name: node.id.name, ...readParts(node.typeAnnotation) };
  if (node?.type === "ClassDeclaration" && node.id)
    return {
      name: node.id.name,
      own: new Set(node.body.body.flatMap(readMemberName)),
      parts: [],
    };
  return undefined;
}

/** `Pick` of a type has the members that it names; every other application counts for nothing. */
function readParts(type: ESTree.TSType): { own: Set<string>; parts: string[] } {
  if (type.type === "TSTypeLiteral")
    return { own: new Set(type.members.flatMap(readMemberName)), parts: [] };
  if (type.type === "TSIntersectionType") {
    const all = type.types.map(readParts);
    return {
      own: new Set(all.flatMap(({ own }) => [...own])),
      parts: all.flatMap(({ parts }) => parts),
    };
  }
  if (type.type !== "TSTypeReference" || type.typeName.type !== "Identifier")
    return { own: new Set(), parts: [] };
  const { name } = type.typeName;
  if (name === "Pick")
    return { own: new Set(listLiterals(type.typeArguments?.params[1])), parts: [] };
  return { own: new Set(), parts: type.typeArguments ? [] : [name] };
}

function listLiterals(type: ESTree.TSType | undefined): string[] {
  if (type?.type === "TSUnionType") return type.types.flatMap(listLiterals);
  return type?.type === "TSLiteralType" &&
    type.literal.type === "Literal" &&
    typeof type.literal.value === "string"
    ? [type.literal.value]
    : [];
}

/** Private members are nobody else's to read. */
function readMemberName(member: ESTree.TSSignature | ESTree.ClassElement): string[] {
  if (!("key" in member) || member.key.type !== "Identifier") return [];
  if ("accessibility" in member && member.accessibility === "private") return [];
  const { name } = member.key;
  return name === "constructor" ? [] : [name];
}
