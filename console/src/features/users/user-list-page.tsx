import { Trans, useLingui } from "@lingui/react/macro";
import { listUsers, searchUsers, userSorts } from "@tollgate/contract/accounts/user-admin.ts";
import type { User } from "@tollgate/contract/accounts/users.ts";
import { Plus } from "lucide-react";
import { useCallback, useEffect, useState } from "react";
import { readEntityRef } from "../../compat/entity-ids.ts";
import { isNotDeleted } from "../../compat/user-compat.ts";
import { useRowSelection } from "../../components/bulk/use-row-selection.ts";
import { FlashMessage } from "../../components/flash-message.tsx";
import { FilterRow } from "../../components/lists/filter-row.tsx";
import { SearchBox } from "../../components/lists/search-box.tsx";
import { useResourceList } from "../../components/lists/use-resource-list.ts";
import { QuotaRequestsCard } from "../../components/quota-requests-card.tsx";
import { useUrlText } from "../../components/texts/url-view.ts";
import { hasFeature, useSession } from "../../session.ts";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { buildLazyPart } from "../../ui/lazy-part.tsx";
import { Page } from "../../ui/page.tsx";
import { DataTable } from "../../ui/table/data-table.tsx";
import { createdAccount } from "./handed-account.ts";
import { userColumns } from "./user-columns.tsx";
import { UserRowActions } from "./user-row-actions.tsx";
import { findRoleFilter } from "./user-screen-rules.ts";

const Filters = buildLazyPart(async () => (await import("./user-filters.tsx")).UserFilters);
const BulkBar = buildLazyPart(async () => (await import("./user-bulk-bar.tsx")).UserBulkBar);
const CreateDialog = buildLazyPart(
  async () => (await import("./user-create-dialog.tsx")).UserCreateDialog,
);
const NewAccountCard = buildLazyPart(
  async () => (await import("./new-account-card.tsx")).NewAccountCard,
);
const TopUpDialog = buildLazyPart(
  async () => (await import("./user-top-up-dialog.tsx")).UserTopUpDialog,
);

export function UserListPage() {
  const { t } = useLingui();
  const { status } = useSession();
  const [isCreating, setCreating] = useState(false);
  const [created, setCreated] = useState(createdAccount.get);
  // Forgotten with the page: the list that is opened again has handed it over.
  useEffect(() => createdAccount.forget, []);
  const [toppedUp, setToppedUp] = useState<User>();
  const add = <AddUser onCreate={() => setCreating(true)} />;
  const rowActions = useCallback(
    (user: User) => <UserRowActions user={user} onTopUp={() => setToppedUp(user)} />,
    [],
  );
  const selection = useRowSelection();
  const [roleText] = useUrlText("role");
  const isNarrowed = hasFeature(status, "list_filters");
  const { table, searchBox } = useResourceList({
    list: listUsers,
    search: searchUsers,
    sorts: userSorts,
    hasRecent: true,
    filters: { role: findRoleFilter(roleText) },
    filterNames: ["status", "group"],
    adaptRows: (users) => users.filter(isNotDeleted),
    suggestion: (user) => ({
      id: readEntityRef(user),
      text: user.username,
      detail: user.display_name,
    }),
    suggestionSort: "username",
  });
  return (
    <Page
      title={t`Users`}
      subtitle={t`Users, their groups and balances`}
      action={
        <>
          {hasFeature(status, "budgets") && (
            <ButtonLink to="/budgets">
              <Trans>Budgets</Trans>
            </ButtonLink>
          )}
          {add}
        </>
      }
    >
      <FlashMessage />
      {created !== undefined && (
        <NewAccountCard {...created} onDone={() => setCreated(undefined)} />
      )}
      <QuotaRequestsCard />
      <DataTable
        label={t`Users`}
        {...table}
        selection={selection}
        columns={userColumns}
        rowName={(user) => user.username}
        empty={t`No users found. Add your first user to get started.`}
        emptyAction={add}
        toolbar={
          <>
            <SearchBox
              {...searchBox}
              label={t`Search users`}
              placeholder={t`Search users by name or email...`}
            />
            <FilterRow>
              <Filters isNarrowed={isNarrowed} />
            </FilterRow>
          </>
        }
        actions={rowActions}
      />
      {selection !== undefined && selection.ids.size > 0 && <BulkBar chosen={selection} />}
      {toppedUp !== undefined && (
        <TopUpDialog user={toppedUp} onClose={() => setToppedUp(undefined)} />
      )}
      {isCreating && (
        <CreateDialog
          onClose={(account) => {
            setCreating(false);
            setCreated(account ?? created);
          }}
        />
      )}
    </Page>
  );
}

/** Links to the full form, and opens the dialog with the required fields. */
function AddUser({ onCreate }: { onCreate: () => void }) {
  return (
    <>
      <Button onClick={onCreate}>
        <Trans>Quick create</Trans>
      </Button>
      <ButtonLink to="/users/add" variant="primary" icon={<Plus />}>
        <Trans>Add User</Trans>
      </ButtonLink>
    </>
  );
}
