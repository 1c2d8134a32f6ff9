import { Trans, useLingui } from "@lingui/react/macro";
import { isAlertRule } from "@tollgate/contract/notices/alert-rule-table.ts";
import type { Notice } from "@tollgate/contract/notices/destinations.ts";
import type { ReactNode } from "react";
import { alertRuleLabels } from "../../components/failures/alert-rule-words.ts";
import { ItemRow, ItemText, ItemTitle } from "../../components/lists/item-row.tsx";
import { Badge, type BadgeTone } from "../../ui/badge.tsx";
import { formatInteger } from "../../ui/format.ts";
import { Time } from "../../ui/time.tsx";
import { noticeStateLabels, transitionLabels } from "./alert-words.ts";
import { DeliveryAnswer } from "./delivery-answer.tsx";

const stateTones: Record<Notice["state"], BadgeTone> = {
  waiting: "info",
  sent: "good",
  failed: "bad",
  merged: "neutral",
};

const refetchMs = 3_000;
/**
 * `watchedMs` are one that waits for hours, or for a destination that is disabled, is not watched.
 */
const watchedMs = 60_000;

const isOnItsWay = ({ state, next_at }: Notice) =>
  state === "waiting" && Math.abs(next_at - Date.now()) < watchedMs;

/** `whileOnTheWay` says how soon the list is asked for again, if at all. */
export const whileOnTheWay = (notices: readonly Notice[]): number | false =>
  notices.some(isOnItsWay) && refetchMs;

/** `DeliveryItem` shows what became of one notice, with what can be done about it. */
export function DeliveryItem({ notice, action }: { notice: Notice; action?: ReactNode }) {
  const { t } = useLingui();
  const {
    transition,
    rule,
    subject_name,
    destination_name,
    state,
    tries,
    next_at,
    answer,
    created_at,
  } = notice;
  const about = isAlertRule(rule) ? t(alertRuleLabels[rule]) : rule;
  const triesText = formatInteger(tries);
  return (
    <ItemRow>
      <ItemText>
        <ItemTitle>
          <span dir="auto" className="font-medium [overflow-wrap:anywhere]">
            {t(transitionLabels[transition] ?? { id: transition })}: {about}
          </span>
          <Badge tone={stateTones[state]}>{t(noticeStateLabels[state] ?? { id: state })}</Badge>
        </ItemTitle>
        <p className="[overflow-wrap:anywhere]">{subject_name}</p>
        <p className="flex flex-wrap gap-x-3 text-muted text-sm [overflow-wrap:anywhere]">
          <span>{t`To ${destination_name}`}</span>
          <Time seconds={Math.floor(created_at / 1000)} />
          {tries > 0 && <span>{t`Attempts: ${triesText}`}</span>}
          {state === "waiting" && (
            <span>
              <Trans>Next try</Trans> <Time seconds={Math.floor(next_at / 1000)} />
            </span>
          )}
        </p>
        {answer !== "" && (
          <p className="text-muted text-sm [overflow-wrap:anywhere]">
            <DeliveryAnswer answer={answer} />
          </p>
        )}
      </ItemText>
      {action}
    </ItemRow>
  );
}
