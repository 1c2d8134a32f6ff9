import { msg } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import { roles } from "@tollgate/contract/accounts/roles.ts";
import type { User } from "@tollgate/contract/accounts/users.ts";
import { readEntityRef, readShortEntityRef } from "../../compat/entity-ids.ts";
import { buildUnixSeconds } from "../../compat/time-compat.ts";
import { isUnlimited } from "../../compat/user-compat.ts";
import { usedQuotaColumn } from "../../components/keys/used-quota-column.tsx";
import { buildRecentCallsColumn } from "../../components/lists/recent-calls-column.tsx";
import { StatusBadge } from "../../components/lists/status-badge.tsx";
import { Quota } from "../../components/quota.tsx";
import { CutText } from "../../components/texts/cut-text.tsx";
import { useSession } from "../../session.ts";
import { formatInteger, missing } from "../../ui/format.ts";
import { Tooltip } from "../../ui/menu/tooltip.tsx";
import type { TableColumn } from "../../ui/table/data-table-columns.ts";
import { NameLink } from "../../ui/table/row-link.tsx";
import { Time } from "../../ui/time.tsx";
import { userStatuses } from "./user-labels.ts";
import { buildPermissions } from "./user-screen-rules.ts";

export const userColumns: readonly TableColumn<User>[] = [
  { id: "id", width: 24, label: msg`ID`, sortable: true, numeric: true, cell: readShortEntityRef },
  {
    id: "username",
    width: 120,
    label: msg`Username`,
    sortable: true,
    pinned: true,
    mobile: "title",
    cell: (user) => <UserName user={user} />,
  },
  {
    id: "display_name",
    width: 120,
    label: msg`Display name`,
    sortable: true,
    cell: ({ display_name }) => <CutText text={display_name} />,
  },
  {
    id: "email",
    width: 160,
    label: msg`Email`,
    sortable: true,
    cell: ({ email }) => <CutText text={email} max="max-w-56" />,
  },
  {
    id: "role",
    width: 60,
    label: msg`Role`,
    sortable: true,
    mobile: "fact",
    cell: ({ role, read_only }) => <RoleCell role={role} isReadOnly={read_only === true} />,
  },
  {
    id: "status",
    width: 82,
    label: msg`Status`,
    sortable: true,
    mobile: "status",
    cell: ({ status }) => <StatusBadge label={userStatuses[status]} />,
  },
  {
    id: "group",
    width: 60,
    label: msg`Group`,
    sortable: true,
    cell: ({ group }) => <CutText text={group} max="max-w-32" />,
  },
  {
    id: "quota",
    width: 60,
    label: msg`Quota`,
    sortable: true,
    numeric: true,
    mobile: "fact",
    cell: (user) =>
      (user.debt ?? 0) > 0 ? (
        <span className="text-warn">
          <Trans>
            owes <Quota units={user.debt ?? 0} />
          </Trans>
        </span>
      ) : (
        <Quota units={user.quota} unlimited={isUnlimited(user)} />
      ),
    compactCell: (user) =>
      isUnlimited(user) ? (
        <Trans>Unlimited</Trans>
      ) : (
        <Trans>
          <Quota isOwn units={user.quota} /> left
        </Trans>
      ),
  },
  usedQuotaColumn,
  {
    id: "request_count",
    width: 50,
    label: msg`Requests`,
    sortable: true,
    numeric: true,
    cell: ({ request_count }) => formatInteger(request_count),
  },
  {
    // Compatible servers sort by this name; not all of them have the older `created_time`.
    id: "created_at",
    width: 135,
    label: msg`Created`,
    sortable: true,
    mobile: "none",
    cell: ({ created_time, created_at }) => (
      <Time seconds={buildUnixSeconds(created_time, created_at)} />
    ),
  },
  buildRecentCallsColumn("days"),
];

/** Leads to the account where the reader may see it. */
function UserName({ user }: { user: User }) {
  const { user: reader } = useSession();
  const name = <CutText text={user.username} isName />;
  const permissions = reader === null ? undefined : buildPermissions(reader, user);
  if (permissions === undefined || permissions.reason === "outOfReach") return name;
  return (
    <NameLink to="/users/$id/{-$tab}" id={readEntityRef(user)}>
      {name}
    </NameLink>
  );
}

/** The column has two labels; the tooltip tells a super administrator and an auditor from an administrator. */
function RoleCell({ role, isReadOnly }: { role: number; isReadOnly: boolean }) {
  const { t } = useLingui();
  if (Number.isNaN(role)) return missing;
  if (role < roles.admin) return <Trans>Normal</Trans>;
  return (
    <Tooltip text={role >= roles.root ? t`Super Admin` : isReadOnly ? t`Auditor` : ""}>
      <span>
        <Trans>Admin</Trans>
      </span>
    </Tooltip>
  );
}
