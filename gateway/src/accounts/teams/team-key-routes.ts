/** API routes for the keys of a team. */
import {
  createTeamToken,
  listTeamTokens,
  setTeamTokenStatus,
} from "@tollgate/contract/accounts/teams.ts";
import { tokenStatus } from "@tollgate/contract/accounts/tokens.ts";
import type { BodyOf } from "@tollgate/contract/api/endpoint.ts";
import type { Reference } from "@tollgate/contract/api/ids.ts";
import { type ApiRoute, apiRoute } from "../../http/api-route.ts";
import { idempotentCreation, showsSecretAgain } from "../../http/idempotency.ts";
import { refuse } from "../../http/refusal.ts";
import type { Sealer } from "../../secrets/seal.ts";
import { checkKeyGroups } from "../../settings/group-rules.ts";
import { readUuid7 } from "../../storage/time-ids.ts";
import { issueKey } from "../tokens/issue-key.ts";
import { checkTeamKeyLifetime } from "../tokens/team-key-lifetime.ts";
import { buildInitialColumns } from "../tokens/token-rules.ts";
import type { TokenStore } from "../tokens/token-store.ts";
import { revealKey } from "../tokens/token-view.ts";
import { reachTeam, type TeamCall, type TeamDeps } from "./reach-team.ts";
import { planFewerKeys, requireLiving, requireUser } from "./team-guards.ts";
import { checkMayDo, checkMaySwitch, mayDo, viewTeamToken } from "./team-rules.ts";
import type { NamedTokenRow } from "./team-store.ts";

interface TeamKeyDeps extends Pick<TeamDeps, "db" | "teams" | "options"> {
  tokens: Pick<TokenStore, "insert">;
  seal: Sealer;
}

/**
 * `buildTeamKeyRoutes` allows as many keys as an account may have by the settings, for each member.
 */
export function buildTeamKeyRoutes({ db, teams, tokens, options, seal }: TeamKeyDeps): ApiRoute[] {
  const existing = async (teamId: number, reference: Reference): Promise<NamedTokenRow> => {
    const token = await teams.token(teamId, reference);
    if (!token) throw refuse("token_not_found");
    return token;
  };

  const create = async (call: TeamCall & { body: BodyOf<typeof createTeamToken> }) => {
    const { service, ...input } = call.body;
    const { row, standings } = await reachTeam({ teams }, call, call.params.id);
    checkMayDo(standings, service ? "manage" : "use");
    const { reference: uuid, madeAt } = await idempotentCreation(db, call, {
      name: "team.create_key",
      body: { team: row.uuid, ...call.body },
      async create(remember) {
        const made = readUuid7(call.now);
        const columns = buildInitialColumns(input, row.group);
        checkKeyGroups(options, row.group, columns.groups);
        if (columns.bodies !== "") throw refuse("bodies_off");
        checkTeamKeyLifetime(options, columns.expired_at, call.now);
        const holder = service ? 0 : call.principal.id;
        const token = {
          ...{
            uuid: made,
            user_id: holder,
            team_id: row.id,
            service: service ? (1 as const) : (0 as const),
          },
          made_by: call.principal.id,
          ...columns,
          ...issueKey(seal, made),
          ...{ created_at: call.now, updated_at: call.now, accessed_at: call.now },
        };
        const audits = call.audit("team.create_key", row.uuid, {
          name: row.name,
          key: columns.name,
          service,
        });
        const guards = [
          requireLiving(db, row.id),
          ...(service ? [] : [requireUser(db, row.id, holder, "team_not_found")]),
          ...planFewerKeys(db, holder, row.id, options.number("TokensPerUserMax")),
        ];
        await db.write([...guards, ...tokens.insert([token]), ...audits, ...remember(made)], {
          changes: ["tokens", "budgets"],
        });
        return made;
      },
    });
    const token = await existing(row.id, { uuid });
    const isShown = token.created_at === madeAt && showsSecretAgain(madeAt, call.now);
    return { ...viewTeamToken(token, call.now), key: isShown ? revealKey(token, seal) : "" };
  };

  return [
    apiRoute(listTeamTokens, async (call) => {
      const { row, standings } = await reachTeam({ teams }, call, call.params.id);
      const holder = mayDo(standings, "see") ? undefined : call.principal.id;
      const { rows, ...total } = await teams.tokens(row.id, holder, call.query);
      return { data: rows.map((token) => viewTeamToken(token, call.now)), ...total };
    }),
    apiRoute(createTeamToken, create),
    apiRoute(setTeamTokenStatus, async (call) => {
      const { row, standings } = await reachTeam({ teams }, call, call.params.id);
      const { token_id, status } = call.body;
      const token = await existing(row.id, { id: token_id });
      // The key of another member does not exist for a member.
      if (!mayDo(standings, "see") && token.user_id !== call.principal.id)
        throw refuse("token_not_found");
      checkMaySwitch(call.principal, standings, token, status);
      const audits = call.audit("team.switch_key", row.uuid, {
        name: row.name,
        key: token.name,
        status,
      });
      // Who has left meanwhile finds no key enabled after a return.
      const guards =
        status === tokenStatus.enabled && token.service === 0
          ? [requireUser(db, row.id, token.user_id, "team_not_found")]
          : [];
      await db.write([...guards, teams.setTokenStatus(token, status, call.now), ...audits], {
        changes: ["tokens"],
      });
      return viewTeamToken(await existing(row.id, { id: token_id }), call.now);
    }),
  ];
}
