/** What the API answers about one's own tokens. */
import { named, type Reference } from "@tollgate/contract/ids.ts";
import { maskKey } from "@tollgate/contract/mask-key.ts";
import { newPlaygroundToken } from "@tollgate/contract/playground.ts";
import {
  createToken,
  deleteToken,
  getToken,
  listTokens,
  searchTokens,
  type TokenChange,
  updateToken,
  updateTokenStatus,
} from "@tollgate/contract/tokens.ts";
import { answer, type Route } from "../http/answer.ts";
import type { Caller, Circumstances } from "../http/caller.ts";
import { once } from "../http/idempotency.ts";
import { refuse } from "../http/refusal.ts";
import type { Sealer } from "../secrets/seal.ts";
import type { Options } from "../settings/options.ts";
import { type Database, StaleWrite, type Write } from "../storage/database.ts";
import { uuid7 } from "../storage/time-ids.ts";
import { playgroundTokenWith } from "./playground-token.ts";
import { changedColumns, hashKey, initialColumns, newKey, quotaAfter } from "./token-rules.ts";
import type { Token, TokenStore } from "./token-store.ts";
import { tokenKeyContext, tokenKeyPurpose, viewToken } from "./token-view.ts";

type Mine = Circumstances & { caller: Caller };

interface Parts {
  db: Database;
  tokens: TokenStore;
  seal: Sealer;
  options: Options;
}

export function tokenRoutes({ db, tokens, seal, options }: Parts): Route[] {
  const revealed = (token: Token, { caller, now }: Mine) => viewToken(token, caller.uuid, seal, now);
  const view = (token: Token, call: Mine) => {
    const shown = revealed(token, call);
    return options.flag("TokenKeyRevealEnabled") ? shown : { ...shown, key: shown.key && maskKey(shown.key) };
  };

  /** Someone else's token answers like a missing one, so ids cannot be probed. */
  const mine = async (call: Mine, reference: Reference): Promise<Token> => {
    const token = await tokens.find(call.caller.id, reference);
    if (!token) throw refuse("token_not_found");
    return token;
  };

  const write = async (batch: Write[]) => {
    try {
      await db.write(batch, { changes: ["tokens"] });
    } catch (error) {
      throw error instanceof StaleWrite ? refuse("changed_meanwhile") : error;
    }
  };

  const change = async (call: Mine, reference: Reference, wanted: TokenChange) => {
    const token = await mine(call, reference);
    if (wanted.updated_at !== undefined && wanted.updated_at !== token.updated_at) throw refuse("changed_meanwhile");
    const { status, ...columns } = changedColumns(token, wanted, call.now);
    const difference = quotaAfter(token.remain_quota, wanted) - token.remain_quota;
    // Two versions of one token never carry the same time.
    const updated_at = Math.max(call.now, token.updated_at + 1);
    const { remain_quota, remain_quota_read } = wanted;
    const isAbsolute = remain_quota !== undefined && remain_quota_read === undefined;
    const batch = [
      tokens.update(token, {
        ...columns,
        ...(isAbsolute && { remain_quota }),
        // A status that stays is not written: a call may be using the token up at this moment.
        ...(status !== token.status && { status }),
        updated_at,
      }),
      ...(isAbsolute || difference === 0 ? [] : [tokens.moveQuota(token, difference)]),
    ];
    await write(batch);
    return view(await mine(call, { id: token.id }), call);
  };

  const create = (call: Mine & { body: Parameters<typeof initialColumns>[0] }) =>
    once(db, call, {
      name: "token.create",
      body: call.body,
      async create(remember) {
        const uuid = uuid7(call.now);
        const key = newKey();
        const row = {
          uuid,
          user_id: call.caller.id,
          ...initialColumns(call.body),
          key_hash: hashKey(key),
          key_sealed: seal.seal(tokenKeyPurpose, tokenKeyContext(uuid), key),
          created_at: call.now,
          updated_at: call.now,
          accessed_at: call.now,
        };
        await db.write([tokens.insert(row), ...remember(uuid)], { changes: ["tokens"] });
        return uuid;
      },
    });

  const list = async (call: Mine & { query: Parameters<typeof tokens.page>[1] }) => {
    const { rows, ...total } = await tokens.page(call.caller.id, call.query);
    return { data: rows.map((token) => view(token, call)), ...total };
  };

  const playgroundToken = playgroundTokenWith(db, tokens, seal);

  return [
    answer(newPlaygroundToken, (call) => playgroundToken(call)),
    answer(listTokens, list),
    answer(searchTokens, list),
    answer(getToken, async (call) => view(await mine(call, call.params.id), call)),
    answer(createToken, async (call) => ({
      data: revealed(await mine(call, { uuid: await create(call) }), call),
      ...(!options.flag("TokenKeyRevealEnabled") && { key_shown_once: true }),
    })),
    answer(updateToken, (call) => change(call, named(call.body), call.body)),
    answer(updateTokenStatus, (call) => change(call, named(call.body), { status: call.body.status })),
    answer(deleteToken, async (call) => {
      const token = await mine(call, call.params.id);
      await db.write([tokens.remove(token)], { changes: ["tokens"] }).catch((error: unknown) => {
        throw error instanceof StaleWrite ? refuse("token_not_found") : error;
      });
    }),
  ];
}
