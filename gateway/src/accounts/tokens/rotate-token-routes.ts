/** API routes that give one of the caller's tokens a new key, and stop the old one. */

import { rotateToken, stopOldKey } from "@tollgate/contract/accounts/key-rotation.ts";
import { named, type Reference } from "@tollgate/contract/api/ids.ts";
import { type ApiRoute, apiRoute } from "../../http/api-route.ts";
import { idempotentCreation } from "../../http/idempotency.ts";
import { refuse } from "../../http/refusal.ts";
import type { AuthenticatedContext } from "../../http/request-context.ts";
import { composeTokenRotatedMail } from "../../notices/mail/mail-messages.ts";
import type { MailOutbox } from "../../notices/mail/mail-outbox.ts";
import type { Sealer } from "../../secrets/seal.ts";
import type { OptionReader } from "../../settings/live-options.ts";
import type { Database } from "../../storage/database.ts";
import type { UserStore } from "../identity/users/user-store.ts";
import { issueKey } from "./issue-key.ts";
import { chooseOldKey } from "./key-rotation-rules.ts";
import type { TokenRow, TokenStore } from "./token-store.ts";
import { createTokenViews } from "./token-view.ts";

interface RotateTokenRoutesDeps {
  db: Database;
  tokens: TokenStore;
  users: Pick<UserStore, "byId">;
  seal: Sealer;
  options: OptionReader;
  outbox: MailOutbox;
}

export function rotateTokenRoutes({
  db,
  tokens,
  users,
  seal,
  options,
  outbox,
}: RotateTokenRoutesDeps): ApiRoute[] {
  const views = createTokenViews(seal, options);
  const ownToken = async (call: AuthenticatedContext, reference: Reference): Promise<TokenRow> => {
    const token = await tokens.find(call.principal.id, reference);
    if (!token) throw refuse("token_not_found");
    return token;
  };
  const nextVersion = (token: TokenRow, now: number) => Math.max(now, token.updated_at + 1);

  return [
    apiRoute(rotateToken, async (call) => {
      const { overlap_seconds, updated_at } = call.body;
      let rotated: TokenRow | undefined;
      // A repetition because the reply was lost must not replace the key that the first call made.
      const { reference: uuid, madeAt } = await idempotentCreation(db, call, {
        name: "token.rotate",
        body: call.body,
        async create(remember) {
          const token = await ownToken(call, named(call.body));
          if (updated_at !== undefined && updated_at !== token.updated_at)
            throw refuse("changed_meanwhile");
          const old = chooseOldKey(token, overlap_seconds * 1000, call.now);
          const change = {
            ...issueKey(seal, token.uuid),
            ...old,
            key_made_at: call.now,
            updated_at: nextVersion(token, call.now),
          };
          const { uuid, name } = token;
          const facts = { name, old_key: token.key_ending, works_until: old.old_key_until };
          await db.write(
            [
              tokens.update(token, change),
              ...call.audit("token.rotate", uuid, facts),
              ...remember(uuid),
            ],
            { changes: ["tokens"] },
          );
          rotated = { ...token, ...change };
          return uuid;
        },
      });
      if (rotated) {
        const { name, old_key_until } = rotated;
        const account = await users.byId(call.principal.id);
        const until = overlap_seconds === 0 ? null : old_key_until;
        if (account)
          outbox.notify("token", account, (reader, site) =>
            composeTokenRotatedMail(reader, site, { name, until }),
          );
      }
      return views.viewMade(await ownToken(call, { uuid }), madeAt, call);
    }),

    apiRoute(stopOldKey, async (call) => {
      const token = await ownToken(call, named(call.body));
      if (token.old_key_until === null || token.old_key_until <= call.now)
        return views.view(token, call);
      const { uuid, name, old_key_ending } = token;
      const change = { old_key_until: call.now, updated_at: nextVersion(token, call.now) };
      await db.write(
        [
          tokens.update(token, change),
          ...call.audit("token.stop_old_key", uuid, { name, old_key: old_key_ending }),
        ],
        { changes: ["tokens"] },
      );
      return views.view(await ownToken(call, { id: token.id }), call);
    }),
  ];
}
