import { Trans, useLingui } from "@lingui/react/macro";
import type { Budget, BudgetForecast } from "@tollgate/contract/accounts/budgets.ts";
import clsx from "clsx";
import { useState } from "react";
import { Time } from "../../ui/time.tsx";
import { countWholeAmount } from "./budget-amounts.ts";
import { paceMoments } from "./budget-pace.ts";
import { useAmountFormat } from "./use-amount-format.ts";

type BudgetBarProps = {
  budget: Pick<
    Budget,
    "name" | "amount" | "spent" | "held" | "reached" | "resets_at" | "forecast"
  > &
    Partial<Pick<Budget, "window_start" | "zone" | "measure" | "granted">>;
};
type Forecast = NonNullable<BudgetForecast>;

/** `BudgetBar` shows what is spent and held of a budget in its current window. */
export function BudgetBar({ budget }: BudgetBarProps) {
  const { name, spent, held, reached, resets_at, forecast, granted = 0 } = budget;
  const amount = countWholeAmount(budget);
  const { t } = useLingui();
  const format = useAmountFormat(budget);
  // A hard budget counts what running calls hold as used.
  const used = spent + held;
  const [usedText, amountText, grantedText] = [format(used), format(amount), format(granted)];
  return (
    <div className="flex flex-col gap-1 text-sm">
      <div className="relative">
        <progress
          aria-label={t`Used of ${name}`}
          value={Math.min(used, amount) || 0}
          max={amount || 1}
          className={clsx(
            "block h-2 w-full appearance-none overflow-hidden rounded-full bg-line [&::-webkit-progress-bar]:bg-line",
            reached >= 100
              ? "[&::-moz-progress-bar]:bg-bad [&::-webkit-progress-value]:bg-bad"
              : reached > 0
                ? "[&::-moz-progress-bar]:bg-warn [&::-webkit-progress-value]:bg-warn"
                : "[&::-moz-progress-bar]:bg-accent [&::-webkit-progress-value]:bg-accent",
          )}
        />
        <BarMarks budget={budget} used={used} />
      </div>
      <p className="flex flex-wrap gap-x-3 text-muted tabular-nums">
        <span>
          <Trans>
            {usedText} of {amountText} used
          </Trans>
        </span>
        {granted > 0 && (
          <span>
            <Trans>{grantedText} of it granted for this window</Trans>
          </span>
        )}
        {typeof resets_at === "number" && (
          <span>
            <Trans>Resets</Trans> <Time seconds={Math.floor(resets_at / 1000)} />
          </span>
        )}
        {forecast && typeof resets_at === "number" && !Number.isNaN(resets_at) && (
          <Pace {...{ budget, forecast }} end={resets_at} />
        )}
      </p>
    </div>
  );
}

/**
 * `BarMarks` draws on the bar what the words below it say: how far the rest of the window leads,
 * pale, and how much of the window has passed, as a line.
 */
function BarMarks({ budget, used }: BudgetBarProps & { used: number }) {
  const { t } = useLingui();
  const { window_start = Number.NaN, resets_at, forecast } = budget;
  const amount = countWholeAmount(budget);
  const [passed] = useState(() =>
    typeof resets_at === "number"
      ? (Date.now() - window_start) / (resets_at - window_start)
      : Number.NaN,
  );
  const partOf = (spent: number): number => Math.min(spent / amount, 1);
  const [from, to] = [partOf(used), partOf(forecast?.spent ?? used)];
  return (
    <span aria-hidden="true">
      {to > from && (
        <span
          className="absolute inset-y-0 rounded-e-full bg-accent opacity-30"
          style={{ insetInlineStart: percent(from), width: percent(to - from) }}
        />
      )}
      {passed > 0 && passed < 1 && (
        <span
          className="absolute -inset-y-0.5 w-0.5 rounded-full bg-muted"
          title={t`So much of the window has passed`}
          style={{ insetInlineStart: percent(passed) }}
        />
      )}
    </span>
  );
}

const percent = (part: number): string => `${part * 100}%`;

/** `Pace` tells what becomes of the window if the rest of it is as usual. */
function Pace({
  budget,
  end,
  forecast,
}: {
  budget: BudgetBarProps["budget"];
  end: number;
  forecast: Forecast;
}) {
  const { i18n } = useLingui();
  const format = useAmountFormat(budget);
  const { window_start = Number.NaN, zone = "UTC" } = budget;
  const amount = countWholeAmount(budget);
  const window = { window_start, zone, resets_at: end, usedUpAt: forecast.used_up_at };
  const { end: last, reached, isTime } = paceMoments(window, i18n.locale);
  const [spentText, amountText] = [format(forecast.spent), format(amount)];
  if (reached === undefined)
    return (
      <span>
        <Trans>
          At this pace {spentText} by {last}
        </Trans>
      </span>
    );
  return (
    <span className="text-warn">
      {isTime ? (
        <Trans>
          At this pace {spentText} by {last}, budget {amountText} reached at {reached}
        </Trans>
      ) : (
        <Trans>
          At this pace {spentText} by {last}, budget {amountText} reached on {reached}
        </Trans>
      )}
    </span>
  );
}
