import { useLingui } from "@lingui/react/macro";
import { firstDayMax, windowDaysMax } from "@tollgate/contract/budgets.ts";
import { budgetWindowLabels } from "../../components/budget-words.ts";
import { QuotaField } from "../../components/quota-field.tsx";
import { CheckboxField, SelectField } from "../../ui/field-choice.tsx";
import { TextField } from "../../ui/field-text.tsx";
import { canPause, formWindows, hasWindowField, noteMax } from "./budget-form-values.ts";

type BudgetTermsFieldsProps = {
  subject: string;
  window: string;
  /** Of what is changed: an older server may know one that this browser does not. A new one may take the site's. */
  zone: string | undefined;
  /** It counts already. */
  isChange: boolean;
};

export function useTermsMessages() {
  const { t } = useLingui();
  return {
    name: t`Name is required`,
    amount: t`Must be a whole number of units above 0`,
    days: t`Must be 1 to ${windowDaysMax} days`,
    thresholds: t`Up to five percentages from 1 to 100, with commas between them`,
  };
}

const days = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);
/** 1 is Monday; the 3rd of January 2000 was one. */
const weekdayName = (locale: string, day: number): string =>
  new Intl.DateTimeFormat(locale, { weekday: "long", timeZone: "UTC" }).format(Date.UTC(2000, 0, 2 + day));

/** What budgets and their templates have alike, behind the name and the subject. */
export function BudgetTermsFields({ subject, window, zone, isChange }: BudgetTermsFieldsProps) {
  const { t, i18n } = useLingui();
  const zones = [...new Set(["UTC", ...(zone === undefined ? [] : [zone]), ...Intl.supportedValuesOf("timeZone")])];
  const zoneChoices = [
    ...(zone === undefined ? [{ value: "", label: t`Time zone of the site` }] : []),
    ...zones.map((value) => ({ value, label: value })),
  ];
  const anew =
    subject === "model"
      ? t`Another window, first day, anchor date or time zone begins to count anew.`
      : t`Another window, first day, anchor date, time zone or list of models begins to count anew.`;
  return (
    <>
      <QuotaField name="amount" label={t`Amount`} />
      <SelectField
        name="window"
        label={t`Window`}
        help={isChange && anew}
        choices={formWindows.map((value) => ({
          value,
          label: value === "days" ? t`A number of days` : t(budgetWindowLabels[value]),
        }))}
      />
      {hasWindowField(window, "days") && (
        <>
          <TextField name="days" label={t`Days`} inputMode="numeric" maxLength={3} />
          <TextField
            name="anchor"
            type="date"
            label={t`Counted from`}
            help={t`The first day of one of the windows. Empty for today.`}
          />
        </>
      )}
      {hasWindowField(window, "week_day") && (
        <SelectField
          name="week_day"
          label={t`Begins on`}
          choices={days(firstDayMax.week).map((day) => ({ value: String(day), label: weekdayName(i18n.locale, day) }))}
        />
      )}
      {hasWindowField(window, "month_day") && (
        <SelectField
          name="month_day"
          label={t`Begins on day`}
          help={t`29 to 31 mean the last day of a shorter month.`}
          choices={days(firstDayMax.month).map((day) => ({ value: String(day), label: String(day) }))}
        />
      )}
      {hasWindowField(window, "zone") && <SelectField name="zone" label={t`Time zone`} choices={zoneChoices} />}
      {subject !== "model" && (
        <TextField
          name="models"
          label={t`Models`}
          help={t`Only calls of these count, by the name that is asked for or that serves. Empty for all; commas between them.`}
          mono
        />
      )}
      <TextField
        name="thresholds"
        label={t`Alerts at (per cent)`}
        help={t`Each is told once in a window. Empty for none.`}
        placeholder="80, 100"
      />
      <CheckboxField
        name="hard"
        label={t`Refuse calls beyond it`}
        help={t`Without this, calls are counted and go on.`}
      />
      {canPause(subject) && (
        <CheckboxField
          name="pauses"
          label={t`Pause the keys when it is used up`}
          help={t`They stay paused in the next window too, until they are resumed.`}
        />
      )}
      <TextField name="note" label={t`Note`} help={t`Administrators alone see it.`} maxLength={noteMax} />
    </>
  );
}
