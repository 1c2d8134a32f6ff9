/**
 * The parts of the gateway's description of itself that the reference shows, and those that a
 * search leaves. Pure.
 */
import {
  type DescribedOperation,
  listDescribedOperations,
} from "@tollgate/contract/api/described-operations.ts";
import { isJsonRecord } from "@tollgate/contract/api/json-record.ts";

export interface OperationGroup {
  name: string;
  operations: readonly DescribedOperation[];
}

export interface DescribedRefusal {
  code: string;
  status: number;
  message: string;
}

export interface ApiDescription {
  groups: readonly OperationGroup[];
  refusals: readonly DescribedRefusal[];
  /** Each scope with the lowest role that may give it to a key. */
  scopes: readonly Pair[];
  /** Commands by what they do. */
  examples: readonly Pair[];
}

type Pair = readonly [name: string, text: string];
const listPairs = (table: unknown): Pair[] =>
  Object.entries(isJsonRecord(table) ? table : {}).map(([name, text]) => [name, String(text)]);

function listRefusals(table: unknown): DescribedRefusal[] {
  return Object.entries(isJsonRecord(table) ? table : {}).flatMap(([code, row]) => {
    const [status, message] = Array.isArray(row) ? row : [];
    return typeof status === "number" && typeof message === "string"
      ? [{ code, status, message }]
      : [];
  });
}

export function buildReference(document: Record<string, unknown>): ApiDescription {
  const operations = listDescribedOperations(document);
  return {
    groups: [...new Set(operations.map(({ group }) => group))].map((name) => ({
      name,
      operations: operations.filter(({ group }) => group === name),
    })),
    refusals: listRefusals(document["x-refusals"]),
    scopes: listPairs(document["x-scopes"]),
    examples: listPairs(document["x-examples"]),
  };
}

/** Every word must occur, in whatever place; without a word all is found. */
export function searchReference(
  { groups, refusals, scopes, examples }: ApiDescription,
  searched: string,
): ApiDescription {
  const words = searched.toLowerCase().split(/\s+/);
  const has = (...texts: readonly (string | undefined)[]) => {
    const text = texts.join(" ").toLowerCase();
    return words.every((word) => text.includes(word));
  };
  const found = groups.map(({ name, operations }) => ({
    name,
    operations: operations.filter((one) =>
      has(one.method, one.path, one.id, one.group, one.summary, one.scope),
    ),
  }));
  return {
    groups: found.filter(({ operations }) => operations.length > 0),
    refusals: refusals.filter(({ code, status, message }) => has(code, String(status), message)),
    scopes: scopes.filter(([scope, role]) => has(scope, role)),
    examples: examples.filter(([title, command]) => has(title, command)),
  };
}
