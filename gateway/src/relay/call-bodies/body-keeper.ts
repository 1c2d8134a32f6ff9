/**
 * Keeps what clients send and get, for keys whose holder asks for it. A call waits for nothing of
 * it and never fails because of it: where there is no room, or the place does not answer, the
 * contents are lost and counted.
 */
import { Worker } from "node:worker_threads";
import type { BodyStoreSettings } from "../../call-bodies/body-settings.ts";
import type { BodyStore } from "../../call-bodies/body-store.ts";
import { composeBodyKey } from "../../call-bodies/sealed-body.ts";
import type { Sealer } from "../../secrets/seal.ts";
import { type Database, tryWrite } from "../../storage/database.ts";
import type { GatewayMetrics } from "../../telemetry/gateway-metrics.ts";
import type { CallerIdentity, KeyRules } from "../admission/caller-parts.ts";
import type { ArrivedRequest, SentAnswer } from "../exchange-parts.ts";
import type { SentBody } from "../formats/call-parts.ts";
import { BodyRecording, keptBytesMax } from "./body-recording.ts";
import type { BodyThreadMessage, BodyThreadReply } from "./body-thread.ts";

/** `queueBytesMax` is that of all bodies that wait to be stored. */
const queueBytesMax = 64 * 1024 * 1024;
/** `bodyBytes` are those of a body beside its texts. */
const bodyBytes = 1_024;
const storedAtOnceMax = 4;
/** A place that is silent for longer than its own tries has lost the body. */
const storeWithinMs = 90_000;
const closeWithinMs = 5_000;
const failureEveryMs = 60_000;
/** The redaction of a few bodies of the largest size. */
const heapMaxMegabytes = 512;

export interface BodyKeeper {
  /** Watches what the client gets. Called once, for a call whose key keeps contents. */
  watch(exchange: SentAnswer, call: SentBody, caller: CallerIdentity & KeyRules): void;
  /** The call has ended, however it ended. */
  ended(exchange: ArrivedRequest): void;
  /** Stores what waits, for a few seconds at most. */
  close(): Promise<void>;
}

export interface BodyKeeperDeps {
  settings: BodyStoreSettings;
  keyPrefix: string;
  db: Database;
  store: Pick<BodyStore, "insert" | "erase">;
  seal: Sealer;
  metrics: Pick<GatewayMetrics, "callBodies">;
  now(): number;
  /** `onFailure` is called at most once a minute, and is told nothing of the contents. */
  onFailure(reason: string): void;
}

interface WatchedCall {
  caller: CallerIdentity & KeyRules;
  request: BodyThreadMessage["request"];
  recording: BodyRecording;
}

type WaitingBody = Omit<BodyThreadMessage, "key"> & {
  userId: number;
  tokenId: number;
  size: number;
};

