import { Trans, useLingui } from "@lingui/react/macro";
import clsx from "clsx";
import { buildOwnQuotaStyle, buildQuotaStyle, useSession } from "../session.ts";
import { formatInteger, formatQuota, missing } from "../ui/format.ts";
import { Tooltip } from "../ui/menu/tooltip.tsx";

type QuotaProps = {
  units: number;
  unlimited?: boolean;
  /** `isOwn` is for a card of our own, which shows the same amount alike on every page. */
  isOwn?: boolean;
};

/** An abbreviated quota; the tooltip has the exact units. In a list of amounts, zeros recede. */
export function Quota({ units, unlimited = false, isOwn = false }: QuotaProps) {
  const { t } = useLingui();
  const { status } = useSession();
  if (unlimited) return <Trans>Unlimited</Trans>;
  if (Number.isNaN(units)) return missing;
  const exact = formatInteger(units);
  return (
    <Tooltip text={t`${exact} quota units`}>
      <data value={units} className={clsx("tabular-nums", units === 0 && "text-muted")}>
        {formatQuota(units, isOwn ? buildOwnQuotaStyle(status) : buildQuotaStyle(status))}
      </data>
    </Tooltip>
  );
}
