import { useLingui } from "@lingui/react/macro";
import { Page } from "../../ui/page.tsx";
import { ForcedPasswordForm } from "./forced-password-form.tsx";

/** Where a temporary password leads. Everything else about the own account is in the personal settings. */
export function ForcedPasswordPage() {
  const { t } = useLingui();
  return (
    <Page title={t`Change Password`} subtitle={t`Before anything else`}>
      <ForcedPasswordForm />
    </Page>
  );
}
