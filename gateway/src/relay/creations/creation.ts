/**
 * The creation of a thing at a provider by a user, from the choice of an account to its row in the
 * log.
 */
import { channelStatus } from "@tollgate/contract/catalogue/channels.ts";
import { noUsage } from "../../money/prices/price.ts";
import type { Write } from "../../storage/database.ts";
import type { CallTags, TagReader } from "../admission/call-tags.ts";
import type { CallerFunds, CallerIdentity, KeyRules } from "../admission/caller-parts.ts";
import { CallRecorder } from "../call-recorder.ts";
import type { CallRows } from "../call-rows.ts";
import type { KnownCall, ReplyToClient, SentAnswer } from "../exchange-parts.ts";
import { buildFixedCallSnapshot } from "../hold-fixed.ts";
import type { ObjectHome } from "../provider-states/provider-states.ts";
import type { RetrySettings } from "../relay-settings.ts";
import type { ChannelAttempt } from "../routing/attempts.ts";
import type {
  ChannelIdentity,
  ChannelStanding,
  RelayChannelKey,
} from "../routing/channel-parts.ts";
import type { ChannelChoice } from "../routing/choose-channels.ts";
import { buildLoggedRow, type EndDeps, type LoggedRowDeps, tellEnd } from "../settle-call.ts";
import {
  type AccountAnswer,
  type AskDeps,
  type AskedCreation,
  askAccounts,
  type MadeAt,
} from "./ask-accounts.ts";

export interface BeginCreationDeps {
  tags: TagReader;
  settings: RetrySettings;
}

/** `FreeCreationDeps` are what a creation without a hold asks, writes and tells. */
export type FreeCreationDeps = AskDeps & EndDeps & LoggedRowDeps & { callRows: CallRows };

export interface ProviderCreation extends AskedCreation {
  exchange: KnownCall & ReplyToClient & SentAnswer;
  caller: CallerIdentity & CallerFunds;
  tags: CallTags | undefined;
}

export interface CreationPlan {
  /** The endpoint, as metrics name it. */
  entry: string;
  /** `model` is what row, breakers and price call it: a model, or the kind of what is made. */
  model: string;
  choice: ChannelChoice;
  /** The account that keeps what the request names. */
  bound?: ObjectHome | undefined;
  bodyBytes?: number;
}

export function beginCreation(
  exchange: KnownCall & ReplyToClient & SentAnswer,
  caller: CallerIdentity & CallerFunds & KeyRules,
  { entry, model, choice, bound, bodyBytes = 0 }: CreationPlan,
  { tags: tagReader, settings }: BeginCreationDeps,
): ProviderCreation {
  exchange.learn({ model });
  const tags = tagReader.of(exchange, caller);
  const snapshot = buildFixedCallSnapshot(exchange, caller, { bodyBytes, tags });
  const recorder = new CallRecorder(exchange, caller, entry, choice, snapshot);
  const routing = {
    tokenId: caller.tokenId,
    attemptsMax: 1 + settings.retryTimes(),
    preferred: undefined,
    // Keys that take turns would spread what one user has over accounts, and no request could name
    // two of it.
    firstKeyOf: (channel: ChannelIdentity & ChannelStanding) => findHome(channel).key.index,
    state: bound && { keyFor: () => bound.key },
  };
  return { exchange, caller, tags, choice, recorder, routing, namesState: bound !== undefined };
}

/** The account of a channel that is asked first. */
export function findHome<Channel extends ChannelIdentity & ChannelStanding>(
  channel: Channel,
): { channel: Channel; key: RelayChannelKey } {
  const key =
    channel.keys.find(({ status }) => status === channelStatus.enabled) ?? channel.keys[0];
  if (!key) throw new TypeError(`channel ${channel.id} has no key`);
  return { channel, key };
}

/** The account that an attempt asks. */
export const readHome = ({ channel, key }: ChannelAttempt): ObjectHome => ({ channel, key });

export interface FreeCreation<Made> {
  ask(attempt: ChannelAttempt): Promise<AccountAnswer<Made>>;
  /** `canRepeat` says whether a further account may be asked; missing where it always may. */
  canRepeat?(): boolean;
  /** Commits whose it is, before its client learns of it; `also` in the same transaction. */
  remember(made: Made, home: ObjectHome, also: readonly Write[]): Promise<void>;
}

/**
 * Makes what costs nothing. Its row comes without a hold, and so without the guard against debts,
 * and its time joins no sum: that of an upload is its client's. Undefined where nothing was made,
 * which the client has been told.
 */
export async function createFree<Made>(
  creation: ProviderCreation,
  { ask, canRepeat, remember }: FreeCreation<Made>,
  deps: FreeCreationDeps,
): Promise<MadeAt<Made> | undefined> {
  const { exchange, recorder } = creation;
  const end = await askAccounts(creation, ask, deps, canRepeat);
  if ("attempt" in end) {
    const settlement = recorder.finishFixed(end.attempt.candidate, {
      quota: 0,
      usage: noUsage,
      outcome: "success",
      content: "",
      priced: false,
    });
    const log = buildLoggedRow(settlement, deps);
    await remember(end.made, readHome(end.attempt), deps.callRows.writesFor(log, settlement.trace));
    tellEnd(exchange, settlement, log, deps);
    return end;
  }
  const settlement = recorder.finishUnanswered(exchange.hasClientLeft ? undefined : end.error);
  const log = buildLoggedRow(settlement, deps);
  await deps.callRows.write(deps.callRows.writesFor(log, settlement.trace));
  tellEnd(exchange, settlement, log, deps);
  exchange.refuse(end.error.refusal);
  return undefined;
}
