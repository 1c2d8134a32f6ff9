import { Trans, useLingui } from "@lingui/react/macro";
import { useNavigate } from "@tanstack/react-router";
import { createUser, listUsers, searchUsers } from "@tollgate/contract/accounts/user-admin.ts";
import { useCreation } from "../../components/forms/use-creation.ts";
import { ButtonLink } from "../../ui/button.tsx";
import { Page } from "../../ui/page.tsx";
import { createdAccount } from "./handed-account.ts";
import { UserForm } from "./user-form.tsx";
import { buildUserCreate, newUser } from "./user-form-values.ts";

export function UserAddPage() {
  const { t } = useLingui();
  const navigate = useNavigate();
  const create = useCreation(createUser, [listUsers, searchUsers]);
  return (
    <Page
      title={t`Create User`}
      subtitle={t`Create a new account`}
      action={
        <ButtonLink to="/users/batch">
          <Trans>Several accounts</Trans>
        </ButtonLink>
      }
    >
      <UserForm
        initial={newUser}
        isNew
        submit={<Trans>Create User</Trans>}
        submitting={<Trans>Creating...</Trans>}
        onSubmit={async (values) => {
          await create(buildUserCreate(values));
          createdAccount.give(values);
          await navigate({ to: "/users", state: { message: t`User created successfully` } });
        }}
      />
    </Page>
  );
}
