import type { DescribedOperation } from "@tollgate/contract/api/described-operations.ts";

type TriableCall = Pick<DescribedOperation, "method" | "path" | "scope" | "role">;

/**
 * `findFirstTriedCall` gives what a key with these scopes is tried with first: a call that reads,
 * open to every user, with nothing to fill in.
 */
export function findFirstTriedCall<C extends TriableCall>(
  calls: readonly C[],
  scopes: readonly string[],
): C | undefined {
  const own = calls.filter(({ scope }) => scope !== undefined && scopes.includes(scope));
  const [best] = (own.length > 0 ? own : calls).toSorted(
    (one, other) => effort(one) - effort(other),
  );
  return best;
}

function effort({ method, path, scope, role }: TriableCall): number {
  const reads = method === "GET" && scope?.endsWith(":read") === true;
  return (reads ? 0 : 4) + (role === "user" ? 0 : 2) + (path.includes("{") ? 1 : 0);
}
