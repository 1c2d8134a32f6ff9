// terraform/internal/provider/contract.json and docs/terraform.md are written by `npm run reference`.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createToken, updateToken } from "@tollgate/contract/accounts/tokens.ts";
import { expect, test } from "vitest";
import * as z from "zod/mini";
import {
  buildAttributes,
  buildTerraformContract,
  formatTerraformContract,
  readMemberComments,
} from "./terraform-contract.ts";
import { buildTerraformPage } from "./terraform-page.ts";
import { type TerraformResource, terraformResources } from "./terraform-resources.ts";

const readCommitted = (file: string): string =>
  readFileSync(join(import.meta.dirname, "..", file), "utf8");

test("the committed provider and its page are those of the contract: npm run reference", () => {
  expect(readCommitted("terraform/internal/provider/contract.json")).toBe(
    formatTerraformContract(),
  );
  expect(readCommitted("docs/terraform.md")).toBe(buildTerraformPage());
});

/** A token of a contract that knows one member more. */
const extendToken = (reply: z.ZodMiniType): TerraformResource => {
  const { token } = terraformResources;
  const color = { color: z.optional(z.string().check(z.maxLength(7))) };
  return {
    ...token,
    create: { ...createToken, body: z.extend(createToken.body, color) },
    update: { ...updateToken, body: z.safeExtend(updateToken.body, color) },
    read: { ...token.read, data: reply },
  };
};

test("a new member of the contract becomes an attribute by itself", () => {
  const reply = z.extend(terraformResources.token.read.data, { color: z.string() });
  expect(buildAttributes(extendToken(reply), "token").color).toEqual({
    type: { kind: "string" },
    description: "At most 7 characters",
    required: false,
    read: "color",
    in_creation: true,
    in_change: true,
  });
});

test("a member that no reply shows must be declared: it would never be seen to change", () => {
  const resource = extendToken(terraformResources.token.read.data);
  expect(() => buildAttributes(resource, "token")).toThrow(/token\.color is in no reply/);
  const { color } = buildAttributes({ ...resource, secrets: ["color"] }, "token");
  expect(color).toMatchObject({ secret: true });
  expect(color).not.toHaveProperty("read");
});

test("spent quota is changed by a difference, and what never changes makes a resource anew", () => {
  const { token, budget, user, team } = buildTerraformContract().resources;
  expect(token?.attributes.remain_quota).toMatchObject({ difference: "remain_quota_read" });
  expect(budget?.attributes.tag).toMatchObject({
    read: "subject_name",
    read_where_subject: "tag",
    in_creation: true,
  });
  expect(budget?.attributes.tag).not.toHaveProperty("in_change");
  expect(user?.attributes.role).toMatchObject({ after_creation: true });
  expect(team).toMatchObject({ disables: true });
});

test("comments of the contract become sentences", () => {
  const source =
    "/** Not this. */\nexport const one = z.object({\n  /** The first\n   * of two. */\n  a: z.int(),\n  b: z.int(),\n});\nexport const two = z.object({\n  /** Another. */\n  b: z.int(),\n});\n";
  expect([...readMemberComments(source, ["one"])]).toEqual([["a", "The first of two."]]);
});
