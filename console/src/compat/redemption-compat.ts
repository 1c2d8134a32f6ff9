/** Differences of compatible servers in redemption codes. */
import type { Redemption } from "@tollgate/contract/accounts/redemptions.ts";

const locallySorted = ["id", "status", "quota", "created_time", "redeemed_time"] as const;

/** `sortPage` sorts the rows of a page for the compatible servers that ignore the sort. */
export function sortPage<Row extends Pick<Redemption, (typeof locallySorted)[number]>>(
  rows: readonly Row[],
  { sort, order }: { sort: string; order: "asc" | "desc" },
): readonly Row[] {
  const by = locallySorted.find((name) => name === sort);
  if (by === undefined) return rows;
  return rows.toSorted((one, other) =>
    order === "asc" ? one[by] - other[by] : other[by] - one[by],
  );
}

/** A creation that fails half-way answers with an error and the codes created so far. */
export function listCodes(data: unknown): string[] {
  return Array.isArray(data) ? data.filter((code) => typeof code === "string" && code !== "") : [];
}
