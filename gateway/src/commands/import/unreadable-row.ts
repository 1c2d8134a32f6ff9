/** A row of a source that cannot be read, as a line. Pure. */
import type { Loss, Reading } from "./import-items.ts";

/** A row that does not have the fields that its table promises costs a line, not the run. */
export function unreadable<Item>(
  entity: Loss["entity"],
  sourceId: string,
  name: unknown,
  { issues }: { issues: readonly { path: PropertyKey[] }[] },
): Reading<Item> {
  const field = issues.map(({ path }) => String(path[0] ?? "")).join(", ");
  const shown = typeof name === "string" ? name.slice(0, 100) : "";
  return {
    sourceId,
    item: undefined,
    losses: [{ entity, sourceId, name: shown, field, reason: "row_unreadable", value: "" }],
  };
}
