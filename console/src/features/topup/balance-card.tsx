import { Trans } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { getSelf } from "@tollgate/contract/accounts/sessions.ts";
import { findRequestId, readReason } from "../../api-error.ts";
import { api } from "../../api-queries.ts";
import { OwnDebt } from "../../components/own-debt.tsx";
import { buildQuotaStyle, useSession } from "../../session.ts";
import { Alert } from "../../ui/alert.tsx";
import { Card } from "../../ui/card.tsx";
import { formatInteger, formatQuota, missing } from "../../ui/format.ts";
import { LoadingStatus, Skeleton } from "../../ui/skeleton.tsx";

export function BalanceCard() {
  const self = useQuery(api.query(getSelf));
  return (
    <Card title={<Trans>Balance</Trans>}>
      {self.error !== null ? (
        <Alert
          title={<Trans>This could not be loaded</Trans>}
          requestId={findRequestId(self.error)}
          onRetry={() => void self.refetch()}
          retrying={self.isFetching}
        >
          {readReason(self.error, "")}
        </Alert>
      ) : self.data === undefined ? (
        <>
          <LoadingStatus />
          <Skeleton className="h-[66px] w-56" />
        </>
      ) : (
        <>
          <BalanceAmount units={self.data.data.quota} />
          <OwnDebt units={self.data.data.debt} className="mt-3" />
        </>
      )}
    </Card>
  );
}

/**
 * The balance in units, and its worth if the site shows currency. Compatible servers send -1 for
 * unlimited.
 */
function BalanceAmount({ units }: { units: number }) {
  const style = buildQuotaStyle(useSession().status);
  if (units === -1) {
    return (
      <p className="font-semibold text-2xl">
        <Trans>Unlimited</Trans>
      </p>
    );
  }
  if (Number.isNaN(units)) return <p className="font-semibold text-2xl">{missing}</p>;
  const large = "font-semibold text-xl tabular-nums [overflow-wrap:anywhere] sm:text-2xl";
  return (
    <>
      {style.inCurrency && <p className={large}>{formatQuota(units, style)}</p>}
      <p className="flex flex-wrap items-baseline gap-x-2 text-muted">
        <data value={units} className={style.inCurrency ? "tabular-nums" : `text-ink ${large}`}>
          {formatInteger(units)}
        </data>
        <span>
          <Trans>quota units</Trans>
        </span>
      </p>
    </>
  );
}
