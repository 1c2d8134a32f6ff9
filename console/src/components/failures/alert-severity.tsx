import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import { useLingui } from "@lingui/react/macro";
import type { Severity } from "@tollgate/contract/notices/alert-rule-table.ts";
import { Badge, type BadgeTone } from "../../ui/badge.tsx";

const severityLabels: Record<Severity, MessageDescriptor> = {
  info: msg`For information`,
  warning: msg`Warning`,
  critical: msg`Critical`,
};
const severityTones: Record<Severity, BadgeTone> = {
  info: "info",
  warning: "warn",
  critical: "bad",
};

/**
 * `AlertSeverity` says how much an alert matters. A severity of a newer server keeps its own name.
 */
export function AlertSeverity({ severity }: { severity: Severity }) {
  const { t } = useLingui();
  return (
    <Badge tone={severityTones[severity]}>{t(severityLabels[severity] ?? { id: severity })}</Badge>
  );
}
