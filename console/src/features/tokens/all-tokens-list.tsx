import { msg } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import {
  disableAnyToken,
  findAnyToken,
  type HeldToken,
  heldTokenSorts,
  listAllTokens,
  pauseAnyToken,
  replaceAnyToken,
} from "@tollgate/contract/accounts/all-tokens.ts";
import { listAllKeyFindings } from "@tollgate/contract/accounts/key-hygiene.ts";
import { tokenStatus } from "@tollgate/contract/accounts/tokens.ts";
import { Ban, KeyRound } from "lucide-react";
import { useState } from "react";
import { api } from "../../api-queries.ts";
import { readEntityRef, readShortEntityRef } from "../../compat/entity-ids.ts";
import { useRowSelection } from "../../components/bulk/use-row-selection.ts";
import { tokenStatuses } from "../../components/keys/token-statuses.ts";
import { usedQuotaColumn } from "../../components/keys/used-quota-column.tsx";
import { wholeKey } from "../../components/keys/whole-secret.ts";
import { FilterRow } from "../../components/lists/filter-row.tsx";
import { RowActions, RowMenu } from "../../components/lists/row-actions.tsx";
import { SearchBox } from "../../components/lists/search-box.tsx";
import { StatusBadge } from "../../components/lists/status-badge.tsx";
import { useResourceList } from "../../components/lists/use-resource-list.ts";
import { Quota } from "../../components/quota.tsx";
import { CutText } from "../../components/texts/cut-text.tsx";
import { hasFeature, useSession } from "../../session.ts";
import { ButtonLink } from "../../ui/button.tsx";
import { missing } from "../../ui/format.ts";
import { Confirm } from "../../ui/menu/confirm.tsx";
import { MenuItem } from "../../ui/menu/menu.tsx";
import { DataTable } from "../../ui/table/data-table.tsx";
import type { TableColumn } from "../../ui/table/data-table-columns.ts";
import { NameLink } from "../../ui/table/row-link.tsx";
import { Time } from "../../ui/time.tsx";
import { toast } from "../../ui/toast.tsx";
import { PauseLine } from "./pause-note.tsx";
import { usePauseVerb } from "./pause-verb.tsx";
import { AllTokensBulkBar } from "./token-bulk-bars.tsx";
import { HeldTokenFilters } from "./token-filters.tsx";
import { findLastAccess } from "./token-screen-rules.ts";

/**
 * The keys of all users: found by owner, name, ending or the pasted key, and stopped. The keys
 * themselves stay hidden.
 */
export function AllTokensList() {
  const { t } = useLingui();
  const { status } = useSession();
  const selection = useRowSelection();
  const { table, searchBox } = useResourceList({
    list: listAllTokens,
    search: listAllTokens,
    sorts: heldTokenSorts,
    filterNames: ["status", "owner"],
    secrets: { ...wholeKey, find: findAnyToken },
    suggestion: (token) => ({ id: readEntityRef(token), text: token.name }),
  });
  return (
    <>
      <p className="text-muted text-sm">
        <Trans>
          Paste a whole key to find its owner: only its hash is sent. Each look at this list is
          recorded.
        </Trans>
      </p>
      <DataTable
        label={t`All keys`}
        {...table}
        selection={selection}
        columns={columns}
        rowName={nameOfHeld}
        empty={t`No keys yet.`}
        toolbar={
          <>
            <SearchBox
              {...searchBox}
              label={t`Search keys`}
              placeholder={t`Owner, name, last four, or a key`}
            />
            {hasFeature(status, "list_filters") && (
              <FilterRow>
                <HeldTokenFilters />
              </FilterRow>
            )}
          </>
        }
        actions={buildRowActions}
      />
      {selection !== undefined && selection.ids.size > 0 && <AllTokensBulkBar chosen={selection} />}
    </>
  );
}

export const nameOfHeld = (token: HeldToken): string =>
  `${token.username}: ${token.name || `ID ${readShortEntityRef(token)}`}`;

/** `OwnerLink` names the owner of a key and leads to the account. */
export const OwnerLink = ({ username, user_uuid }: Pick<HeldToken, "username" | "user_uuid">) => (
  <NameLink to="/users/$id/{-$tab}" id={user_uuid}>
    <CutText text={username} />
  </NameLink>
);

