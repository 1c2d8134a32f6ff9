import { msg } from "@lingui/core/macro";
import { listRedemptions, searchRedemptions } from "@tollgate/contract/accounts/redemptions.ts";
import { changeManyRedemptions } from "@tollgate/contract/api/bulk-verbs.ts";
import { BulkBar } from "../../components/bulk/bulk-bar.tsx";
import { type BulkVerb, buildPlainVerb } from "../../components/bulk/bulk-verb.ts";
import { showStatus } from "../../components/bulk/bulk-words.ts";
import { restoreStatus } from "../../components/bulk/reverse-acts.ts";
import type { ChosenRows } from "../../components/bulk/use-row-selection.ts";
import { redemptionStatuses } from "./redemption-columns.tsx";

const show = showStatus(redemptionStatuses);

const verbs: readonly BulkVerb[] = [
  buildPlainVerb({ id: "enable", label: msg`Enable`, show, undo: restoreStatus }),
  buildPlainVerb({ id: "disable", label: msg`Disable`, show, undo: restoreStatus }),
  buildPlainVerb({
    id: "delete",
    label: msg`Delete`,
    isDanger: true,
    warning: msg`This cannot be undone.`,
  }),
];

export function RedemptionBulkBar({ chosen }: { chosen: ChosenRows }) {
  return (
    <BulkBar
      endpoint={changeManyRedemptions}
      refreshes={[listRedemptions, searchRedemptions]}
      verbs={verbs}
      chosen={chosen}
    />
  );
}
