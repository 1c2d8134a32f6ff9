import { Trans, useLingui } from "@lingui/react/macro";
import { type FormEvent, useState } from "react";
import { TimeRangeSelect } from "../../components/time-range-select.tsx";
import { Button } from "../../ui/button.tsx";
import { FilterField, Input } from "../../ui/form/input.tsx";
import { Tooltip } from "../../ui/menu/tooltip.tsx";
import type { useDashboardScope } from "./dashboard-queries.ts";
import type { DashboardView } from "./dashboard-view.ts";
import {
  buildDaysOfRange,
  buildLastDays,
  dayRanges,
  rangeProblem,
  readEarliestDay,
  type UsualDays,
} from "./date-range.ts";
import { UserSelector } from "./user-selector.tsx";

type DashboardFilterBarProps = {
  view: DashboardView;
  today: string;
  admin: boolean;
  users: ReturnType<typeof useDashboardScope>["users"];
  busy: boolean;
  onApply: (view: DashboardView) => void;
};

const weekDays = 7;

export function DashboardFilterBar({
  view,
  today,
  admin,
  users,
  busy,
  onApply,
}: DashboardFilterBarProps) {
  const { t } = useLingui();
  const [draft, setDraft] = useState(view);
  const [shown, setShown] = useState(view);
  // The URL changed elsewhere, such as by Back.
  if (
    shown.from !== view.from ||
    shown.to !== view.to ||
    shown.range !== view.range ||
    shown.user !== view.user
  ) {
    setShown(view);
    setDraft(view);
  }
  const first = readEarliestDay(today, admin);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onApply(draft);
  };
  const take = (next: DashboardView) => {
    setDraft(next);
    onApply(next);
  };
  const presets = [
    { days: 1, label: t`Today` },
    { days: weekDays, label: t`7D` },
    { days: 30, label: t`30D` },
  ];
  const isOf = (range: UsualDays) => {
    const { from, to } = buildDaysOfRange(range, today);
    return draft.from === from && draft.to === to;
  };
  const ranges = dayRanges.filter(
    (range) => rangeProblem(buildDaysOfRange(range, today), today, admin) === undefined,
  );
  return (
    <form onSubmit={submit} noValidate className="flex flex-wrap items-end gap-3">
      <FilterField className="min-w-32" label={t`From`}>
        {(id) => (
          <Input
            id={id}
            type="date"
            controlSize="sm"
            min={first}
            max={today}
            value={draft.from}
            onChange={(event) => setDraft({ ...draft, range: undefined, from: event.target.value })}
          />
        )}
      </FilterField>
      <FilterField className="min-w-32" label={t`To`}>
        {(id) => (
          <Input
            id={id}
            type="date"
            controlSize="sm"
            min={first}
            max={today}
            value={draft.to}
            onChange={(event) => setDraft({ ...draft, range: undefined, to: event.target.value })}
          />
        )}
      </FilterField>
      {admin && (
        <TimeRangeSelect
          className="min-w-32 max-sm:hidden"
          ranges={ranges}
          value={draft.range ?? ranges.find(isOf)}
          onChange={(range) =>
            range && take({ ...draft, range, ...buildDaysOfRange(range, today) })
          }
        />
      )}
      {users !== undefined && (
        <FilterField className="min-w-32 max-sm:min-w-max max-sm:flex-1" label={t`User`}>
          {(id) => (
            <UserSelector
              id={id}
              users={users}
              value={draft.user}
              onChange={(user) => setDraft({ ...draft, user })}
            />
          )}
        </FilterField>
      )}
      <div className="flex gap-3 max-sm:grow max-sm:justify-between">
        <div className="flex gap-1">
          {presets.map(({ days, label: presetLabel }) => {
            const isForbidden = !admin && days > weekDays;
            const range = buildLastDays(days, today);
            const button = (
              <Button
                key={days}
                size="sm"
                variant="ghost"
                aria-pressed={view.from === range.from && view.to === range.to}
                aria-disabled={isForbidden || undefined}
                onClick={() => isForbidden || take({ ...draft, range: undefined, ...range })}
                className="aria-disabled:text-faint aria-pressed:bg-accent-soft aria-pressed:text-accent"
              >
                {presetLabel}
              </Button>
            );
            return isForbidden ? (
              <Tooltip key={days} text={t`Your account sees the last 7 days`}>
                {button}
              </Tooltip>
            ) : (
              button
            );
          })}
        </div>
        <Button type="submit" variant="primary" size="sm" busy={busy}>
          {busy ? <Trans>Loading...</Trans> : <Trans>Apply</Trans>}
        </Button>
      </div>
    </form>
  );
}
