import { Trans, useLingui } from "@lingui/react/macro";
import { outcomeFilters, slowFromMs } from "@tollgate/contract/figures/logs.ts";
import { type FormEvent, useId, useState } from "react";
import { TimeRangeSelect } from "../../components/time-range-select.tsx";
import { Button } from "../../ui/button.tsx";
import { Checkbox, FilterField, Input, Select } from "../../ui/form/input.tsx";
import { MomentInput } from "../../ui/form/moment-input.tsx";
import { buildLazyPart } from "../../ui/lazy-part.tsx";
import {
  computeTimeRange,
  defaultRange,
  isDefaultRange,
  isFiltered,
  type LogFilterValues,
  logRanges,
  noFilter,
} from "./log-filter-values.ts";
import {
  LogSuggestedFilter,
  suggestModels,
  suggestTokens,
  suggestUsers,
} from "./log-suggested-filter.tsx";
import { filterTypes, outcomeFilterLabels, readLogType } from "./log-types.ts";

/** `LogChannelFilter` is for administrators alone. */
const LogChannelFilter = buildLazyPart(
  async () => (await import("./log-channel-filter.tsx")).LogChannelFilter,
);

type LogFilterPanelProps = {
  filter: LogFilterValues;
  nowSeconds: number;
  admin: boolean;
  username: string;
  /** The server can filter by how calls ended. */
  withOutcomes: boolean;
  /** The server can filter by tags of calls. */
  withTags: boolean;
  onApply: (filter: LogFilterValues) => void;
};

