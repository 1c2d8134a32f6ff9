import { Trans, useLingui } from "@lingui/react/macro";
import { outcomeFilters } from "@tollgate/contract/figures/logs.ts";
import { X } from "lucide-react";
import { timeRangeLabels } from "../../components/time-ranges.ts";
import { Button } from "../../ui/button.tsx";
import { formatSeconds } from "../../ui/format.ts";
import { type LogFilterValues, logFilterKeys, logRanges, noFilter } from "./log-filter-values.ts";
import { outcomeFilterLabels, readLogType } from "./log-types.ts";

type LogFilterChipsProps = { filter: LogFilterValues; onChange: (filter: LogFilterValues) => void };

/**
 * `LogFilterChips` are for a phone, where the filters are folded away: each narrows the list, and a
 * press takes it away.
 */
export function LogFilterChips({ filter, onChange }: LogFilterChipsProps) {
  const { t } = useLingui();
  const range = logRanges.find((one) => one === filter.range);
  const outcome = outcomeFilters.find((one) => one === filter.outcome);
  const texts: Partial<Record<keyof LogFilterValues, string | undefined>> = {
    type: t(readLogType(Number(filter.type)).label),
    start_timestamp: `${t`From`} ${formatSeconds(Number(filter.start_timestamp))}`,
    end_timestamp: `${t`To`} ${formatSeconds(Number(filter.end_timestamp))}`,
    range: range && t(timeRangeLabels[range]),
    outcome: outcome && t(outcomeFilterLabels[outcome]),
    retried: t`Retried`,
    slow: t`Slow`,
    channel: `${t`Channel`} ${filter.channel}`,
  };
  return (
    <ul className="order-last flex w-full flex-wrap items-center gap-1.5">
      {logFilterKeys
        .filter((key) => key !== "keyword" && filter[key] !== "")
        .map((key) => {
          const text = texts[key] ?? filter[key];
          return (
            <li
              key={key}
              className="inline-flex max-w-full items-center rounded-full bg-sunken pl-2.5 text-xs"
            >
              <span className="truncate">{text}</span>
              <button
                type="button"
                aria-label={t`Remove the filter ${text}`}
                onClick={() => onChange({ ...filter, [key]: "" })}
                className="grid size-6 shrink-0 place-items-center rounded-full text-muted hover:bg-hover hover:text-ink"
              >
                <X aria-hidden="true" className="size-3" />
              </button>
            </li>
          );
        })}
      <li>
        <Button size="sm" variant="ghost" onClick={() => onChange(noFilter)}>
          <Trans>Clear</Trans>
        </Button>
      </li>
    </ul>
  );
}
