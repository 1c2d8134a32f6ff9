/** The life of one relayed call, top to bottom. */
import type { BodyMemoryBudget } from "../http/body-memory-budget.ts";
import type { Counters } from "../limits/counters.ts";
import type { LiveHolds } from "../money/live-holds.ts";
import { groupRatioOf, lowestGroupRatio } from "../money/price-book.ts";
import { StorageUnavailable } from "../storage/database.ts";
import { authenticate, type Credential, credentialOf } from "./authenticate.ts";
import { authorize } from "./authorize.ts";
import type { ReadBalance } from "./billing.ts";
import type { ChannelTable, RelayChannel } from "./channel-table.ts";
import { type Candidate, type Choice, chooseChannels, limited, limitReached, type Wish } from "./choose-channels.ts";
import type { Conversations, Served } from "./conversations.ts";
import { countedEnding } from "./counted-ending.ts";
import type { Counting } from "./counting.ts";
import { answerTokens, holdAmount } from "./estimate.ts";
import type { Exchange } from "./exchange.ts";
import type { HeldResponses } from "./held-responses.ts";
import { type CallSummary, Journal, type Settlement, summaryOf } from "./journal.ts";
import type { Caller, Keys } from "./keys.ts";
import { countedOnce } from "./media-usage.ts";
import { readCall } from "./read-call.ts";
import { denied, overloaded, type Refusal, Refused } from "./relay-refusal.ts";
import type { RelaySettings } from "./relay-settings.ts";
import { type Meter, respond } from "./respond.ts";
import { type Sending, send } from "./send.ts";
import type { Call, Shape } from "./shapes/shape.ts";
import { type TurnParts, type TurnWish, takeTurns } from "./take-turns.ts";
import { admit } from "./token-limits.ts";
import { brokenUpstream, type Trouble } from "./trouble.ts";
import { wayTo } from "./ways.ts";
import { withoutSecrets } from "./without-secrets.ts";
import { shapeOf } from "./wrong-entry.ts";

export interface RelayParts extends Sending, TurnParts {
  keys: Keys;
  channels: ChannelTable;
  holds: LiveHolds;
  conversations: Conversations;
  heldResponses: HeldResponses;
  /** Whether the process is short of something, so that no new call may begin. */
  isShort(): boolean;
  /** For the bodies of all calls. */
  bodyRoom: BodyMemoryBudget;
  counters: Counters;
  counting: Counting;
  settings: RelaySettings;
  readBalance: ReadBalance;
  random(): number;
  onTrouble(error: unknown): void;
  /** An upstream answered with an error: it, or the one of its keys, may have to be taken out of service. */
  onRefused(channelId: number, keyPlace: number, refusal: { status: number; type: string; code: unknown }): void;
  /** Every call that was admitted, once, when it has ended. */
  onEnd(ended: CallSummary): void;
}

/** A stream whose upstream has not answered at all begins its heartbeats after this long. */
const beatBeforeAnswerMs = 15_000;

export async function relayCall(exchange: Exchange, shape: Shape, parts: RelayParts): Promise<void> {
  exchange.wording = shape.wording;
  try {
    refuseWhenShort(parts);
    const credential = credentialOf(exchange.request.headers, parts.settings.keyPrefix, exchange.request.url);
    if (!credential) throw denied(401, "No API key was given; send it as Authorization: Bearer sk-…");
    const caller = await authenticate(credential, parts.keys, exchange.address, parts.now());
    const shapeFor = (json: unknown): Shape => {
      const own = shapeOf(shape, json);
      exchange.wording = own.wording;
      return own;
    };
    const { hasChoice } = parts.channels.snapshot;
    const takeRoom = parts.bodyRoom.reserveUntilClosed(exchange.response);
    const reading = { shapeFor, isEstimateRough: parts.settings.isEstimateRough(), hasChoice, takeRoom };
    const asked = authorize(caller, await readCall(exchange.request, shape, reading));
    const call = await parts.heldResponses.continued(asked, caller);
    const lastServed = parts.conversations.lastServed(caller.tokenId, call.model, call.conversation);
    const wish = wishFor(call, caller, credential.pin, parts.settings, lastServed);
    const choice = await choiceFor(wish, parts);
    const journal = new Journal(exchange, caller, call, choice);
    await openHold(exchange, { call, caller, credential, choice, journal }, parts);
    await serve(exchange, call, choice.candidates, { ...wish, lastServed }, journal, parts);
  } catch (error) {
    exchange.refuse(refusalOf(error, parts.onTrouble));
  } finally {
    exchange.admission?.ended(0);
  }
}

