import type { MessageDescriptor } from "@lingui/core";
import { Trans, useLingui } from "@lingui/react/macro";
import { Badge, type BadgeTone } from "../ui/badge.tsx";

export type StatusLabel = { label: MessageDescriptor; tone: BadgeTone };

/** A status as a word and a colour. A status without an entry shows as unknown. */
export function StatusBadge({ look, reason }: { look: StatusLabel | undefined; reason?: string | undefined }) {
  const { i18n } = useLingui();
  if (look === undefined) {
    return (
      <Badge>
        <Trans>Unknown</Trans>
      </Badge>
    );
  }
  return (
    <Badge tone={look.tone} title={reason === "" ? undefined : reason}>
      {i18n._(look.label)}
    </Badge>
  );
}
