// What an installation looks like after some use: put in place through the API and by real calls,
// nothing behind its back.

import { createToken, updateTokenStatus } from "@tollgate/contract/accounts/tokens.ts";
import {
  createChannel,
  testChannel,
  updateChannelStatus,
} from "@tollgate/contract/catalogue/channels.ts";
import type { ApiSession } from "../harness/api-session.ts";

const priced = { "house-model": { ratio: 1.25, completion_ratio: 4, max_tokens: 4096 } };
const longName =
  "A channel whose name is as long as the form allows, to see whether it breaks the channel list";

export interface SampleIds {
  channel: string;
  token: string;
}

/** Answers the uuids of one channel and one token, to edit. */
export async function createSampleData(
  root: ApiSession,
  gatewayUrl: string,
  simulatorUrl: string,
): Promise<SampleIds> {
  const add = async (name: string, more: object = {}) => {
    const body = {
      name,
      type: 50,
      key: `sim-ok+as-${name.length}`,
      base_url: simulatorUrl,
      models: "house-model",
    };
    const { data } = await root.call(createChannel, { body: { ...body, ...more } });
    return data[0] ?? fail("no channel was created");
  };
  const main = await add("Simulator", {
    models: "house-model,gpt-4o-mini,gpt-4o",
    model_configs: JSON.stringify(priced),
    model_mapping: JSON.stringify({ "gpt-4": "gpt-4o" }),
    group: "default,vip",
    system_prompt: "Be brief.",
  });
  // First in order and always failing: the channel below answers its calls, and the trace shows
  // both.
  await add("Tired", { models: "gpt-4o", key: "sim-fail-503", priority: 10 });
  await add(longName, { priority: -1, models: "nobody-asks" });
  const disabled = await add("Disabled", { models: "nobody-asks" });
  await root.call(updateChannelStatus, {
    query: { status_only: "1" },
    body: { uuid: disabled.uuid, status: 2 },
  });
  for (let index = 1; index <= 8; index += 1)
    await add(`Spare ${index}`, { models: "nobody-asks", weight: index });
  await root.call(testChannel, { params: { id: main.uuid } });

  const tomorrow = Math.floor(Date.now() / 1000) + 86_400;
  const token = (
    await root.call(createToken, { body: { name: "Everyday", remain_quota: 5_000_000 } })
  ).data;
  const open = {
    name: "Thirty characters are allowed!",
    unlimited_quota: true,
    expired_time: tomorrow,
  };
  const limits = { models: "gpt-4o,gpt-4o-mini", subnet: "10.0.0.0/8,192.168.0.7" };
  await root.call(createToken, { body: { ...open, ...limits } });
  for (let index = 1; index <= 24; index += 1) {
    const limits = { rpm_limit: index * 10, tpm_limit: index * 100_000, max_parallel_requests: 4 };
    const body = { name: `Service ${index}`, remain_quota: index * 1_000, ...limits };
    const { data } = await root.call(createToken, { body });
    if (index % 5 === 0)
      await root.call(updateTokenStatus, {
        query: { status_only: "1" },
        body: { uuid: data.uuid, status: 2 },
      });
  }

  for (let call = 0; call < 8; call += 1) {
    await sendChat(gatewayUrl, token.key, "house-model", call % 2 === 0);
    await sendChat(gatewayUrl, token.key, "gpt-4o-mini", call % 2 === 1);
  }
  await sendChat(gatewayUrl, token.key, "gpt-4o", false);
  return { channel: main.uuid, token: token.uuid };
}

async function sendChat(
  gatewayUrl: string,
  key: string,
  model: string,
  stream: boolean,
): Promise<void> {
  const response = await fetch(`${gatewayUrl}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({
      model,
      stream,
      messages: [{ role: "user", content: "Which way to the harbour?" }],
    }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${model}: ${response.status} ${text}`);
}

function fail(reason: string): never {
  throw new Error(reason);
}
