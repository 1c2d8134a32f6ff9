import { useLingui } from "@lingui/react/macro";
import { FilterField, Select } from "../../ui/form/input.tsx";
import { timeRangeLabels } from "../time-ranges.ts";
import { listRecentMonths } from "./report-months.ts";

type MonthSelectProps = { month: string; onChange: (month: string) => void };

/** The month of a report: the recent ones, and the one that the address names. */
export function MonthSelect({ month, onChange }: MonthSelectProps) {
  const { t } = useLingui();
  const months = [...new Set([...listRecentMonths(Date.now()), month])];
  return (
    <FilterField label={t`Month`}>
      {(id) => (
        <Select
          id={id}
          controlSize="sm"
          className="w-auto!"
          value={month}
          onChange={(event) => onChange(event.target.value)}
        >
          {months.map((one, back) => (
            <option key={one} value={one}>
              {back > 1
                ? one
                : `${t(timeRangeLabels[back === 0 ? "month" : "last-month"])} (${one})`}
            </option>
          ))}
        </Select>
      )}
    </FilterField>
  );
}
