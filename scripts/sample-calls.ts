/**
 * Makes real calls through a running gateway, so that logs and traces contain what the relay itself
 * writes.
 */
import { setTimeout as pause } from "node:timers/promises";
import { consoleHeader } from "@tollgate/contract/api/envelope.ts";
import { channels } from "./sample-channels.ts";
import { samplePassword } from "./sample-site.ts";
import type { SampleSite } from "./write-sample-site.ts";

interface SampleCall {
  token: string;
  model: string;
  ask: string;
  isStream: boolean;
  /** The client disconnects after the first bytes. */
  leaves?: true;
}

const questions = [
  "Summarise this ticket in two sentences: the export of invoices stops at page 14 since Tuesday.",
  "Which of these three cron expressions runs on the last working day of a month?",
  "Write a friendly reply: the customer asks for a refund after 40 days.",
  "Extract supplier, date and total from this invoice as JSON.",
  "Explain the difference between optimistic and pessimistic locking to a new colleague.",
  "Translate into English: Die Lieferung verzögert sich um drei Tage.",
];

/** In this order, a few at a time, so that the first page of the log shows every kind of call. */
const calls: readonly SampleCall[] = [
  ...several(4, { token: "Coding agents", model: "gpt-5.2", isStream: true }),
  ...several(4, { token: "Invoice reader", model: "gpt-5.6-terra", isStream: false }),
  ...several(3, { token: "Evaluation runs", model: "gpt-oss-120b", isStream: false }),
  ...several(5, { token: "Help centre", model: "gpt-5.6-luna", isStream: true }),
  ...several(1, { token: "Local development", model: "gpt-5.6-sol", isStream: false }),
  ...several(1, { token: "Coding agents", model: "gpt-5.4", isStream: true, leaves: true }),
  ...several(2, { token: "Notebook", model: "llama-3.3-70b", isStream: true }),
  ...several(3, { token: "Coding agents", model: "gpt-5.5", isStream: true }),
  ...several(4, { token: "Help centre", model: "gpt-5.4-mini", isStream: true }),
  ...several(1, { token: "Local development", model: "gpt-oss-20b", isStream: true }),
  ...several(1, { token: "Coding agents", model: "gpt-5.4", isStream: true, leaves: true }),
  ...several(3, { token: "Coding agents", model: "gpt-5.2", isStream: true }),
  ...several(1, { token: "Local development", model: "gpt-5.6-sol", isStream: false }),
  ...several(2, { token: "Help centre", model: "gpt-5.4-mini", isStream: true }),
  ...several(1, { token: "Evaluation runs", model: "gpt-oss-120b", isStream: false }),
];

const atOnce = 8;

/** Runs `work` for each item, a few at a time. */
async function eachOf<Item>(
  items: readonly Item[],
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const left = [...items];
  const worker = async (): Promise<void> => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}

function several(count: number, call: Omit<SampleCall, "ask">): SampleCall[] {
  return Array.from({ length: count }, (_, index) => ({
    ...call,
    ask: questions[index % questions.length] ?? "",
  }));
}

/** Returns the number of calls; some of them fail on purpose. */
export async function makeSampleCalls(gateway: string, keys: SampleSite["keys"]): Promise<number> {
  await eachOf(calls, (call) => make(gateway, keys.get(call.token) ?? "", call));
  return calls.length;
}

const testable = new Set(
  channels
    .filter(({ testedMs, isNeverTested }) => testedMs === undefined && !isNeverTested)
    .map(({ name }) => name),
);

/** Tests channels as an administrator does; the console shows a failed test with its channel. */
export async function testSampleChannels(gateway: string): Promise<void> {
  const headers = { "content-type": "application/json", [consoleHeader.name]: consoleHeader.value };
  const credentials = JSON.stringify({ username: "root", password: samplePassword });
  const signedIn = await fetch(`${gateway}/api/user/login`, {
    method: "POST",
    headers,
    body: credentials,
  });
  await signedIn.text();
  const session = {
    ...headers,
    cookie: (signedIn.headers.get("set-cookie") ?? "").split(";")[0] ?? "",
  };
  const listed = await fetch(`${gateway}/api/channel/?size=100`, { headers: session });
  const { data } = (await listed.json()) as {
    data: { id: number; name: string; status: number }[];
  };
  await eachOf(
    data.filter(({ status, name }) => status === 1 && testable.has(name)),
    async ({ id }) => {
      const tested = await fetch(`${gateway}/api/channel/test/${id}`, {
        method: "POST",
        headers: session,
      });
      await tested.text();
    },
  );
}

async function make(
  gateway: string,
  key: string,
  { model, ask, isStream, leaves }: SampleCall,
): Promise<void> {
  const hangUp = new AbortController();
  const response = await fetch(`${gateway}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({
      model,
      stream: isStream,
      messages: [
        { role: "system", content: "You are a helpful colleague. Answer briefly." },
        { role: "user", content: ask },
      ],
    }),
    signal: hangUp.signal,
  });
  const reader = response.body?.getReader();
  await reader?.read();
  if (leaves) {
    await pause(120);
    hangUp.abort();
    return;
  }
  while (reader && !(await reader.read()).done);
}
