/**
 * Authentication of the client's API key, in any of its forms, and authorization of the model that
 * it asks for.
 */
import type { IncomingHttpHeaders } from "node:http";
import { roles, userStatus } from "@tollgate/contract/accounts/roles.ts";
import {
  type PauseOrigin,
  type TokenPause,
  tokenStatus,
} from "@tollgate/contract/accounts/tokens.ts";
import { blockContains, parseAddress } from "@tollgate/contract/api/cidr.ts";
import { keyPrefixes, pinSuffix } from "../../accounts/tokens/token-rules.ts";
import type { AskedModel, RoutingNeeds } from "../formats/call-parts.ts";
import { noRetryHeaders, RelayRefused, refuseDenied } from "../wire/relay-refusal.ts";
import type { ApiKeys, PresentedKey, RelayCaller } from "./api-keys.ts";
import type { CallerFunds, CallerReach, KeyState } from "./caller-parts.ts";

export interface ApiKeyCredential extends PresentedKey {
  /** The channel that an administrator requires: its integer id or uuid. */
  pin: string | undefined;
}

const keyLengthMax = 256;
/**
 * `keyHeaders` are in the order in which they are read. Clients of LiteLLM use the last two besides
 * the others.
 */
const keyHeaders = [
  "authorization",
  "x-api-key",
  "api-key",
  "x-goog-api-key",
  "x-litellm-api-key",
  "ocp-apim-subscription-key",
] as const;
/** A refusal quotes no more of a name. */
const modelNameMax = 200;

/**
 * URLs end up in histories and logs, so only Gemini's API takes a key there: its clients rely on
 * it.
 */
const keyInAddress = /^\/v1beta\/[^?]*\?(?:.*&)?key=([^&]+)/;

function findKeyInHeaders(headers: IncomingHttpHeaders): string | undefined {
  for (const name of keyHeaders) {
    const value = headers[name];
    if (typeof value === "string" && value !== "") return value;
  }
  return undefined;
}

/**
 * The first credential among the headers that client libraries use, without its prefix and with the
 * pin split off. `target` is path and query of the request.
 */
export function readCredential(
  headers: IncomingHttpHeaders,
  keyPrefix: string,
  target = "",
): ApiKeyCredential | undefined {
  const carried = findKeyInHeaders(headers) ?? keyInAddress.exec(target)?.[1];
  if (!carried || carried.length > keyLengthMax) return undefined;
  const whole = carried.replace(/^Bearer\s+/i, "").trim();
  let key = whole;
  if (key.startsWith(keyPrefix)) key = key.slice(keyPrefix.length);
  for (const prefix of keyPrefixes) if (key.startsWith(prefix)) key = key.slice(prefix.length);
  const pin = pinSuffix.exec(key)?.[1];
  if (pin) key = key.slice(0, -pin.length - 1);
  return key === "" ? undefined : { key, pin, whole };
}

export const refuseMissingKey = (header = "Authorization: Bearer sk-…"): RelayRefused =>
  refuseDenied(401, `No API key was given; send it as ${header}`);

/**
 * Like `readCredential`; throws `RelayRefused` without a key. `header` is the one that clients of
 * this API use.
 */
export function requireCredential(
  headers: IncomingHttpHeaders,
  keyPrefix: string,
  target?: string,
  header?: string,
): ApiKeyCredential {
  const credential = readCredential(headers, keyPrefix, target);
  if (!credential) throw refuseMissingKey(header);
  return credential;
}

/** The part of an exchange that says who calls. */
export interface CallingClient {
  readonly address: string;
  /** Gets the caller as soon as the key is known, also where it may not be used. */
  learn(found: { caller: RelayCaller }): void;
}

/**
 * Throws `RelayRefused` for a key that is unknown, or may not be used now or from this address. In
 * a dual run the other gateway knows whether the key may be used (`isJudgedElsewhere`).
 */
export async function authenticate(
  credential: ApiKeyCredential,
  keys: ApiKeys,
  client: CallingClient,
  now: number,
  isJudgedElsewhere = false,
): Promise<RelayCaller> {
  const { address } = client;
  const caller = await keys.find(credential, address);
  if (!caller) throw refuseDenied(401, "The API key is not valid");
  client.learn({ caller });
  if (isJudgedElsewhere) return caller;
  const refused = findKeyRefusal(caller, choosePin(caller, credential.pin), address, now);
  if (!refused) return caller;
  // The quota may have been raised since the row was read.
  if (isUsedUp(caller)) keys.invalidate(credential);
  throw refused;
}

/** The channel that the end of the key names; what belongs to the key itself names none. */
export const choosePin = (
  { isFoundWhole }: CallerReach,
  pin: string | undefined,
): string | undefined => (isFoundWhole ? undefined : pin);

