import { Trans, useLingui } from "@lingui/react/macro";
import { Lock } from "lucide-react";

/**
 * Names the configuration file or the sign-in provider that something belongs to; nothing for what
 * was made in the console.
 */
export function ManagedBadge({ by: file }: { by: string }) {
  const { t } = useLingui();
  if (file === "") return null;
  return (
    <span
      title={t`Managed by ${file}`}
      className="inline-flex h-5 min-w-0 max-w-56 items-center gap-1 rounded-full bg-sunken px-2 font-medium text-muted text-xs"
    >
      <Lock aria-hidden="true" className="size-3 shrink-0" />
      <span className="truncate">
        <Trans>Managed by {file}</Trans>
      </span>
    </span>
  );
}
