/**
 * The response cache: an answer that the same account got for the same request is sent again, byte
 * by byte, where the client asks for it. In the memory of one process, so that nothing that was
 * said is stored; a restart forgets it.
 */
import { randomBytes } from "node:crypto";
import { cacheSecondsMax } from "@tollgate/contract/accounts/token-restrictions.ts";
import { computeCacheHitCharge } from "../../money/prices/cache-hit-charge.ts";
import type { OptionReader } from "../../settings/live-options.ts";
import type { CallerFunds, CallerReach, KeyRules } from "../admission/caller-parts.ts";
import type {
  CallNotes,
  KnownCall,
  ReplyToClient,
  SentAnswer,
  StreamToClient,
} from "../exchange-parts.ts";
import { AnswerRecording, type KeptAnswer } from "./answer-recording.ts";
import { type CacheableCall, composeCacheKey, readWantedMaxAgeMs } from "./cache-key.ts";

/** `cacheBytesMax` is that of all accounts together. */
const cacheBytesMax = 64 * 1024 * 1024;
/** `entryBytes` are those of an entry beside its answer. */
const entryBytes = 512;

interface CachedAnswer extends KeptAnswer {
  storedAt: number;
  /** `charge` is what the answer cost when the provider gave it, in quota units. */
  charge: number;
  servedModel: string | undefined;
}

/** A call that was answered from the cache. */
export interface CacheHit {
  /** The charge of this call, in quota units. */
  charge: number;
  note: string;
}

/** A call whose answer may be kept. */
interface CacheMiss {
  key: string;
  recording: AnswerRecording;
}

export interface CachedAnswers {
  isOn(): boolean;
  /** Answers the client, or else watches what it will get. */
  answer(
    exchange: KnownCall & ReplyToClient & StreamToClient & SentAnswer,
    call: CacheableCall,
    caller: CallerReach & CallerFunds & KeyRules,
    pin: string | undefined,
    hitRatio: number,
  ): CacheHit | undefined;
  /** Keeps the answer of a call that has succeeded and that cost this many units. */
  keep(exchange: CallNotes, charge: number): void;
}

export function createCachedAnswers({
  options,
  now,
}: {
  options: OptionReader;
  now(): number;
}): CachedAnswers {
  const secret = randomBytes(32);
  /** The one that was used longest ago first. */
  const entries = new Map<string, CachedAnswer>();
  const misses = new WeakMap<object, CacheMiss>();
  let size = 0;

  function drop(key: string): void {
    const entry = entries.get(key);
    if (!entry) return;
    entries.delete(key);
    size -= entry.body.length + entryBytes;
  }

  function find(key: string, maxAgeMs: number): CachedAnswer | undefined {
    const entry = entries.get(key);
    if (!entry) return undefined;
    const ageMs = now() - entry.storedAt;
    if (ageMs > cacheSecondsMax * 1_000) drop(key);
    if (ageMs > maxAgeMs) return undefined;
    entries.delete(key);
    entries.set(key, entry);
    return entry;
  }

  return {
    isOn: () => options.flag("ResponseCacheEnabled"),
    answer(exchange, call, caller, pin, hitRatio) {
      const maxAgeMs = readWantedMaxAgeMs(exchange.request.headers, caller);
      const key = maxAgeMs === undefined ? undefined : composeCacheKey(call, caller, pin, secret);
      if (maxAgeMs === undefined || key === undefined) return undefined;
      const entry = find(key, maxAgeMs);
      if (!entry) {
        const recording = new AnswerRecording();
        misses.set(exchange, { key, recording });
        exchange.record(recording);
        exchange.learn({ cacheState: "miss" });
        return undefined;
      }
      exchange.learn({ cacheState: "hit", servedModel: entry.servedModel });
      const charge = computeCacheHitCharge(entry.charge, hitRatio);
      if (entry.contentType !== undefined) exchange.learn({ charge });
      replay(exchange, entry);
      const seconds = Math.max(0, Math.floor((now() - entry.storedAt) / 1_000));
      return { charge, note: `answered from the response cache: ${seconds} s old` };
    },
    keep(exchange, charge) {
      const miss = misses.get(exchange);
      const recorded = miss?.recording.recorded();
      if (!miss || !recorded) return;
      drop(miss.key);
      entries.set(miss.key, {
        ...recorded,
        storedAt: now(),
        charge,
        servedModel: exchange.facts.servedModel,
      });
      size += recorded.body.length + entryBytes;
      for (const [oldest] of entries) {
        if (size <= cacheBytesMax) break;
        drop(oldest);
      }
    },
  };
}

function replay(
  exchange: ReplyToClient & StreamToClient,
  { contentType, body, dropped }: CachedAnswer,
): void {
  if (contentType === undefined) {
    exchange.openStream(dropped);
    exchange.endStream(body);
  } else exchange.answer(200, contentType, body, dropped);
}
