import { Trans, useLingui } from "@lingui/react/macro";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { updateSelf } from "@tollgate/contract/accounts/sessions.ts";
import { listChannels } from "@tollgate/contract/catalogue/channels.ts";
import { type FieldValues, FormProvider, type UseFormReturn } from "react-hook-form";
import { api } from "../../api-queries.ts";
import {
  NewPasswordFields,
  usePasswordMessages,
} from "../../components/forms/new-password-fields.tsx";
import {
  definePasswordSchema,
  type NewPasswordValues,
} from "../../components/forms/new-password-schema.ts";
import { getSession, hasFeature, isAdmin, updateUser } from "../../session.ts";
import { redirectTarget } from "../../shell/redirect-target.ts";
import { useReauth } from "../../shell/use-reauth.tsx";
import { Alert } from "../../ui/alert.tsx";
import { Button } from "../../ui/button.tsx";
import { useContractForm } from "../../ui/form/form-contract.ts";
import { toast } from "../../ui/toast.tsx";

/**
 * The page that was asked for. Without one, administrators of a gateway without any channel go
 * where it is made.
 */
async function readNextPage(requested: string | undefined): Promise<string> {
  const target = redirectTarget(requested, location.origin);
  if (target !== undefined) return target;
  const { user, status } = getSession();
  if (!isAdmin(user) || !hasFeature(status, "provider_check")) return "/dashboard";
  const { data } = await api
    .call(listChannels, { query: { p: 0, size: 1 } })
    .catch(() => ({ data: undefined }));
  return data?.length === 0 ? "/channels/connect" : "/dashboard";
}

/** Replaces a temporary password. The user can only do this or sign out. */
export function ForcedPasswordForm() {
  const { t } = useLingui();
  const navigate = useNavigate();
  const search: Record<string, string> = useSearch({ strict: false });
  const { withReauth, dialog } = useReauth({ byCode: false });
  const schema = definePasswordSchema(usePasswordMessages());
  const form = useContractForm({
    schema,
    initial: { password: "", password2: "" },
    onSubmit: async ({ password }: NewPasswordValues) => {
      await withReauth((credentials) =>
        api.call(updateSelf, { body: { password, ...credentials } }),
      );
      updateUser({ must_change_password: false });
      toast(t`Password changed`);
      await navigate({ to: await readNextPage(search.redirect_to), replace: true });
    },
  });
  return (
    <>
      <FormProvider {...(form.methods as unknown as UseFormReturn<FieldValues>)}>
        <form
          noValidate
          onSubmit={form.submit}
          className="flex w-full max-w-xl flex-col gap-5 rounded-lg border border-line bg-card p-4"
        >
          <Alert tone="warn" title={t`Your password is temporary`}>
            <Trans>Choose your own password to continue.</Trans>
          </Alert>
          <NewPasswordFields />
          {form.refusal !== undefined && (
            <Alert title={form.refusal.message} requestId={form.refusal.requestId} />
          )}
          <div>
            <Button type="submit" variant="primary" busy={form.isBusy}>
              {form.isBusy ? <Trans>Updating...</Trans> : <Trans>Update Password</Trans>}
            </Button>
          </div>
        </form>
      </FormProvider>
      {dialog}
    </>
  );
}
