import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { getSelf } from "@tollgate/contract/accounts/sessions.ts";
import { useState } from "react";
import { api } from "../../api-queries.ts";
import { FormLoading } from "../../components/forms/form-loading.tsx";
import { toastError } from "../../components/toast-failure.ts";
import { updateUser, useSession } from "../../session.ts";
import { redirectTarget } from "../../shell/redirect-target.ts";
import { Alert } from "../../ui/alert.tsx";
import { Button } from "../../ui/button.tsx";
import { Page } from "../../ui/page.tsx";
import { ForcedPasswordForm } from "./forced-password-form.tsx";
import { PasskeysCard } from "./passkeys-card.tsx";
import { PasswordCard } from "./password-card.tsx";
import { ProfileCard } from "./profile-card.tsx";
import { SecondFactorCard } from "./second-factor-card.tsx";

/**
 * The page shown after sign-in with a temporary password, which must be replaced, without a
 * demanded second factor, or with the default password of a server of the family, which should be.
 * Other account settings are under personal settings.
 */
export function OwnAccountPage() {
  const { t } = useLingui();
  const { user } = useSession();
  // As of the first frame: each of the two leads away once it is done. The password comes first.
  const [mustChange] = useState(user?.must_change_password === true);
  const [mustAddFactor] = useState(user?.must_add_second_factor === true);
  if (
    (mustAddFactor || user?.must_add_second_factor === true) &&
    user?.must_change_password !== true
  )
    return (
      <Page title={t`Second factor`} subtitle={t`Before anything else`}>
        <ForcedSecondFactor />
      </Page>
    );
  if (mustChange)
    return (
      <Page title={t`Change password`} subtitle={t`Before anything else`}>
        <ForcedPasswordForm />
      </Page>
    );
  return (
    <Page title={t`Edit User`} subtitle={t`Change account settings`}>
      {user?.has_default_password === true && (
        <Alert tone="warn" title={t`You signed in with the default password`}>
          {t`This password is public knowledge. Choose your own below.`}
        </Alert>
      )}
      <OwnAccount />
    </Page>
  );
}

function OwnAccount() {
  const { t } = useLingui();
  const self = useQuery({ ...api.query(getSelf), gcTime: 0, refetchOnReconnect: false });
  if (self.data === undefined) return <FormLoading source={self} text={t`Loading...`} fields={3} />;
  const user = self.data.data;
  return (
    <div className="grid items-start gap-4 lg:grid-cols-2">
      <ProfileCard key={user.updated_at} user={user} />
      <PasswordCard />
    </div>
  );
}

/** Sets up what the operator demands of the user's role. The user can only do this or sign out. */
function ForcedSecondFactor() {
  const { t } = useLingui();
  const navigate = useNavigate();
  const search: Record<string, string> = useSearch({ strict: false });
  const [busy, setBusy] = useState(false);
  const [isMissing, setMissing] = useState(false);
  const goOn = async () => {
    setBusy(true);
    try {
      const { data } = await api.call(getSelf);
      setMissing(data.must_add_second_factor === true);
      if (data.must_add_second_factor !== true) {
        updateUser(data);
        await navigate({
          to: redirectTarget(search.redirect_to, location.origin) ?? "/dashboard",
          replace: true,
        });
      }
    } catch (error) {
      toastError(error);
    }
    setBusy(false);
  };
  return (
    <div className="flex w-full max-w-xl flex-col gap-4">
      <Alert tone="warn" title={t`Your role needs a second factor`}>
        <Trans>
          Set up one of these to continue. If you already have a passkey, sign out and sign in with
          it.
        </Trans>
      </Alert>
      <PasskeysCard />
      <SecondFactorCard />
      {isMissing && <Alert title={t`Neither is set up yet`} />}
      <div>
        <Button variant="primary" busy={busy} onClick={() => void goOn()}>
          <Trans>Continue</Trans>
        </Button>
      </div>
    </div>
  );
}
