/**
 * Guards against contents that a request may not have, decided before anything is held or sent:
 * deny lists, credentials, and the operator's own service behind a hook. Off by default; a call
 * that nothing concerns costs one comparison.
 */
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Egress } from "../../egress/egress.ts";
import type { Sealer } from "../../secrets/seal.ts";
import {
  type DenyPattern,
  loadPatternEngine,
  normaliseText,
  readDenyLists,
} from "../../settings/deny-lists.ts";
import { type OptionReader, openSecret } from "../../settings/live-options.ts";
import type { CallerIdentity } from "../admission/caller-parts.ts";
import type { KnownCall } from "../exchange-parts.ts";
import type { CallFormats } from "../formats/api-format.ts";
import type { AskedModel } from "../formats/call-parts.ts";
import { noRetryHeaders, RelayRefused, refuseBadRequest } from "../wire/relay-refusal.ts";
import { askGuardHook, GuardHookFailed, type GuardHookTarget, showMessage } from "./guard-hook.ts";
import {
  buildInspectedRequest,
  type InspectableCall,
  type InspectedRequest,
} from "./inspected-request.ts";
import { findSecretFinder } from "./secret-shapes.ts";

/**
 * Characters of one request: more than the longest context of today. What is larger is refused, not
 * skipped.
 */
const inspectedMax = 8 * 1024 * 1024;
/**
 * Texts are matched in pieces, so that other calls go on meanwhile. What is found must be shorter
 * than the overlap.
 */
const pieceLength = 64 * 1024;
const overlap = 2 * 1024;

export interface Guards {
  /** `isOn` says whether anything is inspected at all. */
  isOn(): boolean;
  /**
   * The call as it may be sent on. Throws `RelayRefused`; what was noted stands in
   * `exchange.facts.notes`.
   */
  inspect<Call extends InspectableCall>(
    call: Call,
    caller: CallerIdentity,
    exchange: KnownCall,
  ): Promise<Call>;
  /**
   * Throws `RelayRefused` where texts of this caller must be inspected, for what is not read before
   * it is sent.
   */
  refuseUnread(caller: CallerIdentity): Promise<void>;
}

interface GuardDeps {
  options: OptionReader;
  seal: Sealer;
  egress: Egress;
  keyPrefix: string;
  isEstimateRough(): boolean;
  now(): number;
  onError(error: unknown): void;
}

/** The settings as they are used. */
interface GuardRules {
  lists: readonly DenyPattern[];
  notesSecrets: boolean;
  refusesSecrets: boolean;
  hook: GuardHookTarget | undefined;
  isHookOptional: boolean;
}

export function createGuards(deps: GuardDeps): Guards {
  const { options, seal, keyPrefix, onError } = deps;
  const findSecret = findSecretFinder(keyPrefix);
  let readAt = -1;
  let isOn = false;
  /**
   * Undefined where nothing is on. Rejects where the settings cannot be read: then no call may
   * pass.
   */
  let rules: Promise<GuardRules | undefined> = Promise.resolve(undefined);

  /** The settings are read once after each change of them. */
  function isAnyOn(): boolean {
    const revision = options.revision();
    if (revision === readAt) return isOn;
    readAt = revision;
    isOn = hasGuards(options);
    rules = isOn ? readRules(options, seal) : Promise.resolve(undefined);
    rules.catch(onError);
    return isOn;
  }

  async function current(): Promise<GuardRules | undefined> {
    if (!isAnyOn()) return undefined;
    return rules.catch(() => {
      throw refuseGuardsFailed();
    });
  }

  /** Asks the hook, and answers the request with its texts. */
  async function askHook<Call>(
    inspected: InspectedRequest<Call>,
    target: GuardHookTarget,
    call: AskedModel & CallFormats,
    caller: CallerIdentity,
    exchange: KnownCall,
    isOptional: boolean,
  ): Promise<InspectedRequest<Call>> {
    const question = {
      call: exchange.requestId,
      user: caller.username,
      group: caller.group,
      key: caller.tokenName,
      model: call.model,
      endpoint: call.client.endpoint,
      texts: inspected.texts,
    };
    try {
      const answer = await askGuardHook(target, question, deps);
      if (answer.action === "allow") return inspected;
      if (answer.action === "deny")
        throw refuseContentRefused(showMessage(answer.message) || "The request is not allowed");
      exchange.note("the guard hook replaced texts of the request");
      return inspected.replaced(answer.texts);
    } catch (error) {
      if (error instanceof RelayRefused && error.refusal.code === refusedCode) throw error;
      if (!(error instanceof GuardHookFailed))
        onError(new Error(`the guard hook did not answer: ${nameError(error)}`));
      else onError(error);
      if (!isOptional) throw refuseGuardsFailed();
      exchange.note("the guard hook did not answer");
      return inspected;
    }
  }

  return {
    isOn: isAnyOn,
    async inspect(call, caller, exchange) {
      const active = await current();
      if (active === undefined) return call;
      const lists = active.lists.filter(({ list }) => concerns(list, caller));
      const { notesSecrets, refusesSecrets, hook } = active;
      if (lists.length === 0 && !notesSecrets && !refusesSecrets && !hook) return call;
      const before = buildInspectedRequest(call);
      const mustRead = lists.length > 0 || refusesSecrets || hook !== undefined;
      if (mustRead) refuseUninspected(before);
      const inspected = hook
        ? await askHook(before, hook, call, caller, exchange, active.isHookOptional)
        : before;
      const search = { lists, findSecret: notesSecrets || refusesSecrets ? findSecret : undefined };
      // The hook may take out what would be refused otherwise, and may not add it.
      const found = await searchTexts([...inspected.texts, ...inspected.others], search);
      if (found?.list)
        throw refuseContentRefused(
          `The request holds what the deny list "${found.list}" does not allow`,
        );
      if (found?.secret) {
        if (refusesSecrets)
          throw refuseContentRefused(
            `The request holds what looks like ${found.secret}; remove it`,
          );
        exchange.note(`the request holds what looks like ${found.secret}`);
      }
      return inspected.call(deps.isEstimateRough());
    },
    async refuseUnread(caller) {
      const active = await current();
      if (active === undefined) return;
      if (
        active.refusesSecrets ||
        active.hook ||
        active.lists.some(({ list }) => concerns(list, caller))
      )
        throw refuseContentRefused(
          "Guards inspect the requests of this key, and this endpoint cannot be inspected",
        );
    },
  };
}

