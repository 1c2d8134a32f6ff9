/** The members that an edit changed, for the record of changes. Pure. */
import { isDeepStrictEqual } from "node:util";

export interface MemberChange {
  from: unknown;
  to: unknown;
}

/** `untold` is when a row was changed is the time of the entry. */
const untold = new Set(["updated_at"]);

/** The columns whose values differ, each with its value before and after. */
export function buildMemberChanges<Columns extends object>(
  before: Columns,
  after: { readonly [Name in keyof Columns]?: Columns[Name] | undefined },
): Record<string, MemberChange> {
  const changes: Record<string, MemberChange> = {};
  for (const name in after) {
    const from = before[name];
    const to = after[name];
    if (!untold.has(name) && to !== undefined && !isDeepStrictEqual(from, to))
      changes[name] = { from, to };
  }
  return changes;
}

/** `findNamedChanges` adds the name, by which an entry is told when the thing is gone. */
export const findNamedChanges = <Columns extends { name: string }>(
  before: Columns,
  after: Parameters<typeof buildMemberChanges<Columns>>[1],
): Record<string, unknown> => ({ name: before.name, ...buildMemberChanges(before, after) });
