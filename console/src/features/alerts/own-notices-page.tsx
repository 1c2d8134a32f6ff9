import { Trans, useLingui } from "@lingui/react/macro";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import {
  listOwnDestinations,
  listOwnNotices,
  ownDestinationsMax,
} from "@tollgate/contract/notices/own-destinations.ts";
import { useState } from "react";
import { api } from "../../api-queries.ts";
import { ShownOnce } from "../../components/keys/shown-once.tsx";
import { ItemList } from "../../components/lists/item-row.tsx";
import { firstPage, ListCard } from "../../components/lists/list-card.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { Page } from "../../ui/page.tsx";
import { DeliveryItem, whileOnTheWay } from "./delivery-item.tsx";
import { LowBalanceCard } from "./low-balance-card.tsx";
import { OwnDestinationDialog } from "./own-destination-dialog.tsx";
import { OwnDestinationItem } from "./own-destination-item.tsx";

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
      filter={
        <h2 className="font-semibold text-lg">
          <Trans>Sent within 30 days</Trans>
        </h2>
      }
      empty={<Trans>Nothing was sent.</Trans>}
    >
      {(notice) => <DeliveryItem key={notice.id} notice={notice} />}
    </ListCard>
  );
}
