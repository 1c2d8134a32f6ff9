import {
  oidcProviderChange,
  oidcProviderInput,
} from "@tollgate/contract/accounts/oidc-providers.ts";
import { expect, test } from "vitest";
import * as z from "zod/mini";
import {
  buildDraftRule,
  buildOidcBody,
  buildOidcForm,
  buildPresetFields,
  type DraftRule,
  defineOidcFormSchema,
  type OidcFormValues,
  readIssuer,
  toOidcForm,
} from "./oidc-form-values.ts";
import { oidcPresets } from "./oidc-presets.ts";

const messages = {
  name: "name",
  slug: "slug",
  issuer: "issuer",
  braces: "braces",
  clientId: "client id",
  secret: "secret",
  position: "position",
  days: "days",
  rules: "rules",
};
const perUnit = 500_000;
const team = "01940000-0000-7000-8000-000000000000";
const whole: OidcFormValues = {
  ...buildOidcForm(),
  name: "Company",
  slug: "company",
  issuer: "https://login.example.com/.well-known/openid-configuration",
  client_id: "gateway",
  client_secret: "secret",
  acr_values: "loa-2, ,loa-3",
  rules: [
    { ...buildDraftRule(), value: " admins ", role: "10" },
    {
      ...{ ...buildDraftRule(), value: "search" },
      ...{ team, team_role: "viewer", budget: " 2.50", window: "week" },
    },
  ],
};
const parse = (values: OidcFormValues, hasStoredSecret = false) =>
  defineOidcFormSchema(messages, { hasStoredSecret, perUnit })["~standard"].validate(values);
const bodyOf = (values: OidcFormValues) => {
  const { slug, ...settings } = z.parse(
    defineOidcFormSchema(messages, { hasStoredSecret: true, perUnit }),
    values,
  );
  return { slug, ...buildOidcBody(settings) };
};

test("a filled form is a body that the contract takes as it is", () => {
  expect(z.parse(oidcProviderInput, bodyOf(whole))).toMatchObject({
    issuer: "https://login.example.com",
    client_secret: "secret",
    acr_values: ["loa-2", "loa-3"],
    rules: [
      { claim: "groups", value: "admins", role: 10, group: "", team: "", team_budget: null },
      {
        ...{ value: "search", role: null, team, team_role: "viewer" },
        team_budget: { amount: 1_250_000, window: "week" },
      },
    ],
  });
});

test("what the server sent comes back unchanged, and without the secret", () => {
  const stored = z.parse(oidcProviderInput, bodyOf(whole));
  const { client_secret: _, ...settings } = stored;
  const provider = {
    ...settings,
    id: 7,
    uuid: "",
    has_secret: true,
    managed_by: "",
    redirect_uri: "",
    created_at: 1,
    updated_at: 1,
  };
  const body = { ...bodyOf(toOidcForm(provider, perUnit)), id: 7 };
  expect(body).not.toHaveProperty("client_secret");
  const { slug: __, ...unchanged } = settings;
  expect(z.parse(oidcProviderChange, body)).toMatchObject(unchanged);
});

test("a client without a secret removes the stored one", () => {
  expect(bodyOf({ ...whole, is_public: true })).toHaveProperty("client_secret", "");
});

test("the secret may stay empty only where one is stored or the client is public", async () => {
  const empty = { ...whole, client_secret: "" };
  expect(await parse(empty)).toHaveProperty("issues");
  for (const outcome of [await parse(empty, true), await parse({ ...empty, is_public: true })])
    expect(outcome).not.toHaveProperty("issues");
});

test("a rule that gives nothing, or looks at nothing, is refused", async () => {
  const [admins, search] = whole.rules;
  for (const rule of [
    { ...admins, claim: " " },
    { ...admins, value: "" },
    { ...admins, role: "" },
    { ...search, team: "" },
    { ...search, budget: "a lot" },
    { ...search, budget: "0" },
  ] as DraftRule[]) {
    const { issues } = (await parse({ ...whole, rules: [rule] })) as {
      issues: { message: string }[];
    };
    expect(issues.map(({ message }) => message)).toEqual(["rules"]);
  }
});

test.each(oidcPresets)(
  "the preset of $name leaves no address that is not the operator's own",
  async (preset) => {
    const { issues } = (await parse({ ...whole, ...buildPresetFields(preset) })) as {
      issues?: { message: string }[];
    };
    const found = issues?.map(({ message }) => message) ?? [];
    expect(found).toEqual(preset.issuer.includes("{") ? ["braces"] : []);
  },
);

test("the address of the document names the issuer", () => {
  expect(readIssuer(" https://a.example/realms/x/.well-known/openid-configuration ")).toBe(
    "https://a.example/realms/x",
  );
  expect(readIssuer("https://a.example/application/o/x/")).toBe(
    "https://a.example/application/o/x/",
  );
});