const noLists = "[]";

const hasGuards = (options: OptionReader): boolean =>
  options.text("DenyLists") !== noLists ||
  options.flag("SecretNoteEnabled") ||
  options.flag("SecretRefusalEnabled") ||
  options.flag("GuardHookEnabled");

async function readRules(options: OptionReader, seal: Sealer): Promise<GuardRules> {
  const text = options.text("DenyLists");
  if (text !== noLists) await loadPatternEngine();
  return {
    lists: readDenyLists(text),
    notesSecrets: options.flag("SecretNoteEnabled"),
    refusesSecrets: options.flag("SecretRefusalEnabled"),
    hook: options.flag("GuardHookEnabled")
      ? {
          address: options.text("GuardHookAddress"),
          secret: openSecret(options, seal, "GuardHookSecret"),
        }
      : undefined,
    isHookOptional: options.flag("GuardHookOptionalEnabled"),
  };
}

const concerns = (
  { groups, keys }: DenyPattern["list"],
  { group, tokenId }: CallerIdentity,
): boolean =>
  (groups.length === 0 && keys.length === 0) || groups.includes(group) || keys.includes(tokenId);

function refuseUninspected({ texts, others, hasTokenIds }: InspectedRequest<unknown>): void {
  if (hasTokenIds)
    throw refuseContentRefused(
      "The prompt is a list of token ids, which the guards cannot read; send text",
    );
  let length = 0;
  for (const one of texts) length += one.length;
  for (const one of others) length += one.length;
  if (length > inspectedMax)
    throw refuseContentRefused(`The request has more than ${inspectedMax} characters to inspect`);
}

interface TextSearch {
  lists: readonly DenyPattern[];
  findSecret: ((text: string) => string | undefined) | undefined;
}

/** The first list that a text offends, or else the first credential. */
export async function searchTexts(
  texts: readonly string[],
  { lists, findSecret }: TextSearch,
): Promise<{ list?: string; secret?: string } | undefined> {
  let secret: string | undefined;
  let matched = 0;
  for (const whole of texts) {
    const text = normaliseText(whole);
    for (let start = 0; start === 0 || start + overlap < text.length; start += pieceLength) {
      const piece = text.slice(start, start + pieceLength + overlap);
      const offended = lists.find(({ expression }) => expression.test(piece));
      if (offended) return { list: offended.list.name };
      secret ??= findSecret?.(piece);
      matched += piece.length;
      if (matched < pieceLength) continue;
      matched = 0;
      await nextTurn();
    }
  }
  return secret === undefined ? undefined : { secret };
}

const refusedCode = "content_refused";

/** Sent again, the same request is refused again. */
function refuseContentRefused(message: string): RelayRefused {
  return new RelayRefused({
    ...refuseBadRequest(refusedCode, message).refusal,
    headers: noRetryHeaders,
  });
}

/** Not the client's fault: a later try may succeed. */
const refuseGuardsFailed = (): RelayRefused =>
  new RelayRefused({
    status: 503,
    type: "server_error",
    code: "guard_unavailable",
    message: "What inspects requests did not answer; try again in a few seconds",
    retryAfter: 5,
  });

/** Messages of connections quote addresses. */
function nameError(error: unknown): string {
  const { name, code } = (error ?? {}) as { name?: unknown; code?: unknown };
  return String(code ?? name);
}
