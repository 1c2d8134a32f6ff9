/** What the reference shows of the gateway's description of itself, and what a search leaves of it. Pure. */
import { type DescribedOperation, describedOperations } from "@tollgate/contract/described-operations.ts";
import { isJsonRecord } from "@tollgate/contract/json-record.ts";

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
  scopes: readonly (readonly [scope: string, role: string])[];
}

function refusalsOf(table: unknown): DescribedRefusal[] {
  return Object.entries(isJsonRecord(table) ? table : {}).flatMap(([code, row]) => {
    const [status, message] = Array.isArray(row) ? row : [];
    return typeof status === "number" && typeof message === "string" ? [{ code, status, message }] : [];
  });
}

export function referenceOf(document: Record<string, unknown>): ApiDescription {
  const operations = describedOperations(document);
  const scopes = isJsonRecord(document["x-scopes"]) ? Object.entries(document["x-scopes"]) : [];
  return {
    groups: [...new Set(operations.map(({ group }) => group))].map((name) => ({
      name,
      operations: operations.filter(({ group }) => group === name),
    })),
    refusals: refusalsOf(document["x-refusals"]),
    scopes: scopes.map(([scope, role]) => [scope, String(role)] as const),
  };
}

/** Every word must occur, in whatever place; without a word all is found. */
export function searchReference({ groups, refusals, scopes }: ApiDescription, searched: string): ApiDescription {
  const words = searched.toLowerCase().split(/\s+/);
  const has = (...texts: readonly (string | undefined)[]) => {
    const text = texts.join(" ").toLowerCase();
    return words.every((word) => text.includes(word));
  };
  const found = groups.map(({ name, operations }) => ({
    name,
    operations: operations.filter((one) => has(one.method, one.path, one.id, one.group, one.summary, one.scope)),
  }));
  return {
    groups: found.filter(({ operations }) => operations.length > 0),
    refusals: refusals.filter(({ code, status, message }) => has(code, String(status), message)),
    scopes: scopes.filter(([scope, role]) => has(scope, role)),
  };
}
