import { Trans, useLingui } from "@lingui/react/macro";
import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { roles } from "@tollgate/contract/accounts/roles.ts";
import {
  getUser,
  listUsers,
  searchUsers,
  updateUser,
} from "@tollgate/contract/accounts/user-admin.ts";
import type { User } from "@tollgate/contract/accounts/users.ts";
import { CircleDollarSign } from "lucide-react";
import { useState } from "react";
import { api } from "../../api-queries.ts";
import { isUnlimited } from "../../compat/user-compat.ts";
import { SubjectBudgetsCard } from "../../components/budgets/budgets-card.tsx";
import { EditPage } from "../../components/forms/edit-page.tsx";
import { StatusBadge } from "../../components/lists/status-badge.tsx";
import { ThingPage, ThingSubtitle } from "../../components/things/thing-page.tsx";
import { buildEditFrame } from "../../components/things/thing-tabs.tsx";
import { updateUser as updateSignedIn, useSession } from "../../session.ts";
import { Alert } from "../../ui/alert.tsx";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { buildLazyPart } from "../../ui/lazy-part.tsx";
import { DebtAlert } from "./debt-alert.tsx";
import { UserForm } from "./user-form.tsx";
import { buildUserForm, buildUserUpdate } from "./user-form-values.ts";
import { refusalReasons, userStatuses } from "./user-labels.ts";
import { UserOverview } from "./user-overview.tsx";
import { buildPermissions } from "./user-screen-rules.ts";

/** `UserPage` is about one account, for administrators. */
export function UserPage() {
  const { t } = useLingui();
  return (
    <ThingPage
      endpoint={getUser}
      kind="users"
      title={t`User`}
      loading={t`Loading user...`}
      list={{ to: "/users", label: t`Back to users` }}
      nameOf={({ display_name, username }) => display_name || username}
      subtitle={({ username, status }) => (
        <ThingSubtitle kind={<span dir="auto">{username}</span>}>
          <StatusBadge label={userStatuses[status]} />
        </ThingSubtitle>
      )}
      action={(user) => <TopUpButton user={user} />}
    >
      {(user) => <UserOverview user={user} />}
    </ThingPage>
  );
}

const TopUpDialog = buildLazyPart(
  async () => (await import("./user-top-up-dialog.tsx")).UserTopUpDialog,
);

function TopUpButton({ user }: { user: User }) {
  const { user: actor } = useSession();
  const [isOpen, setOpen] = useState(false);
  if (actor === null || !buildPermissions(actor, user).edit) return null;
  return (
    <>
      <Button variant="primary" icon={<CircleDollarSign />} onClick={() => setOpen(true)}>
        <Trans>Top up</Trans>
      </Button>
      {isOpen && <TopUpDialog user={user} onClose={() => setOpen(false)} />}
    </>
  );
}

const EditFrame = buildEditFrame("users");

export function UserEditPage() {
  const { t } = useLingui();
  return (
    <EditPage
      endpoint={getUser}
      frame={EditFrame}
      title={t`Edit User`}
      subtitle={t`Change account settings`}
      loading={t`Loading user...`}
      fields={6}
      list={{ to: "/users", label: t`Back to users` }}
    >
      {(user, onReload) => <EditUserForm user={user} onReload={onReload} />}
    </EditPage>
  );
}

function EditUserForm({ user, onReload }: { user: User; onReload: () => void }) {
  const { t } = useLingui();
  const navigate = useNavigate();
  const { user: actor } = useSession();
  const update = useMutation(api.mutation(updateUser, { refreshes: [listUsers, searchUsers] }));
  const permissions = actor === null ? undefined : buildPermissions(actor, user);
  const isOwn = permissions?.reason === "yourself";
  if (isOwn && !permissions?.edit) return <OwnAccountHint />;
  return (
    <>
      <DebtAlert user={user} />
      <SubjectBudgetsCard subject="user" id={user.id} />
      <UserForm
        initial={buildUserForm(user)}
        isOwn={isOwn}
        isUnlimited={isUnlimited(user)}
        offersAuditor={
          permissions?.role !== undefined &&
          user.role === roles.admin &&
          user.read_only !== undefined
        }
        read={user}
        submit={<Trans>Update User</Trans>}
        submitting={<Trans>Updating...</Trans>}
        onReload={onReload}
        onSubmit={async (values) => {
          await update.mutateAsync({ body: buildUserUpdate(values, user) });
          if (isOwn)
            updateSignedIn({ username: values.username, display_name: values.display_name });
          await navigate({ to: "/users", state: { message: t`User updated successfully` } });
        }}
      />
    </>
  );
}

function OwnAccountHint() {
  const { t } = useLingui();
  return (
    <Alert tone="info" title={t(refusalReasons.yourself)}>
      <ButtonLink to="/settings" size="sm" className="mt-2">
        <Trans>Personal settings</Trans>
      </ButtonLink>
    </Alert>
  );
}
