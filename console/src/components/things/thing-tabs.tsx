import { useLingui } from "@lingui/react/macro";
import { useParams } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { hasFeature, isRoot, useSession } from "../../session.ts";
import { Tabs } from "../../ui/tabs.tsx";

/** `ThingKind` is the first part of the addresses of a list and of its things. */
export type ThingKind = "channels" | "tokens" | "users";

export type ThingTab = "overview" | "edit" | "changes";

type ThingTabsProps = {
  kind: ThingKind;
  id: string;
  /** Undefined where the address names no part of the page. */
  current: ThingTab | undefined;
  children: ReactNode;
};

/** `buildEditFrame` puts the form of a thing under the tab Edit of its page. */
export function buildEditFrame(kind: ThingKind) {
  return function EditFrame({ children }: { children: ReactNode }) {
    const { id = "" } = useParams({ strict: false });
    return (
      <ThingTabs kind={kind} id={id} current="edit">
        {children}
      </ThingTabs>
    );
  };
}

/** `ThingTabs` join the page of a thing and its form, whose address the specifications name. */
export function ThingTabs({ kind, id, current, children }: ThingTabsProps) {
  const { t } = useLingui();
  const { user, status } = useSession();
  const ref = encodeURIComponent(id);
  const addresses: Record<ThingTab, string> = {
    overview: `/${kind}/${ref}`,
    edit: `/${kind}/edit/${ref}`,
    changes: `/${kind}/${ref}/changes`,
  };
  return (
    <Tabs
      label={t`Parts of the page`}
      tabs={[
        { to: addresses.overview, label: t`Overview` },
        { to: addresses.edit, label: t`Edit` },
        // The record of changes is the super administrator's.
        ...(isRoot(user) && hasFeature(status, "audit_trail")
          ? [{ to: addresses.changes, label: t`Changes` }]
          : []),
      ]}
      current={current && addresses[current]}
    >
      {children}
    </Tabs>
  );
}
