import { Trans, useLingui } from "@lingui/react/macro";
import type { Budget, BudgetForecast } from "@tollgate/contract/budgets.ts";
import clsx from "clsx";
import { quotaStyle, useSession } from "../session.ts";
import { formatQuota } from "../ui/format.ts";
import { Time } from "../ui/time.tsx";

type BudgetBarProps = {
  budget: Pick<Budget, "name" | "amount" | "spent" | "held" | "reached" | "resets_at" | "forecast">;
};

/** What is spent and held of a budget in its current window. */
export function BudgetBar({ budget: { name, amount, spent, held, reached, resets_at, forecast } }: BudgetBarProps) {
  const { t } = useLingui();
  const style = quotaStyle(useSession().status);
  // A hard budget counts what running calls hold as used.
  const used = spent + held;
  const [usedText, amountText] = [formatQuota(used, style), formatQuota(amount, style)];
  return (
    <div className="flex flex-col gap-1 text-sm">
      <progress
        aria-label={t`Used of ${name}`}
        value={Math.min(used, amount) || 0}
        max={amount || 1}
        className={clsx(
          "h-2 w-full appearance-none overflow-hidden rounded-full bg-sunken [&::-webkit-progress-bar]:bg-sunken",
          reached >= 100
            ? "[&::-moz-progress-bar]:bg-bad [&::-webkit-progress-value]:bg-bad"
            : reached > 0
              ? "[&::-moz-progress-bar]:bg-warn [&::-webkit-progress-value]:bg-warn"
              : "[&::-moz-progress-bar]:bg-accent [&::-webkit-progress-value]:bg-accent",
        )}
      />
      <p className="flex flex-wrap gap-x-3 text-muted tabular-nums">
        <span>
          <Trans>
            {usedText} of {amountText} used
          </Trans>
        </span>
        {typeof resets_at === "number" && (
          <span>
            <Trans>Starts anew</Trans> <Time seconds={Math.floor(resets_at / 1000)} />
          </span>
        )}
        {forecast && <Pace forecast={forecast} />}
      </p>
    </div>
  );
}

/** What becomes of the window if spending goes on as so far. */
function Pace({ forecast: { spent, used_up_at } }: { forecast: NonNullable<BudgetForecast> }) {
  const style = quotaStyle(useSession().status);
  const text = formatQuota(spent, style);
  if (used_up_at === null)
    return (
      <span>
        <Trans>At this pace {text}</Trans>
      </span>
    );
  return (
    <span className="text-warn">
      <Trans>At this pace used up</Trans> <Time seconds={Math.floor(used_up_at / 1000)} />
    </span>
  );
}
