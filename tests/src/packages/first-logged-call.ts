/**
 * What a newcomer does with an installed package, from the printed password to the first call in
 * the log.
 */

import { updateSelf } from "@tollgate/contract/accounts/sessions.ts";
import { createToken } from "@tollgate/contract/accounts/tokens.ts";
import { createChannel } from "@tollgate/contract/catalogue/channels.ts";
import { listLogs } from "@tollgate/contract/figures/logs.ts";
import OpenAI from "openai";
import { expect } from "vitest";
import { sendTo, signInSession } from "../harness/api-session.ts";
import type { ChildProgram } from "../harness/child-process.ts";
import { eventually } from "../harness/eventually.ts";

/** `newcomerPassword` is what the newcomer chooses in place of the printed one. */
export const newcomerPassword = "a password of the newcomer";
export const readyTimeoutMs = 60_000;

/** Finds the address in the line that the gateway prints once it listens. */
export const listeningAddress = (line: string): string | undefined =>
  /"event":"listening","url":"([^"]+)"/.exec(line)?.[1];

export async function makeFirstCall(
  program: ChildProgram,
  url: string,
  upstream: string,
): Promise<void> {
  const printed = await eventually(() => {
    const [, password] = /Root password: *(\S+)/.exec(program.output()) ?? [];
    if (!password) throw new Error("no password is printed yet");
    return password;
  });
  const first = await signInSession(sendTo(url), "root", printed);
  await first.call(updateSelf, { body: { password: newcomerPassword } });
  const root = await signInSession(sendTo(url), "root", newcomerPassword);
  const body = {
    name: "first",
    type: 50,
    key: "sim-ok+as-newcomer",
    base_url: upstream,
    models: "sim-model",
  };
  await root.call(createChannel, { body });
  const { data } = await root.call(createToken, { body: { name: "first", unlimited_quota: true } });
  const client = new OpenAI({ apiKey: data.key, baseURL: `${url}/v1`, maxRetries: 0 });
  const messages = [{ role: "user" as const, content: "one two, nine" }];
  const answer = await client.chat.completions.create({ model: "sim-model", messages });
  expect(answer.choices[0]?.message.content).not.toBe("");
  await eventually(async () => {
    const logs = await root.call(listLogs, { query: { model_name: "sim-model" } });
    expect(logs.data).toHaveLength(1);
  });
}
