import { Trans, useLingui } from "@lingui/react/macro";
import { quotaStyle, useSession } from "../session.ts";
import { formatInteger, formatQuota, missing } from "../ui/format.ts";
import { Tooltip } from "../ui/tooltip.tsx";

/** An abbreviated quota; the tooltip has the exact units. */
export function Quota({ units, unlimited = false }: { units: number; unlimited?: boolean }) {
  const { t } = useLingui();
  const { status } = useSession();
  if (unlimited) return <Trans>Unlimited</Trans>;
  if (Number.isNaN(units)) return missing;
  const exact = formatInteger(units);
  return (
    <Tooltip text={t`${exact} quota units`}>
      <data value={units} className="tabular-nums">
        {formatQuota(units, quotaStyle(status))}
      </data>
    </Tooltip>
  );
}
