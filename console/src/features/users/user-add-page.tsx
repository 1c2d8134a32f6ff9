import { Trans, useLingui } from "@lingui/react/macro";
import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { createUser, listUsers, searchUsers } from "@tollgate/contract/user-admin.ts";
import { api } from "../../api-queries.ts";
import { useIdempotencyKey } from "../../components/idempotency-key.ts";
import { Page } from "../../ui/page.tsx";
import { UserForm } from "./user-form.tsx";
import { newUser, toUserCreate } from "./user-form-values.ts";

export function UserAddPage() {
  const { t } = useLingui();
  const navigate = useNavigate();
  const create = useMutation(api.mutation(createUser, { refreshes: [listUsers, searchUsers] }));
  const keyFor = useIdempotencyKey();
  return (
    <Page title={t`Create User`} subtitle={t`Create a new account`}>
      <UserForm
        initial={newUser}
        isNew
        submit={<Trans>Create User</Trans>}
        submitting={<Trans>Creating...</Trans>}
        onSubmit={async (values) => {
          const body = toUserCreate(values);
          await create.mutateAsync({ body, idempotencyKey: keyFor(body) });
          await navigate({ to: "/users", state: { message: t`User created successfully` } });
        }}
      />
    </Page>
  );
}
