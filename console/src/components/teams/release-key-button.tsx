import { Trans, useLingui } from "@lingui/react/macro";
import { releaseTeamKey } from "@tollgate/contract/accounts/team-key-moves.ts";
import {
  getTeam,
  listTeamTokens,
  type Team,
  type TeamToken,
} from "@tollgate/contract/accounts/teams.ts";
import { useState } from "react";
import { api } from "../../api-queries.ts";
import { readEntityRef } from "../../compat/entity-ids.ts";
import { Button } from "../../ui/button.tsx";
import { Confirm } from "../../ui/menu/confirm.tsx";

/** Gives the key of a member back to the account, for administrators of the site. */
export function ReleaseKeyButton({ team, row }: { team: Team; row: TeamToken }) {
  const { t } = useLingui();
  const [isAsking, setAsking] = useState(false);
  const { name, username } = row;
  return (
    <>
      <Button size="sm" aria-label={t`Give back ${name}`} onClick={() => setAsking(true)}>
        <Trans>Give back</Trans>
      </Button>
      <Confirm
        open={isAsking}
        onClose={() => setAsking(false)}
        title={t`Give back ${name}`}
        question={
          <Trans>
            From its next call on, {username} pays for this key, at the prices of the own group.
          </Trans>
        }
        confirmLabel={<Trans>Give back</Trans>}
        variant="primary"
        onConfirm={() =>
          api.change(releaseTeamKey, [listTeamTokens, getTeam], {
            params: { id: readEntityRef(team) },
            body: { token_id: row.id },
          })
        }
      />
    </>
  );
}
