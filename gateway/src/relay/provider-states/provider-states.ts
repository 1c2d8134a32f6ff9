/**
 * State at providers belongs to its owner: an id that a provider issued (a response, a container, a
 * file) is used by the user who received it, and by calls to the channel and key that issued it.
 * Providers see one account for all users.
 */
import type { Write } from "../../storage/database.ts";
import type { CallerIdentity, CallerReach } from "../admission/caller-parts.ts";
import type { KeptOwner } from "../admission/kept-owner.ts";
import type { CallFormats } from "../formats/api-format.ts";
import type { AskedModel, SentBody, StatedNeeds } from "../formats/call-parts.ts";
import type {
  ChannelAccess,
  ChannelIdentity,
  ChannelStanding,
  RelayChannelKey,
  ServedModels,
} from "../routing/channel-parts.ts";
import type { ChannelSnapshot, RelayChannel } from "../routing/channel-table.ts";
import type { IssuedIdReader } from "./issued-id-reader.ts";
import type { IssuedId, StateKind, StateReference } from "./state-references.ts";

/** `StateBinding` is where a call with state may go. */
export interface StateBinding {
  mayReceive(channel: ChannelIdentity & ServedModels & ChannelAccess): boolean;
  /** The key that issued the ids; undefined where any key of the channel may try. */
  keyFor(channel: ChannelIdentity & ChannelStanding & ServedModels): RelayChannelKey | undefined;
  /**
   * Tokens that the provider adds to the prompt for each response and conversation whose last call
   * was counted.
   */
  contextTokens: readonly number[];
  /** Sessions that containers which the call names cost where it uses them. */
  sessionsDue?: number;
}

/** Finds the ids in one answer and stores them before the client learns them. */
export interface StateKeeper extends IssuedIdReader {
  /** Resolves when the ids are committed. */
  keep(ids: readonly IssuedId[]): Promise<void>;
  /** Containers among the kept ids that no call has named before. */
  startedContainers(): number;
  /** Sessions of those that ran already, for the time since they were last paid for. */
  renewedSessions(): number;
  /**
   * Stores what the answer leaves behind its kept response and conversation: its input and output
   * tokens. Never rejects.
   */
  countContext(tokens: number): Promise<void>;
}

/** The account at a provider that keeps an object. */
export interface ObjectHome {
  channel: RelayChannel;
  key: RelayChannelKey;
}

/** A response or file that a provider keeps, for the user who received its id. */
export interface KeptObject extends ObjectHome {
  /**
   * The model of the call that made it, as its client named it; empty for a thing that no model
   * made, such as an uploaded file.
   */
  model: string;
}

/** `IssuedObjects` knows whose an object at a provider is: by it, users reach what they made. */
export interface IssuedObjects {
  /**
   * Undefined where the caller received no such object, may not use its model, or could not reach
   * its channel now.
   */
  find(
    kind: StateKind,
    id: string,
    caller: KeptOwner & Pick<CallerReach, "groups" | "models">,
    snapshot: ChannelSnapshot,
  ): Promise<KeptObject | undefined>;
  /**
   * Remembers whose objects are that are about to be named to their user; `also` is written in the
   * same transaction.
   */
  issue(
    objects: readonly IssuedId[],
    owner: KeptOwner,
    made: KeptObject,
    also?: readonly Write[],
  ): Promise<void>;
  /** The provider has deleted it; `also` is written in the same transaction. */
  forget(id: string, channel: Pick<ChannelIdentity, "id">, also?: readonly Write[]): Promise<void>;
}

/** `HomeFinder` finds the account of an object for the gateway itself, which acts for its user. */
export interface HomeFinder {
  /**
   * The account that keeps an object, whether its channel takes calls now or not; undefined where
   * the channel is gone.
   */
  homeOf(
    kind: StateKind,
    id: string,
    channelId: number,
    snapshot: Pick<ChannelSnapshot, "channels">,
  ): Promise<ObjectHome | undefined>;
  /** The account that `hashAccount` names; undefined where the channel has it no longer. */
  homeWith(
    channelId: number,
    account: string,
    snapshot: Pick<ChannelSnapshot, "channels">,
  ): ObjectHome | undefined;
}

/** `ContainerRent` counts the sessions for which providers bill a container, so that one pays. */
export interface ContainerRent {
  /** Sessions that a container costs when it is used now. */
  sessionsDue(id: string, channel: Pick<ChannelIdentity, "id">): Promise<number>;
  /** Takes them for paid; of two calls at once, one pays. */
  payContainer(id: string, channel: Pick<ChannelIdentity, "id">): Promise<number>;
}

/** `StoredContexts` knows the tokens that a call reads by naming what a provider keeps. */
export interface StoredContexts {
  /**
   * `contextStored` gives what the id of a new object stands for, in tokens that calls with it
   * read; to be written after the id.
   */
  contextStored(id: string, channel: Pick<ChannelIdentity, "id">, tokens: number): Write;
  /** More of it. */
  addContext(id: string, channel: Pick<ChannelIdentity, "id">, tokens: number): Promise<void>;
}

/** `CallStates` decides what a call may name, and keeps the ids that its answer names. */
export interface CallStates {
  /**
   * Undefined for a call that names no state. Throws `RelayRefused` for an id that is not the
   * caller's to use.
   */
  bind(
    call: AskedModel & StatedNeeds & SentBody & CallFormats,
    caller: CallerIdentity & CallerReach,
    snapshot: ChannelSnapshot,
  ): Promise<StateBinding | undefined>;
  /**
   * The sentence of a refusal for the first id that no user of the channel may name; undefined
   * where there is none.
   */
  refusedIn(references: readonly StateReference[], channel: ChannelAccess): string | undefined;
  /** Undefined where answers of this kind issue no ids. */
  keeperFor(
    call: AskedModel & SentBody & CallFormats,
    owner: KeptOwner,
    channel: RelayChannel,
    key: RelayChannelKey,
  ): StateKeeper | undefined;
}

export interface ProviderStates
  extends IssuedObjects,
    HomeFinder,
    ContainerRent,
    StoredContexts,
    CallStates {
  purge(now: number): Write;
}
