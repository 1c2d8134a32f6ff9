import { Trans, useLingui } from "@lingui/react/macro";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { listUsers, searchUsers, userSorts } from "@tollgate/contract/user-admin.ts";
import type { User } from "@tollgate/contract/users.ts";
import { Plus } from "lucide-react";
import { useState } from "react";
import { api } from "../../api-queries.ts";
import { entityRef } from "../../compat/reply-envelope.ts";
import { FlashMessage } from "../../components/flash-message.tsx";
import { lazyDialog } from "../../components/lazy-dialog.tsx";
import { toListPage } from "../../components/list-page.ts";
import { SearchBox } from "../../components/search-box.tsx";
import { useUrlText, useUrlView } from "../../components/url-view.ts";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { DataTable } from "../../ui/data-table.tsx";
import { defaultView } from "../../ui/data-table-view.ts";
import { Select } from "../../ui/input.tsx";
import { Page } from "../../ui/page.tsx";
import { userColumns } from "./user-columns.tsx";
import { roleNames } from "./user-labels.ts";
import { UserRowActions } from "./user-row-actions.tsx";
import { isNotDeleted, roleFilter } from "./user-screen-rules.ts";

const suggestionsMax = 10;
const defaults = { ...defaultView, size: 10, sort: "id" } as const;
const CreateDialog = lazyDialog(async () => (await import("./user-create-dialog.tsx")).UserCreateDialog);
const TopUpDialog = lazyDialog(async () => (await import("./user-top-up-dialog.tsx")).UserTopUpDialog);

export function UserListPage() {
  const { t } = useLingui();
  const navigate = useNavigate();
  const [isCreating, setCreating] = useState(false);
  const [toppedUp, setToppedUp] = useState<User>();
  const add = <AddUser onCreate={() => setCreating(true)} />;
  const [view, setView] = useUrlView({ defaults, sorts: userSorts });
  const [keyword, setKeyword] = useUrlText("keyword");
  const [roleText, setRole] = useUrlText("role");
  const role = roleFilter(roleText);
  const query = role === undefined ? view : { ...view, role };
  const request =
    keyword === "" ? api.query(listUsers, { query }) : api.query(searchUsers, { query: { ...query, keyword } });
  const users = useQuery({
    ...request,
    placeholderData: keepPreviousData,
    select: (reply) => toListPage({ ...reply, data: reply.data.filter(isNotDeleted) }, view),
  });
  return (
    <Page title={t`Users`} subtitle={t`Manage accounts, their groups and their quota`} action={add}>
      <FlashMessage />
      <DataTable
        label={t`Users`}
        source={users}
        columns={userColumns}
        rowId={entityRef}
        rowName={(user) => user.username}
        view={view}
        onViewChange={setView}
        empty={t`No users found. Add your first user to get started.`}
        emptyAction={add}
        filtered={keyword !== "" || role !== undefined}
        onClearFilters={() => void navigate({ to: ".", search: withoutFilters as never })}
        toolbar={
          <>
            <SearchBox
              label={t`Search users`}
              placeholder={t`Search users by name or email...`}
              searched={keyword}
              onSearch={setKeyword}
              suggestionsKey="users"
              suggest={async (text, signal) => {
                const query = { keyword: text, size: suggestionsMax, sort: "username", order: "asc" } as const;
                const found = await api.call(searchUsers, { query, signal });
                return found.data
                  .filter(isNotDeleted)
                  .slice(0, suggestionsMax)
                  .map((user) => ({ id: entityRef(user), text: user.username, detail: user.display_name }));
              }}
            />
            <RoleFilter role={role} onRole={setRole} />
          </>
        }
        actions={(user) => <UserRowActions user={user} onTopUp={() => setToppedUp(user)} />}
      />
      {toppedUp !== undefined && <TopUpDialog user={toppedUp} onClose={() => setToppedUp(undefined)} />}
      {isCreating && <CreateDialog onClose={() => setCreating(false)} />}
    </Page>
  );
}

const withoutFilters = (before: Record<string, unknown>) => ({
  ...before,
  p: undefined,
  keyword: undefined,
  role: undefined,
});

function RoleFilter({ role, onRole }: { role: number | undefined; onRole: (role: string) => void }) {
  const { t } = useLingui();
  return (
    <Select
      controlSize="sm"
      className="w-auto!"
      aria-label={t`Role`}
      value={role ?? ""}
      onChange={(event) => onRole(event.target.value)}
    >
      <option value="">{t`All roles`}</option>
      {roleNames.map(({ role, name }) => (
        <option key={role} value={role}>
          {t(name)}
        </option>
      ))}
    </Select>
  );
}

/** The whole form, or the three fields that a new account cannot do without. */
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