/** Throws `Refused`, before a key is looked up or a body is read: what cannot be served must cost nothing. */
export function refuseWhenShort({ isShort }: Pick<RelayParts, "isShort">): void {
  if (isShort()) throw new Refused(overloaded);
}

/** Throws `Refused` when no channel can be tried. */
export async function choiceFor(wish: Wish, { channels, breakers, limits, now, random }: RelayParts): Promise<Choice> {
  const { snapshot } = channels;
  const waits = await limits.waits(wish.tokenId, snapshot.listing(wish.model));
  return chooseChannels(wish, snapshot, { breakers, waits }, now(), random);
}

interface Admitted {
  call: Call;
  caller: Caller;
  credential: Credential;
  choice: Choice;
  journal: Journal;
}

/** Throws `Refused` when the key has reached a limit, or its quota or the balance does not cover the call. */
export async function openHold(
  exchange: Exchange,
  { call, caller, credential, choice, journal }: Admitted,
  { holds, keys, settings, counters, now }: RelayParts,
): Promise<void> {
  const { tokenId, limits } = caller;
  if (limits) {
    const asking = { id: exchange.id, tokenId, limits, promptEstimate: call.promptEstimate };
    exchange.admission = await admit(asking, counters, now);
  }
  const held = await holds.open({
    id: exchange.id,
    walletId: caller.walletId,
    userId: caller.userId,
    tokenId: caller.tokenId,
    tokenIsUnlimited: caller.isUnlimited,
    amount: Math.max(...choice.candidates.map((candidate) => holdFor(call, candidate, settings.addedHoldTokens()))),
    snapshot: JSON.stringify(journal.snapshot),
  });
  if (held === "held") return;
  keys.forget(credential.key);
  throw new Refused(quotaRefusals[held]);
}

/** Tries the candidates in turn. Every hold that was opened ends here, exactly once, however the call ends. */
async function serve(
  exchange: Exchange,
  call: Call,
  candidates: Candidate[],
  wish: TurnWish,
  journal: Journal,
  parts: RelayParts,
): Promise<void> {
  const { holds } = parts;
  let trouble: Trouble | undefined;
  try {
    if (call.isStream && !call.shape.isStreamOptional) exchange.keepAlive(beatBeforeAnswerMs);
    const onSkip = (candidate: Candidate, reason: string): void => journal.skipped(candidate, reason);
    for await (const turn of takeTurns(candidates, wish, parts, onSkip)) {
      if (exchange.hasLeft) {
        trouble = undefined;
        break;
      }
      const { candidate, channel, key } = turn;
      const { cost } = candidate;
      journal.attempt(candidate, key);
      const way = parts.heldResponses.watched(wayTo(call, channel.urlsFor(cost.model), cost.model));
      const sent = await send(parts, way.call, channel, cost.model, (upstream) =>
        exchange.onLeave(() => upstream.abort("the client left")),
      );
      if ("answer" in sent) {
        journal.answered(sent.answer.status, sent.answer.answeredAt);
        const metered = (meter: Meter): void =>
          holds.track(exchange.id, {
            channelId: channel.id,
            channelName: channel.name,
            model: cost.model,
            price: cost.frozen,
            ...meter,
          });
        const responded = await respond(exchange, sent.answer, way, cost, metered, sent.framing);
        if ("ending" in responded) {
          exchange.admission?.answered();
          if (responded.ending.outcome === "success") {
            turn.worked();
            const by = { channelId: channel.id, place: key.place };
            parts.conversations.served(wish.tokenId, call.model, call.conversation, by);
          }
          const endedAt = Date.now();
          const ending = await countedEnding(responded.ending, call, cost.model, parts.counting);
          return await settle(exchange, journal.ended(candidate, ending, endedAt), parts);
        }
        trouble = withoutSecrets(responded.trouble, ...sent.answer.secrets);
        // Some providers say inside a good answer that their short-lived secret has ended.
        if (trouble.status === 401) parts.logins.forget(channel);
      } else trouble = sent.trouble;

      if (exchange.hasLeft) {
        trouble = undefined;
        break;
      }
      journal.failed(trouble);
      if (trouble.said) parts.onRefused(channel.id, key.place, { status: trouble.status, ...trouble.said });
      turn.failed(trouble);
      if (!trouble.isRetryable) break;
    }
    // Other calls of the same key took what was left of the limits.
    if (!trouble && !exchange.hasLeft) trouble = await limitTrouble(call, candidates, wish, parts);
  } catch (error) {
    parts.onTrouble(error);
    trouble = { ...brokenUpstream("internal error"), refusal: internalError };
    journal.failed(trouble);
  }
  if (trouble) exchange.refuse(trouble.refusal);
  await settle(exchange, journal.gaveUp(trouble), parts);
}

