/**
 * The thread that redacts, seals and stores contents of calls. Calls of models wait for nothing in
 * it.
 */
import { parentPort, workerData } from "node:worker_threads";
import type { CallBody, KeptBodies } from "@tollgate/contract/call-bodies.ts";
import { formatBodyObjectName } from "../../call-bodies/body-objects.ts";
import type { BodyStoreSettings } from "../../call-bodies/body-settings.ts";
import { openBodyObjects } from "../../call-bodies/open-body-objects.ts";
import { sealBody } from "../../call-bodies/sealed-body.ts";
import { buildBodySecrets, redactText } from "./body-redaction.ts";

export interface BodyThreadData {
  settings: BodyStoreSettings;
  keyPrefix: string;
}

interface SentText {
  bytes: Uint8Array;
  type: string;
  isCut: boolean;
}

export interface BodyThreadMessage {
  callId: number;
  createdAt: number;
  /** `key` is what seals this object alone. */
  key: string;
  mode: Exclude<KeptBodies, "">;
  request: SentText;
  answer: SentText;
}

/** `trouble` where it could not be stored: a sentence for the operator. */
export interface BodyThreadReply {
  callId: number;
  trouble?: string;
}

const { settings, keyPrefix } = workerData as BodyThreadData;
const objects = openBodyObjects(settings);
const findSecrets = buildBodySecrets(keyPrefix);

function buildPart(
  { bytes, type, isCut }: SentText,
  mode: BodyThreadMessage["mode"],
): CallBody["request"] {
  const text = Buffer.from(bytes).toString("utf8");
  return {
    text: mode === "full" ? text : redactText(text, type, findSecrets),
    type,
    is_cut: isCut,
  };
}

async function store({
  callId,
  createdAt,
  key,
  mode,
  request,
  answer,
}: BodyThreadMessage): Promise<void> {
  const body = { mode, request: buildPart(request, mode), answer: buildPart(answer, mode) };
  await objects.put(formatBodyObjectName(callId, createdAt), sealBody(body, callId, key));
}

const reply = (message: BodyThreadReply): void => parentPort?.postMessage(message);

parentPort?.on("message", (message: BodyThreadMessage) => {
  const { callId } = message;
  store(message).then(
    () => reply({ callId }),
    (error: unknown) =>
      reply({ callId, trouble: error instanceof Error ? error.message : String(error) }),
  );
});
