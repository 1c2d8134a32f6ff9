/** The attempts of one call, each with its channel and key, in the order in which they are made. */
import { disablingReason } from "../channels/channel-health-rules.ts";
import type { Breakers } from "./breakers.ts";
import { type ChannelLimits, isLimited } from "./channel-limits.ts";
import type { ChannelKey, RelayChannel } from "./channel-table.ts";
import { type Candidate, limitReached } from "./choose-channels.ts";
import type { Served } from "./conversations.ts";
import type { KeyRests } from "./key-rests.ts";
import type { Trouble } from "./trouble.ts";

export interface TurnParts {
  breakers: Breakers;
  limits: ChannelLimits;
  keyRests: KeyRests;
}

/** One attempt. One that was neither said to have worked nor to have failed says nothing about its channel. */
export interface Turn {
  candidate: Candidate;
  /** With the key of this attempt. */
  channel: RelayChannel;
  key: ChannelKey;
  worked(): void;
  failed(trouble: Trouble): void;
}

export interface TurnWish {
  model: string;
  tokenId: number;
  triesMax: number;
  lastServed: Served | undefined;
}

export async function* takeTurns(
  candidates: readonly Candidate[],
  wish: TurnWish,
  parts: TurnParts,
  onSkip: (candidate: Candidate, reason: string) => void,
): AsyncGenerator<Turn, void> {
  let triesLeft = wish.triesMax;
  const later: Candidate[] = [];

  async function* tried(candidate: Candidate): AsyncGenerator<Turn, void> {
    const { channel } = candidate;
    const first = wish.lastServed?.channelId === channel.id ? wish.lastServed.place : undefined;
    const keys = parts.keyRests.inTurn(channel, first);
    for (const [index, key] of keys.entries()) {
      if (triesLeft === 0) return;
      // Others of this caller's calls may have come here since the channels were chosen.
      if (isLimited(channel) && !(await parts.limits.take(wish.tokenId, channel)))
        return onSkip(candidate, limitReached);
      triesLeft -= 1;
      const pass = parts.breakers.enter(channel.id, wish.model);
      let goesOn = false;
      try {
        yield {
          candidate,
          channel: key.place === channel.keyPlace ? channel : { ...channel, key: key.key, keyPlace: key.place },
          key,
          worked: pass.worked,
          failed(trouble) {
            if (!trouble.isRetryable) return;
            const { status, retryAfterMs } = trouble;
            const isOfTheKey = channel.keys.length > 1 && isAboutKey(trouble);
            if (isOfTheKey) parts.keyRests.rest(channel.id, key.place, status, retryAfterMs);
            goesOn = isOfTheKey && index + 1 < keys.length;
            if (!goesOn) pass.failed(status, retryAfterMs);
          },
        };
      } finally {
        pass.ended();
      }
      if (!goesOn) return;
    }
  }

  for (const candidate of candidates) {
    const breaker = parts.breakers.find(candidate.channel.id, wish.model);
    // The one trial that it may have has been taken meanwhile.
    if (breaker?.isOnTrial) later.push(candidate);
    else yield* tried(candidate);
  }
  for (const candidate of later) yield* tried(candidate);
}

/** Whether another key of the same channel may do better. */
const isAboutKey = ({ status, said }: Trouble): boolean =>
  status === 403 || status === 429 || (said !== undefined && disablingReason({ status, ...said }) !== undefined);
