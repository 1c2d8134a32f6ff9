import { expect, test } from "vitest";
import { chooseKey, extractSecrets, readKeySettings, splitKeys } from "./channel-key.ts";

const bedrock = 33;
const vertex = 42;

test.each([
  [bedrock, "ak|sk|us-east-1", { ak: "ak", region: "us-east-1" }],
  [bedrock, "ak|sk|", { ak: "ak" }],
  [
    vertex,
    'europe-west1|my-project|{"private_key":"a|b"}',
    { region: "europe-west1", vertex_ai_project_id: "my-project" },
  ],
  [bedrock, "ak|sk|us-east-1|FwoGZXIvYXdzEBY", { ak: "ak", region: "us-east-1" }],
  [bedrock, "ABSKQmVkcm9ja0FQSUtleQ==|us-west-2", { region: "us-west-2" }],
  [bedrock, "|bedrock-api-key-YmVkcm9jaw|us-west-2", { region: "us-west-2" }],
  [bedrock, "ABSKQmVkcm9ja0FQSUtleQ==", {}],
  [bedrock, "ak|sk", {}],
  [bedrock, "ak|sk|us-east-1|token|more", {}],
  [bedrock, "label", {}],
  [1, "a|b|c", {}],
])("for type %i, the key %s contains the public settings %j", (type, key, wanted) => {
  expect(readKeySettings(type, key)).toEqual(wanted);
});

test("credentials of many lines are one key", () => {
  const adc = { type: "service_account", private_key: "-----BEGIN\nabc\n" };
  const config = {
    region: "global",
    vertex_ai_project_id: "p",
    vertex_ai_adc: JSON.stringify(adc, null, 2),
  };
  const { key, config: rest } = extractSecrets(vertex, JSON.stringify(config), "label");
  expect(splitKeys(key)).toEqual([`global|p|${JSON.stringify(adc)}`]);
  expect(JSON.parse(rest)).toEqual({ region: "global", vertex_ai_project_id: "p" });
  expect(chooseKey(vertex, key, '{"region":"us-east5"}')).toBe(`us-east5|p|${JSON.stringify(adc)}`);
});
