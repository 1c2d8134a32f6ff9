import { msg } from "@lingui/core/macro";
import type { CallCount } from "@tollgate/contract/figures/recent-calls.ts";
import { missing } from "../../ui/format.ts";
import { buildLazyPart } from "../../ui/lazy-part.tsx";
import type { TableColumn } from "../../ui/table/data-table-columns.ts";

/** Loaded by lists that show the column: it is off until a user chooses it. */
const CallBars = buildLazyPart(async () => (await import("./call-bars.tsx")).CallBars);

/** The list asks for the counts only while this column is shown (`use-resource-list.ts`). */
export const recentColumnId = "recent";

const labels = { hours: msg`Calls in 24 hours`, days: msg`Calls in 14 days` };

export function buildRecentCallsColumn<Row extends { recent?: readonly CallCount[] | undefined }>(
  steps: keyof typeof labels,
): TableColumn<Row> {
  return {
    id: recentColumnId,
    width: 96,
    label: labels[steps],
    optional: true,
    cell: ({ recent }) => (recent === undefined ? missing : <CallBars counts={recent} />),
  };
}
