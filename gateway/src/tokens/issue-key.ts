/** A new key as the columns of its token. */
import type { Sealer } from "../secrets/seal.ts";
import { endingOf, hashKey, newKey } from "./token-rules.ts";
import { tokenKeyContext, tokenKeyPurpose } from "./token-view.ts";

export function issueKey(seal: Sealer, tokenUuid: string) {
  const key = newKey();
  return {
    key_hash: hashKey(key),
    key_sealed: seal.seal(tokenKeyPurpose, tokenKeyContext(tokenUuid), key),
    key_ending: endingOf(key),
  };
}
