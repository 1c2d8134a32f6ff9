import { msg } from "@lingui/core/macro";
import { changeManyUsers } from "@tollgate/contract/bulk-verbs.ts";
import { listUsers, searchUsers } from "@tollgate/contract/user-admin.ts";
import { BulkBar } from "../../components/bulk/bulk-bar.tsx";
import { type BulkVerb, plainVerb, textVerb } from "../../components/bulk/bulk-verb.ts";
import { showMember, showStatus } from "../../components/bulk/bulk-words.ts";
import type { ChosenRows } from "../../components/bulk/use-row-selection.ts";
import { userStatuses } from "./user-labels.ts";

const verbs: readonly BulkVerb[] = [
  plainVerb({ id: "enable", label: msg`Enable`, show: showStatus(userStatuses) }),
  plainVerb({
    id: "disable",
    label: msg`Disable`,
    warning: msg`They are signed out, and their keys are refused at once.`,
    show: showStatus(userStatuses),
  }),
  textVerb({ id: "set_group", label: msg`Set group`, show: showMember("group") }, { name: "group", label: msg`Group` }),
];

export function UserBulkBar({ chosen }: { chosen: ChosenRows }) {
  return <BulkBar endpoint={changeManyUsers} refreshes={[listUsers, searchUsers]} verbs={verbs} chosen={chosen} />;
}
