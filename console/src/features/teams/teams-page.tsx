import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { listTeams, type Team } from "@tollgate/contract/accounts/teams.ts";
import { useState } from "react";
import { api } from "../../api-queries.ts";
import { readEntityRef } from "../../compat/entity-ids.ts";
import { FlashMessage } from "../../components/flash-message.tsx";
import { ItemName } from "../../components/lists/item-name.tsx";
import { ItemRow, ItemText, ItemTitle } from "../../components/lists/item-row.tsx";
import { firstPage, ListCard } from "../../components/lists/list-card.tsx";
import { TeamBadges, TeamBalance } from "../../components/teams/team-parts.tsx";
import { useDebounced } from "../../components/use-debounced.ts";
import { isAdmin, mayAdminister, useSession } from "../../session.ts";
import { Button } from "../../ui/button.tsx";
import { FilterField, Input } from "../../ui/form/input.tsx";
import { buildLazyPart } from "../../ui/lazy-part.tsx";
import { Page } from "../../ui/page.tsx";
import { ReceivedInvitations } from "./received-invitations.tsx";

const TeamDialog = buildLazyPart(async () => (await import("./team-dialog.tsx")).TeamDialog);
const typedMs = 300;

/** The teams of the reader; all teams for administrators. */
export function TeamsPage() {
  const { t } = useLingui();
  const { user, status } = useSession();
  const admin = isAdmin(user);
  const mayMake = mayAdminister(user) || (!admin && status.makes_teams === true);
  const [isMaking, setMaking] = useState(false);
  const [shown, setShown] = useState(firstPage);
  const [typed, setTyped] = useState("");
  const keyword = useDebounced(typed.trim(), typedMs);
  const query = { ...shown, ...(keyword !== "" && { keyword }) };
  const teams = useQuery({ ...api.query(listTeams, { query }), placeholderData: keepPreviousData });
  return (
    <Page
      title={t`Teams`}
      subtitle={
        admin
          ? t`People who share a balance, with API keys of their own`
          : t`Teams whose balance you share`
      }
      action={
        mayMake && (
          <Button variant="primary" onClick={() => setMaking(true)}>
            <Trans>New team</Trans>
          </Button>
        )
      }
    >
      <FlashMessage />
      <ReceivedInvitations />
      <ListCard
        source={teams}
        shown={shown}
        onShow={setShown}
        filter={
          admin && (
            <FilterField label={t`Name of a team`} className="max-w-80">
              {(id) => (
                <Input
                  id={id}
                  type="search"
                  controlSize="sm"
                  maxLength={100}
                  value={typed}
                  onChange={({ target }) => {
                    setTyped(target.value);
                    setShown(firstPage);
                  }}
                />
              )}
            </FilterField>
          )
        }
        empty={
          keyword !== "" ? (
            <Trans>No team has this name.</Trans>
          ) : admin ? (
            <Trans>
              No teams yet. The people of a team share one balance: its API keys spend from it, and
              you see what each member spends.
            </Trans>
          ) : mayMake ? (
            <Trans>
              You are not in a team yet. The people of a team share one balance that its API keys
              spend from. Make a team and invite people, or be invited.
            </Trans>
          ) : (
            <Trans>
              You are not in a team yet. The people of a team share one balance that its API keys
              spend from. An administrator makes a team, and you are added or invited.
            </Trans>
          )
        }
      >
        {(team) => <TeamItem key={readEntityRef(team)} team={team} />}
      </ListCard>
      {isMaking && <TeamDialog onClose={() => setMaking(false)} />}
    </Page>
  );
}

function TeamItem({ team }: { team: Team }) {
  return (
    <ItemRow>
      <ItemText>
        <ItemTitle>
          <ItemName to="/teams/$id/{-$tab}" id={readEntityRef(team)}>
            {team.name}
          </ItemName>
          <TeamBadges team={team} />
        </ItemTitle>
        <p className="flex flex-wrap gap-x-4 text-muted text-sm">
          <span>
            <Plural value={team.members} one="1 member" other="# members" />
          </span>
          <span>
            <Plural value={team.keys} one="1 key" other="# keys" />
          </span>
          <span dir="auto" className="[overflow-wrap:anywhere]">
            {team.group}
          </span>
        </p>
      </ItemText>
      <p className="tabular-nums sm:text-end">
        <TeamBalance team={team} />
      </p>
    </ItemRow>
  );
}