/**
 * `findKeyRefusal` says why a known key may not be used now; `address` is undefined where the
 * client's is not known.
 */
export function findKeyRefusal(
  caller: CallerFunds & KeyState,
  pin: string | undefined,
  address: string | undefined,
  now: number,
): RelayRefused | undefined {
  if (caller.tokenStatus === tokenStatus.disabled)
    return refuseDenied(401, "The API key is disabled");
  if (caller.tokenStatus === tokenStatus.paused) return refuseKeyPaused(caller);
  const { team } = caller;
  if (team && !team.isEnabled)
    return refuseTeam("team_disabled", `The team "${team.name}" is disabled`);
  if (team?.hasMemberLeft)
    return refuseTeam(
      "not_a_member",
      `The owner of this API key is no longer a member of the team "${team.name}"`,
    );
  if (caller.expiredAt !== null && caller.expiredAt <= now)
    return refuseDenied(
      401,
      caller.isOldKey ? "The API key was replaced by a new one" : "The API key has expired",
    );
  // One-api's status; agents get the one of their dialect for a lack of money.
  if (isUsedUp(caller))
    return new RelayRefused({
      ...refuseDenied(
        401,
        "The quota of the API key is used up: $0.00 is left. Its owner can raise it",
      ).refusal,
      isOfMoney: true,
      headers: noRetryHeaders,
    });
  if (caller.userStatus !== userStatus.enabled)
    return refuseDenied(403, "The owner of this API key is disabled");
  if (address !== undefined && caller.subnets.length > 0 && !isInside(address, caller.subnets)) {
    return refuseDenied(403, `The API key may not be used from ${address}`);
  }
  if (pin !== undefined && caller.role < roles.admin) {
    return refuseDenied(403, "Only administrators may choose a channel with their key");
  }
  return undefined;
}

/** People and programs are not named to whoever holds the key. */
const pauseCauses: Readonly<Record<PauseOrigin, (pause: TokenPause) => string>> = {
  owner: () => "",
  administrator: () => "",
  management_key: () => "",
  budget: ({ name }) => ` by the budget "${name}"`,
  alert: () => ", for it spent more than usual",
  provider: () => "",
};

/** Client libraries do not repeat such a call: only a person can help. */
function refuseKeyPaused({ pause, isOfSession }: KeyState): RelayRefused {
  const reason = pause?.reason ? `: ${pause.reason}` : pause ? pauseCauses[pause.by](pause) : "";
  const ending =
    pause?.by === "provider"
      ? `when its owner signs in with ${pause.name}`
      : isOfSession
        ? "once its owner has signed the program in anew"
        : "when its owner or an administrator resumes it";
  return new RelayRefused({
    status: 403,
    type: "tollgate_error",
    code: "key_paused",
    message: `The API key is paused${reason}. It works again ${ending}`,
    param: "",
    headers: noRetryHeaders,
  });
}

/** Client libraries do not repeat such a call: only an administrator can help. */
const refuseTeam = (code: string, message: string): RelayRefused =>
  new RelayRefused({
    status: 403,
    type: "tollgate_error",
    code,
    message,
    param: "",
    headers: noRetryHeaders,
  });

const isUsedUp = ({
  tokenStatus: status,
  isUnlimited,
  remainQuota,
}: CallerFunds & KeyState): boolean =>
  status === tokenStatus.exhausted || (!isUnlimited && remainQuota <= 0);

/** `NamesNeeded` gives the names that the model list of a key must hold for calls to a name. */
type NamesNeeded = (model: string) => readonly string[];

/**
 * Throws `RelayRefused` unless the key may use the call's models. The hold decides what the key may
 * spend.
 */
export function authorize<Call extends AskedModel & RoutingNeeds>(
  caller: CallerReach,
  call: Call,
  needed: NamesNeeded,
): Call {
  const refused = findModelRefusal(caller, call, needed);
  if (refused) throw refused;
  return call;
}

/**
 * `findModelRefusal` says why the key may not use the model, or one that the call's tools or
 * fallbacks name.
 */
export function findModelRefusal(
  { models }: CallerReach,
  call: AskedModel & RoutingNeeds,
  needed: NamesNeeded,
): RelayRefused | undefined {
  if (models === null) return undefined;
  const routed = [call.model, ...(call.fallbackModels ?? [])];
  const named = [...routed.flatMap(needed), ...(call.costMembers?.models ?? [])];
  const refused = named.find((model) => !models.has(model));
  if (refused === undefined) return undefined;
  return refuseDenied(403, `The API key may not use the model ${refused.slice(0, modelNameMax)}`);
}

function isInside(address: string, subnets: KeyState["subnets"]): boolean {
  const bytes = parseAddress(address);
  return bytes !== undefined && subnets.some((block) => blockContains(block, bytes));
}