/** Changes take effect on Apply. An untouched time keeps its exact seconds. */
export function LogFilterPanel({
  filter,
  nowSeconds,
  admin,
  username,
  onApply,
  ...server
}: LogFilterPanelProps) {
  const { withOutcomes, withTags } = server;
  const { t } = useLingui();
  const [draft, setDraft] = useState(filter);
  /** Counts what sets the times besides typing: a half-typed one goes then. */
  const [turn, setTurn] = useState(0);
  const range = computeTimeRange(draft, nowSeconds);
  const set = (key: keyof LogFilterValues) => (value: string) =>
    setDraft({ ...draft, [key]: value });
  const chooseRange = (chosen: string) => {
    setTurn(turn + 1);
    setDraft({ ...draft, range: chosen, start_timestamp: "", end_timestamp: "" });
  };
  const setTime = (key: "start_timestamp" | "end_timestamp") => (seconds: number | undefined) =>
    setDraft({
      ...draft,
      // The other end stays as it is shown.
      ...(draft.range !== "" && {
        start_timestamp: String(range.start),
        end_timestamp: String(range.end),
      }),
      range: "",
      [key]: seconds === undefined ? "" : String(seconds),
    });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const wrong = event.currentTarget.querySelector<HTMLElement>("[aria-invalid=true]");
    if (wrong === null) onApply(draft);
    else wrong.focus();
  };
  const clear = () => {
    setTurn(turn + 1);
    setDraft(noFilter);
    onApply(noFilter);
  };
  const slowFrom = slowFromMs / 1000;
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
  return (
    <form
      data-filters=""
      onSubmit={submit}
      noValidate
      aria-label={t`Filters`}
      className="flex flex-col gap-x-2 gap-y-3"
    >
      <div className="grid grid-cols-[repeat(auto-fit,minmax(7.25rem,1fr))] gap-x-2 gap-y-3 max-lg:grid-cols-[repeat(auto-fit,minmax(10rem,1fr))]">
        <FilterField label={t`Type`}>
          {(id) => (
            <Select
              id={id}
              controlSize="sm"
              value={draft.type}
              onChange={(event) => set("type")(event.target.value)}
            >
              <option value="">{t`All types`}</option>
              {filterTypes.map((type) => (
                <option key={type} value={type}>
                  {t(readLogType(type).label)}
                </option>
              ))}
            </Select>
          )}
        </FilterField>
        <FilterField label={t`Model`}>
          {(id) => (
            <LogSuggestedFilter
              id={id}
              label={t`Model`}
              value={draft.model_name}
              onChange={set("model_name")}
              suggester={suggestModels}
            />
          )}
        </FilterField>
        <FilterField label={t`Token`}>
          {(id) => (
            <LogSuggestedFilter
              id={id}
              label={t`Token`}
              value={draft.token_name}
              onChange={set("token_name")}
              suggester={suggestTokens}
            />
          )}
        </FilterField>
        <FilterField label={t`Username`}>
          {(id) =>
            admin ? (
              <LogSuggestedFilter
                id={id}
                label={t`Username`}
                value={draft.username}
                onChange={set("username")}
                suggester={suggestUsers}
              />
            ) : (
              <Input id={id} controlSize="sm" value={username} readOnly />
            )
          }
        </FilterField>
        {admin && (
          <FilterField label={t`Channel`}>
            {(id) => <LogChannelFilter id={id} value={draft.channel} onChange={set("channel")} />}
          </FilterField>
        )}
        {withTags && (
          <FilterField label={t`Tag`}>
            {(id) => (
              <Input
                id={id}
                controlSize="sm"
                value={draft.tag}
                maxLength={100}
                placeholder="team=search"
                onChange={(event) => set("tag")(event.target.value)}
              />
            )}
          </FilterField>
        )}
        {withOutcomes && (
          <FilterField label={t`Outcome`}>
            {(id) => (
              <Select
                id={id}
                controlSize="sm"
                value={draft.outcome}
                onChange={(event) => set("outcome")(event.target.value)}
              >
                <option value="">{t`All outcomes`}</option>
                {outcomeFilters.map((outcome) => (
                  <option key={outcome} value={outcome}>
                    {t(outcomeFilterLabels[outcome])}
                  </option>
                ))}
              </Select>
            )}
          </FilterField>
        )}
      </div>
      <div className="flex flex-wrap items-end gap-x-2 gap-y-3 [&>div]:max-w-full [&>div]:basis-48">
        <TimeRangeSelect
          className="min-w-0 basis-32!"
          ranges={logRanges}
          value={logRanges.find(
            (one) => one === (isDefaultRange(draft) ? defaultRange : draft.range),
          )}
          onChange={(chosen) => chooseRange(chosen ?? "")}
        />
        <FilterField label={t`From`}>
          {(id) => (
            <MomentInput
              key={turn}
              id={id}
              controlSize="sm"
              seconds={range.start}
              onChange={setTime("start_timestamp")}
            />
          )}
        </FilterField>
        <FilterField label={t`To`}>
          {(id) => (
            <MomentInput
              key={turn}
              id={id}
              controlSize="sm"
              seconds={range.end}
              onChange={setTime("end_timestamp")}
            />
          )}
        </FilterField>
        {withOutcomes && (
          <div className="flex h-8 basis-auto! items-center gap-2 text-sm">
            <FlagFilter label={t`Retried`} value={draft.retried} onChange={set("retried")} />
            <FlagFilter
              label={t`Slow (${slowFrom} s and more)`}
              value={draft.slow}
              onChange={set("slow")}
            />
          </div>
        )}
        <div className="flex basis-auto! gap-2">
          <Button type="submit" size="sm" variant="primary">
            <Trans>Apply</Trans>
          </Button>
          <Button
            size="sm"
            variant="ghost"
            className="px-1.5!"
            onClick={clear}
            disabled={!isFiltered(filter) && !isFiltered(draft)}
          >
            <Trans>Clear filters</Trans>
          </Button>
        </div>
        <p className="flex min-h-8 basis-auto items-center text-muted text-xs lg:max-xl:hidden">
          <Trans>Times are in {timeZone}</Trans>
        </p>
      </div>
    </form>
  );
}

type FlagFilterProps = { label: string; value: string; onChange: (value: string) => void };

function FlagFilter({ label, value, onChange }: FlagFilterProps) {
  const id = useId();
  return (
    <label htmlFor={id} className="flex items-center gap-1.5">
      <Checkbox
        id={id}
        checked={value === "1"}
        onChange={(event) => onChange(event.target.checked ? "1" : "")}
      />
      {label}
    </label>
  );
}
