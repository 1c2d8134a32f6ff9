import { afterAll, beforeAll, expect, test } from "vitest";
import { describeLarge } from "../support/large-tests.ts";
import { testDatabases } from "../support/test-databases.ts";
import { applyDocument, configurationProgram } from "./configuration-program.ts";
import {
  type ManagementGateway,
  password,
  startManagementGateway,
  type TestApiClient,
} from "./management-gateway.ts";

const company = {
  slug: "company",
  issuer: "https://login.example.com/realms/main",
  clientId: "tollgate",
  clientSecret: "canary-of-the-client",
  scopes: ["profile", "email", "groups"],
  rules: [
    { claim: "groups", value: "ai-admins", role: "admin" },
    { claim: "groups", value: "search", group: "default" },
  ],
  unmatched: "refuse",
};
const proof = { current_password: password };

describeLarge(testDatabases)(
  "identity providers of a configuration document on $name",
  (database) => {
    let gateway: ManagementGateway;
    let root: TestApiClient;
    let program: TestApiClient;
    beforeAll(async () => {
      gateway = await startManagementGateway(
        database,
        undefined,
        undefined,
        "https://ai.example.com",
      );
      root = await gateway.signIn("root");
      program = await configurationProgram(gateway, root);
    });
    afterAll(() => gateway.close());

    const apply = (document: object, more: object = {}) =>
      applyDocument(program, document, { ...proof, ...more });
    const ask = async (...asked: Parameters<TestApiClient>) => (await root(...asked)).body;
    const providers = async () => (await ask("GET", "/api/oidc_provider/")).data;
    const codes = ({ problems }: { problems: { name: string; code: string }[] }) =>
      problems.map(({ name, code }) => [name, code]);
    const send = (document: object, more: object = {}) =>
      program("POST", "/api/config/apply", {
        body: { file: "site.yaml", document: { apiVersion: "tollgate/v1", ...document }, ...more },
      });

    test("a management key alone plans them and writes nothing: a change needs the password of its maker", async () => {
      const plan = await applyDocument(
        program,
        { identityProviders: [company] },
        { preview: true },
      );
      expect(plan.changes).toEqual([
        { kind: "identity_provider", name: "company", action: "create", members: [] },
      ]);
      const both = { identityProviders: [company], groups: { default: 1, partners: 2 } };
      expect((await send(both)).body).toMatchObject({ success: false, code: "reauth_required" });
      expect((await send(both, { current_password: "another password" })).body).toMatchObject({
        success: false,
        code: "current_password_wrong",
      });
      expect(await providers()).toEqual([]);
      expect((await ask("GET", "/api/option/")).data).not.toContainEqual(
        expect.objectContaining({ key: "GroupRatio", value: expect.stringContaining("partners") }),
      );
    });

    test("are applied once, and changed by the members that differ, which the plan names without their values", async () => {
      expect((await apply({ identityProviders: [company] })).changes).toHaveLength(1);
      expect(await providers()).toMatchObject([
        {
          ...{
            slug: "company",
            name: "company",
            managed_by: "site.yaml",
            enabled: true,
            has_secret: true,
          },
          ...{ scopes: "openid profile email groups", refuses_unmatched: true },
          rules: [
            { claim: "groups", value: "ai-admins", role: 10, group: "" },
            { claim: "groups", value: "search", role: null, group: "default" },
          ],
        },
      ]);
      // Nothing changes, so no proof is asked for; and so without the secret, whose variable is not
      // set.
      const { clientSecret: _, ...unset } = company;
      for (const one of [company, unset])
        expect(await applyDocument(program, { identityProviders: [one] })).toMatchObject({
          changes: [],
          unchanged: 1,
        });
      const other = { ...company, clientSecret: "another-canary", name: "Company", rules: [] };
      expect((await apply({ identityProviders: [other] })).changes).toEqual([
        {
          kind: "identity_provider",
          name: "company",
          action: "update",
          members: ["name", "rules", "client_secret"],
        },
      ]);
      const recorded = await gateway.db.read(
        gateway.db.sql.selectFrom("audit_entries").selectAll(),
      );
      const stored = await gateway.db.read(gateway.db.sql.selectFrom("oidc_providers").selectAll());
      expect(JSON.stringify([recorded, stored])).not.toContain("canary");
      expect(recorded.at(-1)?.change).toContain("site.yaml");
    });

    test("are what an export of root holds, with a reference in the place of the secret, and applying it changes nothing", async () => {
      const byHand = {
        slug: "by-hand",
        name: "By hand",
        issuer: "https://other.example.com",
        client_id: "public",
      };
      await ask("POST", "/api/oidc_provider/", { body: { ...byHand, ...proof } });
      const { data: document } = (await program("GET", "/api/config/")).body;
      expect(document.identityProviders).toMatchObject([
        {
          slug: "company",
          clientSecret: "env:TOLLGATE_IDENTITY_PROVIDER_COMPANY_SECRET",
          unmatched: "refuse",
        },
        { slug: "by-hand", clientSecret: "", enabled: false },
      ]);
      const [ofFile, other] = document.identityProviders;
      const { clientSecret: _, ...unset } = ofFile;
      expect(await applyDocument(program, { identityProviders: [unset, other] })).toMatchObject({
        changes: [],
        problems: [],
        unchanged: 2,
      });
    });

    test("are the file's alone, which says nothing of whether they are on, until root takes them over", async () => {
      const { id } = (await providers()).find(({ slug }: { slug: string }) => slug === "company");
      const change = (body: object) =>
        ask("PUT", "/api/oidc_provider/", { body: { id, ...body, ...proof } });
      expect(await change({ name: "Other" })).toMatchObject({
        success: false,
        code: "managed_by_file",
      });
      expect(await ask("DELETE", `/api/oidc_provider/${id}`)).toMatchObject({
        code: "managed_by_file",
      });
      expect(await change({ enabled: false })).toMatchObject({
        success: true,
        data: { enabled: false },
      });
      const asApplied = { ...company, clientSecret: "another-canary", name: "Company", rules: [] };
      expect(await apply({ identityProviders: [asApplied] })).toMatchObject({ changes: [] });
      const foreign = { ...company, name: "Elsewhere" };
      expect(codes(await apply({ identityProviders: [foreign] }, { file: "other.yaml" }))).toEqual([
        ["company", "not_of_this_file"],
      ]);
      expect(await change({ managed_by: "" })).toMatchObject({
        success: true,
        data: { managed_by: "" },
      });
      expect(codes(await apply({ identityProviders: [foreign] }))).toEqual([
        ["company", "not_of_this_file"],
      ]);
      expect(
        (await apply({ identityProviders: [foreign] }, { adopt: true })).changes[0],
      ).toMatchObject({
        action: "adopt",
      });
    });

    test("what left the file stays until it is pruned", async () => {
      expect((await apply({ identityProviders: [] })).changes).toMatchObject([
        { name: "company", action: "left" },
      ]);
      expect((await apply({ identityProviders: [] }, { prune: true })).changes).toMatchObject([
        { action: "delete" },
      ]);
      expect((await providers()).map(({ slug }: { slug: string }) => slug)).toEqual(["by-hand"]);
    });

    test("faults are named: a secret that is not set, a group that does not exist, a slug twice, an administrator", async () => {
      const { clientSecret: _, ...unset } = company;
      const wrong = [
        unset,
        { ...company, slug: "two", rules: [{ claim: "groups", value: "x", group: "nowhere" }] },
        { ...company, slug: "three" },
        { ...company, slug: "three" },
      ];
      expect(codes(await apply({ identityProviders: wrong }))).toEqual([
        ["company", "oidc_secret_required"],
        ["two", "invalid_request"],
        ["three", "configuration_twice"],
      ]);
      await gateway.addUser("ada", { role: 10 });
      const ada = await gateway.signIn("ada");
      expect(codes(await applyDocument(ada, { identityProviders: [company] }))).toEqual([
        ["company", "insufficient_role"],
      ]);
      expect((await ada("GET", "/api/config/")).body.data.identityProviders).toBeUndefined();
    });

    test("the settings by which other systems keep one provider have no place in a document", async () => {
      const reply = await send({ settings: { OidcClientId: "x" } });
      expect(reply).toMatchObject({
        status: 400,
        body: { message: expect.stringContaining("identityProviders") },
      });
      await ask("PUT", "/api/option/", { body: { key: "OidcClientId", value: "half" } });
      const { data: document } = (await program("GET", "/api/config/")).body;
      expect(JSON.stringify(document)).not.toContain("OidcClientId");
    });

    test("nothing went wrong inside", () => expect(gateway.problems).toEqual([]));
  },
);
