import { Trans, useLingui } from "@lingui/react/macro";
import { keepPreviousData, useMutation, useQuery } from "@tanstack/react-query";
import {
  listNotices,
  type Notice,
  noticeStates,
  resendNotice,
} from "@tollgate/contract/notices/destinations.ts";
import { useState } from "react";
import { api } from "../../api-queries.ts";
import { firstPage, ListCard } from "../../components/lists/list-card.tsx";
import { useUrlText } from "../../components/texts/url-view.ts";
import { toastError } from "../../components/toast-failure.ts";
import { Button } from "../../ui/button.tsx";
import { FilterField, Select } from "../../ui/form/input.tsx";
import { noticeStateLabels } from "./alert-words.ts";
import { AlertsFrame } from "./alerts-frame.tsx";
import { DeliveryItem, whileOnTheWay } from "./delivery-item.tsx";

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
    refetchInterval: ({ state: { data } }) => whileOnTheWay(data?.data ?? []),
  });
  return (
    <ListCard
      source={notices}
      shown={shown}
      onShow={setShown}
      empty={<Trans>No notices like this in the last 30 days.</Trans>}
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
      {(notice) => (
        <DeliveryItem key={notice.id} notice={notice} action={<SentAgain notice={notice} />} />
      )}
    </ListCard>
  );
}

function SentAgain({ notice: { id, state, destination_name } }: { notice: Notice }) {
  const { t } = useLingui();
  const resend = useMutation(api.mutation(resendNotice, { refreshes: [listNotices] }));
  if (state !== "sent" && state !== "failed") return null;
  return (
    <Button
      size="sm"
      busy={resend.isPending}
      aria-label={t`Send again to ${destination_name}`}
      onClick={() => resend.mutate({ params: { id: String(id) } }, { onError: toastError })}
    >
      <Trans>Send again</Trans>
    </Button>
  );
}
