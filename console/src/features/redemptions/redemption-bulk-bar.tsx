import { msg } from "@lingui/core/macro";
import { changeManyRedemptions } from "@tollgate/contract/bulk-verbs.ts";
import { listRedemptions, searchRedemptions } from "@tollgate/contract/redemptions.ts";
import { BulkBar } from "../../components/bulk/bulk-bar.tsx";
import { type BulkVerb, plainVerb } from "../../components/bulk/bulk-verb.ts";
import { showStatus } from "../../components/bulk/bulk-words.ts";
import { restoreStatus } from "../../components/bulk/reverse-acts.ts";
import type { ChosenRows } from "../../components/bulk/use-row-selection.ts";
import { redemptionStatuses } from "./redemption-columns.tsx";

const show = showStatus(redemptionStatuses);

const verbs: readonly BulkVerb[] = [
  plainVerb({ id: "enable", label: msg`Enable`, show, undo: restoreStatus }),
  plainVerb({ id: "disable", label: msg`Disable`, show, undo: restoreStatus }),
  plainVerb({ id: "delete", label: msg`Delete`, isDanger: true, warning: msg`This cannot be undone.` }),
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
