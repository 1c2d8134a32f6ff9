import { afterAll, beforeAll, expect, test } from "vitest";
import { testDatabases } from "../support/test-databases.ts";
import { describeVariants } from "../support/variants.ts";
import { applyDocument, configurationProgram } from "./configuration-program.ts";
import {
  type ManagementGateway,
  startManagementGateway,
  type TestApiClient,
} from "./management-gateway.ts";

describeVariants(testDatabases)(
  "budget templates of a configuration document on $name",
  (database) => {
    let gateway: ManagementGateway;
    let root: TestApiClient;
    let program: TestApiClient;
    beforeAll(async () => {
      gateway = await startManagementGateway(database);
      root = await gateway.signIn("root");
      program = await configurationProgram(gateway, root);
    });
    afterAll(() => gateway.close());

    const apply = (document: object, more: object = {}) => applyDocument(program, document, more);
    const ask = async (...asked: Parameters<TestApiClient>) => (await root(...asked)).body;
    const templates = async () => (await ask("GET", "/api/budget_template/")).data;
    const perKey = {
      name: "each key",
      subject: "token",
      window: "day",
      amount: "$5",
      onReached: "pause",
    };
    const perUser = {
      name: "each partner",
      subject: "user",
      group: "partners",
      window: "month",
      amount: 900,
      hard: false,
    };
    const groups = { default: 1, partners: 2 };

    test("are applied once with the groups that they name, change what follows them, and are exported as they are", async () => {
      const document = { groups, budgetTemplates: [perKey, perUser] };
      const plan = await apply(document, { preview: true });
      const ofTemplates = ({ changes }: { changes: { kind: string }[] }) =>
        changes.filter(({ kind }) => kind === "budget_template");
      expect(ofTemplates(plan)).toEqual(
        [perKey, perUser].map(({ name }) => ({
          kind: "budget_template",
          name,
          action: "create",
          members: [],
        })),
      );
      expect(await templates()).toEqual([]);
      expect((await apply(document)).problems).toEqual([]);
      expect(await templates()).toMatchObject([
        {
          name: "each key",
          group: "",
          amount: 2_500_000,
          on_reached: "pause",
          hard: true,
          managed_by: "site.yaml",
        },
        {
          name: "each partner",
          group: "partners",
          amount: 900,
          on_reached: "refuse",
          hard: false,
          enabled: true,
        },
      ]);

      const { data: key } = await ask("POST", "/api/token/", { body: { name: "k" } });
      const budget = async () =>
        (await ask("GET", `/api/budget/?subject=token&subject_id=${key.id}`)).data[0];
      expect(await budget()).toMatchObject({ amount: 2_500_000, managed_by: "" });
      const raised = await apply({ budgetTemplates: [{ ...perKey, amount: "$6" }, perUser] });
      expect(raised.changes).toEqual([
        { kind: "budget_template", name: "each key", action: "update", members: ["amount"] },
      ]);
      expect(await budget()).toMatchObject({ amount: 3_000_000 });

      const exported = (await program("GET", "/api/config/")).body.data;
      expect(exported.budgetTemplates).toHaveLength(2);
      // Budgets of keys are no configuration.
      expect(exported).not.toHaveProperty("budgets");
      expect(await apply({ budgetTemplates: exported.budgetTemplates })).toMatchObject({
        changes: [],
        unchanged: 2,
      });
    });

    test("are kept from edits elsewhere but their switch, refused where they cannot be, and pruned", async () => {
      await apply({ groups, budgetTemplates: [perKey, perUser] }, { adopt: true });
      const [{ id }] = await templates();
      const edit = (body: object) => ask("PUT", "/api/budget_template/", { body: { id, ...body } });
      expect(await edit({ amount: 5 })).toMatchObject({ code: "managed_by_file" });
      expect(await ask("DELETE", `/api/budget_template/${id}`)).toMatchObject({
        code: "managed_by_file",
      });
      expect((await edit({ enabled: false })).data).toMatchObject({ enabled: false });
      expect(await apply({ budgetTemplates: [perKey, perUser] })).toMatchObject({
        changes: [],
        unchanged: 2,
      });

      const faults = await apply({
        budgetTemplates: [
          { ...perKey, subject: "user" },
          { ...perUser, name: "lost", group: "nobody" },
          { ...perUser, zone: "Berlin" },
          perUser,
        ],
      });
      expect(faults.problems.map(({ name, code }: Record<string, string>) => [name, code])).toEqual(
        [
          ["each key", "invalid_request"],
          ["lost", "invalid_request"],
          ["each partner", "invalid_request"],
          ["each partner", "configuration_twice"],
        ],
      );

      expect((await edit({ amount: 5, managed_by: "" })).data).toMatchObject({
        amount: 5,
        managed_by: "",
      });
      expect((await apply({ budgetTemplates: [perKey, perUser] })).problems).toMatchObject([
        { code: "not_of_this_file" },
      ]);
      expect((await apply({ budgetTemplates: [] }, { prune: true })).changes).toMatchObject([
        { name: "each partner", action: "delete" },
      ]);
      expect(await templates()).toMatchObject([{ name: "each key" }]);
    });
  },
);
