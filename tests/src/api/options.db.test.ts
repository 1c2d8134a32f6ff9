import { loadOptions, openSecret } from "@tollgate/gateway/settings/live-options.ts";
import { secretOptions } from "@tollgate/gateway/settings/option-defaults.ts";
import { openDatabase } from "@tollgate/gateway/storage/open-database.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type TestDatabase, testDatabases } from "../support/test-databases.ts";
import { describeVariants } from "../support/variants.ts";
import {
  type ManagementGateway,
  startManagementGateway,
  type TestApiClient,
} from "./management-gateway.ts";

describeVariants(testDatabases)("settings on $name", (database) => {
  let gateway: ManagementGateway;
  let root: TestApiClient;
  let storage: TestDatabase;
  beforeAll(async () => {
    storage = await database.open();
    gateway = await startManagementGateway({ name: database.name, open: async () => storage });
    root = await gateway.signIn("root");
  });
  afterAll(() => gateway.close());

  const put = async (key: string, value: string, more: object = {}) =>
    (await root("PUT", "/api/option/", { body: { key, value, ...more } })).body;
  const listed = async () => {
    const { data, secrets_set } = (await root("GET", "/api/option/")).body;
    const options = data as { key: string; value: string }[];
    return {
      secrets_set,
      values: Object.fromEntries(options.map(({ key, value }) => [key, value])),
    };
  };
  const row = async (key: string) => {
    const [found] = await gateway.db.read(
      gateway.db.sql.selectFrom("options").selectAll().where("key", "=", key),
    );
    return found;
  };
  const audited = async (key: string) => {
    const { sql, read } = gateway.db;
    const entries = sql
      .selectFrom("audit_entries")
      .selectAll()
      .where("action", "=", "option.change");
    return (await read(entries.where("target", "=", key).orderBy("id"))).map(({ change }) =>
      JSON.parse(change),
    );
  };

  test("the status tells root alone which build runs", async () => {
    expect((await root("GET", "/api/status")).body.data.build).toEqual({
      commit: "0123456789ab",
      schema: 7,
    });
    expect((await gateway.visitor("GET", "/api/status")).body.data).not.toHaveProperty("build");
    await gateway.addUser("helper", { role: 10 });
    const admin = await gateway.signIn("helper");
    expect((await admin("GET", "/api/status")).body.data).not.toHaveProperty("build");
  });

  test("a change is in force when the answer arrives, and on the record", async () => {
    for (const name of ["Relay", "Harbour"]) {
      expect(await put("SystemName", name)).toEqual({ success: true, message: "", data: null });
      expect((await gateway.visitor("GET", "/api/status")).body.data.system_name).toBe(name);
    }
    expect((await listed()).values.SystemName).toBe("Harbour");
    expect(await audited("SystemName")).toEqual([
      { from: "Tollgate", to: "Relay" },
      { from: "Relay", to: "Harbour" },
    ]);
    await put("SystemName", "Harbour");
    expect(await audited("SystemName")).toHaveLength(2);
  });

  // A SQLite file has one node.
  if (database.name !== "sqlite") {
    test("another node follows within a second or so", async () => {
      const ignore = () => undefined;
      const other = await openDatabase(storage.config, { onError: ignore, onFatal: ignore });
      const options = await loadOptions(other);
      await put("Footer", "seen everywhere");
      await expect.poll(() => options.text("Footer")).toBe("seen everywhere");
      await other.close();
    });
  }

  test("the theme of consoles of the family is kept by its name, and no other name is taken", async () => {
    for (const name of ["berry", "air", "default", "modern"]) {
      expect(await put("Theme", name)).toMatchObject({ success: true });
      expect((await listed()).values.Theme).toBe(name);
    }
    expect(await put("Theme", "midnight")).toMatchObject({ success: false });
    expect((await listed()).values.Theme).toBe("modern");
  });

  test("the public texts are public", async () => {
    for (const [key, path] of [
      ["Notice", "/api/notice"],
      ["About", "/api/about"],
      ["HomePageContent", "/api/home_page_content"],
    ] as const) {
      expect((await gateway.visitor("GET", path)).body).toEqual({
        success: true,
        message: "",
        data: "",
      });
      await put(key, `# ${key}\n<b>bold</b>`);
      expect((await gateway.visitor("GET", path)).body.data).toBe(`# ${key}\n<b>bold</b>`);
    }
  });

  test("a secret is never shown again: not by the list, the record, the log or the database", async () => {
    const shaped: Record<string, string> = {
      OutboundProxySecret: "socks5://canary:canary-7f3a91@canary.example",
      TelegramBotToken: `7001:${"canary7f".repeat(4)}`,
      GuardHookSecret: `whsec_${"canary7f".repeat(8)}`,
    };
    const canary = (key: string) => shaped[key] ?? `canary-${key}-7f3a91`;
    for (const key of secretOptions) expect((await put(key, canary(key))).success).toBe(true);
    const shown = await root("GET", "/api/option/");
    expect(shown.body.secrets_set).toEqual([...secretOptions].sort());
    for (const { key } of shown.body.data)
      expect(key).not.toMatch(/(?:Token|Secret|SecretKey|Password|APIKey)$/);
    const { sql, read } = gateway.db;
    const everything = JSON.stringify([
      shown.body,
      (await gateway.visitor("GET", "/api/status")).body,
      await read(sql.selectFrom("options").selectAll()),
      await read(sql.selectFrom("audit_entries").selectAll()),
      gateway.events,
      gateway.problems,
    ]);
    expect(everything).not.toContain("canary");
    for (const key of secretOptions) {
      expect(openSecret(gateway.options, gateway.seal, key)).toBe(canary(key));
      expect(await audited(key)).toEqual([{ secret: "replaced" }]);
    }
    // What was sealed for one setting opens for no other.
    const moved = await row("SMTPToken");
    await gateway.db.write(
      [
        {
          query: sql
            .updateTable("options")
            .set({ value: moved?.value ?? "" })
            .where("key", "=", "ResendAPIKey"),
        },
      ],
      { changes: ["options"] },
    );
    expect(() => openSecret(gateway.options, gateway.seal, "ResendAPIKey")).toThrow();
  });

  test("an empty secret leaves it as it is, clear removes it", async () => {
    await put("SMTPToken", "first");
    expect((await put("SMTPToken", "")).success).toBe(true);
    expect(openSecret(gateway.options, gateway.seal, "SMTPToken")).toBe("first");
    expect((await put("SMTPToken", "", { clear: true })).success).toBe(true);
    expect(openSecret(gateway.options, gateway.seal, "SMTPToken")).toBe("");
    expect((await listed()).secrets_set).not.toContain("SMTPToken");
    expect((await audited("SMTPToken")).at(-1)).toEqual({ secret: "cleared" });
  });

  test("the rate between quota and money is fixed, and the refusal to change it gives the reason", async () => {
    const refused = await put("QuotaPerUnit", "1");
    expect(refused).toMatchObject({ success: false, code: "option_fixed" });
    expect(refused.message).toMatch(/500000/);
    expect((await put("QuotaPerUnit", "500000")).success).toBe(true);
    expect(await row("QuotaPerUnit")).toBeUndefined();
  });

  test("what is unknown or wrong is refused with a reason and changes nothing", async () => {
    const before = await listed();
    for (const key of ["ModelRatio", "systemname", "__proto__", "constructor"])
      expect(await put(key, "1")).toMatchObject({
        code: "option_unknown",
        message: `There is no setting named ${key}`,
      });
    for (const [key, value] of [
      ["RetryTimes", "-1"],
      ["RegisterEnabled", "1"],
      ["GroupRatio", '{"default":-1}'],
      ["TopUpLink", "http://pay.example"],
      // The address that this very call came to.
      ["ChatLink", gateway.url.replace("http:", "https:")],
    ] as const) {
      const reply = await root("PUT", "/api/option/", { body: { key, value } });
      expect([reply.status, reply.body.code], key).toEqual([400, "invalid_request"]);
      expect(reply.body.fields?.value, key).toMatch(/^value /);
    }
    for (const value of [7, true, null, {}])
      expect(
        (await root("PUT", "/api/option/", { body: { key: "RetryTimes", value } })).status,
      ).toBe(400);
    expect(await listed()).toEqual(before);
  });

  test("no frame shows a page of our own, by whichever name this server goes", {
    tags: ["F-94"],
  }, async () => {
    await put("ServerAddress", "https://gate.example");
    for (const key of ["About", "HomePageContent", "ChatLink"]) {
      const reply = await put(key, "https://gate.example/settings");
      expect(reply.message, key).toMatch(/must not be a page of this server/);
    }
    expect((await put("ChatLink", "https://chat.example/")).success).toBe(true);
  });

  test("a switch waits for what it needs, and keeps it", async () => {
    for (const key of secretOptions) await put(key, "", { clear: true });
    for (const [flag, needs] of [
      ["GitHubOAuthEnabled", { GitHubClientId: "id", GitHubClientSecret: "s" }],
    ] as const) {
      for (const [key, value] of Object.entries(needs)) {
        expect(await put(flag, "true"), flag).toMatchObject({ code: "option_incomplete" });
        await put(key, value);
      }
      expect((await put(flag, "true")).success, flag).toBe(true);
      for (const key of Object.keys(needs))
        expect(await put(key, "", { clear: true }), key).toMatchObject({
          code: "option_incomplete",
        });
      await put(flag, "false");
      for (const key of Object.keys(needs))
        expect((await put(key, "", { clear: true })).success, key).toBe(true);
    }
    // What the gateway does not serve cannot be switched on, whatever was filled in.
    expect((await put("OidcEnabled", "true")).message).toMatch(/cannot be switched on/);
    expect((await put("OidcEnabled", "false")).success).toBe(true);
    await put("EmailDomainWhitelist", "");
    expect((await put("EmailDomainRestrictionEnabled", "true")).code).toBe("option_incomplete");
    await put("EmailDomainWhitelist", "example.org");
    expect((await put("EmailDomainRestrictionEnabled", "true")).success).toBe(true);
  });

  test("the settings for one identity provider become a provider that is off, once they are complete", async () => {
    const providers = async () => (await root("GET", "/api/oidc_provider/")).body.data;
    await put("OidcClientId", "our-client");
    await put("OidcClientSecret", "secret-of-oidc");
    expect((await put("OidcWellKnown", "https://id.example.com/")).message).toMatch(/must end in/);
    expect(await providers()).toEqual([]);
    const wellKnown = "https://id.example.com/realms/staff/.well-known/openid-configuration";
    expect((await put("OidcWellKnown", wellKnown)).success).toBe(true);
    expect(await providers()).toMatchObject([
      {
        issuer: "https://id.example.com/realms/staff",
        client_id: "our-client",
        has_secret: true,
        enabled: false,
      },
    ]);
    const { data, secrets_set } = (await root("GET", "/api/option/")).body;
    const left = data.filter(
      ({ key, value }: { key: string; value: string }) => key.startsWith("Oidc") && value !== "",
    );
    expect(left).toEqual([expect.objectContaining({ key: "OidcEnabled", value: "false" })]);
    expect(secrets_set).not.toContain("OidcClientSecret");
    // A script that runs again changes nothing behind the form's back.
    await put("OidcClientId", "our-client");
    await put("OidcWellKnown", wellKnown);
    expect(await put("OidcClientSecret", "another")).toMatchObject({
      success: false,
      code: "oidc_client_exists",
    });
  });

  test("the update check reports this server's own version", async () => {
    const { data } = (await root("GET", "/api/option/update")).body;
    expect(data).toMatchObject({ tag_name: "1.0.0", content: expect.stringContaining("1.0.0") });
  });

  test("nothing went wrong inside", () => expect(gateway.problems).toEqual([]));
});
