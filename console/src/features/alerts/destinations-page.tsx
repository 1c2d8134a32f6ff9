import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import {
  deleteDestination,
  listDestinations,
  type NoticeDestination,
  rotateDestination,
  testDestination,
  updateDestination,
} from "@tollgate/contract/notices/destinations.ts";
import { useState } from "react";
import { api } from "../../api-queries.ts";
import { ShownOnce } from "../../components/keys/shown-once.tsx";
import { ItemList } from "../../components/lists/item-row.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { leastSeverityLabels } from "./alert-words.ts";
import { AlertsFrame } from "./alerts-frame.tsx";
import { DestinationDialog } from "./destination-dialog.tsx";
import { DestinationItem } from "./destination-item.tsx";

/** `DestinationsPage` says where notices of alerts go. */
export function DestinationsPage() {
  const { t } = useLingui();
  const [isMaking, setMaking] = useState(false);
  const [secret, setSecret] = useState<string>();
  return (
    <AlertsFrame
      needsRoot
      action={
        <Button variant="primary" onClick={() => setMaking(true)}>
          <Trans>New destination</Trans>
        </Button>
      }
    >
      <div className="flex flex-col gap-4">
        {secret !== undefined && <ShownOnce secret={secret} copyLabel={t`Copy signing secret`} />}
        <DestinationList onSecret={setSecret} />
      </div>
      {isMaking && <DestinationDialog onSaved={setSecret} onClose={() => setMaking(false)} />}
    </AlertsFrame>
  );
}

function DestinationList({ onSecret }: { onSecret: (secret: string) => void }) {
  const destinations = useQuery(api.query(listDestinations));
  const rows = destinations.data?.data ?? [];
  return (
    <Card>
      <ItemList
        source={destinations}
        rows={rows}
        empty={<Trans>No destinations yet. Alerts appear here and are not sent anywhere.</Trans>}
      >
        {(row) => <OperatorDestination key={row.uuid} destination={row} onSecret={onSecret} />}
      </ItemList>
    </Card>
  );
}

type OperatorDestinationProps = {
  destination: NoticeDestination;
  onSecret: (secret: string) => void;
};

function OperatorDestination({ destination, onSecret }: OperatorDestinationProps) {
  const { t } = useLingui();
  const { id, name, hint, severity, rules, language } = destination;
  const params = { id: String(id) };
  const told = t(leastSeverityLabels[severity] ?? { id: severity });
  return (
    <DestinationItem
      destination={destination}
      about={hint === "" ? told : `${hint} · ${told}`}
      unreachable={
        <Trans>
          Nothing is sent: no mail server is set up, or the super administrator has no mail address.
        </Trans>
      }
      onTest={async () => (await api.call(testDestination, { params })).data}
      onToggle={async (isEnabled) => {
        const body = { name, severity, rules, language: language as "", disabled: !isEnabled };
        await api.change(updateDestination, [listDestinations], { params, body });
      }}
      onRotate={async () =>
        onSecret((await api.call(rotateDestination, { params })).data.signing_secret)
      }
      onDelete={() => api.change(deleteDestination, [listDestinations], { params })}
      editor={(close) => <DestinationDialog destination={destination} onClose={close} />}
    />
  );
}
