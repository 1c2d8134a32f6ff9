import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { listManagementKeys } from "@tollgate/contract/accounts/management-keys.ts";
import { useState } from "react";
import { api } from "../../api-queries.ts";
import { readEntityRef } from "../../compat/entity-ids.ts";
import { ShownOnce } from "../../components/keys/shown-once.tsx";
import { ItemList } from "../../components/lists/item-row.tsx";
import { ManagementKeyForm } from "../../components/management-keys/management-key-form.tsx";
import { ManagementKeyItem } from "../../components/management-keys/management-key-item.tsx";
import type { TeamTabProps } from "../../components/teams/team-rights.ts";
import { useSession } from "../../session.ts";
import { useReauth } from "../../shell/use-reauth.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";

const shownMax = 100;

/** The keys of programs that manage this team alone. Each has the rights of an admin who made it. */
export function TeamManagementKeys({ team }: Pick<TeamTabProps, "team">) {
  const { t } = useLingui();
  const { user } = useSession();
  const [isMaking, setMaking] = useState(false);
  const [made, setMade] = useState<string>();
  const { withReauth, dialog } = useReauth();
  const query = { size: shownMax, team_id: readEntityRef(team) };
  const keys = useQuery(api.query(listManagementKeys, { query }));
  return (
    <>
      {made !== undefined && <ShownOnce secret={made} copyLabel={t`Copy management key`} />}
      {isMaking && (
        <ManagementKeyForm
          role={user?.role ?? 0}
          teamId={team.id}
          withReauth={withReauth}
          onCancel={() => setMaking(false)}
          onCreated={(key) => {
            setMade(key);
            setMaking(false);
          }}
        />
      )}
      <Card
        title={<Trans>Management keys</Trans>}
        note={
          <Trans>
            For programs that manage this team: each has a part of the rights of the team admin who
            made it, in this team alone.
          </Trans>
        }
      >
        {/* Who is no admin of the team has no rights in it that a key could have a part of. */}
        {team.role === "admin" && !isMaking && (
          <div>
            <Button onClick={() => setMaking(true)}>
              <Trans>New key</Trans>
            </Button>
          </div>
        )}
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
      </Card>
      {dialog}
    </>
  );
}
