import { Trans, useLingui } from "@lingui/react/macro";
import { Outlet } from "@tanstack/react-router";
import { isAdmin, mayAdminister, useSession } from "../session.ts";
import { ButtonLink } from "../ui/button.tsx";
import { MayChange } from "../ui/may-change.tsx";
import { Page } from "../ui/page.tsx";

/** Shows an explanation instead of making a call that the role forbids. */
export function AdminOnly() {
  const { t } = useLingui();
  const { user } = useSession();
  if (isAdmin(user))
    return (
      <MayChange value={mayAdminister(user)}>
        <Outlet />
      </MayChange>
    );
  return (
    <Page title={t`For administrators`} subtitle={t`Only administrators can open this page.`}>
      <div>
        <ButtonLink to="/dashboard">
          <Trans>Go to the dashboard</Trans>
        </ButtonLink>
      </div>
    </Page>
  );
}
