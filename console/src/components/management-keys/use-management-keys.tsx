import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { listManagementKeys } from "@tollgate/contract/accounts/management-keys.ts";
import type { Team } from "@tollgate/contract/accounts/teams.ts";
import { useState } from "react";
import { api } from "../../api-queries.ts";
import { readEntityRef } from "../../compat/entity-ids.ts";
import { useSession } from "../../session.ts";
import { ShownOnce } from "../keys/shown-once.tsx";
import { ItemList } from "../lists/item-row.tsx";
import { ManagementKeyForm, type WithReauth } from "./management-key-form.tsx";
import { ManagementKeyItem } from "./management-key-item.tsx";

/** The newest; only root over all users comes near. */
const shownMax = 100;

/**
 * `useManagementKeys` gives the parts of a screen of management keys, of the reader's own or of a
 * team: `form` makes one and shows it once, `list` has those that there are.
 */
export function useManagementKeys(withReauth: WithReauth, team?: Pick<Team, "id" | "uuid">) {
  const { t } = useLingui();
  const { user } = useSession();
  const [isMaking, setMaking] = useState(false);
  const [made, setMade] = useState<string>();
  const query = { size: shownMax, ...(team && { team_id: readEntityRef(team) }) };
  const keys = useQuery(api.query(listManagementKeys, { query }));
  return {
    isMaking,
    begin: () => setMaking(true),
    form: (
      <>
        {made !== undefined && <ShownOnce secret={made} copyLabel={t`Copy management key`} />}
        {isMaking && (
          <ManagementKeyForm
            role={user?.role ?? 0}
            teamId={team?.id}
            withReauth={withReauth}
            onCancel={() => setMaking(false)}
            onCreated={(key) => {
              setMade(key);
              setMaking(false);
            }}
          />
        )}
      </>
    ),
    list: (
      <ItemList
        source={keys}
        rows={keys.data?.data ?? []}
        empty={<Trans>No management keys yet.</Trans>}
      >
        {(row) => (
          <ManagementKeyItem
            key={row.id}
            {...{ row, withReauth }}
            isOwn={row.username === user?.username}
          />
        )}
      </ItemList>
    ),
  };
}
