import { msg } from "@lingui/core/macro";
import { listUsers, searchUsers } from "@tollgate/contract/accounts/user-admin.ts";
import { changeManyUsers } from "@tollgate/contract/api/bulk-verbs.ts";
import { useState } from "react";
import { BulkBar } from "../../components/bulk/bulk-bar.tsx";
import { type BulkVerb, buildPlainVerb, buildTextVerb } from "../../components/bulk/bulk-verb.ts";
import { showMember, showStatus } from "../../components/bulk/bulk-words.ts";
import type { ChosenRows } from "../../components/bulk/use-row-selection.ts";
import { findUnits } from "../../components/forms/dollars-text.ts";
import { buildQuotaStyle, hasFeature, useSession } from "../../session.ts";
import { formatQuota, type QuotaStyle } from "../../ui/format.ts";
import { buildLazyPart } from "../../ui/lazy-part.tsx";
import { userStatuses } from "./user-labels.ts";

const PeopleDialog = buildLazyPart(
  async () => (await import("../../components/teams/people-dialog.tsx")).PeopleDialog,
);

const plainVerbs: readonly BulkVerb[] = [
  buildPlainVerb({ id: "enable", label: msg`Enable`, show: showStatus(userStatuses) }),
  buildPlainVerb({
    id: "disable",
    label: msg`Disable`,
    warning: msg`They are signed out, and their keys are refused at once.`,
    show: showStatus(userStatuses),
  }),
  buildTextVerb(
    { id: "set_group", label: msg`Set group`, show: showMember("group") },
    { name: "group", label: msg`Group` },
  ),
];

/** Typed in dollars where the server shows them, sent in units. */
function buildTopUpVerb(style: QuotaStyle): BulkVerb {
  return {
    id: "top_up",
    label: msg`Top up`,
    warning: msg`Every account below gets the amount, or none does.`,
    fields: [
      {
        name: "amount",
        kind: "number",
        label: style.inCurrency
          ? msg`Amount for each, in US dollars`
          : msg`Amount for each, in quota units`,
      },
      {
        name: "remark",
        label: msg`Remark`,
        help: msg`Optional. The owner sees it in the logs.`,
        isOptional: true,
      },
    ],
    request({ amount = "", remark = "" }) {
      const units = Number(findUnits(amount, style.inCurrency ? style.perUnit : 1));
      return units > 0 ? { verb: "top_up", quota: units, remark: remark.trim() } : undefined;
    },
    show: ({ quota }) => formatQuota(Number(quota), style),
  };
}

export function UserBulkBar({ chosen }: { chosen: ChosenRows }) {
  const { status } = useSession();
  const [isTeaming, setTeaming] = useState(false);
  const verbs = [...plainVerbs, buildTopUpVerb(buildQuotaStyle(status))];
  const team = { label: msg`Team of these people`, onSelect: () => setTeaming(true) };
  return (
    <>
      <BulkBar
        endpoint={changeManyUsers}
        refreshes={[listUsers, searchUsers]}
        verbs={verbs}
        chosen={chosen}
        {...(hasFeature(status, "teams") && { other: team })}
      />
      {isTeaming && (
        <PeopleDialog target={{ ids: [...chosen.ids] }} onClose={() => setTeaming(false)} />
      )}
    </>
  );
}
