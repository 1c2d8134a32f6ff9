import { Trans, useLingui } from "@lingui/react/macro";
import { type FormEvent, useState } from "react";
import { Button } from "../../ui/button.tsx";
import { FilterField, Input } from "../../ui/input.tsx";
import { Tooltip } from "../../ui/tooltip.tsx";
import type { useDashboardScope } from "./dashboard-queries.ts";
import type { DashboardView } from "./dashboard-view.ts";
import { earliestDay, lastDays } from "./date-range.ts";
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

export function DashboardFilterBar({ view, today, admin, users, busy, onApply }: DashboardFilterBarProps) {
  const { t } = useLingui();
  const [draft, setDraft] = useState(view);
  const [shown, setShown] = useState(view);
  // The URL changed elsewhere, such as by Back.
  if (shown.from !== view.from || shown.to !== view.to || shown.user !== view.user) {
    setShown(view);
    setDraft(view);
  }
  const first = earliestDay(today, admin);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onApply(draft);
  };
  const preset = (days: number) => {
    const next = { ...draft, ...lastDays(days, today) };
    setDraft(next);
    onApply(next);
  };
  const presets = [
    { days: 1, label: t`Today` },
    { days: weekDays, label: t`7D` },
    { days: 30, label: t`30D` },
  ];
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
            onChange={(event) => setDraft({ ...draft, from: event.target.value })}
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
            onChange={(event) => setDraft({ ...draft, to: event.target.value })}
          />
        )}
      </FilterField>
      {users !== undefined && (
        <FilterField className="min-w-32" label={t`User`}>
          {(id) => (
            <UserSelector id={id} users={users} value={draft.user} onChange={(user) => setDraft({ ...draft, user })} />
          )}
        </FilterField>
      )}
      <div className="flex gap-1">
        {presets.map(({ days, label: presetLabel }) => {
          const isForbidden = !admin && days > weekDays;
          const range = lastDays(days, today);
          const button = (
            <Button
              key={days}
              size="sm"
              variant="ghost"
              aria-pressed={view.from === range.from && view.to === range.to}
              aria-disabled={isForbidden || undefined}
              onClick={() => isForbidden || preset(days)}
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
    </form>
  );
}
