/** API routes for the caller's own tokens. */

import { isDeepStrictEqual } from "node:util";
import {
  createToken,
  deleteToken,
  findToken,
  getToken,
  listTokenGroups,
  listTokens,
  putToken,
  searchTokens,
  type TokenByExternalId,
  type TokenChange,
  tokenInput,
  updateToken,
  updateTokenStatus,
} from "@tollgate/contract/accounts/tokens.ts";
import type { QueryOf } from "@tollgate/contract/api/endpoint.ts";
import { named, type Reference } from "@tollgate/contract/api/ids.ts";
import type { KeptBodies } from "@tollgate/contract/call-bodies.ts";
import { newPlaygroundToken } from "@tollgate/contract/site/playground.ts";
import { type ApiRoute, apiRoute } from "../../http/api-route.ts";
import { idempotentCreation } from "../../http/idempotency.ts";
import { refuse } from "../../http/refusal.ts";
import type { AuthenticatedContext } from "../../http/request-context.ts";
import { parseOrRefuse } from "../../http/validation-errors.ts";
import type { Sealer } from "../../secrets/seal.ts";
import { checkKeyGroups, listSelectableGroups } from "../../settings/group-rules.ts";
import type { OptionReader } from "../../settings/live-options.ts";
import type { Database } from "../../storage/database.ts";
import { addRecentCalls } from "../../storage/recent-call-counts.ts";
import { readUuid7 } from "../../storage/time-ids.ts";
import type { TeamSight } from "../teams/team-sight.ts";
import { issueKey } from "./issue-key.ts";
import { buildStatusColumns, type IsOwnerAway, readPausing, wakesResting } from "./pause-rules.ts";
import { createPlaygroundToken } from "./playground-token.ts";
import { buildInitialColumns, changeColumns, computeQuota } from "./token-rules.ts";
import type { TokenRow, TokenStore } from "./token-store.ts";
import { createTokenViews } from "./token-view.ts";

interface TokenRoutesDeps {
  db: Database;
  tokens: TokenStore;
  seal: Sealer;
  options: OptionReader;
  /** `keepsBodies` says whether there is a place for contents of calls. */
  keepsBodies: boolean;
  isAway: IsOwnerAway;
  sight: TeamSight;
}

