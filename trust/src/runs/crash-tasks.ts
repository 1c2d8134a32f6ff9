// Tasks of the crash run: videos and batches that outlive the gateway, and tools that are called
// while it is killed.
import { setTimeout as pause } from "node:timers/promises";
import { findIdFromRequestId } from "@tollgate/gateway/storage/time-ids.ts";
import type { RunGateway } from "./run-gateway.ts";
import {
  batchFile,
  batchOf,
  batchPrice,
  secondUnits,
  sendTask,
  toolCall,
} from "./task-providers.ts";

const videosPerCycle = 4;
const batchesPerCycle = 3;
const seconds = 8;
const lines = 2;
const maxTokens = 12;
/**
 * Between two calls of a caller: a tool answers at once, and its rows must not be all that a kill
 * meets.
 */
const toolPauseMs = 10;
/** `promptTokens` are as the simulator counts the default question. */
const promptTokens = 6;

export const taskCharges = {
  video: seconds * secondUnits,
  batch: lines * batchPrice.ratio * (promptTokens + maxTokens * batchPrice.completionRatio),
} as const;

/** A task whose id a client has learned. */
export interface ToldTask {
  id: number;
  path: string;
  due: number;
}

/**
 * Begins the tasks of a cycle, spread over its time; the answers are those that reached the client.
 */
export async function beginTasks(
  gateway: RunGateway,
  key: string,
  withinMs: number,
): Promise<ToldTask[]> {
  const video = async (): Promise<ToldTask | undefined> => {
    const asked = { model: "filmed", prompt: "a toll booth", seconds: String(seconds) };
    return told(await sendTask(gateway, key, "v1/videos", asked), "v1/videos", taskCharges.video);
  };
  const batch = async (): Promise<ToldTask | undefined> => {
    const file = await sendTask(gateway, key, "v1/files", batchFile(lines, maxTokens));
    const { id } = (await file.json()) as { id: string };
    return told(
      await sendTask(gateway, key, "v1/batches", batchOf(id)),
      "v1/batches",
      taskCharges.batch,
    );
  };
  const tasks = [
    ...Array.from({ length: videosPerCycle }, () => video),
    ...Array.from({ length: batchesPerCycle }, () => batch),
  ];
  const begun = tasks.map(async (begin, n) => {
    await pause((withinMs * (n + 1)) / tasks.length);
    return await begin().catch(() => undefined);
  });
  return (await Promise.all(begun)).flatMap((task) => task ?? []);
}

async function told(response: Response, path: string, due: number): Promise<ToldTask | undefined> {
  const { id } = (await response.json()) as { id?: string };
  const billingId = findIdFromRequestId(response.headers.get("x-oneapi-request-id") ?? "");
  return response.status === 200 && id && billingId !== undefined
    ? { id: billingId, path: `${path}/${id}`, due }
    : undefined;
}

/**
 * Asks for each task, which charges one that has ended at once; a timer of the gateway ends the
 * others.
 */
export async function endTasks(
  gateway: RunGateway,
  key: string,
  tasks: readonly ToldTask[],
): Promise<void> {
  for (const { path } of tasks) await (await sendTask(gateway, key, path)).text();
}

/** The call's id when the tool's result is here. */
export async function callToolOnce(gateway: RunGateway, key: string): Promise<number | undefined> {
  try {
    await pause(toolPauseMs);
    const response = await sendTask(gateway, key, "mcp/tools", toolCall("result"));
    await response.text();
    return response.status === 200
      ? findIdFromRequestId(response.headers.get("x-oneapi-request-id") ?? "")
      : undefined;
  } catch {
    return undefined;
  }
}

/**
 * `wrongTaskCharges` gives what is wrong with the charges of tasks: `open` were held at the kill. A
 * task that no client was told of may cost nothing.
 */
export function wrongTaskCharges(
  told: readonly ToldTask[],
  open: readonly number[],
  charged: ReadonlyMap<number, number>,
): string[] {
  const due = new Map(told.map((task) => [task.id, task.due]));
  const possible: readonly number[] = [0, ...Object.values(taskCharges)];
  return [...new Set([...due.keys(), ...open])].flatMap((id) => {
    const found = charged.get(id) ?? 0;
    const expected = due.get(id);
    const isRight = expected === undefined ? possible.includes(found) : found === expected;
    return isRight
      ? []
      : [`task ${id} was charged ${found}, due was ${expected ?? "one of its prices, or nothing"}`];
  });
}
