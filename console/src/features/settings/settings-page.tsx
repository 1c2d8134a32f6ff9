import { Trans, useLingui } from "@lingui/react/macro";
import { Outlet, useLocation } from "@tanstack/react-router";
import { FlashMessage } from "../../components/flash-message.tsx";
import { hasFeature, isRoot, useSession } from "../../session.ts";
import { ButtonLink } from "../../ui/button.tsx";
import { buildLazyPart } from "../../ui/lazy-part.tsx";
import { Page } from "../../ui/page.tsx";
import { Tabs } from "../../ui/tabs.tsx";

const SettingSearch = buildLazyPart(
  async () => (await import("./setting-search.tsx")).SettingSearch,
);

export function SettingsPage() {
  const { t } = useLingui();
  const { user, status } = useSession();
  const { pathname } = useLocation();
  const tabs = [
    { to: "/settings", label: t`Personal` },
    { to: "/settings/operation", label: t`Operation` },
    { to: "/settings/system", label: t`System` },
    { to: "/settings/sign-in", label: t`Sign-in` },
    { to: "/settings/other", label: t`Other` },
    { to: "/settings/changes", label: t`Changes` },
  ] as const;
  // A tab may have addresses below its own.
  const current = tabs.findLast(({ to }) => pathname.startsWith(to))?.to;
  const everything = isRoot(user);
  return (
    <Page
      title={t`Settings`}
      subtitle={everything ? t`Your account and this gateway` : t`Your account`}
      action={
        <>
          {everything && <SettingSearch />}
          {hasFeature(status, "api_reference") && (
            <ButtonLink to="/reference">
              <Trans>API reference</Trans>
            </ButtonLink>
          )}
        </>
      }
    >
      <FlashMessage />
      <Tabs label={t`Settings`} tabs={everything ? tabs : tabs.slice(0, 1)} current={current}>
        <Outlet />
      </Tabs>
    </Page>
  );
}
