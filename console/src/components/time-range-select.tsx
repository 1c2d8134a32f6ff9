import { useLingui } from "@lingui/react/macro";
import { FilterField, Select } from "../ui/form/input.tsx";
import { type TimeRange, timeRangeLabels } from "./time-ranges.ts";

type TimeRangeSelectProps<Range extends TimeRange> = {
  ranges: readonly Range[];
  /** Undefined where both ends were chosen by hand. */
  value: Range | undefined;
  onChange: (range: Range | undefined) => void;
  className?: string;
};

/** Chooses a usual range in words, beside the fields for its two ends. */
export function TimeRangeSelect<Range extends TimeRange>({
  ranges,
  value = undefined,
  onChange,
  className = "min-w-0",
}: TimeRangeSelectProps<Range>) {
  const { t } = useLingui();
  return (
    <FilterField label={t`Time range`} className={className}>
      {(id) => (
        <Select
          id={id}
          controlSize="sm"
          value={value ?? ""}
          onChange={(event) => onChange(ranges.find((range) => range === event.target.value))}
        >
          <option value="">{t`From and to`}</option>
          {ranges.map((range) => (
            <option key={range} value={range}>
              {t(timeRangeLabels[range])}
            </option>
          ))}
        </Select>
      )}
    </FilterField>
  );
}
