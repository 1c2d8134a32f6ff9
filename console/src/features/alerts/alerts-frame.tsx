import { Trans, useLingui } from "@lingui/react/macro";
import { useLocation } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { isRoot, useSession } from "../../session.ts";
import { Alert } from "../../ui/alert.tsx";
import { Page } from "../../ui/page.tsx";
import { Tabs } from "../../ui/tabs.tsx";

type AlertsFrameProps = { action?: ReactNode; needsRoot?: boolean; children: ReactNode };

/**
 * Title and tabs around alerts, destinations and deliveries; the latter two belong to super
 * administrators.
 */
export function AlertsFrame({ action, needsRoot = false, children }: AlertsFrameProps) {
  const { t } = useLingui();
  const { user } = useSession();
  const { pathname } = useLocation();
  const tabs = [
    { to: "/alerts", label: t`Alerts` },
    { to: "/alerts/destinations", label: t`Destinations` },
    { to: "/alerts/deliveries", label: t`Deliveries` },
  ] as const;
  const everything = isRoot(user);
  return (
    <Page
      title={t`Alerts`}
      subtitle={t`What the gateway noticed, and who gets notices`}
      action={everything || !needsRoot ? action : undefined}
    >
      {everything ? (
        <Tabs label={t`Alerts`} tabs={tabs} current={pathname.replace(/\/$/, "")}>
          {children}
        </Tabs>
      ) : needsRoot ? (
        <OnlyRoot />
      ) : (
        children
      )}
    </Page>
  );
}

const OnlyRoot = () => (
  <Alert tone="warn" title={<Trans>No settings to show: insufficient permissions</Trans>}>
    <Trans>Only super administrators can change them.</Trans>
  </Alert>
);
