/** A token as administrators see it: without its key. */
import type { HeldToken } from "@tollgate/contract/accounts/all-tokens.ts";
import { buildUnixSeconds } from "../../http/unix-seconds.ts";
import type { HeldTokenRow } from "./all-token-store.ts";
import { viewOldKey } from "./key-rotation-rules.ts";
import { viewPause } from "./pause-rules.ts";
import { showStatus } from "./token-rules.ts";

export const viewHeld = (token: HeldTokenRow, now: number): HeldToken => ({
  id: token.id,
  uuid: token.uuid,
  name: token.name,
  user_id: token.user_id,
  user_uuid: token.user_uuid,
  username: token.username,
  key_ending: token.key_ending,
  ...viewOldKey(token, now),
  status: showStatus(token, now),
  paused: viewPause(token),
  remain_quota: token.remain_quota,
  unlimited_quota: token.unlimited_quota === 1,
  used_quota: token.used_quota,
  created_time: buildUnixSeconds(token.created_at),
  accessed_time: buildUnixSeconds(token.accessed_at),
  expired_time: token.expired_at === null ? -1 : buildUnixSeconds(token.expired_at),
});