export function createBodyKeeper(deps: BodyKeeperDeps): BodyKeeper {
  const { settings, keyPrefix, db, store, seal, metrics, now } = deps;
  const watched = new WeakMap<object, WatchedCall>();
  const waiting: WaitingBody[] = [];
  const answers = new Map<number, (trouble: string | undefined) => void>();
  let waitingBytes = 0;
  let storing = 0;
  let lastFailureAt = 0;
  let worker: Worker | undefined;
  let onIdle: (() => void) | undefined;

  function lose(reason: string): void {
    metrics.callBodies.child("lost").add(1);
    if (now() - lastFailureAt < failureEveryMs) return;
    lastFailureAt = now();
    deps.onFailure(reason);
  }

  function startThread(): Worker {
    const started = new Worker(new URL("./body-thread.ts", import.meta.url), {
      workerData: { settings, keyPrefix },
      resourceLimits: { maxOldGenerationSizeMb: heapMaxMegabytes },
    });
    started.unref();
    started.on("message", ({ callId, trouble }: BodyThreadReply) => answers.get(callId)?.(trouble));
    const end = (reason: string): void => {
      // The next body starts another thread.
      if (worker === started) worker = undefined;
      for (const answer of [...answers.values()]) answer(reason);
    };
    started.on("error", (error: Error) =>
      end(`the thread that stores contents ended: ${error.message}`),
    );
    started.on("exit", () => end("the thread that stores contents ended"));
    return started;
  }

  /** Undefined once it is stored, or why it is not. */
  function send(message: BodyThreadMessage): Promise<string | undefined> {
    worker ??= startThread();
    const { promise, resolve } = Promise.withResolvers<string | undefined>();
    const deadline = setTimeout(() => resolve("it took too long"), storeWithinMs).unref();
    answers.set(message.callId, resolve);
    worker.postMessage(message);
    return promise.finally(() => {
      clearTimeout(deadline);
      answers.delete(message.callId);
    });
  }

  /** The row first: an object without a row would never be removed. */
  async function keep({ userId, tokenId, size: _, ...body }: WaitingBody): Promise<void> {
    const { callId, mode, createdAt } = body;
    const key = composeBodyKey();
    const key_sealed = seal.seal("body-key", `call_bodies/key_sealed/${callId}`, key);
    const row = {
      id: callId,
      user_id: userId,
      token_id: tokenId,
      mode,
      key_sealed,
      created_at: createdAt,
    };
    if (await tryWrite(db, [store.insert(row)])) return;
    const trouble = await send({ ...body, key });
    if (trouble === undefined) {
      metrics.callBodies.child("kept").add(1);
      return;
    }
    lose(trouble);
    await tryWrite(db, [store.erase(callId)]);
  }

  function storeNext(): void {
    const body = storing < storedAtOnceMax ? waiting.shift() : undefined;
    if (!body) {
      if (storing === 0) onIdle?.();
      return;
    }
    storing += 1;
    void keep(body)
      .catch((error: unknown) => lose(error instanceof Error ? error.message : String(error)))
      .finally(() => {
        storing -= 1;
        waitingBytes -= body.size;
        storeNext();
      });
  }

  return {
    watch(exchange, call, caller) {
      const recording = new BodyRecording();
      watched.set(exchange, { caller, request: requestText(call), recording });
      exchange.record(recording);
    },
    ended(exchange) {
      const call = watched.get(exchange);
      if (!call) return;
      watched.delete(exchange);
      const { caller, request, recording } = call;
      const answer = recording.recorded();
      const size = bodyBytes + request.bytes.length + answer.bytes.length;
      if (caller.bodies === "") return;
      if (waitingBytes + size > queueBytesMax) {
        metrics.callBodies.child("dropped").add(1);
        return;
      }
      waitingBytes += size;
      const { userId, tokenId, bodies: mode } = caller;
      waiting.push({
        callId: exchange.id,
        createdAt: now(),
        mode,
        userId,
        tokenId,
        request,
        answer,
        size,
      });
      storeNext();
    },
    async close() {
      if (storing > 0) {
        const { promise, resolve } = Promise.withResolvers<void>();
        onIdle = resolve;
        const deadline = setTimeout(resolve, closeWithinMs);
        await promise;
        clearTimeout(deadline);
      }
      await worker?.terminate();
    },
  };
}

const json = "application/json";

/** The body as it is sent on; of a form its fields alone, as an object. */
function requestText({ body, form }: SentBody): BodyThreadMessage["request"] {
  if (!form)
    return { bytes: body.subarray(0, keptBytesMax), type: json, isCut: body.length > keptBytesMax };
  const fields = form.parts.map(({ name, filename, start, end }): [string, string] => [
    name,
    filename === undefined
      ? form.body.toString("utf8", start, end)
      : `[a file of ${end - start} bytes]`,
  ]);
  return {
    bytes: Buffer.from(JSON.stringify(Object.fromEntries(fields))),
    type: json,
    isCut: false,
  };
}
