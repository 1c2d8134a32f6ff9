/** What root is told by mail: something that the gateway did on its own, or that a provider did. */
export type RootNotice =
  | { kind: "channel_disabled"; channel: string; reason: string }
  | { kind: "channel_enabled"; channel: string }
  /** `hint` is the end of the key. */
  | { kind: "channel_key_disabled"; channel: string; place: number; hint: string; reason: string }
  /** `calls`: how many calls of this channel within a day cost more than was covered. */
  | { kind: "call_not_covered"; channel: string; calls: number }
  | { kind: "usage_capped"; channel: string }
  /** An administrator wants to issue more than the daily limit allows; `amount` is a text. */
  | { kind: "quota_waits"; administrator: string; amount: string };
