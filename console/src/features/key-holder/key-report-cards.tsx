import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import type { TokenPause } from "@tollgate/contract/accounts/tokens.ts";
import type { ReactNode } from "react";
import { BudgetBar } from "../../components/budgets/budget-bar.tsx";
import { outcomeLabels } from "../../components/failures/outcome-labels.ts";
import { tokenLimits } from "../../components/keys/token-limits.tsx";
import { Quota } from "../../components/quota.tsx";
import { Alert } from "../../ui/alert.tsx";
import { Badge } from "../../ui/badge.tsx";
import { Card } from "../../ui/card.tsx";
import { formatInteger } from "../../ui/format.ts";
import { ScrollRegion } from "../../ui/scroll-region.tsx";
import { Time } from "../../ui/time.tsx";
import type { KeyReport } from "./ask-with-key.ts";

const contentsKept: Readonly<Record<KeyReport["usage"]["bodies"], MessageDescriptor>> = {
  "": msg`Nothing is kept`,
  redacted: msg`Kept without credentials and attachments`,
  full: msg`Kept whole`,
};

export function KeyReportCards({ report: { usage, budgets, logs } }: { report: KeyReport }) {
  return (
    <>
      <UsageCard usage={usage} />
      {budgets.length > 0 && <BudgetsCard budgets={budgets} />}
      <CallsCard logs={logs} />
    </>
  );
}

function UsageCard({ usage }: Pick<KeyReport, "usage">) {
  const { t } = useLingui();
  const { name, total_used, total_available, unlimited_quota, model_limits, model_limits_enabled } =
    usage;
  const limit = (most: number) => (most > 0 ? formatInteger(most) : t`Unlimited`);
  const isUsedUp = !unlimited_quota && total_available <= 0;
  return (
    <Card
      title={name}
      action={
        usage.paused ? (
          <Badge tone="warn">
            <Trans>Paused</Trans>
          </Badge>
        ) : isUsedUp ? (
          <Badge tone="bad">
            <Trans>Used up</Trans>
          </Badge>
        ) : (
          <Badge tone="good">
            <Trans>Works</Trans>
          </Badge>
        )
      }
    >
      {usage.paused && <PausedNote pause={usage.paused} />}
      <dl className="grid gap-x-6 gap-y-3 sm:grid-cols-2 lg:grid-cols-3">
        <Fact label={t`Used`}>
          <Quota units={total_used} />
        </Fact>
        <Fact label={t`Left`}>
          <Quota units={total_available} unlimited={unlimited_quota} />
        </Fact>
        <Fact label={t`Ends`}>
          {usage.expires_at > 0 ? <Time seconds={usage.expires_at} /> : t`Never`}
        </Fact>
        {tokenLimits.map(({ name: limitName, label }) => (
          <Fact key={limitName} label={t(label)}>
            {limit(usage.limits[limitName])}
          </Fact>
        ))}
        <Fact label={t`Models`}>
          {model_limits_enabled
            ? Object.keys(model_limits).join(", ")
            : t`Everything its owner may use`}
        </Fact>
        <Fact label={t`Contents of calls`}>{t(contentsKept[usage.bodies])}</Fact>
      </dl>
    </Card>
  );
}

function PausedNote({ pause: { by, name, reason } }: { pause: TokenPause }) {
  return (
    <Alert
      tone="warn"
      className="mb-4"
      title={<Trans>Calls are refused until the key is resumed.</Trans>}
    >
      {reason ||
        (by === "budget" && <Trans>The budget {name} is used up.</Trans>) ||
        (by === "provider" && (
          <Trans>Its owner has not signed in with {name} for a long time.</Trans>
        ))}
    </Alert>
  );
}

function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className="min-w-0">
      <dt className="text-muted text-sm">{label}</dt>
      <dd className="tabular-nums [overflow-wrap:anywhere]">{children}</dd>
    </div>
  );
}

function BudgetsCard({ budgets }: Pick<KeyReport, "budgets">) {
  return (
    <Card
      title={<Trans>Budgets</Trans>}
      note={<Trans>Calls are refused once one of them is used up.</Trans>}
    >
      <ul className="flex flex-col gap-4">
        {budgets.map(({ id, name, amount, spent = 0, held = 0, resets_at }) => (
          <li key={id} className="flex min-w-0 flex-col gap-1 [overflow-wrap:anywhere]">
            <p dir="auto" className="text-left font-medium">
              {name}
            </p>
            {amount !== undefined && (
              <BudgetBar
                budget={{
                  ...{ name, amount, spent, held, forecast: null },
                  reached: Math.floor(((spent + held) / amount) * 100),
                  resets_at: resets_at === undefined ? null : Date.parse(resets_at),
                }}
              />
            )}
          </li>
        ))}
      </ul>
    </Card>
  );
}

const cell = "whitespace-nowrap py-2 pr-4 text-left";
const numeric = `${cell} text-right! tabular-nums`;

function CallsCard({ logs }: Pick<KeyReport, "logs">) {
  const { t } = useLingui();
  return (
    <Card title={<Trans>Last calls</Trans>} note={<Trans>The newest 100</Trans>}>
      {logs.length === 0 ? (
        <p className="py-6 text-center text-muted">
          <Trans>No recent calls with this key.</Trans>
        </p>
      ) : (
        <ScrollRegion label={t`Last calls`} className="max-h-[32rem] overflow-auto">
          <table className="w-full text-sm">
            <thead className="text-muted">
              <tr>
                <th className={cell}>{t`Time`}</th>
                <th className={cell}>{t`Model`}</th>
                <th className={numeric}>{t`Prompt Tokens`}</th>
                <th className={numeric}>{t`Completion Tokens`}</th>
                <th className={numeric}>{t`Quota`}</th>
                <th className={cell}>{t`Outcome`}</th>
              </tr>
            </thead>
            <tbody>
              {logs.map((log) => (
                <tr key={`${log.request_id} ${log.created_at}`} className="border-line border-t">
                  <td className={cell}>
                    <Time seconds={log.created_at} />
                  </td>
                  <td className={`${cell} font-mono`}>{log.model_name}</td>
                  <td className={numeric}>{formatInteger(log.prompt_tokens)}</td>
                  <td className={numeric}>{formatInteger(log.completion_tokens)}</td>
                  <td className={numeric}>
                    <Quota units={log.quota} />
                  </td>
                  <td className={cell} title={log.content}>
                    <Outcome outcome={log.outcome} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </ScrollRegion>
      )}
    </Card>
  );
}

/** A call that was refused before it reached a provider has no outcome of its own. */
function Outcome({ outcome }: { outcome: string }) {
  const { t } = useLingui();
  const known = outcomeLabels[outcome];
  return (
    <Badge tone={known?.tone ?? "warn"}>{known ? t(known.label) : <Trans>Refused</Trans>}</Badge>
  );
}
