import { Trans } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { getTeam } from "@tollgate/contract/accounts/teams.ts";
import type { ReactNode } from "react";
import { api } from "../../api-queries.ts";
import { useSession } from "../../session.ts";
import { Card } from "../../ui/card.tsx";
import { CardLoading } from "../forms/form-loading.tsx";
import { readTeamRights, type TeamTabProps } from "./team-rights.ts";

/** Reads the team that the address of a page names. */
export function TeamOfAddress({
  team,
  children,
}: {
  team: string;
  children: (props: TeamTabProps) => ReactNode;
}) {
  const { user } = useSession();
  const found = useQuery(api.query(getTeam, { params: { id: team } }));
  const read = found.error === null ? found.data?.data : undefined;
  if (read === undefined)
    return (
      <Card title={<Trans>Team</Trans>}>
        <CardLoading source={found} />
      </Card>
    );
  return children({ team: read, rights: readTeamRights(user ?? { role: 0 }, read) });
}
