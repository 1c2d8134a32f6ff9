/** Asks the provider of each channel once a day which of its models end. */

import { type Database, tryWrite } from "../../storage/database.ts";
import type { ChannelRow } from "../channels/channel-store.ts";
import type { ListChannelModels } from "./channel-model-lists.ts";
import type { ModelFactStore } from "./model-fact-store.ts";
import { endsText, type StatedEnds } from "./told-ends.ts";

const dayMs = 86_400_000;
const retryAfterMs = 3_600_000;

export interface ModelEndAsking {
  db: Database;
  store: ModelFactStore;
  listModels: ListChannelModels;
  now(): number;
}

/**
 * `askModelEnds` is for the schedule of each node: asks for the channels that are due and that no
 * other node asks for.
 */
export async function askModelEnds(asking: ModelEndAsking, signal: AbortSignal): Promise<void> {
  const { db, store, listModels, now } = asking;
  for (const due of await store.due(now())) {
    if (signal.aborted) return;
    if (await tryWrite(db, [store.claim(due, now() + retryAfterMs)])) continue;
    const list = await listModels(due.channel);
    // What was told before a failure still holds.
    if (list !== undefined && "failure" in list) continue;
    await keepModelEnds(asking, due.channel, list?.ends ?? new Map());
  }
  await db.write([store.sweep()]);
}

/** Nodes read their channels anew only where a day has changed. */
export async function keepModelEnds(
  { db, store, now }: Omit<ModelEndAsking, "listModels">,
  channel: ChannelRow,
  ends: StatedEnds,
): Promise<void> {
  const text = endsText(ends);
  const isNew = text !== ((await store.toldTo(channel)) ?? "{}");
  await db.write(
    [store.tell(channel, text, now() + dayMs)],
    isNew ? { changes: ["channels"] } : {},
  );
}
