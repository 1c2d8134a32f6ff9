import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { listManagementKeys } from "@tollgate/contract/accounts/management-keys.ts";
import { useState } from "react";
import { api } from "../../api-queries.ts";
import { ShownOnce } from "../../components/keys/shown-once.tsx";
import { ItemList } from "../../components/lists/item-row.tsx";
import { ManagementKeyForm } from "../../components/management-keys/management-key-form.tsx";
import { ManagementKeyItem } from "../../components/management-keys/management-key-item.tsx";
import { useSession } from "../../session.ts";
import { useReauth } from "../../shell/use-reauth.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { Page } from "../../ui/page.tsx";

/** The newest; only root over all users comes near. */
const shownMax = 100;

export function ManagementKeysPage() {
  const { t } = useLingui();
  const { user } = useSession();
  const [isMaking, setMaking] = useState(false);
  const [made, setMade] = useState<string>();
  const { withReauth, dialog } = useReauth();
  const keys = useQuery(api.query(listManagementKeys, { query: { size: shownMax } }));
  const rows = keys.data?.data ?? [];
  return (
    <Page
      title={t`Management keys`}
      subtitle={t`For programs that manage this gateway: each may do a part of what you may, and ends`}
      action={
        !isMaking && (
          <Button variant="primary" onClick={() => setMaking(true)}>
            <Trans>New key</Trans>
          </Button>
        )
      }
    >
      {made !== undefined && <ShownOnce secret={made} copyLabel={t`Copy management key`} />}
      {isMaking && (
        <ManagementKeyForm
          role={user?.role ?? 0}
          withReauth={withReauth}
          onCancel={() => setMaking(false)}
          onCreated={(key) => {
            setMade(key);
            setMaking(false);
          }}
        />
      )}
      <Card title={<Trans>Keys</Trans>}>
        <ItemList source={keys} rows={rows} empty={<Trans>No management keys yet.</Trans>}>
          {(row) => (
            <ManagementKeyItem
              key={row.id}
              {...{ row, withReauth }}
              isOwn={row.username === user?.username}
            />
          )}
        </ItemList>
      </Card>
      {dialog}
    </Page>
  );
}
