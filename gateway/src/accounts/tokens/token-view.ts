/**
 * Tokens as replies show them: with the key in plain text, or masked where the settings or the
 * caller's credential demand it.
 */
import { maskKey } from "@tollgate/contract/accounts/mask-key.ts";
import type { Token as Shown } from "@tollgate/contract/accounts/tokens.ts";
import { showsSecretAgain } from "../../http/idempotency.ts";
import { isPerson } from "../../http/management-key-access.ts";
import type { AuthenticatedContext } from "../../http/request-context.ts";
import { buildUnixSeconds } from "../../http/unix-seconds.ts";
import { SealError, type Sealer } from "../../secrets/seal.ts";
import type { OptionReader } from "../../settings/live-options.ts";
import { viewOldKey } from "./key-rotation-rules.ts";
import { viewOwnPause } from "./pause-rules.ts";
import { keyPrefix, readRestrictions, showStatus } from "./token-rules.ts";
import type { TokenRow } from "./token-store.ts";

export const tokenKeyPurpose = "token-key";
export const composeTokenKeyContext = (uuid: string) => `tokens/key_sealed/${uuid}` as const;

/** Empty for a key sealed with another master key: it still works, but cannot be shown. */
export function revealKey(token: TokenRow, seal: Sealer): string {
  try {
    return (
      keyPrefix + seal.open(tokenKeyPurpose, composeTokenKeyContext(token.uuid), token.key_sealed)
    );
  } catch (error) {
    if (error instanceof SealError) return "";
    throw error;
  }
}

export const viewToken = (token: TokenRow, userUuid: string, seal: Sealer, now: number): Shown => ({
  id: token.id,
  uuid: token.uuid,
  user_id: token.user_id,
  user_uuid: userUuid,
  name: token.name,
  key: revealKey(token, seal),
  status: showStatus(token, now),
  paused: viewOwnPause(token),
  remain_quota: token.remain_quota,
  unlimited_quota: token.unlimited_quota === 1,
  used_quota: token.used_quota,
  created_time: buildUnixSeconds(token.created_at),
  accessed_time: buildUnixSeconds(token.accessed_at),
  expired_time: token.expired_at === null ? -1 : buildUnixSeconds(token.expired_at),
  ...readRestrictions(token),
  external_id: token.external_id ?? "",
  ...viewOldKey(token, now),
  created_at: token.created_at,
  updated_at: token.updated_at,
});

export function createTokenViews(seal: Sealer, options: OptionReader) {
  const revealed = (token: TokenRow, { principal, now }: AuthenticatedContext): Shown =>
    viewToken(token, principal.uuid, seal, now);
  /** A right to read tokens is no right to spend with them. */
  const isKeyShownOnce = ({ principal }: AuthenticatedContext): boolean =>
    !options.flag("TokenKeyRevealEnabled") || !isPerson(principal);
  /** The call that shows a key again takes the proof that lists cannot ask for. */
  const isKeyMasked = (call: AuthenticatedContext): boolean =>
    isKeyShownOnce(call) || options.flag("TokenKeyProofEnabled");
  const view = (token: TokenRow, call: AuthenticatedContext): Shown => {
    const shown = revealed(token, call);
    return isKeyMasked(call) ? { ...shown, key: shown.key && maskKey(shown.key) } : shown;
  };
  return {
    revealed,
    view,
    /**
     * `viewOfTeam` shows a team's key: the person who made it has it, and nobody reads it again.
     */
    viewOfTeam(
      token: TokenRow,
      holder: { uuid: string; username: string } | undefined,
      call: AuthenticatedContext,
    ): Shown {
      const shown = viewToken(token, holder?.uuid ?? "", seal, call.now);
      return { ...shown, key: shown.key && maskKey(shown.key), username: holder?.username ?? "" };
    },
    /**
     * The reply to the call that made the key at `madeAt`. A repetition shows the same key again,
     * for a while, and none that was made since.
     */
    viewMade(token: TokenRow, madeAt: number, call: AuthenticatedContext) {
      const isShown =
        (token.key_made_at ?? token.created_at) === madeAt && showsSecretAgain(madeAt, call.now);
      return {
        data: isShown ? revealed(token, call) : view(token, call),
        ...(isShown && isKeyShownOnce(call) && { key_shown_once: true }),
      };
    },
  };
}