async function limitTrouble(
  { model }: Call,
  candidates: Candidate[],
  { tokenId }: TurnWish,
  { limits }: RelayParts,
): Promise<Trouble> {
  const channels = candidates.map(({ channel }) => channel);
  const waits = await limits.waits(tokenId, channels);
  const waitMs = Math.min(...channels.map(({ id }) => waits.get(id) ?? 0));
  return { status: 429, isRetryable: false, reason: limitReached, refusal: limited(model, waitMs).refusal };
}

export async function settle(exchange: Exchange, settlement: Settlement, parts: RelayParts): Promise<void> {
  const log = parts.settings.logsContent() ? settlement.log : { ...settlement.log, content: "" };
  // Before the books are written: the next call may be on its way.
  exchange.admission?.ended(log.prompt_tokens + log.completion_tokens);
  await parts.holds.settle({ id: exchange.id, ...settlement, log });
  parts.onEnd(summaryOf(log, exchange.requestId));
}

/** What this call wants of a channel. */
export const wishFor = (
  { model, shape, refersTo, variant }: Call,
  caller: Caller,
  pin: string | undefined,
  settings: RelayParts["settings"],
  lastServed?: Served,
): Wish => ({
  model,
  entry: shape.entry,
  refersTo,
  variant,
  group: caller.group,
  ratioOn: ratioFor(caller, settings),
  pin,
  tokenId: caller.tokenId,
  lastChannelId: lastServed?.channelId,
  holdsAnswers: settings.holdsAnswers(),
  triesMax: 1 + settings.retryTimes(),
});

function ratioFor({ group }: Caller, settings: RelayParts["settings"]): (channel: RelayChannel) => number {
  const ratios = settings.groupRatios();
  if (settings.chargesByChannel()) return (channel) => lowestGroupRatio(channel.groups, ratios);
  const own = groupRatioOf(group, ratios);
  return () => own;
}

function holdFor(call: Call, { cost }: Candidate, addedTokens: number): number {
  const completion = answerTokens(call.maxTokens, cost.price.max_tokens, call.answers);
  const { price, frozen } = cost;
  const extras = call.extras && countedOnce(call.extras, price.rates);
  return holdAmount(price, call.promptEstimate, addedTokens, completion, frozen.group_ratio, extras);
}

const quotaRefusals: Record<"insufficient_user_quota" | "pre_consume_token_quota_failed", Refusal> = {
  insufficient_user_quota: {
    status: 403,
    type: "insufficient_quota",
    code: "insufficient_user_quota",
    message: "The balance does not cover this call",
  },
  pre_consume_token_quota_failed: {
    status: 403,
    type: "insufficient_quota",
    code: "pre_consume_token_quota_failed",
    message: "The remaining quota of the API key does not cover this call",
  },
};

const internalError: Refusal = {
  status: 500,
  type: "internal_error",
  code: "internal_error",
  message: "Something went wrong in the gateway",
};

/** What the caller is told about anything that a step threw. */
export function refusalOf(error: unknown, onTrouble: (error: unknown) => void): Refusal {
  if (error instanceof Refused) return error.refusal;
  onTrouble(error);
  if (error instanceof StorageUnavailable) {
    // Nothing is served unbilled: what cannot be held is refused.
    return {
      status: 503,
      type: "server_error",
      code: "storage_unavailable",
      message: "Storage is not available",
      retryAfter: 2,
    };
  }
  return internalError;
}
