import { Trans, useLingui } from "@lingui/react/macro";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { ownRules } from "@tollgate/contract/notices/alert-rule-table.ts";
import {
  createOwnDestination,
  deleteOwnDestination,
  listOwnDestinations,
  listOwnNotices,
  type OwnDestination,
  type OwnDestinationKind,
  ownDestinationKinds,
  ownDestinationsMax,
  rotateOwnDestination,
  testOwnDestination,
  updateOwnDestination,
} from "@tollgate/contract/notices/own-destinations.ts";
import { useState } from "react";
import { api } from "../../api-queries.ts";
import { ShownOnce } from "../../components/keys/shown-once.tsx";
import { ItemList } from "../../components/lists/item-row.tsx";
import { firstPage, ListCard } from "../../components/lists/list-card.tsx";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { Page } from "../../ui/page.tsx";
import { DeliveryItem, whileOnTheWay } from "./delivery-item.tsx";
import { DestinationFormDialog } from "./destination-form-dialog.tsx";
import { buildTarget, newDestination } from "./destination-form-values.ts";
import { DestinationItem } from "./destination-item.tsx";
import { LowBalanceCard } from "./low-balance-card.tsx";
import { VerifyDestination } from "./verify-destination.tsx";

/**
 * `OwnNoticesPage` shows the places at which users are told of their own things, and the notices
 * that were sent there.
 */
export function OwnNoticesPage() {
  const { t } = useLingui();
  const [isMaking, setMaking] = useState(false);
  const [secret, setSecret] = useState<string>();
  const destinations = useQuery(api.query(listOwnDestinations));
  const rows = destinations.data?.data ?? [];
  return (
    <Page
      title={t`Notices`}
      subtitle={t`Where you get notices about your balance, keys and budgets`}
      action={
        rows.length < ownDestinationsMax && (
          <Button variant="primary" onClick={() => setMaking(true)}>
            <Trans>New destination</Trans>
          </Button>
        )
      }
    >
      <div className="flex flex-col gap-4">
        {secret !== undefined && <ShownOnce secret={secret} copyLabel={t`Copy signing secret`} />}
        <Card title={<Trans>Destinations</Trans>}>
          <ItemList
            source={destinations}
            rows={rows}
            empty={
              <Trans>No destinations yet. You only get a mail when your balance is low.</Trans>
            }
          >
            {(row) => <OwnDestinationItem key={row.uuid} destination={row} onSecret={setSecret} />}
          </ItemList>
        </Card>
        <LowBalanceCard />
        <OwnDeliveries />
      </div>
      {isMaking && <OwnDestinationDialog onSaved={setSecret} onClose={() => setMaking(false)} />}
    </Page>
  );
}

function OwnDeliveries() {
  const [shown, setShown] = useState(firstPage);
  const notices = useQuery({
    ...api.query(listOwnNotices, { query: shown }),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state: { data } }) => whileOnTheWay(data?.data ?? []),
  });
  return (
    <ListCard
      source={notices}
      shown={shown}
      onShow={setShown}
      title={<Trans>Sent within 30 days</Trans>}
      empty={<Trans>Nothing was sent.</Trans>}
    >
      {(notice) => <DeliveryItem key={notice.id} notice={notice} />}
    </ListCard>
  );
}

type OwnDestinationItemProps = { destination: OwnDestination; onSecret: (secret: string) => void };

function OwnDestinationItem({ destination, onSecret }: OwnDestinationItemProps) {
  const { t } = useLingui();
  const { id, name, hint, rules, language, verified } = destination;
  const params = { id: String(id) };
  return (
    <DestinationItem
      destination={destination}
      about={hint === "" ? t`The address of your account` : hint}
      unreachable={
        <Trans>
          Nothing is sent: this server sends no mail, or your account has no mail address.
        </Trans>
      }
      badge={
        !verified && (
          <Badge tone="warn">
            <Trans>Not verified</Trans>
          </Badge>
        )
      }
      onTest={
        verified ? async () => (await api.call(testOwnDestination, { params })).data : undefined
      }
      onToggle={async (isEnabled) => {
        const body = { name, rules: rules as [], language: language as "", disabled: !isEnabled };
        await api.change(updateOwnDestination, [listOwnDestinations], { params, body });
      }}
      onRotate={async () =>
        onSecret((await api.call(rotateOwnDestination, { params })).data.signing_secret)
      }
      onDelete={() => api.change(deleteOwnDestination, [listOwnDestinations], { params })}
      editor={(close) => <OwnDestinationDialog destination={destination} onClose={close} />}
    >
      {!verified && <VerifyDestination destination={destination} />}
    </DestinationItem>
  );
}

type OwnDestinationDialogProps = {
  /** Absent for a new one. */
  destination?: OwnDestination | undefined;
  /** `onSaved` takes the signing secret of a new webhook. */
  onSaved?: (secret: string | undefined) => void;
  onClose: () => void;
};

function OwnDestinationDialog({ destination, onSaved, onClose }: OwnDestinationDialogProps) {
  const { t } = useLingui();
  const { kind, name, language } = destination ?? newDestination;
  return (
    <DestinationFormDialog
      isNew={destination === undefined}
      initial={{ ...newDestination, kind, name, language }}
      kinds={ownDestinationKinds}
      rules={ownRules}
      chosenRules={destination?.rules ?? []}
      emptyMail={t`Leave empty to use your account's mail address.`}
      ownLanguage={t`Your account's language`}
      onSave={async (values, rules) => {
        const told = { name: values.name, language: values.language, rules: rules as [] };
        if (destination === undefined) {
          const body = { kind: values.kind as OwnDestinationKind, ...told, ...buildTarget(values) };
          onSaved?.(
            (await api.change(createOwnDestination, [listOwnDestinations], { body })).data
              .signing_secret,
          );
        } else {
          const { disabled } = destination;
          await api.change(updateOwnDestination, [listOwnDestinations], {
            params: { id: String(destination.id) },
            body: { ...told, disabled },
          });
        }
      }}
      onClose={onClose}
    />
  );
}
