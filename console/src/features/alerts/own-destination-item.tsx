import { Trans, useLingui } from "@lingui/react/macro";
import {
  deleteOwnDestination,
  listOwnDestinations,
  type OwnDestination,
  rotateOwnDestination,
  testOwnDestination,
  updateOwnDestination,
} from "@tollgate/contract/notices/own-destinations.ts";
import { api } from "../../api-queries.ts";
import { Badge } from "../../ui/badge.tsx";
import { DestinationItem } from "./destination-item.tsx";
import { OwnDestinationDialog } from "./own-destination-dialog.tsx";
import { VerifyDestination } from "./verify-destination.tsx";

type OwnDestinationItemProps = { destination: OwnDestination; onSecret: (secret: string) => void };

export function OwnDestinationItem({ destination, onSecret }: OwnDestinationItemProps) {
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
