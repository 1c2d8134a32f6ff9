import { Trans, useLingui } from "@lingui/react/macro";
import type { DashboardInsight } from "@tollgate/contract/figures/dashboard.ts";
import clsx from "clsx";
import { buildOwnQuotaStyle, useSession } from "../../session.ts";
import { Card } from "../../ui/card.tsx";
import { formatQuota } from "../../ui/format.ts";
import { buildBurnDown } from "./burn-down.ts";

type BurnDownCardProps = {
  /** Quota units. */
  balance: number;
  /** Undefined while it loads. */
  pace: DashboardInsight["pace"] | undefined;
};

/** Until when the balance lasts at the pace of the last finished days. Days are UTC. */
export function BurnDownCard({ balance, pace }: BurnDownCardProps) {
  const { i18n } = useLingui();
  const style = buildOwnQuotaStyle(useSession().status);
  // A pace that a server tells in part is none.
  if (!pace || Number.isNaN(pace.quota_per_day) || Number.isNaN(pace.days)) return null;
  const end = buildBurnDown(balance, pace.quota_per_day, Date.now());
  const left = formatQuota(balance, style);
  const daily = formatQuota(pace.quota_per_day, style);
  const { days } = pace;
  const format = new Intl.DateTimeFormat(i18n.locale, { dateStyle: "long", timeZone: "UTC" });
  const date = end.kind === "until" ? format.format(end.dayMs) : "";
  return (
    <Card title={<Trans>How long the balance lasts</Trans>}>
      <p className={clsx("text-lg", end.kind === "until" && end.isSoon && "text-warn")}>
        {end.kind === "until" ? (
          <Trans>
            {left} lasts until {date} at this pace.
          </Trans>
        ) : end.kind === "long" ? (
          <Trans>{left} lasts for more than a year at this pace.</Trans>
        ) : end.kind === "empty" ? (
          <Trans>Nothing is left.</Trans>
        ) : (
          <Trans>
            {left}, and nothing was spent in the last {days} days.
          </Trans>
        )}
      </p>
      {end.kind !== "idle" && (
        <p className="text-muted text-sm">
          <Trans>
            {daily} a day, the mean of the last {days} finished days
          </Trans>
        </p>
      )}
    </Card>
  );
}
