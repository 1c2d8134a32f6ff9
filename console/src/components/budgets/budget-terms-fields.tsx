import { useLingui } from "@lingui/react/macro";
import {
  type BudgetMeasure,
  firstDayMax,
  windowDaysMax,
} from "@tollgate/contract/accounts/budget-kinds.ts";
import { useWatch } from "react-hook-form";
import { hasFeature, useSession } from "../../session.ts";
import { CheckboxField, SelectField } from "../../ui/form/field-choice.tsx";
import { NumberField, TextField } from "../../ui/form/field-text.tsx";
import { DollarField } from "../forms/quota-field.tsx";
import { formWindows, hasWindowField, listReactions, noteMax } from "./budget-form-values.ts";
import { budgetMeasureLabels, budgetWindowLabels, buildReactionLabel } from "./budget-words.ts";

type BudgetTermsFieldsProps = {
  subject: string;
  window: string;
  /**
   * `zone` is that of what is changed: an older server may know one that this browser does not. A
   * new one may take the site's.
   */
  zone: string | undefined;
  /** `isChange` says that the budget counts already. */
  isChange: boolean;
  /** The unit of the amount; quota where it has no choice. */
  measure?: string;
};

export function useTermsMessages() {
  const { t } = useLingui();
  return {
    name: t`Name is required`,
    amount: t`Enter an amount above $0`,
    model: t`Enter the name of a model`,
    days: t`Enter 1 to ${windowDaysMax} days`,
    thresholds: t`Up to five percentages from 1 to 100, with commas between them`,
  };
}

const listDays = (count: number): number[] =>
  Array.from({ length: count }, (_, index) => index + 1);
/** 1 is Monday; the 3rd of January 2000 was one. */
const formatWeekdayName = (locale: string, day: number): string =>
  new Intl.DateTimeFormat(locale, { weekday: "long", timeZone: "UTC" }).format(
    Date.UTC(2000, 0, 2 + day),
  );

/**
 * `BudgetTermsFields` shows what budgets and their templates have alike, behind the name and the
 * subject.
 */
export function BudgetTermsFields({
  subject,
  window,
  zone,
  isChange,
  measure = "quota",
}: BudgetTermsFieldsProps) {
  const { t, i18n } = useLingui();
  const zones = [
    ...new Set([
      "UTC",
      ...(zone === undefined ? [] : [zone]),
      ...Intl.supportedValuesOf("timeZone"),
    ]),
  ];
  const zoneChoices = [
    ...(zone === undefined ? [{ value: "", label: t`Time zone of the site` }] : []),
    ...zones.map((value) => ({ value, label: value })),
  ];
  const anew =
    subject === "model"
      ? t`Changing the window, first day, anchor date or time zone resets the count.`
      : t`Changing the window, first day, anchor date, time zone or models resets the count.`;
  return (
    <>
      {measure === "quota" ? (
        <DollarField name="amount" label={t`Amount`} />
      ) : (
        <NumberField
          name="amount"
          label={t({ message: "Amount", context: "of anything" })}
          help={t(budgetMeasureLabels[measure as BudgetMeasure])}
        />
      )}
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
          choices={listDays(firstDayMax.week).map((day) => ({
            value: String(day),
            label: formatWeekdayName(i18n.locale, day),
          }))}
        />
      )}
      {hasWindowField(window, "month_day") && (
        <SelectField
          name="month_day"
          label={t`Begins on day`}
          help={t`In shorter months, 29 to 31 mean the last day.`}
          choices={listDays(firstDayMax.month).map((day) => ({
            value: String(day),
            label: String(day),
          }))}
        />
      )}
      {hasWindowField(window, "zone") && (
        <SelectField name="zone" label={t`Time zone`} choices={zoneChoices} />
      )}
      {subject !== "model" && (
        <TextField
          name="models"
          label={t`Models`}
          help={t`Only calls to these models count, by requested or serving name. Separate names with commas; leave empty for all.`}
          mono
        />
      )}
      <TextField
        name="thresholds"
        label={t`Alerts at (per cent)`}
        help={t`One alert per threshold and window. Empty: none.`}
        placeholder="80, 100"
      />
      <CheckboxField
        name="hard"
        label={t`Refuse calls beyond it`}
        help={t`When off, calls are counted but never refused.`}
      />
      <ReactionFields subject={subject} />
      <TextField
        name="note"
        label={t`Note`}
        help={subject === "member" ? t`Only team admins see it.` : t`Only administrators see it.`}
        maxLength={noteMax}
      />
    </>
  );
}

/** `ReactionFields` ask what becomes of calls once the budget is used up, where there is a choice. */
function ReactionFields({ subject }: Pick<BudgetTermsFieldsProps, "subject">) {
  const { t } = useLingui();
  const { status } = useSession();
  const isHard = useWatch({ name: "hard" }) === true;
  const reaction = String(useWatch({ name: "reaction" }));
  const offered = listReactions(subject, isHard).filter(
    (kind) => kind === "refuse" || kind === "pause" || hasFeature(status, "budget_grants"),
  );
  if (offered.length < 2) return null;
  return (
    <>
      <SelectField
        name="reaction"
        label={t`When it is used up`}
        help={
          reaction === "pause"
            ? t`Keys stay paused until their owner or an administrator resumes them.`
            : reaction === "ask"
              ? t`Users whom it limits ask for more in the console; what you grant ends with the window.`
              : undefined
        }
        choices={offered.map((kind) => ({
          value: kind,
          label: t(buildReactionLabel(kind, isHard)),
        }))}
      />
      {isHard && reaction === "model" && (
        <TextField
          name="model_instead"
          label={t`Model instead`}
          help={t`The budget counts its calls and refuses none of them. Give this model a budget of its own to limit them.`}
          maxLength={100}
          mono
        />
      )}
    </>
  );
}
