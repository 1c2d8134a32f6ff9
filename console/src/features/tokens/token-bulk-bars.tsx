import { msg } from "@lingui/core/macro";
import { listAllTokens } from "@tollgate/contract/accounts/all-tokens.ts";
import { listTokens, searchTokens } from "@tollgate/contract/accounts/tokens.ts";
import { changeManyTokens, disableManyTokens } from "@tollgate/contract/api/bulk-verbs.ts";
import { BulkBar } from "../../components/bulk/bulk-bar.tsx";
import { type BulkVerb, buildPlainVerb } from "../../components/bulk/bulk-verb.ts";
import { showStatus } from "../../components/bulk/bulk-words.ts";
import { restoreStatus } from "../../components/bulk/reverse-acts.ts";
import type { ChosenRows } from "../../components/bulk/use-row-selection.ts";
import { tokenStatuses } from "../../components/keys/token-statuses.ts";

const show = showStatus(tokenStatuses);

const own: readonly BulkVerb[] = [
  buildPlainVerb({ id: "enable", label: msg`Enable`, show, undo: restoreStatus }),
  buildPlainVerb({
    id: "disable",
    label: msg`Disable`,
    warning: msg`Programs that use them are refused at once.`,
    show,
    undo: restoreStatus,
  }),
  {
    id: "pause",
    label: msg`Pause`,
    warning: msg`Programs that use them are refused until they are resumed.`,
    fields: [
      {
        name: "pause_reason",
        label: msg`Reason, which its callers read too (optional)`,
        isOptional: true,
      },
    ],
    request: ({ pause_reason = "" }) => ({ verb: "pause", pause_reason: pause_reason.trim() }),
    show,
    undo: restoreStatus,
  },
  buildPlainVerb({
    id: "delete",
    label: msg`Delete`,
    isDanger: true,
    warning: msg`This cannot be undone.`,
  }),
];

const ofAll: readonly BulkVerb[] = [
  {
    id: "disable",
    label: msg`Disable`,
    warning: msg`Programs that use them are refused at once. Their owners get a notice.`,
    request: () => ({}),
    show,
  },
];

export function TokenBulkBar({ chosen }: { chosen: ChosenRows }) {
  return (
    <BulkBar
      endpoint={changeManyTokens}
      refreshes={[listTokens, searchTokens]}
      verbs={own}
      chosen={chosen}
    />
  );
}

export function AllTokensBulkBar({ chosen }: { chosen: ChosenRows }) {
  return (
    <BulkBar
      endpoint={disableManyTokens}
      refreshes={[listAllTokens]}
      verbs={ofAll}
      chosen={chosen}
    />
  );
}
