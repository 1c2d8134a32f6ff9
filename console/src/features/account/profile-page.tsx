import { useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { getSelf } from "@tollgate/contract/sessions.ts";
import { api } from "../../api.ts";
import { FormLoading } from "../../pieces/form-loading.tsx";
import { useSession } from "../../session.ts";
import { Page } from "../../ui/page.tsx";
import { ForcedPasswordForm } from "./forced-password-form.tsx";
import { ProfileForm } from "./profile-form.tsx";

export function ProfilePage() {
  const { t } = useLingui();
  const { user } = useSession();
  if (user?.must_change_password === true) {
    return (
      <Page title={t`Change Password`} subtitle={t`Before anything else`}>
        <ForcedPasswordForm />
      </Page>
    );
  }
  return <OwnProfile />;
}

function OwnProfile() {
  const { t } = useLingui();
  const self = useQuery({ ...api.query(getSelf), gcTime: 0, refetchOnReconnect: false });
  return (
    <Page title={t`Profile`} subtitle={t`Your name, mail address and password`}>
      {self.data === undefined || self.error !== null ? (
        <FormLoading source={self} words={t`Loading...`} fields={5} />
      ) : (
        <ProfileForm key={self.dataUpdatedAt} user={self.data.data} />
      )}
    </Page>
  );
}