export function buildTokenRoutes({
  db,
  tokens,
  seal,
  options,
  keepsBodies,
  isAway,
  sight,
}: TokenRoutesDeps): ApiRoute[] {
  const { view, viewMade, viewOfTeam } = createTokenViews(seal, options);

  /** A holder who asks for contents must not find out later that none were kept. */
  const checkBodies = (wanted: KeptBodies | undefined, stored: KeptBodies): void => {
    if (wanted && wanted !== stored && !keepsBodies) throw refuse("bodies_off");
  };

  /** Another user's token is reported as missing, so ids cannot be probed. */
  const ownToken = async (call: AuthenticatedContext, reference: Reference): Promise<TokenRow> => {
    const token = await tokens.find(call.principal.id, reference);
    if (!token) throw refuse("token_not_found");
    return token;
  };

  const change = async (call: AuthenticatedContext, reference: Reference, edit: TokenChange) => {
    const token = await ownToken(call, reference);
    if (edit.updated_at !== undefined && edit.updated_at !== token.updated_at)
      throw refuse("changed_meanwhile");
    const { status, ...columns } = changeColumns(token, edit, call.now, call.principal.group);
    if (wakesResting(token, status) && (await isAway(call.principal, call.now)))
      throw refuse("token_rests");
    if (columns.groups !== undefined)
      checkKeyGroups(options, call.principal.group, columns.groups, token.groups);
    checkBodies(columns.bodies, token.bodies);
    const difference = computeQuota(token.remain_quota, edit) - token.remain_quota;
    // Two versions of a token never have the same time.
    const updated_at = Math.max(call.now, token.updated_at + 1);
    const { remain_quota, remain_quota_read, pause_reason } = edit;
    const pausing = readPausing(call.principal, "owner", pause_reason);
    const isAbsolute = remain_quota !== undefined && remain_quota_read === undefined;
    const batch = [
      tokens.update(token, {
        ...columns,
        ...(isAbsolute && { remain_quota }),
        // An unchanged status is not written: a call may exhaust the token at this moment.
        ...(status !== token.status && buildStatusColumns(status, pausing, call.now)),
        updated_at,
      }),
      ...(isAbsolute || difference === 0 ? [] : [tokens.moveQuota(token, difference)]),
    ];
    await db.write(batch, { changes: ["tokens"] });
    return view(await ownToken(call, { id: token.id }), call);
  };

  const create = (
    call: AuthenticatedContext & { body: Parameters<typeof buildInitialColumns>[0] },
  ) =>
    idempotentCreation(db, call, {
      name: "token.create",
      body: call.body,
      async create(remember) {
        const uuid = readUuid7(call.now);
        const columns = buildInitialColumns(call.body, call.principal.group);
        if (await isAway(call.principal, call.now)) throw refuse("token_rests");
        checkKeyGroups(options, call.principal.group, columns.groups);
        checkBodies(columns.bodies, "");
        const row = {
          uuid,
          user_id: call.principal.id,
          ...columns,
          ...issueKey(seal, uuid),
          created_at: call.now,
          updated_at: call.now,
          accessed_at: call.now,
        };
        const guard = tokens.requireFewerThan(
          call.principal.id,
          options.number("TokensPerUserMax"),
        );
        await db.write([...guard, ...tokens.insert([row]), ...remember(uuid)], {
          changes: ["tokens", "budgets"],
        });
        return uuid;
      },
    });

  const put = async (call: AuthenticatedContext, external_id: string, body: TokenByExternalId) => {
    const token = await tokens.byExternalId(call.principal.id, external_id);
    if (!token) {
      const { status, pause_reason, ...input } = body;
      const { reference: uuid, madeAt } = await create({
        ...call,
        body: parseOrRefuse(tokenInput, { ...input, external_id }),
      });
      if (status !== undefined) await change(call, { uuid }, { status, pause_reason });
      return viewMade(await ownToken(call, { uuid }), madeAt, call).data;
    }
    const { remain_quota: _, ...edit } = body;
    const { status, ...columns } = changeColumns(token, edit, call.now, call.principal.group);
    const after: TokenRow = { ...token, ...columns, status };
    return isDeepStrictEqual(after, token)
      ? view(token, call)
      : change(call, { id: token.id }, edit);
  };

  const list = async (call: AuthenticatedContext & { query: QueryOf<typeof listTokens> }) => {
    const { payer, team } = await sight.rowsOf(call.principal, call.query.team_id);
    const { rows, ...total } = await tokens.page(payer, call.query, call.now);
    const holders = team === undefined ? undefined : await tokens.holders(rows);
    const data = rows.map((token) =>
      holders ? viewOfTeam(token, holders.get(token.user_id), call) : view(token, call),
    );
    return {
      data: call.query.recent ? await addRecentCalls(db, "token", data, call.now) : data,
      ...total,
    };
  };

  const playgroundToken = createPlaygroundToken(db, tokens, seal);

  return [
    apiRoute(newPlaygroundToken, (call) => playgroundToken(call)),
    apiRoute(listTokens, list),
    apiRoute(searchTokens, list),
    apiRoute(findToken, async (call) => {
      const token = await tokens.byHash(call.principal.id, call.body.key_hash);
      return token ? [view(token, call)] : [];
    }),
    apiRoute(listTokenGroups, ({ principal: { group } }) => {
      const ratios = options.numbers("GroupRatio");
      return [...new Set([group, ...listSelectableGroups(options)])].map((name) => ({
        name,
        ratio: ratios[name] ?? 1,
      }));
    }),
    apiRoute(getToken, async (call) => view(await ownToken(call, call.params.id), call)),
    apiRoute(createToken, async (call) => {
      const { reference: uuid, madeAt } = await create(call);
      return viewMade(await ownToken(call, { uuid }), madeAt, call);
    }),
    apiRoute(updateToken, (call) => change(call, named(call.body), call.body)),
    apiRoute(putToken, (call) => put(call, call.params.external_id, call.body)),
    apiRoute(updateTokenStatus, (call) => {
      const { status, pause_reason } = call.body;
      return change(call, named(call.body), { status, pause_reason });
    }),
    apiRoute(deleteToken, async (call) => {
      const token = await ownToken(call, call.params.id);
      await db.write([tokens.remove(token)], { changes: ["tokens"] });
    }),
  ];
}
