import { Trans, useLingui } from "@lingui/react/macro";
import { keepPreviousData, useMutation, useQuery } from "@tanstack/react-query";
import { isAlertRule } from "@tollgate/contract/alert-rule-table.ts";
import { listNotices, type Notice, noticeStates, resendNotice } from "@tollgate/contract/destinations.ts";
import { useState } from "react";
import { api } from "../../api-queries.ts";
import { ItemRow, ItemText, ItemTitle } from "../../components/item-row.tsx";
import { toastError } from "../../components/toast-failure.ts";
import { useUrlText } from "../../components/url-view.ts";
import { Badge, type BadgeTone } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { formatInteger } from "../../ui/format.ts";
import { FilterField, Select } from "../../ui/input.tsx";
import { Time } from "../../ui/time.tsx";
import { noticeStateLabels, ruleLabels, transitionLabels } from "./alert-words.ts";
import { AlertsFrame } from "./alerts-frame.tsx";
import { DeliveryAnswer } from "./delivery-answer.tsx";
import { firstPage, ListCard } from "./list-card.tsx";

const stateTones: Record<Notice["state"], BadgeTone> = {
  waiting: "info",
  sent: "good",
  failed: "bad",
  merged: "neutral",
};

const refetchMs = 3_000;
/** One that waits for hours, or for a destination that is disabled, is not watched. */
const watchedMs = 60_000;

const isOnItsWay = ({ state, next_at }: Notice) => state === "waiting" && Math.abs(next_at - Date.now()) < watchedMs;

/** Notices of the last 30 days and what became of them. */
export function DeliveriesPage() {
  return (
    <AlertsFrame needsRoot>
      <Deliveries />
    </AlertsFrame>
  );
}

function Deliveries() {
  const { t } = useLingui();
  const [text, setText] = useUrlText("state");
  const state = noticeStates.find((one) => one === text) ?? "";
  const [shown, setShown] = useState(firstPage);
  const notices = useQuery({
    ...api.query(listNotices, { query: { ...shown, state } }),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state: { data } }) => (data?.data.some(isOnItsWay) ? refetchMs : false),
  });
  return (
    <ListCard
      source={notices}
      shown={shown}
      onShow={setShown}
      empty={<Trans>There is no such notice of the last 30 days.</Trans>}
      filter={
        <FilterField label={t`Show`} className="max-w-60">
          {(id) => (
            <Select
              id={id}
              value={state}
              onChange={({ target }) => {
                setText(target.value);
                setShown(firstPage);
              }}
            >
              <option value="">{t`All notices`}</option>
              {noticeStates.map((one) => (
                <option key={one} value={one}>
                  {t(noticeStateLabels[one])}
                </option>
              ))}
            </Select>
          )}
        </FilterField>
      }
    >
      {(notice) => <DeliveryItem key={notice.id} notice={notice} />}
    </ListCard>
  );
}

function DeliveryItem({ notice }: { notice: Notice }) {
  const { t } = useLingui();
  const resend = useMutation(api.mutation(resendNotice, { refreshes: [listNotices] }));
  const { id, transition, rule, subject_name, destination_name, state, tries, next_at, answer, created_at } = notice;
  const about = isAlertRule(rule) ? t(ruleLabels[rule]) : rule;
  const triesText = formatInteger(tries);
  return (
    <ItemRow>
      <ItemText>
        <ItemTitle>
          <span className="font-medium [overflow-wrap:anywhere]">
            {t(transitionLabels[transition] ?? { id: transition })}: {about}
          </span>
          <Badge tone={stateTones[state]}>{t(noticeStateLabels[state] ?? { id: state })}</Badge>
        </ItemTitle>
        <p className="[overflow-wrap:anywhere]">{subject_name}</p>
        <p className="flex flex-wrap gap-x-3 text-muted text-sm [overflow-wrap:anywhere]">
          <span>{t`To ${destination_name}`}</span>
          <Time seconds={Math.floor(created_at / 1000)} />
          {tries > 0 && <span>{t`Tries: ${triesText}`}</span>}
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
      {(state === "sent" || state === "failed") && (
        <Button
          size="sm"
          busy={resend.isPending}
          aria-label={t`Send again to ${destination_name}`}
          onClick={() => resend.mutate({ params: { id: String(id) } }, { onError: toastError })}
        >
          <Trans>Send again</Trans>
        </Button>
      )}
    </ItemRow>
  );
}
