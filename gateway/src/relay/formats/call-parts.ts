/**
 * The parts of a call on its way to a provider (`RelayCall`), so that a function can ask for those
 * that it reads.
 */
import type { ExtraUsage } from "../../money/prices/price.ts";
import type { KeptOwner } from "../admission/kept-owner.ts";
import type { TagPair } from "../admission/sent-tags.ts";
import type { CallConversation } from "../routing/session-affinity.ts";
import type { RequestedRun } from "../runs/requested-run.ts";
import type { JsonRecord } from "../wire/json-parts.ts";
import type { MultipartForm } from "../wire/multipart.ts";
import type { NeededTools } from "./declared-tools.ts";
import type { CostMembers } from "./hold-size/cost-members.ts";
import type { UnseenInputs } from "./hold-size/unseen-inputs.ts";

/** `AskedModel` is the model of a call, and the names by which its client asked for it. */
export interface AskedModel {
  model: string;
  /** The virtual model that `body` names, where `model` is its target. */
  requestedModel?: string;
  /** Models that the client names beside `model`, to be tried after it in this order. */
  fallbackModels?: readonly string[];
}

/** `AskedReply` is the form in which the client wants its answer. */
export interface AskedReply {
  isStream: boolean;
  /** Chat completions: the client asked for the usage event at the end of a stream. */
  wantsUsage: boolean;
  /** Chat completions: the usage of the answer says what the call costs (told-cost.ts). */
  wantsCost?: boolean;
  /** Chat completions: `stream_options` as the client sent them. */
  streamOptions: Readonly<Record<string, unknown>>;
}

/** `AskedSize` is how much a request asks for at most: what is held for it. */
export interface AskedSize {
  /**
   * Completion tokens of one answer: the largest limit in the request; undefined without one, 0
   * where there is no output.
   */
  maxOutputTokens: number | undefined;
  /** Messages with a limit of 0: Anthropic fills its cache with the prompt and writes no answer. */
  writesNothing?: true;
  /** Answers: those asked for, for each of the prompts. */
  choiceCount: number;
  promptEstimate: number;
  /** Embeddings: one vector for each input. */
  vectorCount?: number | undefined;
  /**
   * Estimated usage beside text: held for the call, and charged where the provider reports nothing
   * better. Output that can be counted in two ways is listed in both; the price uses one of them.
   */
  extras?: ExtraUsage;
}

/** `LimitedOutput` is what admission adds to a request. */
export interface LimitedOutput {
  /**
   * Completion tokens to which the balance limits an answer, not written into the body yet: its
   * member depends on the target.
   */
  limitToWrite?: number;
}

/**
 * `compaction`: the provider shortens the conversation, encrypted for itself, or reads one that it
 * shortened. `videos`: it makes them by OpenAI's API. `token_ids`: it reads prompts that are no
 * texts, such as numbers of OpenAI's tokens.
 */
export type OwnApiFeature = "compaction" | "videos" | "token_ids";

/** `StatedNeeds` are what a request says that not every channel has for it. */
export interface StatedNeeds {
  /**
   * `variant` is what the price depends on beside the model: size and quality of images, such as
   * `1024x1792/hd`, or how much is searched.
   */
  variant?: string;
  /**
   * The field that refers to something stored by one provider; no other provider can serve the
   * request.
   */
  refersTo?: string | undefined;
  /**
   * Something that a provider knows by its id, and that a translation leaves out: items in the
   * input of Responses, in Messages the token of a refused request, and an earlier answer with
   * which the cached prompt is compared.
   */
  namesItems?: boolean;
  /**
   * `ownApiFor` names a part that only a provider can do that speaks the client's format itself: no
   * translation can carry it.
   */
  ownApiFor?: OwnApiFeature | undefined;
}

/** `RoutingNeeds` are all by which routing tells the channels that can serve a call. */
export interface RoutingNeeds extends StatedNeeds {
  /** Members that choose a model or change the price; undefined for nearly every call. */
  costMembers?: CostMembers | undefined;
  /** `neededTools` are what the request needs of its tools; undefined where it has none. */
  neededTools?: NeededTools | undefined;
  /** The conversation that the call continues. */
  conversation?: CallConversation | undefined;
}

/** `SentBody` is what the provider reads. */
export interface SentBody {
  body: Buffer;
  /** The parts of `body` where it is multipart/form-data; otherwise `body` is JSON. */
  form?: MultipartForm;
  /**
   * `unseen` is what the provider reads beside `body`, if anything: the estimate of the prompt does
   * not count it.
   */
  unseen?: UnseenInputs;
  /**
   * The members at the top of the client's body, so that nobody parses it for one that is not
   * there; undefined where it was not JSON.
   */
  members?: ReadonlySet<string>;
}

/** `CallLabels` are what a client says of a call for the counts of its operator. */
export interface CallLabels {
  /** The tags that the body names; undefined for nearly every call. */
  bodyTags?: readonly TagPair[] | undefined;
  /** The run of an agent that the call names, if any. */
  run?: RequestedRun | undefined;
}

/** `PassedHeaders` go from the client to the provider. */
export interface PassedHeaders {
  /** Names and values alternate. */
  headers: readonly string[];
}

/** `StoredReply` says that the gateway stores the reply of a call in the provider's place. */
export interface StoredReply {
  /** Responses: where the gateway stores the reply if it is a translated one. */
  storeAs?: StoredResponseTarget;
}

/**
 * `StoredResponseTarget` is the place at which the gateway stores a reply, and the conversation
 * before it.
 */
export interface StoredResponseTarget {
  id: string;
  owner: KeptOwner;
  /** `previousId` is as the client sent it. */
  previousId: string | null;
  /** Items of `input`. */
  input: readonly JsonRecord[];
}

/** `PlainRequest` is what every request states, if only by its silence. */
export interface PlainRequest extends AskedReply, AskedSize {
  model: string;
  /**
   * Members that ask the gateway and no provider, by their path: they are taken out of the body.
   */
  ownMembers?: readonly (readonly string[])[];
}