const columns: readonly TableColumn<HeldToken>[] = [
  {
    id: "name",
    width: 160,
    label: msg`Name`,
    sortable: true,
    pinned: true,
    mobile: "title",
    cell: ({ name }) => <CutText text={name} isName />,
  },
  {
    id: "username",
    width: 120,
    label: msg`Owner`,
    sortable: true,
    // The name of a row begins with it.
    mobile: "detail",
    cell: OwnerLink,
  },
  {
    id: "key_ending",
    width: 80,
    label: msg`Key`,
    mobile: "fact",
    cell: ({ key_ending, old_key_ending, old_key_until }) => (
      <code className="font-mono text-muted text-sm">
        {key_ending === "" ? missing : `…${key_ending}`}
        {old_key_until > 0 && ` …${old_key_ending}`}
      </code>
    ),
  },
  {
    id: "status",
    width: 82,
    label: msg`Status`,
    sortable: true,
    mobile: "status",
    cell: ({ status, paused }) => (
      <span className="flex flex-col items-start leading-4">
        <StatusBadge label={tokenStatuses[status]} />
        {paused && <PauseLine pause={paused} />}
      </span>
    ),
  },
  usedQuotaColumn,
  {
    id: "remain_quota",
    width: 60,
    label: msg`Remaining Quota`,
    numeric: true,
    mobile: "detail",
    cell: (token) => <Quota units={token.remain_quota} unlimited={token.unlimited_quota} />,
  },
  {
    id: "accessed_time",
    width: 135,
    label: msg`Last Access`,
    sortable: true,
    mobile: "detail",
    cell: (token) => <Time seconds={findLastAccess(token)} />,
  },
  {
    id: "created_time",
    width: 135,
    label: msg`Created`,
    sortable: true,
    mobile: "detail",
    cell: ({ created_time }) => <Time seconds={created_time} />,
  },
];

const refreshes = [listAllTokens, listAllKeyFindings];

const buildRowActions = (token: HeldToken) => <AllTokensActions token={token} />;

export function AllTokensActions({ token }: { token: HeldToken }) {
  const { t } = useLingui();
  const [asked, setAsked] = useState<"disable" | "replace">();
  const { username, name, uuid } = token;
  const close = () => setAsked(undefined);
  const pausing = usePauseVerb({
    token,
    name,
    told: username,
    act: async (change) => {
      await api.change(pauseAnyToken, refreshes, { body: { uuid, ...change } });
    },
  });
  const disable = async () => {
    await api.change(disableAnyToken, refreshes, { body: { uuid } });
    toast(t`The key ${name} of ${username} is disabled`);
  };
  const replace = async () => {
    await api.change(replaceAnyToken, refreshes, { body: { uuid } });
    toast(t`The key ${name} of ${username} is replaced`);
  };
  return (
    <>
      <RowActions
        name={nameOfHeld(token)}
        primary={
          <ButtonLink
            size="sm"
            variant="ghost"
            to="/logs"
            search={{ username, token_name: name } as never}
          >
            <Trans>Calls</Trans>
          </ButtonLink>
        }
      >
        <RowMenu>
          {pausing.item}
          <MenuItem
            icon={<Ban />}
            disabled={token.status === tokenStatus.disabled}
            onSelect={() => setAsked("disable")}
          >
            <Trans>Disable</Trans>
          </MenuItem>
          <MenuItem icon={<KeyRound />} onSelect={() => setAsked("replace")}>
            <Trans>Replace key</Trans>
          </MenuItem>
        </RowMenu>
      </RowActions>
      {pausing.dialog}
      <Confirm
        open={asked === "disable"}
        title={<Trans>Disable {name}</Trans>}
        question={
          <Trans>
            Programs of {username} that use this key are refused at once. {username} gets a notice.
          </Trans>
        }
        confirmLabel={<Trans>Disable</Trans>}
        onConfirm={disable}
        onClose={close}
      />
      <Confirm
        open={asked === "replace"}
        title={<Trans>Replace key {name}</Trans>}
        question={
          <Trans>
            The old key is refused at once. {username} gets a notice and finds the new one in their
            list; you do not see it.
          </Trans>
        }
        confirmLabel={<Trans>Replace key</Trans>}
        onConfirm={replace}
        onClose={close}
      />
    </>
  );
}
