/** A new key as the columns of its token. */
import type { Sealer } from "../../secrets/seal.ts";
import { composeKey, hashKey, readEnding } from "./token-rules.ts";
import { composeTokenKeyContext, tokenKeyPurpose } from "./token-view.ts";

export function issueKey(seal: Sealer, tokenUuid: string) {
  const key = composeKey();
  return {
    key_hash: hashKey(key),
    key_sealed: seal.seal(tokenKeyPurpose, composeTokenKeyContext(tokenUuid), key),
    key_ending: readEnding(key),
  };
}
