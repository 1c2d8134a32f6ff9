import { Trans } from "@lingui/react/macro";
import { buildQuotaStyle, useSession } from "../session.ts";
import { Alert } from "../ui/alert.tsx";
import { formatQuota } from "../ui/format.ts";

/** `OwnDebt` shows what the signed-in user owes, and how to pay it. */
export function OwnDebt({
  units = 0,
  className,
}: {
  units?: number | undefined;
  className?: string;
}) {
  const owed = formatQuota(units, buildQuotaStyle(useSession().status));
  if (units === 0) return null;
  return (
    <Alert tone="warn" title={<Trans>You owe {owed}</Trans>} className={className}>
      <Trans>
        A call cost more than your balance covered. The next quota that you add pays this first;
        until then calls are refused.
      </Trans>
    </Alert>
  );
}
