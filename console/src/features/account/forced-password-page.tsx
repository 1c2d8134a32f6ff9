import { useLingui } from "@lingui/react/macro";
import { Page } from "../../ui/page.tsx";
import { ForcedPasswordForm } from "./forced-password-form.tsx";

/** The page shown after sign-in with a temporary password. Other account settings are under personal settings. */
export function ForcedPasswordPage() {
  const { t } = useLingui();
  return (
    <Page title={t`Change Password`} subtitle={t`Before anything else`}>
      <ForcedPasswordForm />
    </Page>
  );
}
