import type { MessageDescriptor } from "@lingui/core";
import { Trans, useLingui } from "@lingui/react/macro";
import { Badge, type BadgeTone } from "../../ui/badge.tsx";

export type StatusLabel = { label: MessageDescriptor; tone: BadgeTone };

/** A status as a word and a colour. A status without an entry shows as unknown. */
export function StatusBadge({ label }: { label: StatusLabel | undefined }) {
  const { i18n } = useLingui();
  if (label === undefined) {
    return (
      <Badge>
        <Trans>Unknown</Trans>
      </Badge>
    );
  }
  return <Badge tone={label.tone}>{i18n._(label.label)}</Badge>;
}
