/** Whose a key is that a team pays for: that of a member, or of a service. */
import type { SourceToken } from "../import-items.ts";
import type { ImportRun } from "../import-run.ts";

/** `KeyHolder` has the columns of a key that say whose it is. */
export interface KeyHolder {
  user_id: number;
  team_id: number | null;
  service: 0 | 1;
}

export const buildAccountHolder = (user_id: number): KeyHolder => ({
  ...{ user_id, team_id: null, service: 0 },
});

/**
 * `readTeamHolders` is about the keys of teams that are teams here. A plan has no rows: there the
 * key of any team that was not made an account of by an earlier run is one.
 */
export async function readTeamHolders(
  { imported, isPlan }: Pick<ImportRun, "imported"> & { isPlan?: boolean },
  tokens: readonly SourceToken[],
): Promise<ReadonlyMap<SourceToken, KeyHolder>> {
  const ofTeams = tokens.flatMap((token) => (token.team ? [{ token, team: token.team }] : []));
  const teams = await imported.known(
    "team",
    ofTeams.map(({ team }) => team.sourceId),
  );
  const people = await imported.known(
    "user",
    ofTeams.flatMap(({ token, team }) => [token.ownerSourceId, team.memberSourceId ?? []].flat()),
  );
  return new Map(
    ofTeams.flatMap(({ token, team }): [SourceToken, KeyHolder][] => {
      const teamId = teams.get(team.sourceId)?.ourId;
      if (people.has(token.ownerSourceId) || (teamId === undefined && !isPlan)) return [];
      const memberId =
        team.memberSourceId === undefined ? undefined : people.get(team.memberSourceId)?.ourId;
      return [
        [
          token,
          {
            user_id: memberId ?? 0,
            team_id: teamId ?? 0,
            service: memberId === undefined ? 1 : 0,
          },
        ],
      ];
    }),
  );
}
