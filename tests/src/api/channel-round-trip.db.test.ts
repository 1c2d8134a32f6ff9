// Every type of channel through the gateway and back, with the console's own mapping of forms: what
// one edit does not mean to change must be as it was.
import { isOfferedType } from "@tollgate/contract/catalogue/channel-input.ts";
import { channelTypes } from "@tollgate/contract/catalogue/channel-types.ts";
import { openChannelKey } from "@tollgate/gateway/catalogue/channels/channel-key.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  buildChannelForm,
  buildChannelUpdate,
} from "../../../console/src/features/channels/channel-form-values.ts";
import { ruleDatabases } from "../support/test-databases.ts";
import {
  type ManagementGateway,
  startManagementGateway,
  type TestApiClient,
} from "./management-gateway.ts";

const adc = JSON.stringify({ type: "service_account", private_key: "-----BEGIN\nx" });

/**
 * `special` is what only some types have. `sealed` is the key that must be stored, where it is not
 * the one that was sent.
 */
const special: Record<
  number,
  { sent: Record<string, unknown>; kept?: Record<string, unknown>; sealed?: string }
> = {
  3: { sent: { other: "2024-03-01-preview", base_url: "https://x.openai.azure.com" } },
  17: { sent: { other: "my-plugin" } },
  18: { sent: { other: "v3.5" } },
  21: { sent: { other: "library-7" } },
  24: { sent: { other: "v1beta" } },
  33: {
    sent: { config: { region: "eu-west-1", ak: "AKIA", sk: "S", strange: [1] }, key: "" },
    kept: { config: { region: "eu-west-1", ak: "AKIA", strange: [1] } },
    sealed: "AKIA|S|eu-west-1",
  },
  34: { sent: { config: { auth_type: "personal_access_token", user_id: "u" } } },
  37: { sent: { config: { user_id: "account" } } },
  42: {
    sent: {
      config: { region: "eu", vertex_ai_project_id: "p", vertex_ai_adc: adc, strange: 1 },
      key: "",
    },
    kept: { config: { region: "eu", vertex_ai_project_id: "p", strange: 1 } },
    sealed: `eu|p|${adc}`,
  },
  50: {
    sent: { config: { api_format: "response", custom_headers: { "x-a": "{{key}}" } } },
    kept: { config: { api_format: "response", custom_headers: { "x-a": "********" } } },
  },
};

const usual = {
  models: "a,b",
  hidden_models: '["b"]',
  testing_model: "a",
  model_mapping: '{"a":"b"}',
  model_configs: '{"a":{"ratio":1,"tiers":[{"ratio":2}],"strange":0}}',
  system_prompt: "Be brief.",
  inference_profile_arn_map: '{"a":"arn:aws:x"}',
  group: "default,vip",
  priority: -1,
  weight: 3,
  ratelimit: 60,
  tag: "europe",
};

describe.each(ruleDatabases)("channels of every type on $name", (database) => {
  let gateway: ManagementGateway;
  let root: TestApiClient;
  beforeAll(async () => {
    gateway = await startManagementGateway(database);
    root = await gateway.signIn("root");
  });
  afterAll(() => gateway.close());

  test.each(channelTypes.filter(({ id }) => isOfferedType(id)))(
    "$name: one field changes and nothing else",
    async ({ id: type }) => {
      const {
        sent,
        kept = {},
        sealed = "sk-provider-9876",
      } = special[type] ?? { sent: { config: { strange: 2 } } };
      const written = (members: Record<string, unknown>) =>
        "config" in members ? { ...members, config: JSON.stringify(members.config) } : members;
      const body = {
        name: `type ${type}`,
        type,
        key: sealed,
        base_url: `https://${type}.example`,
        ...usual,
      };
      const created = await root("POST", "/api/channel/", { body: { ...body, ...written(sent) } });
      expect(created.body.message).toBe("");
      const [made] = created.body.data;
      expect(made).toMatchObject({ ...usual, type, ...written({ ...sent, ...kept }), key: "" });

      const { data: read } = (await root("GET", `/api/channel/${made.uuid}`)).body;
      expect(read).toEqual(made);
      gateway.clock.now += 1_000;
      const { type: _, priority, weight, ratelimit, ...form } = buildChannelForm(read);
      const numbers = {
        type,
        priority: Number(priority),
        weight: Number(weight),
        ratelimit: Number(ratelimit),
      };
      const change = buildChannelUpdate({ ...form, ...numbers, name: "renamed" }, read);
      const changed = await root("PUT", "/api/channel/", { body: change });
      expect(changed.body.data).toEqual({
        ...read,
        name: "renamed",
        updated_at: gateway.clock.now,
      });

      const [row] = await gateway.db.read(
        gateway.db.sql.selectFrom("channels").selectAll().where("uuid", "=", made.uuid),
      );
      expect(row && openChannelKey(gateway.seal, row)).toBe(sealed);
    },
  );

  test("nothing went wrong inside", () => expect(gateway.problems).toEqual([]));
});
