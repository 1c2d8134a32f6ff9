import { msg } from "@lingui/core/macro";
import { changeManyUsers } from "@tollgate/contract/bulk-verbs.ts";
import { listUsers, searchUsers } from "@tollgate/contract/user-admin.ts";
import { BulkBar } from "../../components/bulk/bulk-bar.tsx";
import { type BulkVerb, plainVerb, textVerb } from "../../components/bulk/bulk-verb.ts";
import { showMember, showStatus } from "../../components/bulk/bulk-words.ts";
import type { ChosenRows } from "../../components/bulk/use-row-selection.ts";
import { unitsOf } from "../../components/dollars-text.ts";
import { quotaStyle, useSession } from "../../session.ts";
import { formatQuota, type QuotaStyle } from "../../ui/format.ts";
import { userStatuses } from "./user-labels.ts";

const plainVerbs: readonly BulkVerb[] = [
  plainVerb({ id: "enable", label: msg`Enable`, show: showStatus(userStatuses) }),
  plainVerb({
    id: "disable",
    label: msg`Disable`,
    warning: msg`They are signed out, and their keys are refused at once.`,
    show: showStatus(userStatuses),
  }),
  textVerb({ id: "set_group", label: msg`Set group`, show: showMember("group") }, { name: "group", label: msg`Group` }),
];

/** Typed in dollars where the server shows them, sent in units. */
function topUpVerb(style: QuotaStyle): BulkVerb {
  return {
    id: "top_up",
    label: msg`Top up`,
    warning: msg`The amount goes to every account below, or to none.`,
    fields: [
      {
        name: "amount",
        kind: "number",
        label: style.inCurrency ? msg`Amount for each, in US dollars` : msg`Amount for each, in quota units`,
      },
      { name: "remark", label: msg`Remark`, help: msg`Optional. The owner sees it in the logs.`, isOptional: true },
    ],
    request({ amount = "", remark = "" }) {
      const units = Number(unitsOf(amount, style.inCurrency ? style.perUnit : 1));
      return units > 0 ? { verb: "top_up", quota: units, remark: remark.trim() } : undefined;
    },
    show: ({ quota }) => formatQuota(Number(quota), style),
  };
}

export function UserBulkBar({ chosen }: { chosen: ChosenRows }) {
  const style = quotaStyle(useSession().status);
  const verbs = [...plainVerbs, topUpVerb(style)];
  return <BulkBar endpoint={changeManyUsers} refreshes={[listUsers, searchUsers]} verbs={verbs} chosen={chosen} />;
}
