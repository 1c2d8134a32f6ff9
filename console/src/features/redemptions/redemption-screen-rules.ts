/** What the redemption screens decide: pure. */
import { type Redemption, redemptionStatus } from "@tollgate/contract/redemptions.ts";

/** A used code is final: no status, no edit. */
export const isUsed = ({ status }: Pick<Redemption, "status">): boolean => status === redemptionStatus.used;

const locallySorted = ["id", "status", "quota", "created_time", "redeemed_time"] as const;

/** Some servers sort their list one way only: then at least the page is in order. What was sorted stays as it is. */
export function sortPage<Row extends Pick<Redemption, (typeof locallySorted)[number]>>(
  rows: readonly Row[],
  { sort, order }: { sort: string; order: "asc" | "desc" },
): readonly Row[] {
  const by = locallySorted.find((name) => name === sort);
  if (by === undefined) return rows;
  return rows.toSorted((one, other) => (order === "asc" ? one[by] - other[by] : other[by] - one[by]));
}

/** A server that stops half-way refuses and still tells the codes that it had made. */
export function codesOf(data: unknown): string[] {
  return Array.isArray(data) ? data.filter((code) => typeof code === "string" && code !== "") : [];
}

/** What its file is called: the name as far as file systems take it. */
export function codesFileName(name: string): string {
  const plain = name.replace(/[^\p{L}\p{N}._-]+/gu, "-").replace(/^[.-]+|[.-]+$/g, "");
  return `codes${plain === "" ? "" : `-${plain}`}.txt`;
}
