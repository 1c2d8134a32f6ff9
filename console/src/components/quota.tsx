import { Trans, useLingui } from "@lingui/react/macro";
import { quotaStyle, useSession } from "../session.ts";
import { formatInteger, formatQuota } from "../ui/format.ts";
import { Tooltip } from "../ui/tooltip.tsx";

/** A short quota in the cell, the exact units on hover. */
export function Quota({ units, unlimited = false }: { units: number; unlimited?: boolean }) {
  const { t } = useLingui();
  const { status } = useSession();
  if (unlimited) return <Trans>Unlimited</Trans>;
  const exact = formatInteger(units);
  return (
    <Tooltip text={t`${exact} quota units`}>
      <data value={units} className="tabular-nums">
        {formatQuota(units, quotaStyle(status))}
      </data>
    </Tooltip>
  );
}
